"""Failures: the result of a call, the `on_error` of a flow and of the assistant, and what fails on the way."""

from typing import Any

from tests.support.engine.dialogue_harness import Talk, assistant_of

Stubs = dict[str, list[dict[str, Any]]]

HEAD = """
settings: {resume: auto SETTINGS}
actions:
  find: {inputs: {name: text}, outputs: {id: text}}
  send: {inputs: {id: text}, idempotent: true}
"""
ORDER = """
flow: order
title: an order
description: Orders something.
SETTINGS
slots:
  customer: {type: text, required: false}
  how: {type: choice, options: [done, cancelled, failed], required: false}
steps:
  - {step: who, type: call, flow: identify, outputs: {customer: id} RESULT}
  - step: which
    type: branch
    cases: [{when: "how == 'cancelled'", next: stopped}, {when: "how == 'failed'", next: broken}]
  - {step: send, type: action, call: send, inputs: {id: customer}}
  - {step: sent, type: say, message: "Sent to {customer}.", next: end}
  - {step: stopped, type: say, message: You stopped., next: end}
  - {step: broken, type: say, message: It broke., next: end}
"""
IDENTIFY = """
flow: identify
title: who you are
description: Finds out who it is.
start: false
slots:
  name: {type: text, prompt: Your name?}
  id: {type: text, required: false}
steps:
  - {step: ask, type: collect, slot: name}
  - {step: look, type: action, call: find, outputs: {id: id}}
"""
APOLOGY = """
flow: apology
title: an apology
description: Tells that something failed.
start: false
steps:
  - {step: sorry, type: say, message: That went wrong. A colleague will call you.}
"""
PING = """
flow: ping
title: ping
description: Pings.
slots: {a: {type: text, prompt: A?}}
steps: [{step: a, type: collect, slot: a}]
"""
FOUND: Stubs = {"find": [{"returns": {"id": "C1"}}]}
LOST: Stubs = {"find": [{"raises": "gone"}]}
UNSENT: Stubs = {"find": [{"returns": {"id": "C1"}}], "send": [{"raises": "gone"}]}


def _talk(
    stubs: Stubs, *, result: str = ", result: how", settings: str = "", assistant: str = "", apology: str = APOLOGY
):
    order = ORDER.replace("RESULT", result).replace("SETTINGS", settings)
    head = HEAD.replace("SETTINGS", assistant)
    return Talk(assistant_of(order, IDENTIFY, *([apology] if assistant else []), head=head), stubs)


START = {"start_flow": "order"}
NAME = {"set_slot": {"name": "Ann"}}


async def test_a_called_flow_that_ends_has_the_result_done():
    talk = _talk(FOUND)
    await talk.does(START)
    assert await talk.does(NAME) == ["say:sent"]


async def test_cancelling_a_called_flow_lets_its_caller_go_on():
    talk = _talk(FOUND)
    await talk.does(START)
    assert await talk.does("cancel_flow") == ["cancelled:identify", "say:stopped"]
    assert talk.texts[0] == "All right, I have stopped: who you are."
    assert talk.stack == []


async def test_cancelling_the_caller_by_its_name_ends_both():
    talk = _talk(FOUND)
    await talk.does(START)
    assert await talk.does({"cancel_flow": "order"}) == ["cancelled:order"]
    assert talk.stack == []


async def test_without_a_result_cancelling_ends_the_whole_chain_as_before():
    talk = _talk(FOUND, result="")
    await talk.does(START)
    assert await talk.does("cancel_flow") == ["cancelled:order"]


async def test_a_called_flow_that_fails_says_no_apology_when_its_caller_asks_for_the_result():
    talk = _talk(LOST)
    await talk.does(START)
    assert await talk.does(NAME) == ["say:broken"]
    assert talk.stack == []


async def test_a_cancelled_call_below_another_flow_goes_on_when_it_is_resumed():
    order = ORDER.replace("RESULT", ", result: how").replace("SETTINGS", "")
    talk = Talk(assistant_of(order, IDENTIFY, PING, head=HEAD.replace("SETTINGS", "")), FOUND)
    await talk.does(START)
    await talk.does({"start_flow": "ping"})
    assert await talk.does({"cancel_flow": "identify"}) == ["cancelled:identify", "ask:a"]
    assert await talk.does({"set_slot": {"a": "x"}}) == ["resumed:order", "say:stopped"]


ON_ERROR = "settings: {on_error: broken}"


async def test_a_failure_without_a_way_of_its_own_takes_the_one_of_the_flow():
    talk = _talk(UNSENT, settings=ON_ERROR)
    await talk.does(START)
    assert await talk.does(NAME) == ["say:broken"]


async def test_a_called_flow_that_fails_takes_the_way_of_its_caller():
    talk = _talk(LOST, result="", settings=ON_ERROR)
    await talk.does(START)
    assert await talk.does(NAME) == ["say:broken"]
    assert talk.stack == []


async def test_a_failure_on_the_way_for_failures_is_not_led_there_again():
    again = "  - {step: broken, type: action, call: send, inputs: {id: customer}, next: end}\n"
    order = ORDER.replace("  - {step: broken, type: say, message: It broke., next: end}\n", again)
    order = order.replace("RESULT", ", result: how").replace("SETTINGS", ON_ERROR)
    talk = Talk(assistant_of(order, IDENTIFY, head=HEAD.replace("SETTINGS", "")), UNSENT)
    await talk.does(START)
    assert await talk.does(NAME) == ["action_failed"]
    assert talk.stack == []


async def test_the_assistant_s_flow_for_failures_replaces_the_apology():
    talk = _talk(UNSENT, assistant=", on_error: apology")
    await talk.does(START)
    assert await talk.does(NAME) == ["say:sorry"]
    assert talk.stack == []


async def test_a_flow_for_failures_that_fails_itself_ends_with_the_apology():
    apology = APOLOGY.replace("steps:", "steps:\n  - {step: tell, type: action, call: send, inputs: {id: \"'x'\"}}")
    talk = _talk(UNSENT, assistant=", on_error: apology", apology=apology)
    await talk.does(START)
    assert await talk.does(NAME) == ["action_failed"]
    assert talk.stack == []


async def test_the_flow_s_own_way_goes_before_the_assistant_s():
    talk = _talk(UNSENT, settings=ON_ERROR, assistant=", on_error: apology")
    await talk.does(START)
    assert await talk.does(NAME) == ["say:broken"]


async def test_a_guard_that_refuses_a_called_flow_is_the_result_failed():
    guarded = IDENTIFY.replace("start: false", 'start: false\nif: "open"\nelse_say: We are closed.')
    order = ORDER.replace("RESULT", ", result: how").replace("SETTINGS", "")
    head = HEAD.replace("SETTINGS", "") + "slots: {open: {type: boolean, default: false}}\n"
    talk = Talk(assistant_of(order, guarded, head=head), FOUND)
    assert await talk.does(START) == ["not_allowed:identify", "say:broken"]


async def test_a_flow_for_failures_that_is_open_already_is_not_started_again():
    talk = _talk(UNSENT, assistant=", on_error: apology", apology=APOLOGY.replace("call you.", "call you., ack: true"))
    await talk.does(START)
    assert await talk.does(NAME) == ["say:sorry"]
    await talk.does(START)
    assert await talk.does(NAME) == ["action_failed", "resumed:apology", "say:sorry"]
