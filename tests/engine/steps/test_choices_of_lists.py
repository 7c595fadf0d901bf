"""Lists whose items are chosen from data: several at once, by button, by words, and asked for where unclear."""

from tests.engine.steps.test_choices_from_data import Shop, choices_of, order
from tests.support.engine.dialogue_harness import Talk, assistant_of

HEAD = """
records:
  order:
    fields: {order_id: text, summary: text, status: {type: choice, options: [pending, delivered]}, color: text}
    label: "{summary}"
actions:
  find_orders: {outputs: {orders: list of order}, effect: none}
  cancel_order: {inputs: {orders: list of order}, outputs: {}}
"""
RECORDS = """
flow: cancel
title: cancelling orders
description: Cancels orders.
slots:
  orders: {type: list, items: order, prompt: Which orders?, options: {from: find_orders, value: order_id}}
steps:
  - {step: ask, type: collect, slot: orders}
  - {step: check, type: confirm, message: "Cancel {orders}?"}
  - {step: done, type: say, message: Done.}
"""
VALUES = RECORDS.replace(
    "items: order", 'items: {type: choice, options: {from: find_orders, value: order_id, label: "{summary}"}}'
).replace(", options: {from: find_orders, value: order_id}}\nsteps", "}\nsteps")
ORDERS = [order(1, "desk lamp"), order(2, "keyboard"), order(3, "floor lamp", color="red"), order(4, "mug")]


def talk_with(flow: str = RECORDS) -> Talk:
    talk = Talk(assistant_of(flow, head=HEAD))
    talk.actions = Shop(*ORDERS)
    return talk


async def test_several_options_are_said_at_once_and_confirmed_as_a_whole():
    talk = talk_with()
    await talk.does({"start_flow": "cancel"})

    await talk.does({"set_slot": {"orders": "the keyboard and the mug"}})

    assert talk.value("cancel.orders") == [ORDERS[1], ORDERS[3]]
    assert talk.texts == ["Cancel keyboard and mug?"]


async def test_values_are_stored_where_the_items_are_choices_and_shown_by_their_labels():
    talk = talk_with(VALUES)
    await talk.does({"start_flow": "cancel"})

    await talk.does({"set_slot": {"orders": ["W4", "keyboard"]}})

    assert talk.value("cancel.orders") == ["W4", "W2"]
    assert talk.texts == ["Cancel mug and keyboard?"]


async def test_a_button_chooses_one():
    talk = talk_with(VALUES)
    await talk.does({"start_flow": "cancel"})
    assert choices_of(talk)[0] == ("W1", "desk lamp")

    await talk.chooses("W1")

    assert talk.value("cancel.orders") == ["W1"]


async def test_what_is_unclear_is_asked_and_what_was_clear_is_kept():
    talk = talk_with()
    await talk.does({"start_flow": "cancel"})

    await talk.does({"set_slot": {"orders": "the keyboard and the lamp"}})
    assert [value for value, _label in choices_of(talk)] == ["W1", "W3", "none_of_these"]
    await talk.does({"set_slot": {"orders": "the red one"}})

    assert talk.texts == ["Cancel keyboard and floor lamp?"]


async def test_a_correction_extends_and_reduces_the_list():
    talk = talk_with()
    await talk.does({"start_flow": "cancel"})
    await talk.does({"set_slot": {"orders": "the keyboard and the mug"}})

    await talk.does({"correct_slot": {"orders": "also the floor lamp"}})
    assert talk.texts[-1] == "Cancel keyboard, mug and floor lamp?"
    await talk.does({"correct_slot": {"orders": "not the mug after all"}})
    assert talk.texts[-1] == "Cancel keyboard and floor lamp?"


async def test_words_said_before_the_options_are_known_fill_the_list():
    talk = talk_with()

    await talk.does({"start_flow": "cancel"}, {"set_slot": {"orders": "everything but the mug"}})

    assert talk.texts == ["Cancel desk lamp, keyboard and floor lamp?"]


async def test_an_entry_that_fits_nothing_is_said():
    talk = talk_with()
    await talk.does({"start_flow": "cancel"})

    await talk.does({"set_slot": {"orders": ["W1", "W9"]}})

    assert talk.texts[0] == "I find nothing among the options that fits “W9”."
    assert talk.value("cancel.orders") is None


async def test_one_vanished_entry_asks_for_the_list_again():
    talk = talk_with()
    await talk.does({"start_flow": "cancel"}, {"set_slot": {"orders": ["W1", "W2"]}})
    talk.actions.orders = ORDERS[1:]

    await talk.does({"correct_slot": {"orders": ["W2", "W4"]}})
    assert talk.texts[-1] == "Cancel keyboard and mug?"
    talk.actions.orders = ORDERS[2:]
    await talk.does({"correct_slot": {"orders": ["W4", "W2"]}})
    assert talk.keys == ["corrected:orders", "option_gone:orders", "ask:orders"]
    assert talk.texts[1] == "keyboard is no longer available. Please choose again."


async def test_a_list_without_entries_is_an_answer_and_one_before_the_options_are_known_is_refused():
    talk = talk_with()
    await talk.does({"start_flow": "cancel"}, {"set_slot": {"orders": []}})
    assert talk.keys == ["no_match:orders", "ask:orders"]

    await talk.does({"set_slot": {"orders": ["W1"]}})
    await talk.does({"correct_slot": {"orders": []}})

    assert talk.value("cancel.orders") is None
    assert talk.keys[-1] == "ask:orders"
    assert talk.outcome.record["options"][0]["result"] == "emptied"
