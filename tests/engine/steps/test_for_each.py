"""Loops over the entries of a list: rounds, corrections of one round, skipping, limits and nested loops."""

from typing import Any

import pytest

from tests.support.engine.dialogue_harness import Talk, assistant_of
from tests.support.engine.loop_flows import (
    CHOICE_RECORDS,
    CHOOSING,
    EXCHANGE,
    ITEMS,
    choosing_assistant,
    exchange_items,
)


async def test_each_entry_has_a_round_that_asks_anew_and_knows_its_entry():
    talk = await exchange_items()
    assert talk.texts == ["What for the lamp?"]
    await talk.does({"set_slot": {"replacement": "candle"}})
    assert talk.texts == ["lamp becomes candle.", "What for the mug?"]


async def test_what_the_rounds_give_is_gathered_in_order():
    talk = await exchange_items("candle", "cup", "pencil")
    assert talk.texts[-1] == "Take candle, cup, pencil, because broken?"
    assert talk.value("exchange.old") == ["x", "x", "x"]


async def test_the_pauses_of_each_round_have_an_identity_and_an_item_of_their_own():
    talk = await exchange_items()
    keys = []
    for value in ("candle", "cup", "pencil"):
        awaited = talk.outcome.awaited
        assert awaited is not None
        keys.append((awaited.key, awaited.item, awaited.item_label))
        await talk.does({"set_slot": {"replacement": value}})
    assert keys == [
        ("exchange-1/ask/1", 1, "id: i0, name: lamp"),
        ("exchange-1/ask/2", 2, "id: i1, name: mug"),
        ("exchange-1/ask/3", 3, "id: i2, name: pen"),
    ]
    assert talk.outcome.awaited is not None
    assert talk.outcome.awaited.item == 0
    assert "item" not in talk.outcome.awaited.to_json()


async def test_the_record_says_to_which_item_a_step_belongs():
    talk = await exchange_items("candle")
    steps = [(step["step"], step.get("item")) for step in talk.outcome.record["steps"]]
    assert steps == [("ask", 1), ("tell", 1), ("each_swap", 2)]


async def test_a_list_without_entries_is_passed_over():
    talk = Talk(assistant_of(EXCHANGE))
    await talk.does({"start_flow": "exchange"}, {"set_slot": {"items": [], "reason": "broken"}})
    assert talk.keys == ["confirm:exchange"]
    assert talk.value("exchange.new") == []


async def test_more_entries_than_the_limit_end_the_flow_with_a_text_that_says_so():
    flow = EXCHANGE.replace("per_item:", "max_items: 2\n    per_item:")
    talk = Talk(assistant_of(flow))
    keys = await talk.does({"start_flow": "exchange"}, {"set_slot": {"items": ITEMS, "reason": "broken"}})
    assert keys == ["too_many_items"]
    assert "3" in talk.texts[0]
    assert "2" in talk.texts[0]
    assert talk.stack == []


async def test_a_loop_of_two_hundred_items_does_not_run_into_the_limit_on_steps():
    flow = """
flow: exchange
description: Counts.
slots:
  items: {type: list, items: {type: text}, prompt: "Which items?"}
  reason: {type: text, prompt: "Why?"}
  new: {type: list, items: {type: text}}
steps:
  - {step: ask_items, type: collect, slot: items}
  - {step: ask_reason, type: collect, slot: reason}
  - step: each
    type: for_each
    item: entry
    in: items
    max_items: 200
    gather: {new: entry}
    do: [{step: tell, type: say, message: "{entry}"}]
  - {step: check, type: confirm, message: "{reason}?"}
"""
    items: Any = [f"n{number}" for number in range(200)]
    talk = await exchange_items(items=items, flow=flow, max_steps_per_turn=20)
    assert len(talk.keys) == 201
    assert talk.value("exchange.new") == items


async def test_continue_leads_to_the_next_round():
    skipping = """      - step: known
        type: branch
        cases: [{when: "replacement == 'same'", next: continue}]
"""
    flow = EXCHANGE.replace("      - {step: tell", skipping + "      - {step: tell")
    talk = await exchange_items("same", flow=flow)
    assert talk.keys == ["ask:replacement"]
    assert talk.texts == ["What for the mug?"]


async def test_a_corrected_round_that_ends_with_continue_no_longer_gathers():
    skipping = """      - step: known
        type: branch
        cases: [{when: "replacement == 'same'", next: continue}]
"""
    flow = EXCHANGE.replace("      - {step: tell", skipping + "      - {step: tell")
    talk = await exchange_items("candle", "cup", "pencil", flow=flow)
    await talk.does({"correct_slot": {"replacement": "same"}, "item": 2})
    assert talk.value("exchange.new") == ["candle", "pencil"]


