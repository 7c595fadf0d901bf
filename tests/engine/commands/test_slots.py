"""Filling, skipping and clearing slots; yes and no."""

import pytest

from tests.support.engine.dialogue_harness import Talk, assistant_of, travel_agency


async def test_values_ahead_of_their_questions_are_kept_and_the_confirmation_is_still_shown():
    talk = travel_agency()
    keys = await talk.does(
        {"start_flow": "trip"},
        {"set_slot": {"nights": 2, "seat": "4A", "class": "economy"}},
    )
    assert keys == ["ask:city"]
    assert await talk.does({"set_slot": {"city": "Rome"}}) == ["ask:note"]
    assert await talk.does({"skip_slot": "note"}) == ["confirm:trip"]
    assert talk.actions.inputs_of("book") == []


async def test_a_value_that_its_slot_refuses_is_not_stored():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"}, {"set_slot": {"city": "Rome"}})
    assert await talk.does({"set_slot": {"nights": 400}}) == ["rejected:nights", "ask:nights"]
    assert talk.value("trip.nights") is None


@pytest.mark.parametrize("value", [True, "many", 1.5, None, [], {"a": 1}, "", "1_0"])
async def test_nothing_but_a_whole_number_is_stored_as_one(value: object):
    talk = travel_agency()
    await talk.does({"start_flow": "trip"}, {"set_slot": {"city": "Rome"}})
    assert await talk.does({"set_slot": {"nights": value}}) == ["rejected:nights", "ask:nights"]


async def test_zero_false_and_text_of_no_length_are_values():
    flow = """
flow: odd
description: Odd values.
slots:
  count: {type: integer, prompt: How many?}
  sure: {type: boolean, prompt: Sure?}
steps:
  - {step: ask_count, type: collect, slot: count}
  - {step: ask_sure, type: collect, slot: sure}
  - {step: done, type: say, message: "{count} {sure}"}
"""
    talk = Talk(assistant_of(flow))
    assert await talk.does({"start_flow": "odd"}, {"set_slot": {"count": 0, "sure": False}}) == ["say:done"]
    assert talk.texts == ["0 no"]


async def test_every_stored_value_keeps_where_it_came_from():
    talk = travel_agency()
    await talk.says("to Rome please", {"start_flow": "trip"}, {"set_slot": {"city": "Rome"}, "words": "Rome"})
    slot = talk.outcome.stack[0]["slots"]["city"]
    assert (slot["turn"], slot["source"], slot["words"], slot["shown"]) == (1, "user", "Rome", "Rome")


async def test_a_value_prefers_the_flow_that_was_started_with_it():
    flow = "flow: other\ndescription: Other.\nslots:\n  city: {type: text, prompt: City?}\nsteps:\n"
    flow += "  - {step: ask, type: collect, slot: city}\n  - {step: tell, type: say, message: '{city}'}\n"
    talk = travel_agency(flow)
    await talk.does({"start_flow": "trip"})
    assert await talk.does({"start_flow": "other"}, {"set_slot": {"city": "Oslo"}}) == [
        "say:tell",
        "resumed:trip",
        "ask:city",
    ]


async def test_an_unknown_slot_is_dropped_with_its_reason():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"})
    assert await talk.does({"set_slot": {"colour": "red"}}) == ["cannot_handle", "ask:city"]
    assert talk.outcome.record["dropped"][0]["reason"] == "unknown_slot"


async def test_a_required_slot_cannot_be_skipped():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"})
    assert await talk.does({"skip_slot": "city"}) == ["cannot_skip:city", "ask:city"]


async def test_an_optional_slot_may_be_skipped_ahead_of_its_question():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"}, {"skip_slot": "note"})
    keys = await talk.does({"set_slot": {"city": "Rome", "nights": 2, "class": "economy", "seat": "4A"}})
    assert keys == ["confirm:trip"]


