"""Forms of gates whose choices come from data: staff choose among what was there when the gate opened."""

import pytest

from dialogue.desk.forms.refusals import InvalidValue
from dialogue.desk.sessions.decisions import Answer, submit
from dialogue.engine.slots.form_schema import form_schema, slots_from_schema, with_form_options
from dialogue.engine.slots.models import Slot
from dialogue.models import HITLSession
from dialogue.turns.process.database import in_thread
from dialogue.turns.worker import drain
from tests.support.turns import begun, say
from tests.turns.test_sessions import _olga

pytestmark = pytest.mark.django_db(transaction=True)

ASSISTANT = """\
version: 1
assistant: swaps
records:
  variant: {fields: {item_id: text, color: text, left: integer}, label: "{color}"}
slots:
  variants:
    type: list
    items: variant
    default:
      - {item_id: a, color: blue, left: 2}
      - {item_id: b, color: red, left: 0}
      - {item_id: c, color: green, left: 1}
"""
SWAP = """\
flow: swap
description: Swaps an item.
examples: [swap it]
slots:
  why: {type: text, prompt: Why?}
steps:
  - {step: ask, type: collect, slot: why}
  - step: gate
    type: human
    title: Swap
    actions: [{id: approve, style: primary}, {id: decline}]
    timeout: 1h
    on_timeout: decline
    show: [why]
    form: {instead: {type: choice, options: {from: variants, value: item_id, label: "{color}", when: left > 0}}}
    next: {approve: done, decline: end}
  - {step: done, type: say, message: "You get {gate.instead}."}
"""


async def opened_gate() -> HITLSession:
    conversation = await begun({"assistant.yaml": ASSISTANT, "swap.yaml": SWAP})
    await say(conversation, "swap it")
    await say(conversation, "too small")
    return await HITLSession.objects.select_related("conversation").aget(audience="staff")


async def test_the_form_offers_what_was_loaded_and_takes_a_label() -> None:
    session = await opened_gate()

    field = slots_from_schema(session.schema)["instead"]
    assert [(option.value, str(option.label)) for option in field.options] == [("a", "blue"), ("c", "green")]
    await in_thread(lambda: submit(session.pk, _olga(), Answer("approve", {"instead": "c"})))()
    await drain(session.conversation.pk)

    last = await session.conversation.messages.order_by("seq").alast()
    assert last is not None and last.text == "You get green."


async def test_what_is_not_offered_is_refused() -> None:
    session = await opened_gate()

    with pytest.raises(InvalidValue, match="blue, green"):
        await in_thread(lambda: submit(session.pk, _olga(), Answer("approve", {"instead": "b"})))()


CHOICE = Slot.model_validate({"type": "object", "fields": {"one": {"type": "choice", "options": {"from": "things"}}}})


def options_with(*pairs: tuple[str, str]) -> dict[str, Slot]:
    return slots_from_schema(form_schema(with_form_options(CHOICE.fields, {"one": pairs})))


def test_equal_labels_are_told_apart_by_their_values() -> None:
    options = options_with(("a", "lamp"), ("b", "lamp"), ("c", "mug"))["one"].options

    assert [str(option.label) for option in options] == ["lamp (a)", "lamp (b)", "mug"]


def test_a_field_without_any_option_takes_text() -> None:
    assert options_with()["one"].type == "text"
