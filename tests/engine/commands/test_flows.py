"""Beginning, interrupting, resuming, cancelling and choosing flows."""

import pytest

from tests.support.engine.dialogue_harness import Talk, assistant_of, travel_agency
from tests.support.engine.sample_flows import REFUND


async def test_a_flow_asks_for_what_it_needs():
    talk = travel_agency()
    assert await talk.does({"start_flow": "trip"}) == ["ask:city"]
    assert talk.stack == ["trip?city"]


async def test_no_second_copy_of_a_running_flow_is_stacked():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"})
    assert await talk.does({"start_flow": "trip"}) == ["ask:city"]
    assert talk.stack == ["trip?city"]
    assert talk.outcome.record["dropped"][0]["reason"] == "already_active"


async def test_an_interruption_pauses_the_flow_below_and_it_is_resumed():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"})
    assert await talk.does({"start_flow": "ping"}) == ["say:pong", "resumed:trip", "ask:city"]
    assert talk.stack == ["trip?city"]


async def test_a_paused_flow_stays_at_its_question_and_its_pause_stays_open():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"})
    assert await talk.does({"start_flow": "name"}) == ["ask:name"]
    assert talk.stack == ["trip", "name?name"]
    assert [each.key for each in talk.outcome.tasks] == ["trip-1/ask_city/1", "name-2/ask_name/1"]


async def test_starting_a_paused_flow_resumes_it():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"})
    await talk.does({"start_flow": "name"})
    assert await talk.does({"start_flow": "trip"}) == ["resumed:trip", "ask:city"]
    assert talk.stack == ["name", "trip?city"]


async def test_with_resume_ask_the_paused_flows_are_offered_newest_first():
    talk = travel_agency(resume="ask")
    await talk.does({"start_flow": "trip"})
    await talk.does({"start_flow": "name"})
    assert await talk.does({"start_flow": "ping"}) == ["say:pong", "offer_resume"]
    assert [each.value for each in talk.outcome.messages[-1].buttons] == ["name", "trip", "none"]
    assert talk.stack == ["trip", "name"]


async def test_yes_to_the_offer_resumes_the_newest():
    talk = travel_agency(resume="ask")
    await talk.does({"start_flow": "trip"})
    await talk.does({"start_flow": "ping"})
    assert await talk.does("affirm") == ["resumed:trip", "ask:city"]


async def test_a_button_of_the_offer_picks_the_flow():
    talk = travel_agency(resume="ask")
    await talk.does({"start_flow": "trip"})
    await talk.does({"start_flow": "name"})
    await talk.does({"start_flow": "ping"})
    assert await talk.chooses("book a trip") == ["resumed:trip", "ask:city"]
    assert talk.stack == ["name", "trip?city"]


async def test_no_to_the_offer_cancels_every_offered_flow_from_the_top():
    talk = travel_agency(resume="ask")
    await talk.does({"start_flow": "trip"})
    await talk.does({"start_flow": "name"})
    await talk.does({"start_flow": "ping"})
    assert await talk.does("deny") == ["cancelled:name", "cancelled:trip"]
    assert talk.stack == []


async def test_an_offer_is_repeated_without_a_flow_that_was_cancelled():
    talk = travel_agency(resume="ask")
    await talk.does({"start_flow": "trip"})
    await talk.does({"start_flow": "name"})
    await talk.does({"start_flow": "ping"})
    assert await talk.does({"cancel_flow": "trip"}) == ["cancelled:trip", "offer_resume"]
    assert [each.value for each in talk.outcome.messages[-1].buttons] == ["name", "none"]


async def test_an_answer_to_a_paused_flow_resumes_it_without_a_yes():
    talk = travel_agency(resume="ask")
    await talk.does({"start_flow": "trip"})
    await talk.does({"start_flow": "ping"})
    assert await talk.does({"set_slot": {"city": "Rome"}}) == ["resumed:trip", "ask:nights"]


async def test_cancelling_says_so_and_resumes_what_is_below():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"})
    await talk.does({"start_flow": "name"})
    assert await talk.does("cancel_flow") == ["cancelled:name", "resumed:trip", "ask:city"]
    assert ("name-2/ask_name/1", "cancelled") in talk.settled()


