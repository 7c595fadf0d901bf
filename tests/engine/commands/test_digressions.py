"""Digressions change neither slots nor stack, and what was asked is asked again."""

import pytest

from tests.support.engine.dialogue_harness import Talk, travel_agency

KNOWLEDGE = """
knowledge:
  opening_hours: {questions: [When are you open?], answer: From nine to five.}
"""


def _agency() -> Talk:
    return travel_agency(head=KNOWLEDGE)


@pytest.mark.parametrize(
    ("command", "key"),
    [
        ({"digress": {"kind": "question", "topic": "opening_hours"}}, "answer:opening_hours"),
        ({"digress": {"kind": "question", "topic": "weather"}}, "no_answer"),
        ({"digress": {"kind": "question"}}, "no_answer"),
        ({"digress": {"kind": "clarification"}}, "explain:city"),
        ({"digress": {"kind": "clarification", "topic": "nights"}}, "explain:nights"),
        ({"digress": {"kind": "help"}}, "help"),
        ({"digress": {"kind": "status"}}, "status"),
        ("chitchat", "chitchat"),
    ],
)
async def test_a_digression_is_answered_and_the_prompt_repeated(command: object, key: str):
    talk = _agency()
    await talk.does({"start_flow": "trip"})
    before = talk.outcome.state["frames"]
    assert await talk.does(command) == [key, "ask:city"]
    assert talk.outcome.state["frames"] == before


async def test_the_status_tells_what_is_known():
    talk = _agency()
    await talk.does({"start_flow": "trip"}, {"set_slot": {"city": "Rome"}})
    await talk.does({"digress": {"kind": "status"}})
    assert "book a trip" in talk.texts[0]
    assert "Rome" in talk.texts[0]


async def test_news_of_a_request_to_staff_is_that_they_are_still_deciding():
    talk = _agency()
    await talk.does({"start_flow": "refund"}, {"set_slot": {"amount": 5, "reason": "x"}})
    assert await talk.does({"digress": {"kind": "status"}}) == ["status"]
    assert "colleague" in talk.texts[0]


async def test_a_question_between_two_answers_keeps_the_place():
    talk = _agency()
    await talk.does({"start_flow": "trip"}, {"set_slot": {"city": "Rome"}})
    await talk.does({"digress": {"kind": "question", "topic": "opening_hours"}})
    assert await talk.does({"set_slot": {"nights": 2}}) == ["ask:class"]


async def test_repeating_says_the_last_messages_again_with_the_prompt_once_and_last():
    talk = _agency()
    await talk.does({"start_flow": "trip"})
    await talk.does({"digress": {"kind": "question", "topic": "opening_hours"}})
    assert await talk.does("repeat") == ["answer:opening_hours", "ask:city"]
    assert await talk.does("repeat") == ["answer:opening_hours", "ask:city"]


async def test_repeating_keeps_the_buttons():
    talk = _agency()
    await talk.does({"start_flow": "trip"}, {"set_slot": {"city": "Rome", "nights": 2}})
    await talk.does("repeat")
    assert [each.value for each in talk.outcome.messages[0].buttons] == ["economy", "business"]


async def test_an_answer_comes_before_what_the_flows_say():
    talk = _agency()
    keys = await talk.does({"digress": {"kind": "question", "topic": "opening_hours"}}, {"start_flow": "ping"})
    assert keys == ["answer:opening_hours", "say:pong"]