async def test_a_step_outside_may_be_led_to():
    leaving = """      - step: stop
        type: branch
        cases: [{when: "replacement == 'stop'", next: check}]
"""
    flow = EXCHANGE.replace("      - {step: tell", leaving + "      - {step: tell")
    talk = await exchange_items("candle", "stop", flow=flow)
    assert talk.texts == ["Take candle, because broken?"]
    await talk.does({"correct_slot": {"replacement": "cup"}})
    assert talk.texts[-1] == "What for the pen?"


async def test_a_skipped_item_gathers_nothing_and_the_next_one_follows():
    talk = await exchange_items("candle")
    assert await talk.does("skip_item") == ["item_skipped:each_swap", "ask:replacement"]
    assert talk.texts == ["All right, I leave this out: id: i1, name: mug.", "What for the pen?"]
    await talk.does({"set_slot": {"replacement": "pencil"}})
    assert talk.value("exchange.new") == ["candle", "pencil"]


DELIVER = """
flow: deliver
description: Delivers parts, each after somebody approved it.
slots:
  parts: {type: list, items: {type: text}, prompt: Which parts?}
  count: {type: integer, prompt: How many?}
  counts: {type: list, items: {type: integer}, required: false}
steps:
  - {step: ask, type: collect, slot: parts}
  - step: each
    type: for_each
    item: part
    in: parts
    per_item: [count]
    gather: {counts: count}
    do:
      - {step: how_many, type: collect, slot: count}
      - step: approval
        type: human
        title: Deliver
        show: [part, count]
        actions: [{id: approve, style: primary}, {id: refuse}]
        timeout: 1h
        on_timeout: refuse
        next: {approve: told, refuse: continue}
      - {step: told, type: say, message: "{count} of {part}."}
  - {step: sure, type: confirm, message: "{counts}?"}
"""


async def test_an_item_that_is_skipped_while_it_is_repeated_needs_its_approval_when_it_is_corrected():
    talk = Talk(assistant_of(DELIVER))
    await talk.does({"start_flow": "deliver"}, {"set_slot": {"parts": ["box"]}})
    await talk.does({"set_slot": {"count": 2}})
    await talk.decides("approve")
    await talk.does({"correct_slot": {"count": 5}, "item": 1})
    await talk.does("skip_item")
    assert talk.value("deliver.counts") == []

    await talk.does({"correct_slot": {"count": 3}, "item": 1})

    assert talk.stack == ["deliver!human"]
    assert talk.value("deliver.counts") == []


async def test_outside_of_a_loop_there_is_no_item_to_skip():
    talk = await exchange_items("candle", "cup", "pencil")
    await talk.does("skip_item")
    assert talk.outcome.record["dropped"][0]["reason"] == "no_open_item"
    assert talk.stack == ["exchange!confirm"]


async def test_cancelling_inside_ends_the_flow():
    talk = await exchange_items("candle")
    assert await talk.does("cancel_flow") == ["cancelled:exchange"]
    assert talk.stack == []


# ---- corrections ----


async def test_a_correction_for_an_earlier_item_goes_back_to_that_round_only():
    talk = await exchange_items("candle", "cup")
    keys = await talk.does({"correct_slot": {"replacement": "torch"}, "item": "lamp"})
    assert keys == ["item_corrected:replacement", "ask:replacement"]
    assert talk.texts[0] == "All right, replacement for id: i0, name: lamp is now torch."
    assert talk.texts[1] == "What for the pen?"
    await talk.does({"set_slot": {"replacement": "pencil"}})
    assert talk.value("exchange.new") == ["torch", "cup", "pencil"]


async def test_a_correction_after_the_loop_asks_the_confirmation_again_and_keeps_the_other_rounds():
    talk = await exchange_items("candle", "cup", "pencil")
    first = talk.outcome.awaited
    assert first is not None
    keys = await talk.does({"correct_slot": {"replacement": "torch"}, "item": 2})
    assert keys == ["item_corrected:replacement", "confirm:exchange"]
    assert talk.texts[-1] == "Take candle, torch, pencil, because broken?"
    assert (first.key, "voided") in talk.settled()