async def test_a_named_flow_below_is_cancelled_without_disturbing_the_top():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"})
    await talk.does({"start_flow": "name"})
    assert await talk.does({"cancel_flow": "trip"}) == ["cancelled:trip", "ask:name"]
    assert talk.stack == ["name?name"]


async def test_nothing_to_cancel_is_a_friendly_word():
    talk = travel_agency()
    assert await talk.does("cancel_flow") == ["nothing_to_cancel"]
    await talk.does({"start_flow": "trip"})
    assert await talk.does({"cancel_flow": "name"}) == ["nothing_to_cancel", "ask:city"]


async def test_cancel_and_start_in_one_message_resumes_nothing_in_between():
    talk = travel_agency()
    await talk.does({"start_flow": "refund"})
    await talk.does({"start_flow": "trip"})
    assert await talk.does("cancel_flow", {"start_flow": "name"}) == ["cancelled:trip", "ask:name"]
    assert talk.stack == ["refund", "name?name"]


async def test_two_requests_in_one_message_run_one_after_the_other():
    talk = travel_agency()
    await talk.does({"start_flow": "refund"})
    assert await talk.does({"start_flow": "ping"}, {"start_flow": "name"}) == ["plan", "say:pong", "ask:name"]
    assert talk.stack == ["refund", "name?name"]
    assert await talk.does({"set_slot": {"name": "Ursula"}}) == ["say:hello", "resumed:refund", "ask:amount"]


async def test_three_requests_keep_their_order():
    talk = travel_agency()
    await talk.does({"start_flow": "name"}, {"start_flow": "trip"}, {"start_flow": "refund"})
    assert talk.stack == ["refund", "trip", "name?name"]
    assert await talk.does({"set_slot": {"name": "Ursula"}}) == ["say:hello", "ask:city"]


async def test_the_depth_of_the_stack_is_limited():
    talk = travel_agency(max_depth=2)
    await talk.does({"start_flow": "trip"})
    await talk.does({"start_flow": "name"})
    assert await talk.does({"start_flow": "refund"}) == ["too_many_flows", "ask:name"]


async def test_clarify_offers_the_flows_and_something_else():
    talk = travel_agency()
    assert await talk.does({"clarify": ["trip", "refund"]}) == ["clarify"]
    assert [each.value for each in talk.outcome.messages[0].buttons] == ["trip", "refund", "none"]
    assert await talk.chooses("refund") == ["ask:amount"]
    assert talk.outcome.settled[0].handle == "refund"


async def test_clarify_beside_another_command_is_dropped():
    talk = travel_agency()
    assert await talk.does({"clarify": ["trip", "refund"]}, {"start_flow": "name"}) == ["ask:name"]
    assert talk.outcome.record["dropped"][0]["reason"] == "beside_others"


@pytest.mark.parametrize("answer", ["deny", "cannot_handle", "cancel_flow"])
async def test_neither_withdraws_the_question_which_flow_is_meant(answer: str):
    talk = travel_agency()
    await talk.does({"start_flow": "name"})
    assert await talk.does({"clarify": ["trip", "refund"]}) == ["clarify"]
    assert await talk.does(answer) == ["cannot_handle", "ask:name"]


async def test_something_else_is_a_no():
    talk = travel_agency()
    await talk.does({"clarify": ["trip", "refund"]})
    assert await talk.chooses("none") == ["cannot_handle"]
    assert talk.outcome.awaited is None


GUARDED = """
flow: secret
description: Only for members.
if: member
else_say: Members only.
steps:
  - {step: tell, type: say, message: The secret.}
"""
JOIN = """
flow: join
description: Makes a member.
steps:
  - {step: mark, type: set, slots: {member: true}}
  - {step: welcome, type: say, message: Welcome.}
"""


