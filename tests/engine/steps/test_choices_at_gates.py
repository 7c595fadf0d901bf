"""Choices from data beside gates, offers of changes and operators, and with sensitive fields."""

from dialogue.engine.ports import events
from tests.engine.steps.test_choices_from_data import FROM_ACTION, FROM_SLOT, GO, HEAD, ORDERS, Shop, choices_of
from tests.support.engine.dialogue_harness import Talk, assistant_of

CONFIRM = '  - {step: check, type: confirm, message: "Cancel {order}?"}'
GATE = """
  - step: gate
    type: human
    title: Cancel
    actions: [{id: approve, style: primary}, {id: decline}]
    timeout: 1h
    on_timeout: decline
    show: [order]
    form: {swap: {type: choice, required: false, options: {from: find_orders, value: order_id, label: "{summary}"}}}
    next: {approve: act, decline: sorry}
""".strip("\n")
WITH_GATE = FROM_ACTION.replace(CONFIRM, GATE)
SECRET = HEAD.replace("color: text}", "color: {type: text, sensitive: true}}")
SHOWS_SECRET = FROM_ACTION.replace('label: "{order_id}, {summary}"', 'label: "{summary}, {color}"')


def talk_with(flow: str = WITH_GATE, head: str = HEAD) -> Talk:
    talk = Talk(assistant_of(flow, head=head))
    talk.actions = Shop(*ORDERS)
    return talk


async def test_staff_see_the_label_and_the_options_of_the_form():
    talk = talk_with()
    await talk.does(*GO)

    await talk.chooses("W2")

    options = talk.staff_task().form_options["swap"]  # type: ignore[union-attr]
    assert [(option.value, option.label) for option in options][:2] == [("W1", "desk lamp"), ("W2", "keyboard")]
    assert "form_options" not in talk.staff_task().to_json()
    assert talk.outcome.stack[0]["slots"]["order"]["shown"] == "W2, keyboard"
    assert await talk.decides("approve", swap="W1") == ["say:done"]


async def test_a_gate_is_asked_again_about_another_option():
    talk = talk_with()
    await talk.does(*GO)
    await talk.chooses("W2")
    before = talk.staff_task()

    await talk.does({"offer_change": {"order": "floor lamp"}})
    assert "W3, floor lamp" in talk.texts[0]
    await talk.does("affirm")

    assert talk.value("cancel.order") == ORDERS[2]
    assert talk.staff_task().key != before.key


async def test_an_option_that_is_gone_after_the_approval_is_asked_for_again():
    talk = talk_with()
    await talk.does(*GO)
    await talk.chooses("W2")
    talk.actions.orders = [ORDERS[0]]

    assert await talk.decides("approve") == ["option_gone:order", "ask:order"]
    assert "cancel_order" not in talk.actions.names


async def test_a_source_that_fails_keeps_the_gate_from_opening():
    talk = talk_with()
    await talk.does(*GO)
    talk.actions.fails = True

    assert await talk.chooses("W2") == ["action_failed"]


async def test_an_operator_sets_a_choice_by_its_label():
    talk = talk_with(FROM_SLOT)
    await talk.does(*GO)

    await talk.feed(events.slots("e-op", {"order": "W3, floor lamp"}, "Olga"))

    assert talk.value("cancel.order") == ORDERS[2]


async def test_sensitive_fields_are_masked_in_the_record():
    talk = talk_with(SHOWS_SECRET, SECRET)

    await talk.does(*GO)
    assert choices_of(talk)[0] == ("W1", "desk lamp, blue")
    assert talk.outcome.record["options"][0]["options"][0] == "desk lamp, ••••"

    await talk.does({"set_slot": {"order": "desk lamp, blue"}})
    assert talk.outcome.record["options"][0] == {
        "slot": "order", "words": "••••", "result": "chosen", "options": ["desk lamp, ••••"],
    }  # fmt: skip
    assert talk.outcome.stack[0]["slots"]["order"]["sensitive"] is True


async def test_the_understanding_has_a_masked_label_and_no_sensitive_attribute():
    talk = talk_with(SHOWS_SECRET, SECRET)
    await talk.does(*GO)
    await talk.does("repeat")

    _text, context = talk.nlu.asked[-1]
    option = context.candidates["order"][0]
    assert (option.masked_label, option.sensitive, "color" in option.fields) == ("desk lamp, ••••", True, False)
