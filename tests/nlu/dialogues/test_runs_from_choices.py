"""Several options for a choice from data that holds one: each is a run of the flow, before and at its question."""

from typing import Any

from dialogue.engine.language.compiler import load_assistant
from dialogue.nlu import build_nlu
from tests.nlu.dialogues.test_whole_talks import Understood
from tests.support.engine.dialogue_harness import Talk

SHOP = load_assistant(
    {
        "assistant.yaml": """
version: 1
assistant: shop
title: Shop
records:
  order: {fields: {order_id: text, summary: text, colour: text}, label: "{order_id}, {summary}"}
slots:
  email: {type: email, description: e-mail address, prompt: Your e-mail address?}
  customer: {type: text, required: false}
actions:
  find_customer: {inputs: {email: email}, outputs: {customer: text}, effect: none}
  find_orders: {inputs: {customer: text}, outputs: {orders: list of order}, effect: none}
""",
        "identify.yaml": """
flow: identify
title: who you are
description: Finds the customer.
start: false
steps:
  - {step: ask_email, type: collect, slot: email}
  - {step: find, type: action, call: find_customer, outputs: {customer: customer}, on_error: lost}
  - {step: found, type: say, message: Welcome., next: end}
  - {step: lost, type: say, message: I do not know you.}
""",
        "cancel_order.yaml": """
flow: cancel_order
title: cancel an order
description: Cancel an order that is not sent yet.
examples: [cancel my order, cancel order W12, I want to cancel the order with the lamp, cancel both orders]
needs: {customer: identify}
slots:
  reason: {type: choice, options: [late, mistake], required: false}
  order:
    type: order
    prompt: Which order?
    options: {from: find_orders, value: order_id, attributes: [summary, colour]}
steps:
  - {step: which, type: collect, slot: order}
  - {step: sure, type: confirm, message: "Cancel {order.order_id} with {order.summary}?"}
  - {step: done, type: say, message: "{order.order_id} is cancelled."}
""",
    }
)
NLU = build_nlu(SHOP)
ORDERS = [
    {"order_id": "W12", "summary": "desk lamp", "colour": "white"},
    {"order_id": "W34", "summary": "keyboard", "colour": "black"},
    {"order_id": "W56", "summary": "floor lamp", "colour": "black"},
]


class Shop(Understood):
    def __init__(self) -> None:
        stubs: dict[str, list[dict[str, Any]]] = {
            "find_customer": [{"returns": {"customer": "Ann"}}],
            "find_orders": [{"returns": {"orders": ORDERS}}],
        }
        Talk.__init__(self, SHOP, stubs)
        self.real = NLU


async def test_words_of_the_opening_wait_for_the_options_and_become_runs() -> None:
    talk = Shop()
    assert await talk.hears("I want to cancel the order with the desk lamp and the keyboard") == ["ask:email"]

    assert await talk.hears("ann@example.com") == ["say:found", "plan", "confirm:cancel_order"]
    assert talk.texts[1] == "One after the other: cancel an order (W12, desk lamp), cancel an order (W34, keyboard)."
    assert talk.texts[2] == "Cancel W12 with desk lamp?"
    assert await talk.hears("yes") == ["say:done", "confirm:cancel_order"]
    assert talk.texts[1] == "Cancel W34 with keyboard?"
    assert await talk.hears("yes") == ["say:done"]


async def test_codes_of_the_opening_are_runs_at_once() -> None:
    talk = Shop()
    assert await talk.hears("cancel order W12 and W34") == ["plan", "ask:email"]
    assert talk.texts[0] == "One after the other: cancel an order (W12), cancel an order (W34)."

    assert await talk.hears("ann@example.com") == ["say:found", "confirm:cancel_order"]
    assert await talk.hears("forget W34") == ["cancelled:cancel_order", "confirm:cancel_order"]
    assert await talk.hears("yes") == ["say:done"]
    assert talk.stack == []


async def test_the_answer_to_the_question_may_be_several_options() -> None:
    talk = Shop()
    await talk.hears("cancel my order", "ann@example.com")

    assert await talk.hears("W12 and W56") == ["plan", "confirm:cancel_order"]
    assert await talk.hears("forget W56") == ["cancelled:cancel_order", "confirm:cancel_order"]
    assert await talk.hears("yes") == ["say:done"]
    assert talk.stack == []


async def test_one_of_several_is_still_asked_for() -> None:
    talk = Shop()
    await talk.hears("cancel my order", "ann@example.com")

    assert await talk.hears("the lamp") == ["ask:order"]
    assert [button.label for button in talk.outcome.messages[-1].buttons][:2] == ["W12, desk lamp", "W56, floor lamp"]
    assert await talk.hears("both of them") == ["plan", "confirm:cancel_order"]


async def test_values_that_were_given_before_hold_for_each_run() -> None:
    talk = Shop()
    await talk.does(
        {"start_flow": "cancel_order"}, {"set_slot": {"email": "ann@example.com"}}, {"set_slot": {"reason": "late"}}
    )
    await talk.does({"set_slot": {"order": ["W12", "W34"]}})

    runs = [frame for frame in talk.outcome.state["frames"] if frame["flow"] == "cancel_order"]
    assert [run["slots"]["reason"]["value"] for run in runs] == ["late", "late"]


async def test_more_options_than_flows_may_be_open_are_told() -> None:
    talk = Shop()
    talk.assistant = talk.assistant.with_settings(max_depth=2)
    talk.dialogue = Talk(talk.assistant).dialogue
    await talk.does({"start_flow": "cancel_order"}, {"set_slot": {"email": "ann@example.com"}})

    keys = await talk.does({"set_slot": {"order": ["W12", "W34", "W56"]}})
    assert keys == ["too_many_flows", "plan", "confirm:cancel_order"]