async def test_a_guard_lets_a_flow_begin_only_when_it_holds():
    talk = Talk(assistant_of(GUARDED, JOIN, head="slots:\n  member: {type: boolean, default: false}\n"))
    assert await talk.does({"start_flow": "secret"}) == ["not_allowed:secret"]
    assert talk.texts == ["Members only."]
    await talk.does({"start_flow": "join"})
    assert await talk.does({"start_flow": "secret"}) == ["say:tell"]


async def test_a_flow_that_only_others_call_cannot_be_asked_for():
    hidden = "flow: hidden\ndescription: Hidden.\nstart: false\nsteps:\n  - {step: a, type: say, message: Hi.}\n"
    caller = "flow: open\ndescription: Opens.\nsteps:\n  - {step: go, type: link, flow: hidden}\n"
    talk = Talk(assistant_of(hidden, caller))
    assert await talk.does({"start_flow": "hidden"}) == ["cannot_handle"]
    assert await talk.does({"start_flow": "open"}) == ["say:a"]


async def test_restart_asks_first_and_then_forgets_everything():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"}, {"set_slot": {"city": "Rome"}})
    assert await talk.does("restart") == ["confirm_restart"]
    assert await talk.does("affirm") == ["restarted"]
    assert (talk.stack, talk.outcome.ended, talk.outcome.status) == ([], False, "idle")
    assert await talk.does({"start_flow": "trip"}) == ["ask:city"]


async def test_after_a_restart_the_conversation_has_only_the_defaults_of_its_slots():
    flow = "flow: visit\ndescription: Visits.\nsteps:\n  - {step: a, type: collect, slot: name}\n"
    head = "slots:\n  name: {type: text, prompt: Who?}\n  language: {type: text, default: none}\n"
    talk = Talk(assistant_of(flow, head=head))
    await talk.does({"start_flow": "visit"}, {"set_slot": {"name": "Ursula"}}, {"set_slot": {"language": "Latin"}})
    await talk.does("restart")
    await talk.does("affirm")
    assert {name: slot["value"] for name, slot in talk.outcome.slots.items()} == {"language": "none"}
    assert "Ursula" not in str(talk.outcome.state)
    assert await talk.does({"start_flow": "visit"}) == ["ask:name"]


async def test_a_restart_and_a_wish_in_one_message_begin_with_the_wish():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"}, {"set_slot": {"city": "Rome"}})
    await talk.does("restart")
    assert await talk.does("affirm", {"start_flow": "trip"}) == ["restarted", "ask:city"]
    assert talk.stack == ["trip?city"]


async def test_requests_that_wait_for_staff_are_withdrawn_by_a_restart():
    talk = Talk(assistant_of(REFUND, head="actions:\n  pay: {inputs: {amount: money}, outputs: {}}\n"))
    await talk.does({"start_flow": "refund"}, {"set_slot": {"amount": 5, "reason": "x"}})
    key = talk.staff_task().key
    await talk.does("restart")
    await talk.does("affirm")
    assert [(each.task_key, each.how) for each in talk.outcome.settled if each.task_key == key] == [(key, "cancelled")]
    assert talk.outcome.tasks == ()


async def test_restart_that_is_not_wanted_changes_nothing():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"})
    await talk.does("restart")
    assert await talk.chooses("no") == ["ask:city"]
    assert talk.stack == ["trip?city"]


async def test_a_resumed_flow_that_was_not_paused_is_recorded_as_dropped():
    talk = travel_agency()
    assert await talk.does({"resume_flow": "trip"}) == ["cannot_handle"]
    assert talk.outcome.record["dropped"][0]["reason"] == "not_paused"


async def test_a_paused_flow_left_too_long_ends_with_a_word():
    talk = travel_agency(paused_limit="1h")
    await talk.does({"start_flow": "trip"})
    await talk.does({"start_flow": "name"})
    talk.waits(hours=2)
    assert await talk.does({"set_slot": {"name": "Ursula"}}) == ["dropped:trip", "say:hello"]
    assert talk.stack == []


async def test_frames_never_share_a_name():
    talk = travel_agency()
    await talk.does({"start_flow": "name"})
    await talk.does("cancel_flow")
    await talk.does({"start_flow": "name"})
    assert talk.outcome.stack[0]["frame"] == "name-2"