async def test_the_same_value_for_an_item_again_changes_nothing():
    talk = await exchange_items("candle", "cup", "pencil")
    keys = await talk.does({"correct_slot": {"replacement": "cup"}, "item": 2})
    assert keys == ["confirm:exchange"]
    assert talk.settled() == []


async def test_after_the_loop_a_correction_without_an_item_is_asked_about():
    talk = await exchange_items("candle", "cup", "pencil")
    keys = await talk.does({"correct_slot": {"replacement": "torch"}})
    assert keys == ["which_item:replacement", "confirm:exchange"]
    assert "mug" in talk.texts[0]


async def test_words_that_fit_no_entry_are_asked_about():
    talk = await exchange_items("candle")
    keys = await talk.does({"set_slot": {"replacement": "torch"}, "item": "sofa"})
    assert keys == ["which_item:replacement", "ask:replacement"]


async def test_a_correction_of_a_value_from_outside_repeats_only_the_rounds_that_read_it():
    deciding = """      - step: by_reason
        type: branch
        cases: [{when: "swap_reason == 'late' and replacement == 'cup'", next: continue}]
"""
    flow = EXCHANGE.replace("      - {step: tell", deciding + "      - {step: tell").replace(
        "  reason:", "  swap_reason: {type: text, default: none}\n  reason:"
    )
    talk = await exchange_items("candle", "cup", flow=flow)
    keys = await talk.does({"correct_slot": {"swap_reason": "late"}})
    assert keys == ["corrected:swap_reason", "ask:replacement"]
    assert talk.texts[-1] == "What for the pen?"
    await talk.does({"set_slot": {"replacement": "pencil"}})
    assert talk.value("exchange.new") == ["candle", "pencil"]


async def test_a_correction_of_the_list_keeps_the_rounds_of_entries_that_are_still_there():
    talk = await exchange_items("candle", "cup")
    changed = [ITEMS[0], {"id": "i9", "name": "sofa"}, ITEMS[2]]
    await talk.does({"correct_slot": {"items": changed}})
    assert talk.texts[-1] == "What for the sofa?"
    await talk.does({"set_slot": {"replacement": "chair"}})
    assert talk.texts[-1] == "What for the pen?"
    await talk.does({"set_slot": {"replacement": "pencil"}})
    assert talk.value("exchange.new") == ["candle", "chair", "pencil"]


async def test_a_shorter_list_drops_what_was_gathered_for_the_entry_that_is_gone():
    talk = await exchange_items("candle", "cup", "pencil")
    await talk.does({"correct_slot": {"items": [ITEMS[0], ITEMS[2]]}})
    assert talk.texts[-1] == "Take candle, pencil, because broken?"


async def test_a_slot_of_the_open_round_is_corrected_as_usual():
    flow = EXCHANGE.replace(
        "      - {step: tell",
        '      - {step: sure, type: confirm, message: "{swap.name} to {replacement}?"}\n      - {step: tell',
    )
    talk = await exchange_items("candle", flow=flow)
    assert await talk.does({"correct_slot": {"replacement": "torch"}}) == ["corrected:replacement", "confirm:exchange"]
    assert talk.texts[-1] == "lamp to torch?"
    await talk.does("affirm")
    assert talk.texts == ["lamp becomes torch.", "What for the mug?"]


# ---- actions and staff ----

ACTING = EXCHANGE.replace(
    "      - {step: tell",
    """      - step: swap_it
        type: action
        call: swap
        inputs: {id: swap.id, by: replacement}
        on_error: tell
      - {step: tell""",
)
SWAP = "actions:\n  swap: {inputs: {id: text, by: text}, idempotent: %s}\n"


async def test_each_round_calls_the_action_under_a_key_of_its_own():
    talk = await exchange_items("candle", "cup", flow=ACTING, head=SWAP % "false")
    assert [call.key for call in talk.actions.calls] == ["c1/exchange-1/swap_it/1/1", "c1/exchange-1/swap_it/2/1"]
    assert [call.inputs["id"] for call in talk.actions.calls] == ["i0", "i1"]


async def test_a_value_that_an_unrepeatable_action_has_used_cannot_be_corrected_later():
    talk = await exchange_items("candle", "cup", flow=ACTING, head=SWAP % "false")
    keys = await talk.does({"correct_slot": {"replacement": "torch"}, "item": 1})
    assert keys == ["already_done:replacement", "ask:replacement"]
    assert len(talk.actions.calls) == 2


