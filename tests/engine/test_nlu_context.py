"""What understanding is told."""

from dialogue.engine.understanding import NLUContext
from tests.support.engine.dialogue_harness import Talk, travel_agency


def _context(talk: Talk) -> NLUContext:
    return talk.nlu.asked[-1][1]


async def test_it_knows_the_awaited_slot_and_its_type():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"}, {"set_slot": {"city": "Rome"}})
    await talk.does("chitchat")
    context = _context(talk)
    assert context.explicit == "waiting_for_slot"
    assert context.awaited_slot is not None
    assert context.awaited_slot.type == "integer"
    assert context.filled == {"trip.city": "Rome"}


async def test_it_knows_the_stack_and_the_last_messages():
    talk = travel_agency()
    await talk.says("to the sea", {"start_flow": "trip"})
    await talk.does({"start_flow": "name"})
    await talk.does("chitchat")
    context = _context(talk)
    assert [(each.flow, each.status, each.awaiting) for each in context.stack] == [
        ("trip", "paused", "collect"),
        ("name", "active", "collect"),
    ]
    assert context.last_messages[0] == ("user", "to the sea")


async def test_it_knows_what_is_offered():
    talk = travel_agency()
    await talk.does({"clarify": ["trip", "refund"]})
    await talk.does("chitchat")
    assert _context(talk).offer == ("trip", "refund")


async def test_only_flows_that_can_be_started_are_candidates():
    hidden = "flow: hidden\ndescription: Hidden.\nstart: false\nsteps:\n  - {step: a, type: say, message: Hi.}\n"
    opens = "flow: opens\ndescription: Opens.\nsteps:\n  - {step: go, type: link, flow: hidden}\n"
    talk = travel_agency(hidden, opens)
    await talk.does("chitchat")
    assert "hidden" not in {each.flow for each in _context(talk).flows}
