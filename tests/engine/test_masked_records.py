"""Sensitive fields of records in what a turn reports: masked in its record, and beside the value in the views."""

from typing import Any

import pytest

from dialogue.engine.actions import ActionCall, ActionFailed, ActionRegistry, RegisteredActions
from dialogue.engine.slots.display import display_or_redact, redacted_json
from tests.support.engine.dialogue_harness import Talk, assistant_of

HEAD = """\
records:
  card: {fields: {holder: text, number: {type: text, sensitive: true}, limit: {type: money, sensitive: true}}}
actions:
  charge: {inputs: {card: card, number: text, codes: optional list of text}, outputs: {receipt: text}}
"""
PAY = """\
flow: pay
description: Pay.
slots:
  card: {type: card, prompt: Which card?}
  codes: {type: list, items: text, sensitive: true, prompt: Which codes?}
  receipt: optional text
steps:
  - {step: ask, type: collect, slot: card}
  - {step: ask_codes, type: collect, slot: codes}
  - step: pay
    type: action
    call: charge
    inputs: {card: card, number: card.number, codes: codes}
    outputs: {receipt: receipt}
    on_error: end
  - {step: sure, type: confirm, message: "Paid with {card.number}?"}
"""
NUMBER = "4111 1111 1111 1234"
CARD = {"holder": "Mia Holm", "number": NUMBER, "limit": "500.00"}
MASKED = {"holder": "Mia Holm", "number": "•••• 1234", "limit": "••••"}


async def paid() -> Talk:
    talk = Talk(assistant_of(PAY, head=HEAD), {"charge": [{"returns": {"receipt": "R1"}}]})
    await talk.does({"start_flow": "pay"}, {"set_slot": {"card": CARD}}, {"set_slot": {"codes": ["alpha-77"]}})
    assert talk.stack == ["pay!confirm"]
    return talk


async def test_the_record_of_a_turn_masks_the_field_in_commands_changes_and_actions():
    talk = await paid()
    record = talk.outcome.record

    assert record["proposed"][1] == {"set_slot": {"card": MASKED}}
    assert record["slots"][0]["to"] == MASKED
    inputs = record["actions"][0]["inputs"]
    assert (inputs["card"], inputs["number"], inputs["codes"]) == (MASKED, "•••• 1234", "••••")
    assert NUMBER not in str(record) and "500.00" not in str(record) and "alpha" not in str(record)


@pytest.mark.parametrize(
    ("command", "masked"),
    [
        ({"correct_slot": {"card.number": "5500 0000 0000 0004"}}, {"correct_slot": {"card.number": "•••• 0004"}}),
        ({"correct_slot": {"card.holder": "Ben"}}, {"correct_slot": {"card.holder": "Ben"}}),
        ({"correct_slot": {"card.limit.x": "9"}}, {"correct_slot": {"card.limit.x": "••••"}}),
        ({"set_slot": {"card": '{"number": "5500"}'}}, {"set_slot": {"card": "••••"}}),
        ({"add_values": {"codes": ["beta-88"]}}, {"add_values": {"codes": "••••"}}),
        ({"remove_values": {"codes": ["alpha-77"]}}, {"remove_values": {"codes": "••••"}}),
    ],
)
async def test_a_proposed_command_is_masked_whatever_its_form(command: Any, masked: Any):
    talk = await paid()

    await talk.does(command)

    assert talk.outcome.record["proposed"] == [masked]
    for hidden in ("5500", "beta", "alpha"):
        assert hidden not in str(talk.outcome.record)


async def test_a_view_has_the_value_for_who_may_see_it_and_the_masked_one_for_others():
    view = (await paid()).outcome.stack[0]["slots"]["card"]

    assert (view["value"], view["sensitive"], view["masked"]["value"]) == (CARD, False, MASKED)
    assert view["masked"]["shown"] == "holder: Mia Holm, number: •••• 1234, limit: ••••"
    assert view["masked"]["texts"] == [NUMBER, NUMBER, "500.00", "500.00"]
    assert view["words"] == ""


async def test_the_understanding_sees_the_other_fields_only():
    talk = await paid()
    asked: list[Any] = talk.nlu.asked
    await talk.does("affirm")

    filled = asked[-1][1].filled
    assert filled["pay.card.holder"] == "Mia Holm" and filled["pay.card.number"] == "•••• 1234"
    assert NUMBER not in str(asked[-1][1].last_messages)


async def test_an_incomplete_record_is_masked_too():
    talk = Talk(assistant_of(PAY, head=HEAD), {})
    await talk.does({"start_flow": "pay"}, {"set_slot": {"card.number": NUMBER}})
    await talk.does({"digress": {"kind": "status"}})

    assert talk.nlu.asked[-1][1].filled == {"pay.card.number": "•••• 1234"}
    assert NUMBER not in str(talk.outcome.record)


async def test_the_reason_of_a_failed_action_quotes_no_sensitive_field(caplog: pytest.LogCaptureFixture):
    registry = ActionRegistry()

    @registry.action("charge")
    async def charge(inputs: dict[str, Any], *, key: str, conversation: str) -> Any:
        raise ActionFailed(f"{inputs['card']['number']} of {inputs['card']['holder']} was refused")

    contract = assistant_of(PAY, head=HEAD).actions["charge"]
    outcome: Any = await RegisteredActions(registry).run(ActionCall("k1", "charge", {"card": CARD}, contract))

    assert outcome.error == "•••• of Mia Holm was refused"
    assert NUMBER not in caplog.text


def test_values_of_another_form_are_masked_as_a_whole():
    card = assistant_of(PAY, head=HEAD).flows["pay"].slots["card"]

    assert redacted_json(card, "4111") == "••••"
    assert redacted_json(card, {"number": ["4111"], "planet": "Mars"}) == {"number": "••••", "planet": "••••"}
    assert display_or_redact(card, CARD) == "holder: Mia Holm, number: •••• 1234, limit: ••••"  # type: ignore[arg-type]