async def test_a_correction_of_one_item_repeats_its_action_and_no_other():
    talk = await exchange_items("candle", "cup", flow=ACTING, head=SWAP % "true")
    await talk.does({"correct_slot": {"replacement": "torch"}, "item": 1})
    assert [(call.inputs["id"], call.inputs["by"]) for call in talk.actions.calls] == [
        ("i0", "candle"),
        ("i1", "cup"),
        ("i0", "torch"),
    ]
    assert talk.texts[-1] == "What for the pen?"


ASKING = EXCHANGE.replace(
    "      - {step: tell",
    """      - step: boss
        type: human
        title: Decide
        show: [swap, replacement]
        actions: [{id: approve, style: primary}, {id: refuse}]
        timeout: 1h
        on_timeout: refuse
        next: {approve: tell, refuse: continue}
      - {step: tell""",
)


async def test_each_round_opens_a_gate_of_its_own():
    talk = await exchange_items("candle", flow=ASKING)
    first = talk.staff_task()
    assert (first.key, first.item, first.shown["swap"]["name"]) == ("exchange-1/boss/1", 1, "lamp")  # type: ignore[union-attr]
    assert await talk.decides("approve") == ["say:tell", "ask:replacement"]
    await talk.does({"set_slot": {"replacement": "cup"}})
    second = talk.staff_task()
    assert (second.key, second.item) == ("exchange-1/boss/2", 2)


async def test_a_refused_item_goes_on_with_the_next_one_and_is_gathered_as_the_author_says():
    talk = await exchange_items("candle", flow=ASKING)
    await talk.decides("refuse")
    assert talk.texts == ["What for the mug?"]


async def test_a_decided_gate_of_an_earlier_round_stands_after_a_correction_elsewhere():
    talk = await exchange_items("candle", flow=ASKING)
    await talk.decides("approve")
    await talk.does({"correct_slot": {"reason": "late"}})
    assert talk.texts[-1] == "What for the mug?"
    assert not [task for task in talk.outcome.tasks if task.audience == "staff"]


async def test_a_correction_of_one_item_asks_staff_again_about_that_item():
    talk = await exchange_items("candle", flow=ASKING)
    await talk.decides("approve")
    await talk.does({"correct_slot": {"replacement": "torch"}, "item": 1})
    task = talk.staff_task()
    assert (task.item, task.shown["replacement"]) == (1, "torch")  # type: ignore[union-attr]


async def test_a_gate_is_withdrawn_when_its_item_is_skipped():
    talk = await exchange_items("candle", flow=ASKING)
    gate = talk.staff_task()
    assert await talk.does("skip_item") == ["item_skipped:each_swap", "ask:replacement"]
    assert (gate.key, "cancelled") in talk.settled()


# ---- values said ahead ----


async def test_values_said_before_the_loop_are_used_when_their_round_comes():
    talk = Talk(assistant_of(EXCHANGE))
    await talk.does(
        {"start_flow": "exchange"},
        {"set_slot": {"items": ITEMS, "reason": "broken"}},
        {"set_slot": {"replacement": "cup"}, "item": "mug"},
        {"set_slot": {"replacement": "candle"}, "item": "lamp"},
    )
    assert talk.keys == ["say:tell", "say:tell", "ask:replacement"]
    assert talk.texts == ["lamp becomes candle.", "mug becomes cup.", "What for the pen?"]


async def test_values_said_in_the_loop_for_later_items_are_used_when_their_round_comes():
    talk = await exchange_items()
    await talk.does({"set_slot": {"replacement": "pencil"}, "item": "pen"}, {"set_slot": {"replacement": "candle"}})
    assert talk.texts == ["lamp becomes candle.", "What for the mug?"]
    await talk.does({"set_slot": {"replacement": "cup"}})
    assert talk.value("exchange.new") == ["candle", "cup", "pencil"]


async def test_words_said_ahead_that_fit_no_entry_are_said_when_the_loop_starts():
    talk = Talk(assistant_of(EXCHANGE))
    await talk.does(
        {"start_flow": "exchange"},
        {"set_slot": {"items": ITEMS, "reason": "broken"}},
        {"set_slot": {"replacement": "cup"}, "item": "sofa"},
    )
    assert talk.keys == ["unknown_item:each_swap", "ask:replacement"]


async def test_a_value_said_ahead_without_an_item_is_that_of_the_only_entry():
    talk = Talk(assistant_of(EXCHANGE))
    only = {"set_slot": {"items": ITEMS[:1], "reason": "broken", "replacement": "cup"}}
    assert await talk.does({"start_flow": "exchange"}, only) == ["say:tell", "confirm:exchange"]


