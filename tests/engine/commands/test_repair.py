"""Answers that are none: said, counted, given up."""

import pytest

from tests.support.engine.dialogue_harness import Talk, assistant_of, travel_agency


async def test_what_is_not_understood_is_said_and_the_question_repeated():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"})
    assert await talk.does("cannot_handle") == ["cannot_handle", "ask:city"]


async def test_a_message_that_gives_no_command_is_not_understood():
    talk = travel_agency()
    assert await talk.says("hm") == ["cannot_handle"]


@pytest.mark.parametrize(("text", "key"), [("  \n", "empty_message"), ("x" * 4001, "message_too_long")])
async def test_empty_and_too_long_messages_need_no_understanding(text: str, key: str):
    talk = travel_agency()
    await talk.does({"start_flow": "trip"})
    asked = len(talk.nlu.asked)
    assert await talk.says(text, "affirm") == [key, "ask:city"]
    assert len(talk.nlu.asked) == asked


async def test_a_message_of_four_thousand_characters_is_read():
    talk = travel_agency()
    await talk.says("x" * 4000, {"start_flow": "trip"})
    assert talk.keys == ["ask:city"]


async def test_three_misses_in_a_row_hand_the_chat_over_with_no_other_word():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"}, {"set_slot": {"city": "Rome"}})
    await talk.does({"set_slot": {"nights": 99}})
    await talk.says("")
    assert await talk.does("cannot_handle") == ["handoff"]
    assert talk.stack == ["trip!handoff"]
    assert talk.outcome.explicit == "waiting_for_human"


async def test_an_understood_message_between_breaks_the_row():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"})
    for command in ("cannot_handle", "cannot_handle", "repeat", "cannot_handle", "cannot_handle"):
        assert "handoff" not in await talk.does(command)


async def test_each_question_has_its_own_count():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"})
    await talk.does("cannot_handle")
    await talk.does("cannot_handle")
    await talk.does({"set_slot": {"city": "Rome"}})
    assert await talk.does("cannot_handle") == ["cannot_handle", "ask:nights"]


async def test_a_step_may_say_what_happens_after_too_many_misses():
    flow = """
flow: pin
description: Asks for a number.
slots:
  pin: {type: text, pattern: "[0-9]{4}", prompt: PIN?}
steps:
  - {step: ask_pin, type: collect, slot: pin, max_attempts: 2, on_failure: sorry}
  - {step: done, type: say, message: Right., next: end}
  - {step: sorry, type: say, message: Too many tries.}
"""
    talk = Talk(assistant_of(flow))
    await talk.does({"start_flow": "pin"})
    assert await talk.does({"set_slot": {"pin": "12"}}) == ["rejected:pin", "ask:pin"]
    assert await talk.does({"set_slot": {"pin": "13"}}) == ["rejected:pin", "say:sorry"]
    assert talk.stack == []


async def test_misses_at_an_offer_are_counted_too():
    talk = travel_agency(resume="ask", max_attempts=2)
    await talk.does({"start_flow": "trip"})
    await talk.does({"start_flow": "ping"})
    assert await talk.does("cannot_handle") == ["cannot_handle", "offer_resume"]
    assert await talk.does("cannot_handle") == ["handoff"]


async def test_nothing_is_counted_while_only_staff_are_awaited():
    talk = travel_agency(max_attempts=1)
    await talk.does({"start_flow": "refund"}, {"set_slot": {"amount": 5, "reason": "x"}})
    assert await talk.does("cannot_handle") == ["waiting:approval"]


async def test_a_user_who_writes_is_never_left_without_an_answer():
    talk = travel_agency()
    await talk.does({"start_flow": "refund"}, {"set_slot": {"amount": 5, "reason": "x"}})
    assert await talk.does({"start_flow": "refund"}) == ["status"]
