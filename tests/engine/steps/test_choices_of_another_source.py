"""A choice from data whose source becomes another one: the same key may mean another entry there."""

from dialogue.engine.actions import Succeeded
from tests.support.engine.dialogue_harness import Talk, assistant_of

HEAD = """
records:
  line: {fields: {number: text, name: text}, label: "{name}"}
  order: {fields: {order_id: text, lines: list of line}, label: "{order_id}"}
actions:
  find_orders: {outputs: {orders: list of order}, effect: none}
  send_back: {inputs: {line: line}}
"""
FLOW = """
flow: return
description: Sends back a line of an order.
slots:
  order: {type: order, prompt: Which order?, options: {from: find_orders, value: order_id}}
  line: {type: line, prompt: Which line?, options: {from: order.lines, value: number}}
steps:
  - {step: ask_order, type: collect, slot: order}
  - {step: ask_line, type: collect, slot: line}
  - {step: check, type: confirm, message: "Send back {line} from {order}?"}
  - {step: act, type: action, call: send_back}
"""


def order(name: str, *lines: str) -> dict[str, object]:
    return {"order_id": name, "lines": [{"number": str(n), "name": text} for n, text in enumerate(lines, start=1)]}


class Orders:
    async def run(self, call):
        return Succeeded({"orders": [order("W1", "boots", "lamp"), order("W2", "mug", "lamp")]})


async def talk_about(line: str) -> Talk:
    talk = Talk(assistant_of(FLOW, head=HEAD))
    talk.actions = Orders()
    await talk.does({"start_flow": "return"}, {"set_slot": {"order": "W1"}})
    await talk.does({"set_slot": {"line": line}})
    return talk


async def test_a_line_that_is_another_one_in_the_other_order_is_asked_for_again():
    talk = await talk_about("boots")

    await talk.does({"correct_slot": {"order": "W2"}})

    assert talk.texts == [
        "All right, order is now W2.",
        "boots is no longer available. Please choose again.",
        "Which line?",
    ]
    assert talk.value("return.line") is None


async def test_the_same_line_of_the_other_order_stays():
    talk = await talk_about("lamp")

    await talk.does({"correct_slot": {"order": "W2"}})

    assert talk.texts[-1] == "Send back lamp from W2?"
