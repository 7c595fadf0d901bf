"""Flows that compute with records, lists and dates."""

from typing import Any

import pytest

from dialogue.engine.language.compiler import check_documents, load_assistant
from tests.support.engine.dialogue_harness import Talk

SHOP = """\
version: 1
assistant: shop
records:
  order:
    fields:
      order_id: text
      status: {type: choice, options: [pending, delivered]}
      placed: date
      items: list of item
  item: {fields: {name: text, price: money, weight: optional number, pieces: optional integer}}
slots:
  orders: list of order
actions:
  find_orders: {inputs: {customer: text}, outputs: {orders: list of order}}
  cancel_order: {inputs: {order_id: text, refund: money, count: integer}, effect: some}
"""

ITEMS: list[dict[str, Any]] = [
    {"name": "lamp", "price": "20.00", "weight": 1.5, "pieces": 2},
    {"name": "mug", "price": "8.50"},
]
ORDERS: list[dict[str, Any]] = [
    {"order_id": "W1", "status": "pending", "placed": "2026-11-01", "items": ITEMS},
    {"order_id": "W2", "status": "delivered", "placed": "2026-10-01", "items": ITEMS[:1]},
]
FLOW = """\
flow: look
description: Looks at orders.
slots:
  customer: text
  chosen: optional order
  open_orders: {type: list, items: order, required: false}
  names: {type: list, items: text, required: false}
  weights: {type: list, items: number, required: false}
  total: optional money
  words: optional text
  until: optional date
  half: optional number
steps:
  - {step: ask, type: collect, slot: customer, message: Who are you?}
  - {step: find, type: action, call: find_orders, outputs: {orders: orders}, on_error: end}
  - step: compute
    type: set
    slots:
      open_orders: "=filter(orders, status == 'pending')"
      chosen: "=first(filter(orders, status == 'pending'))"
      half: "=sum(first(orders).items, first_filled(weight, 0)) / 2"
  - step: derive
    type: set
    slots:
      names: "=pick(chosen.items, name)"
      weights: "=pick(chosen.items, weight / 2)"
      total: "=sum(chosen.items, price)"
      words: "='Order ' + chosen.order_id + ': ' + join(pick(chosen.items, name), ' and ')"
      until: "=chosen.placed + 30d"
  - step: late
    type: branch
    cases: [{when: "chosen.status == 'pending' and until < today() + 2w", next: tell}]
    else: end
  - {step: tell, type: say, message: "{words}, {total}, {until}"}
  - {step: wait, type: confirm, message: "Cancel {chosen.order_id}?"}
  - step: cancel
    type: action
    call: cancel_order
    inputs: {order_id: chosen.order_id, refund: total, count: "count(chosen.items, price > 10)"}
    on_error: end
"""


def shop(flow: str = FLOW, orders: list[dict[str, Any]] = ORDERS) -> Talk:
    assistant = load_assistant({"assistant.yaml": SHOP, "look.yaml": flow})
    return Talk(assistant, {"find_orders": [{"returns": {"orders": orders}}]})


def messages(flow: str, head: str = SHOP) -> list[str]:
    problems = check_documents({"assistant.yaml": head, "look.yaml": flow})
    return [str(problem) for problem in problems if problem.rule not in ("no_prompt", "never_asked", "not_called")]


async def test_records_lists_money_texts_and_dates_are_computed_and_stored():
    talk = shop()
    await talk.does({"start_flow": "look"}, {"set_slot": {"customer": "Ana"}})

    assert talk.texts[0] == "Order W1: lamp and mug, 28.50, December 1, 2026"
    assert talk.value("look.chosen")["items"][1] == {"name": "mug", "price": "8.50", "weight": None, "pieces": None}
    assert [order["order_id"] for order in talk.value("look.open_orders")] == ["W1"]
    assert talk.value("look.names") == ["lamp", "mug"]
    assert talk.value("look.weights") == [0.75]
    assert talk.value("look.half") == 0.75


async def test_an_actions_inputs_are_computed_from_fields():
    talk = shop()
    await talk.does({"start_flow": "look"}, {"set_slot": {"customer": "Ana"}})
    await talk.does("affirm")

    assert talk.outcome.record["actions"][-1]["inputs"] == {"order_id": "W1", "refund": "28.50", "count": 1}


async def test_a_branch_on_the_field_of_an_empty_record_does_not_hold():
    talk = shop(orders=ORDERS[1:])
    await talk.does({"start_flow": "look"}, {"set_slot": {"customer": "Ana"}})

    assert talk.stack == []


def test_the_checker_is_content_with_it():
    assert messages(FLOW) == []


@pytest.mark.parametrize(
    ("right", "wrong", "place", "advice"),
    [
        ("chosen.order_id +", "chosen.orderid +", "28:34", "Did you mean `order_id`?"),
        (
            "status == 'pending')\"\n      chosen",
            "state == 'pending')\"\n      chosen",
            "19:37",
            "Did you mean `status`?",
        ),
        ("price > 10", "price > name", "39:90", "cannot be compared"),
        ("chosen.placed + 30d", "chosen.placed + 30", "29:32", "Write a duration such as 30d"),
        ("chosen.status == 'pending'", "chosen.status == 'lost'", "32:38", "Choose one of: `delivered`, `pending`"),
    ],
)
def test_the_checker_finds_what_does_not_fit_at_its_place(right, wrong, place, advice):
    (finding,) = [text for text in messages(FLOW.replace(right, wrong, 1)) if "E-FLOW" in text]

    assert f"look.yaml:{place}: " in finding
    assert advice in finding


