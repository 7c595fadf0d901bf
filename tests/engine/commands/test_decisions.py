"""Staff decide while the user talks on."""

import pytest

from dialogue.engine.graph import NotDecided
from dialogue.engine.ports import events
from dialogue.engine.ports.hitl import Completed
from tests.support.engine.dialogue_harness import Talk, assistant_of, travel_agency
from tests.support.engine.sample_flows import ACTIONS, REFUND, STUBS

ASKED = ({"start_flow": "refund"}, {"set_slot": {"amount": 20, "reason": "late"}})


async def _waiting() -> Talk:
    talk = travel_agency()
    assert await talk.does(*ASKED) == ["waiting:approval"]
    assert talk.stack == ["refund!human"]
    return talk


async def test_a_request_shows_values_and_binds_them():
    talk = await _waiting()
    task = talk.staff_task()
    assert task.key == "refund-1/approval/1"
    assert getattr(task, "shown", None) == {"amount": "20.00", "reason": "late"}
    assert task.title == "Approve the refund"


async def test_the_flow_goes_on_along_the_chosen_action_with_what_was_filled_in():
    talk = await _waiting()
    assert await talk.decides("approve", limit=9000) == ["say:paid"]
    assert talk.texts == ["Paid, approve, limit 9000."]
    assert talk.actions.inputs_of("pay") == [{"amount": "20.00"}]
    assert talk.settled() == [("refund-1/approval/1", "answered")]


async def test_a_refusal_leads_elsewhere():
    talk = await _waiting()
    assert await talk.decides("reject") == ["say:refused"]
    assert talk.actions.calls == []


async def test_nobody_in_time_takes_the_default_and_never_approves():
    talk = await _waiting()
    assert await talk.expires() == ["say:refused"]
    assert talk.actions.calls == []


async def test_an_expiry_is_told_when_its_path_says_nothing():
    quiet = REFUND.replace("on_timeout: reject", "on_timeout: stop").replace(
        "  - {step: refused, type: say, message: Not paid.}",
        "  - {step: refused, type: say, message: Not paid., next: end}\n"
        "  - {step: stop, type: set, slots: {reason: ~}}",
    )
    talk = Talk(assistant_of(quiet, head=ACTIONS), STUBS)
    await talk.does(*ASKED)
    assert await talk.expires() == ["expired:approval"]


async def test_the_user_talks_on_and_the_parked_flow_says_nothing():
    talk = await _waiting()
    assert await talk.does({"start_flow": "ping"}) == ["say:pong"]
    assert talk.stack == ["refund!human"]


async def test_a_decision_interrupts_what_the_user_is_doing_and_it_is_resumed():
    talk = await _waiting()
    await talk.does({"start_flow": "trip"})
    assert await talk.decides("approve") == ["say:paid", "resumed:trip", "ask:city"]
    assert talk.stack == ["trip?city"]


async def test_a_decided_flow_that_asks_something_stays_on_top():
    asking = REFUND.replace("next: {approve: pay,", "next: {approve: ask_more,").replace(
        "slots:\n", "slots:\n  account: {type: text, prompt: Which account?}\n", 1
    )
    asking = asking.replace("  - {step: pay,", "  - {step: ask_more, type: collect, slot: account}\n  - {step: pay,")
    name = "flow: name\ndescription: Name.\nslots:\n  name: {type: text, prompt: Name?}\nsteps:\n"
    name += "  - {step: ask_name, type: collect, slot: name}\n"
    talk = Talk(assistant_of(asking, name, head=ACTIONS), STUBS)
    await talk.does(*ASKED)
    await talk.does({"start_flow": "name"})
    assert await talk.decides("approve") == ["ask:account"]
    assert talk.stack == ["name", "refund?account"]


async def test_two_parked_flows_are_decided_in_any_order():
    second = REFUND.replace("flow: refund", "flow: second")
    talk = Talk(assistant_of(REFUND, second, head=ACTIONS), STUBS)
    await talk.does(*ASKED)
    await talk.does({"start_flow": "second"}, {"set_slot": {"amount": 30, "reason": "y"}})
    assert talk.stack == ["refund!human", "second!human"]
    talk.desk.decided["refund-1/approval/1"] = Completed(selected_handle="approve")
    assert await talk.feed(events.decision("d1", "s", "refund-1/approval/1")) == ["say:paid"]
    assert talk.stack == ["second!human"]


async def test_a_message_is_heard_even_if_the_decision_is_on_record_already():
    talk = await _waiting()
    talk.desk.decided["refund-1/approval/1"] = Completed(selected_handle="approve")
    assert await talk.does({"start_flow": "ping"}) == ["say:pong"]
    assert talk.stack == ["refund!human"]
    assert await talk.feed(events.decision("d1", "s", "refund-1/approval/1")) == ["say:paid"]


async def test_a_decision_that_the_record_does_not_know_is_refused():
    talk = await _waiting()
    with pytest.raises(NotDecided):
        await talk.feed(events.decision("d1", "s", "refund-1/approval/1"))


async def test_a_decision_about_a_pause_that_is_gone_changes_nothing_and_is_told_to_the_host():
    talk = await _waiting()
    await talk.does({"correct_slot": {"amount": 25}})
    talk.desk.decided["refund-1/approval/1"] = Completed(selected_handle="approve")
    assert await talk.feed(events.decision("d1", "s", "refund-1/approval/1")) == []
    assert (talk.stack, talk.settled(), talk.actions.calls) == (["refund!human"], [], [])
    assert talk.outcome.record["orphaned"] == "refund-1/approval/1"


async def test_staff_may_cancel_the_flow_that_waits_for_them():
    talk = await _waiting()
    await talk.does({"start_flow": "trip"})
    assert await talk.feed(events.cancel("x1", "mistake", "refund-1/approval/1")) == ["cancelled:refund", "ask:city"]
    assert ("refund-1/approval/1", "cancelled") in talk.settled()