async def test_no_at_a_confirmation_never_runs_the_action_and_asks_what_to_change():
    talk = travel_agency()
    await talk.does(
        {"start_flow": "trip"},
        {"set_slot": {"city": "Rome", "nights": 2, "class": "economy", "seat": "4A"}},
        {"skip_slot": "note"},
    )
    assert await talk.does("deny") == ["ask_change"]
    assert talk.stack == ["trip!change"]
    assert talk.actions.inputs_of("book") == []


async def test_what_is_changed_after_a_no_is_confirmed_again():
    talk = travel_agency()
    await talk.does(
        {"start_flow": "trip"},
        {"set_slot": {"city": "Rome", "nights": 2, "class": "economy", "seat": "4A"}},
        {"skip_slot": "note"},
    )
    await talk.does("deny")
    assert await talk.does({"set_slot": {"seat": "5B"}}) == ["corrected:seat", "confirm:trip"]
    assert await talk.does("affirm") == ["say:done"]
    assert talk.actions.inputs_of("book") == [{"city": "Rome", "nights": 2, "seat": "5B"}]


@pytest.mark.parametrize("answer", ["affirm", "deny"])
async def test_yes_or_no_is_no_answer_to_what_shall_be_changed(answer: str):
    talk = travel_agency()
    await talk.does(
        {"start_flow": "trip"},
        {"set_slot": {"city": "Rome", "nights": 2, "class": "economy", "seat": "4A"}},
        {"skip_slot": "note"},
    )
    await talk.does("deny")
    assert await talk.does(answer) == ["cannot_handle", "ask_change"]
    assert talk.actions.inputs_of("book") == []


async def test_yes_and_no_answer_a_yes_no_question():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"}, {"set_slot": {"city": "Rome", "nights": 2, "class": "business"}})
    assert talk.keys == ["ask:lounge"]
    assert [each.value for each in talk.outcome.messages[0].buttons] == ["yes", "no"]
    await talk.does("deny")
    assert talk.value("trip.lounge") is False


async def test_yes_with_nothing_to_answer_is_dropped_silently_beside_other_commands():
    talk = travel_agency()
    assert await talk.does("affirm", {"start_flow": "trip"}) == ["ask:city"]
    assert talk.outcome.record["dropped"] == [{"command": "affirm", "reason": "nothing_to_answer"}]


async def test_a_sensitive_value_is_masked_in_the_record_and_for_understanding():
    flow = """
flow: card
description: Takes a card.
slots:
  number: {type: text, sensitive: true, prompt: Number?}
  name: {type: text, prompt: Name?}
steps:
  - {step: ask_number, type: collect, slot: number}
  - {step: ask_name, type: collect, slot: name}
  - {step: done, type: say, message: "{number}"}
"""
    talk = Talk(assistant_of(flow))
    await talk.says("it is 4000123412341234", {"start_flow": "card"}, {"set_slot": {"number": "4000123412341234"}})
    assert "4000123412341234" not in str(talk.outcome.record)
    await talk.says("Ursula", {"set_slot": {"name": "Ursula"}})
    _, context = talk.nlu.asked[-1]
    assert "4000123412341234" not in str(context.filled) + str(context.last_messages)


async def test_a_button_of_a_choice_is_read_by_value_or_label_without_understanding():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"}, {"set_slot": {"city": "Rome", "nights": 2}})
    asked = len(talk.nlu.asked)
    assert await talk.chooses("BUSINESS") == ["ask:lounge"]
    assert len(talk.nlu.asked) == asked


async def test_what_the_conversation_knows_outlives_the_flow():
    flow = "flow: meet\ndescription: Meets.\nsteps:\n  - {step: ask, type: collect, slot: name}\n"
    flow += "  - {step: hi, type: say, message: 'Hi {name}.'}\n"
    talk = Talk(assistant_of(flow, head="slots:\n  name: {type: text, prompt: Name?}\n"))
    await talk.does({"start_flow": "meet"})
    await talk.does({"set_slot": {"name": "Ursula"}})
    assert await talk.does({"start_flow": "meet"}) == ["say:hi"]
    assert talk.value("name") == "Ursula"
