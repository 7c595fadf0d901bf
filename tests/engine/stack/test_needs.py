"""Needs: a flow whose slot is empty lets another one fill it first, and goes on with it."""

from typing import Any

from tests.support.engine.dialogue_harness import Talk, assistant_of

HEAD = """
settings: {resume: auto}
slots:
  email: {type: email, prompt: Your e-mail address?}
  customer: {type: text, required: false}
actions:
  find: {inputs: {email: email}, outputs: {customer: text}, effect: none}
  cancel: {inputs: {customer: text, order: text}, idempotent: true}
"""
IDENTIFY = """
flow: identify
title: who you are
description: Finds out who it is.
start: false
steps:
  - {step: ask, type: collect, slot: email}
  - {step: look, type: action, call: find, outputs: {customer: customer}, on_error: unknown}
  - {step: found, type: say, message: "Welcome, {customer}.", next: end}
  - {step: unknown, type: say, message: I do not know you.}
"""
CANCEL = """
flow: cancel
title: cancel an order
description: Cancels an order.
needs: {customer: identify}
slots:
  order: {type: text, prompt: Which order?}
steps:
  - {step: which, type: collect, slot: order}
  - {step: sure, type: confirm, message: "Cancel {order} of {customer}?"}
  - {step: cancel, type: action, call: cancel}
  - {step: done, type: say, message: "{order} is cancelled."}
"""
RETURN = CANCEL.replace("flow: cancel\n", "flow: return\n").replace("cancel an order", "return an order")
FOUND = {
    "find": [
        {"when": {"email": "ann@x.com"}, "returns": {"customer": "Ann"}},
        {"when": {"email": "bob@x.com"}, "returns": {"customer": "Bob"}},
        {"raises": "unknown"},
    ]
}
START: Any = ({"start_flow": "cancel"}, {"set_slot": {"order": "W1"}})
ASK = """
flow: ask_code
description: Asks.
start: false
slots: {code: {type: text, prompt: Code?}}
steps: [{step: a, type: collect, slot: code}]
"""
USE = """
flow: use
description: Uses.
needs: {code: ask_code}
slots: {code: {type: text}}
steps: [{step: b, type: say, message: "{code}"}]
"""
PICK = """
flow: pick
description: Picks.
start: false
needs: {customer: identify}
slots: {code: {type: text, prompt: Code?}}
steps: [{step: a, type: collect, slot: code}]
"""
USE_2 = """
flow: use
description: Uses.
needs: {code: pick, customer: identify}
slots: {code: {type: text}}
steps: [{step: b, type: say, message: "{code} {customer}"}]
"""
OUTER = """
flow: outer
description: Calls.
slots: {how: {type: text, required: false}}
steps:
  - {step: go, type: call, flow: cancel, result: how}
  - {step: told, type: say, message: "It {how}."}
"""
PING = """
flow: ping
title: ping
description: Pings.
slots: {a: {type: text, prompt: A?}}
steps: [{step: a, type: collect, slot: a}]
"""


def _talk(*flows: str, stubs: Any = FOUND, **settings: Any) -> Talk:
    return Talk(assistant_of(*(flows or (CANCEL, IDENTIFY)), head=HEAD), stubs, **settings)


async def test_the_needed_flow_runs_first_and_values_of_the_message_are_kept():
    talk = _talk()
    assert await talk.does(*START) == ["ask:email"]
    assert talk.stack == ["cancel", "identify?email"]
    assert await talk.does({"set_slot": {"email": "ann@x.com"}}) == ["say:found", "confirm:cancel"]
    assert talk.texts[-1] == "Cancel W1 of Ann?"


async def test_values_for_the_needed_flow_may_be_in_the_same_message():
    talk = _talk()
    assert await talk.does(*START, {"set_slot": {"email": "ann@x.com"}}) == ["say:found", "confirm:cancel"]


async def test_values_for_slots_of_the_needed_flow_itself_may_be_in_the_same_message():
    identify = IDENTIFY.replace(
        "steps:", "slots: {zip: {type: text, prompt: Zip?}}\nsteps:\n  - {step: zip, type: collect, slot: zip}"
    )
    talk = _talk(CANCEL, identify)
    assert await talk.does(*START, {"set_slot": {"zip": "80204"}}) == ["ask:email"]
    assert talk.value("identify.zip") == "80204"


async def test_a_need_that_is_met_is_not_asked_for_again():
    talk = _talk(CANCEL, RETURN, IDENTIFY)
    await talk.does(*START, {"set_slot": {"email": "ann@x.com"}})
    await talk.does("affirm")
    assert await talk.does({"start_flow": "return"}, {"set_slot": {"order": "W2"}}) == ["confirm:return"]


async def test_the_flow_ends_when_the_needed_one_is_cancelled():
    talk = _talk()
    await talk.does(*START)
    assert await talk.does("cancel_flow") == ["need_not_met:cancel"]
    assert talk.texts == ["I cannot go on with this: cancel an order. This has to be done first: who you are."]
    assert talk.stack == []


async def test_cancelling_the_flow_itself_says_that_it_is_cancelled():
    talk = _talk()
    await talk.does(*START)
    assert await talk.does({"cancel_flow": "cancel"}) == ["cancelled:cancel"]
    assert talk.stack == []


async def test_the_flow_ends_when_the_needed_one_ends_without_the_value():
    talk = _talk()
    await talk.does(*START)
    assert await talk.does({"set_slot": {"email": "eve@x.com"}}) == ["say:unknown", "need_not_met:cancel"]
    assert talk.stack == []


async def test_a_needed_flow_that_fails_apologises_once():
    talk = _talk(
        CANCEL,
        IDENTIFY.replace(", on_error: unknown}\n", "}\n").replace(
            "  - {step: unknown, type: say, message: I do not know you.}\n", ""
        ),
    )
    await talk.does(*START)
    assert await talk.does({"set_slot": {"email": "eve@x.com"}}) == ["action_failed"]
    assert talk.stack == []