# ---- nested loops ----

NESTED = """
flow: exchange
description: Packs the parts of items.
slots:
  items:
    type: list
    required: false
    items: thing_type
  box: {type: text, prompt: "Which box?"}
  wrap: {type: text, prompt: "Which wrap?"}
  wraps: {type: list, items: {type: text}}
  all_wraps: {type: list, items: {type: list, items: {type: text}}}
steps:
  - {step: load, type: action, call: load, outputs: {items: items}, on_error: check}
  - step: each_item
    type: for_each
    item: thing
    in: items
    per_item: [box, wraps]
    gather: {all_wraps: wraps}
    do:
      - {step: ask_box, type: collect, slot: box, message: "Box for {thing.name}?"}
      - step: each_part
        type: for_each
        item: part
        in: thing.parts
        per_item: [wrap]
        gather: {wraps: wrap}
        do:
          - {step: ask_wrap, type: collect, slot: wrap, message: "Wrap for {part} of {thing.name} in {box}?"}
      - {step: packed, type: say, message: "{thing.name}: {wraps}."}
  - {step: check, type: confirm, message: "Done?"}
"""
LOAD = """
records: {thing_type: {fields: {name: text, parts: list of text}}}
actions:
  load: {outputs: {items: list of thing_type}, idempotent: true}
"""
THINGS = [{"name": "lamp", "parts": ["bulb", "foot"]}, {"name": "pen", "parts": ["cap"]}]


async def _packed(*commands: Any) -> Talk:
    talk = Talk(assistant_of(NESTED, head=LOAD), {"load": [{"returns": {"items": THINGS}}]})
    await talk.does({"start_flow": "exchange"})
    for command in commands:
        await talk.does(command)
    return talk


def _say(slot: str, value: str, **more: Any) -> dict[str, Any]:
    return {"set_slot": {slot: value}, **more}


async def test_a_loop_inside_a_loop_goes_through_the_parts_of_each_item():
    talk = await _packed(_say("box", "A"), _say("wrap", "paper"))
    assert talk.texts == ["Wrap for foot of lamp in A?"]
    await talk.does(_say("wrap", "foil"))
    assert talk.texts == ["lamp: paper, foil.", "Box for pen?"]
    await talk.does(_say("box", "B"))
    await talk.does(_say("wrap", "foam"))
    assert talk.texts == ["pen: foam.", "Done?"]
    assert talk.value("exchange.all_wraps") == [["paper", "foil"], ["foam"]]


async def test_a_correction_in_an_earlier_outer_round_keeps_what_its_inner_rounds_collected():
    talk = await _packed(_say("box", "A"), _say("wrap", "paper"), _say("wrap", "foil"), _say("box", "B"))
    keys = await talk.does({"correct_slot": {"box": "C"}, "item": "lamp"})
    assert keys == ["item_corrected:box", "ask:wrap"]
    assert talk.texts[-1] == "Wrap for cap of pen in B?"
    await talk.does(_say("wrap", "foam"))
    assert talk.value("exchange.all_wraps") == [["paper", "foil"], ["foam"]]


async def test_a_correction_of_an_inner_round_in_the_open_outer_one():
    talk = await _packed(_say("box", "A"), _say("wrap", "paper"))
    await talk.does({"correct_slot": {"wrap": "silk"}, "item": 1})
    assert talk.texts[-1] == "Wrap for foot of lamp in A?"
    await talk.does(_say("wrap", "foil"))
    assert talk.texts[0] == "lamp: silk, foil."


async def test_skipping_inside_ends_the_inner_round():
    talk = await _packed(_say("box", "A"), "skip_item")
    assert talk.texts[-1] == "Wrap for foot of lamp in A?"


@pytest.mark.parametrize("value", [3, "pen"])
async def test_a_value_for_an_item_ahead_that_its_slot_refuses_is_said_at_once(value: Any):
    flow = EXCHANGE.replace("replacement: {type: text, prompt", "replacement: {type: integer, maximum: 5, prompt")
    flow = flow.replace("new: {type: list, items: {type: text}}", "new: list of integer")
    talk = await exchange_items(flow=flow)
    keys = await talk.does({"set_slot": {"replacement": 9}, "item": value})
    assert keys == ["rejected:replacement", "ask:replacement"]


# ---- choices from data ----

