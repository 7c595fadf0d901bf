"""What a predecessor got wrong, by name. The rules' own tests stand with the rules; here a talk shows each."""

from tests.engine.steps.test_control import LOOP
from tests.support.engine.dialogue_harness import Talk, assistant_of, travel_agency

BOOKED = (
    {"start_flow": "trip"},
    {"set_slot": {"city": "Rome", "nights": 2, "class": "economy", "seat": "4A"}},
    {"skip_slot": "note"},
)


async def test_a_no_once_ran_the_action_and_does_not_here():
    talk = travel_agency()
    await talk.does(*BOOKED)

    for answer in ("deny", "deny", "cancel_flow"):
        await talk.does(answer)

    assert talk.actions.inputs_of("book") == []


async def test_unvalidated_values_once_were_stored_and_are_refused_here():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"})

    await talk.does({"set_slot": {"city": "Rome", "nights": "a few"}})

    assert (talk.value("trip.city"), talk.value("trip.nights")) == ("Rome", None)


async def test_while_once_looped_without_end_and_ends_here_by_its_condition():
    talk = Talk(assistant_of(LOOP))
    await talk.does({"start_flow": "basket"})
    await talk.does({"set_slot": {"item": "tea"}})

    assert await talk.does("deny") == ["say:done"]
    assert talk.texts == ["1 items."]


async def test_while_once_looped_without_end_and_ends_here_by_its_limit():
    talk = Talk(assistant_of(LOOP))
    await talk.does({"start_flow": "basket"})

    for _ in range(3):
        await talk.does({"set_slot": {"item": "tea"}})
        await talk.does("affirm")

    assert talk.keys == ["loop_limit"]


async def test_twins_of_a_running_flow_once_were_stacked_and_are_not_here():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"})

    await talk.does({"start_flow": "trip"})

    assert talk.stack == ["trip?city"]
    assert talk.outcome.record["dropped"][0]["reason"] == "already_active"


async def test_twins_of_a_paused_flow_once_were_stacked_and_are_not_here():
    talk = travel_agency()
    for flow in ("trip", "name", "trip"):
        await talk.does({"start_flow": flow})

    assert [each.partition("?")[0] for each in talk.stack].count("trip") == 1


async def test_corrections_once_were_lost_and_reach_the_action_here():
    talk = travel_agency()
    await talk.does(*BOOKED)

    await talk.does({"correct_slot": {"city": "Oslo"}})
    await talk.does("affirm")

    assert [each["city"] for each in talk.actions.inputs_of("book")] == ["Oslo"]


async def test_corrections_in_a_paused_flow_once_were_lost_and_are_kept_here():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"}, {"set_slot": {"city": "Rome"}})
    await talk.does({"start_flow": "name"})

    await talk.does({"correct_slot": {"city": "Oslo"}})

    assert talk.value("trip.city") == "Oslo"


async def test_a_flow_that_ends_in_the_message_that_resumes_another_one_is_over():
    agree = "flow: agree\ndescription: Agree\nsteps: [{step: sure, type: confirm, message: Sure?}]"
    name = (
        "flow: give_name\ndescription: Name\nslots: {name: {type: text, prompt: Name?}}\n"
        "steps: [{step: ask, type: collect, slot: name}]"
    )
    talk = Talk(assistant_of(agree, name))
    await talk.does({"start_flow": "give_name"})
    await talk.does({"start_flow": "agree"})

    await talk.does("affirm", {"resume_flow": "give_name"})

    assert talk.stack == ["give_name?name"]
    assert await talk.does({"set_slot": {"name": "Ursula"}}) != ["resumed:agree"]
    assert talk.stack == []