async def test_a_flow_that_is_planned_with_the_same_need_ends_with_it():
    talk = _talk(CANCEL, RETURN, IDENTIFY)
    await talk.does({"start_flow": "cancel"}, {"start_flow": "return"})
    assert talk.stack == ["return", "cancel", "identify?email"]
    assert await talk.does("cancel_flow") == ["need_not_met:cancel"]
    assert "cancel an order, return an order" in talk.texts[0]
    assert talk.stack == []


async def test_a_corrected_answer_of_the_needed_flow_finds_the_right_customer():
    talk = _talk()
    await talk.does(*START, {"set_slot": {"email": "ann@x.com"}})
    assert await talk.does({"correct_slot": {"email": "bob@x.com"}}) == [
        "corrected:email",
        "say:found",
        "confirm:cancel",
    ]
    assert talk.texts[-1] == "Cancel W1 of Bob?"


async def test_a_correction_after_the_action_is_told_that_what_was_done_stays():
    talk = _talk(
        CANCEL.replace("{order} is cancelled.", "{order} is cancelled.")
        + "  - {step: more, type: say, message: Bye., ack: true}\n",
        IDENTIFY,
    )
    await talk.does(*START, {"set_slot": {"email": "ann@x.com"}})
    await talk.does("affirm")
    assert (await talk.does({"correct_slot": {"email": "bob@x.com"}}))[:2] == ["corrected:email", "already_done:email"]


async def test_a_needed_value_that_is_taken_back_is_asked_for_again():
    talk = _talk()
    await talk.does(*START, {"set_slot": {"email": "ann@x.com"}})
    assert await talk.does({"clear_slot": "email"}) == ["cleared:email", "ask:email"]
    assert talk.stack == ["cancel", "identify?email"]
    assert await talk.does({"set_slot": {"email": "bob@x.com"}}) == ["say:found", "confirm:cancel"]


async def test_a_slot_of_the_flow_itself_is_returned_under_its_name():
    talk = _talk(USE, ASK)
    await talk.does({"start_flow": "use"})
    assert await talk.does({"set_slot": {"code": "42"}}) == ["say:b"]
    assert talk.texts == ["42"]


async def test_needs_are_met_in_their_order_and_a_needed_flow_may_have_needs():
    talk = _talk(USE_2, PICK, IDENTIFY)
    assert await talk.does({"start_flow": "use"}) == ["ask:email"]
    assert talk.stack == ["use", "pick", "identify?email"]
    assert await talk.does({"set_slot": {"email": "ann@x.com"}}) == ["say:found", "ask:code"]
    assert await talk.does({"set_slot": {"code": "42"}}) == ["say:b"]
    assert talk.texts == ["42 Ann"]


async def test_a_called_flow_has_needs_too_and_its_caller_hears_that_they_are_not_met():
    talk = _talk(OUTER, CANCEL, IDENTIFY)
    assert await talk.does({"start_flow": "outer"}) == ["ask:email"]
    assert await talk.does("cancel_flow") == ["say:told"]
    assert talk.texts == ["It failed."]


async def test_needed_flows_take_no_room_from_those_that_users_ask_for():
    talk = _talk(max_depth=1)
    assert await talk.does(*START) == ["ask:email"]


async def test_another_flow_may_interrupt_the_needed_one():
    talk = _talk(CANCEL, IDENTIFY, PING)
    await talk.does(*START)
    await talk.does({"start_flow": "ping"})
    assert await talk.does({"set_slot": {"a": "x"}}) == ["resumed:cancel", "ask:email"]


async def test_the_status_tells_what_is_known_of_the_flow_that_waits():
    talk = _talk()
    await talk.does(*START)
    await talk.does({"digress": {"kind": "status"}})
    assert "cancel an order" in talk.texts[0]
    assert "order: W1" in talk.texts[0]
    assert "email" in talk.texts[0]


async def test_the_path_of_the_turn_names_the_need_that_was_met():
    talk = _talk()
    await talk.does(*START)
    await talk.does({"set_slot": {"email": "ann@x.com"}})
    assert {"flow": "cancel", "step": "needs.customer", "to": "which"} in talk.outcome.record["steps"]


GATED = CANCEL.replace(
    "  - {step: cancel,",
    """  - step: boss
    type: human
    title: Cancel it
    show: [order]
    actions: [{id: approve, style: primary}, {id: reject}]
    timeout: 1d
    on_timeout: reject
  - {step: cancel,""",
)


async def _at_the_gate() -> Talk:
    talk = _talk(GATED, IDENTIFY, PING)
    await talk.does(*START, {"set_slot": {"email": "ann@x.com"}})
    await talk.does("affirm")
    assert talk.stack == ["cancel!human"]
    return talk


async def test_a_needed_value_that_is_taken_back_withdraws_the_request_to_staff():
    talk = await _at_the_gate()
    key = talk.staff_task().key
    assert await talk.does({"clear_slot": "email"}) == ["cleared:email", "ask:email"]
    assert (key, "voided") in talk.settled()
    assert await talk.does({"set_slot": {"email": "bob@x.com"}}) == ["say:found", "confirm:cancel"]


async def test_it_is_asked_for_when_the_flow_above_has_ended():
    talk = await _at_the_gate()
    await talk.does({"start_flow": "ping"})
    assert await talk.does({"clear_slot": "email"}) == ["cleared:email", "ask:a"]
    assert talk.stack == ["cancel", "identify", "ping?a"]
    assert await talk.does({"set_slot": {"a": "x"}}) == ["resumed:cancel", "ask:email"]
