"""How conversations end."""

from dialogue.engine.ports import events
from tests.support.engine.dialogue_harness import travel_agency


async def test_a_conversation_left_alone_ends_with_all_that_it_awaits():
    talk = travel_agency()
    await talk.does({"start_flow": "refund"}, {"set_slot": {"amount": 5, "reason": "x"}})
    await talk.does({"start_flow": "trip"})
    assert await talk.feed(events.timeout("t1")) == ["session_ended"]
    assert (talk.outcome.status, talk.outcome.ended, talk.outcome.tasks) == ("done", True, ())
    assert {how for _, how in talk.settled()} == {"cancelled"}


async def test_staff_may_end_a_conversation():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"})
    assert await talk.feed(events.cancel("x1", "spam")) == ["session_ended"]
    assert (talk.outcome.status, talk.stack) == ("cancelled", [])


async def test_the_state_tells_idle_from_waiting():
    talk = travel_agency()
    await talk.does({"start_flow": "ping"})
    assert (talk.outcome.status, talk.outcome.explicit) == ("idle", "idle")
    await talk.does({"start_flow": "trip"})
    assert (talk.outcome.status, talk.outcome.explicit) == ("waiting", "waiting_for_slot")