LOOP = """\
flow: look
description: Looks at orders.
slots:
  customer: {type: text, prompt: Who?}
  many: {type: list, items: {type: object, fields: {parts: {type: list, items: {type: integer}}}}, required: false}
steps:
  - {step: ask, type: collect, slot: customer}
  - step: test
    type: branch
    cases: [{when: "any(many, count(parts, item > 1) > 0)", next: yes_please}]
    else: no_thanks
  - {step: yes_please, type: say, message: Some., next: end}
  - {step: no_thanks, type: say, message: None.}
"""


async def test_an_expression_that_costs_too_much_ends_the_flow_and_says_why_in_the_record():
    talk = shop(LOOP)
    await talk.does({"start_flow": "look"}, {"set_slot": {"many": [{"parts": [1] * 500}] * 500}})

    assert await talk.does({"set_slot": {"customer": "Ana"}}) == ["action_failed"]
    assert "given up after 200,000 steps" in str(talk.outcome.record["steps"])


BASKET = """\
version: 1
assistant: shop
records:
  item: {fields: {name: text, price: money, zip: text}}
actions:
  quote: {inputs: {total: money}, outputs: {price: money}, effect: none}
  greet: {inputs: {zip: text}, effect: some, idempotent: true}
"""
BUY = """\
flow: look
description: Buys.
slots:
  items: {type: list, items: item, prompt: Items?}
  current: {type: item, prompt: Which?}
  total: optional money
  price: optional money
steps:
  - {step: ask, type: collect, slot: items}
  - {step: ask_current, type: collect, slot: current}
  - {step: greet, type: action, call: greet, inputs: {zip: current.zip}, on_error: end}
  - {step: add, type: set, slots: {total: "=sum(items, price)"}}
  - step: quote
    type: action
    call: quote
    inputs: {total: "sum(filter(items, price > 5), price)"}
    outputs: {price: price}
    on_error: end
  - {step: agree, type: confirm, message: "{total}?"}
"""
LAMP: dict[str, Any] = {"name": "lamp", "price": "20.00", "zip": "80204"}


async def test_what_a_changed_entry_of_a_list_goes_into_is_computed_again_and_nothing_else():
    talk = Talk(load_assistant({"assistant.yaml": BASKET, "look.yaml": BUY}))
    await talk.does({"start_flow": "look"}, {"set_slot": {"items": [LAMP]}}, {"set_slot": {"current": LAMP}})
    assert talk.texts == ["20.00?"]

    await talk.does({"correct_slot": {"items": [LAMP, {**LAMP, "price": "7.00"}]}})

    assert talk.texts[-1] == "27.00?"
    assert talk.actions.inputs_of("quote") == [{"total": "20.00"}, {"total": "27.00"}]
    assert talk.actions.inputs_of("greet") == [{"zip": "80204"}]


async def test_a_step_is_not_run_again_for_another_field_of_the_record_that_it_read():
    talk = Talk(load_assistant({"assistant.yaml": BASKET, "look.yaml": BUY}))
    await talk.does({"start_flow": "look"}, {"set_slot": {"items": [LAMP]}}, {"set_slot": {"current": LAMP}})

    await talk.does({"correct_slot": {"current": {**LAMP, "name": "mug"}}})
    assert talk.actions.inputs_of("greet") == [{"zip": "80204"}]

    await talk.does({"correct_slot": {"current": {**LAMP, "zip": "10001"}}})
    assert talk.actions.inputs_of("greet") == [{"zip": "80204"}, {"zip": "10001"}]


APPROVED = """\
flow: look
description: Refunds.
slots:
  current: {type: item, prompt: Which?}
steps:
  - {step: ask, type: collect, slot: current}
  - step: approval
    type: human
    title: Refund
    show: [current]
    actions: [{id: approve}, {id: reject}]
    next: {approve: pay, reject: end}
    timeout: 1h
    on_timeout: reject
  - {step: pay, type: action, call: greet, inputs: {zip: current.zip}, on_error: end}
"""


async def test_an_action_runs_with_a_field_of_the_record_that_was_approved():
    talk = Talk(load_assistant({"assistant.yaml": BASKET, "look.yaml": APPROVED}))
    await talk.does({"start_flow": "look"}, {"set_slot": {"current": LAMP}})
    await talk.decides("approve")

    assert talk.actions.inputs_of("greet") == [{"zip": "80204"}]


async def test_a_field_that_changed_after_its_record_was_approved_asks_staff_again():
    talk = Talk(load_assistant({"assistant.yaml": BASKET, "look.yaml": APPROVED}))
    await talk.does({"start_flow": "look"}, {"set_slot": {"current": LAMP}})
    await talk.does({"correct_slot": {"current": {**LAMP, "zip": "10001"}}})
    await talk.decides("approve")

    assert len(talk.desk.asked) > 1
    assert talk.actions.inputs_of("greet") == [{"zip": "10001"}]