KEYBOARD = {
    "name": "keyboard",
    "variants": [{"id": "k1", "name": "clicky keyboard"}, {"id": "k2", "name": "quiet keyboard"}],
}
THERMOSTAT = {
    "name": "thermostat",
    "variants": [{"id": "t1", "name": "Apple HomeKit"}, {"id": "t2", "name": "Google Assistant"}],
}


async def _choosing(*commands: Any) -> Talk:
    talk = Talk(choosing_assistant(), {"load": [{"returns": {"things": [KEYBOARD, THERMOSTAT]}}]})
    await talk.does({"start_flow": "exchange"}, *commands)
    return talk


async def test_a_choice_from_the_entry_has_the_options_of_each_round():
    talk = await _choosing()
    assert [button.value for button in talk.outcome.messages[-1].buttons] == ["k1", "k2"]
    await talk.chooses("k1")
    assert [button.value for button in talk.outcome.messages[-1].buttons] == ["t1", "t2"]
    await talk.chooses("t2")
    assert talk.texts == ["Take clicky keyboard, Google Assistant?"]


async def test_words_for_a_later_entry_are_matched_with_the_options_of_its_round():
    talk = await _choosing(
        {"set_slot": {"replacement": "a clicky one"}, "item": "the keyboard"},
        {"set_slot": {"replacement": "Google"}, "item": "thermostat"},
    )
    assert talk.texts[-1] == "Take clicky keyboard, Google Assistant?"


async def test_a_choice_from_data_of_an_earlier_entry_is_corrected_in_its_round():
    talk = await _choosing()
    await talk.chooses("k1")
    await talk.chooses("t2")
    await talk.does({"correct_slot": {"replacement": "the quiet one"}, "item": "keyboard"})
    assert talk.texts[-1] == "Take quiet keyboard, Google Assistant?"


async def test_words_that_fit_no_option_of_an_earlier_entry_are_said_and_asked_there():
    talk = await _choosing()
    await talk.chooses("k1")
    await talk.does({"correct_slot": {"replacement": "the purple one"}, "item": "keyboard"})
    assert talk.texts[-1] == "Which keyboard?"
    await talk.chooses("k2")
    assert talk.texts[-1] == "Which thermostat?"


# ---- a loop in a called flow ----

CALLING = """
flow: start
description: Exchanges things in a flow of its own.
slots:
  things: optional list of thing
steps:
  - {step: load, type: action, call: load, outputs: {things: things}, on_error: done}
  - {step: name_one, type: say, message: One moment., ack: true}
  - {step: choose, type: call, flow: choose_variants, inputs: {things: things}}
  - {step: done, type: confirm, message: Done?}
"""
CALLED = CHOOSING.replace("flow: exchange", "flow: choose_variants\nstart: false").replace(
    "  - {step: load, type: action, call: load, outputs: {things: things}, on_error: check}\n", ""
)


async def test_values_for_entries_are_kept_until_the_flow_with_the_loop_is_called():
    assistant = assistant_of(CALLING, CALLED, head=CHOICE_RECORDS)
    talk = Talk(assistant, {"load": [{"returns": {"things": [KEYBOARD, THERMOSTAT]}}]})
    await talk.does(
        {"start_flow": "start"},
        {"set_slot": {"replacement": "Google"}, "item": "the thermostat"},
        {"set_slot": {"replacement": "a quiet one"}, "item": "I want to exchange the keyboard"},
    )
    assert talk.outcome.record["dropped"] == []
    await talk.does("affirm")
    assert talk.texts == ["Take quiet keyboard, Google Assistant?"]


async def test_a_value_without_an_entry_is_no_value_of_a_flow_that_is_not_called_yet():
    talk = Talk(assistant_of(CALLING, CALLED, head=CHOICE_RECORDS), {"load": [{"returns": {"things": [KEYBOARD]}}]})
    await talk.does({"start_flow": "start"}, {"set_slot": {"replacement": "Google"}})
    assert talk.outcome.record["dropped"][0]["reason"] == "unknown_slot"


async def test_sensitive_fields_of_an_entry_are_masked_in_the_record_and_not_for_the_user():
    flow = EXCHANGE.replace("fields: {id: {type: text}", "fields: {id: {type: text, sensitive: true}")
    talk = await exchange_items(items=[{"id": "secret-4711", "name": "lamp"}], flow=flow)
    awaited = talk.outcome.awaited
    assert awaited is not None
    assert "secret" not in awaited.item_label
    assert "lamp" in awaited.item_label
    assert "secret" not in str(talk.outcome.record["steps"])
    await talk.does("skip_item")
    assert "secret-4711" in talk.texts[0]
