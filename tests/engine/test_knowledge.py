"""The two ports that digressions are answered from: what they are asked, how long they have, and what they may say."""

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from dialogue.engine.knowledge import AssistantHelp, AssistantKnowledge, Passage, Question
from dialogue.engine.understanding import NLUContext
from tests.support.engine.dialogue_harness import Talk, assistant_of, travel_agency
from tests.support.engine.sample_flows import NAME, PING

HOURS = "knowledge:\n  hours: {questions: [When?], answer: From nine to five.}\n"
SECRET = """
flow: pay
title: pay
description: Pays.
slots: {card: {type: text, pattern: "[0-9]{16}", sensitive: true, prompt: Which card?}}
steps: [{step: ask, type: collect, slot: card}, {step: sure, type: confirm, message: Sure?}]
"""
CARD = "4111111111111111"


class Weather:
    """A knowledge base that knows about the weather, and keeps what it was asked."""

    def __init__(self, *passages: Passage) -> None:
        self.asked: list[Question] = []
        self._passages = passages or (Passage("Sunny.", "Almanac"),)

    async def answer(self, question: Question) -> Sequence[Passage]:
        self.asked.append(question)
        return self._passages if "weather" in question.text or question.topic == "weather" else ()


class Broken:
    """A knowledge base and a help generator that fail as they are told."""

    def __init__(self, fails: Any) -> None:
        self._fails = fails

    async def answer(self, question: Question) -> Sequence[Passage]:
        await self._fails()
        return (Passage("too late"),)

    async def help(self, context: NLUContext) -> str:
        await self._fails()
        return "too late"


class Guide:
    """A help generator that speaks of where the conversation stands."""

    async def help(self, context: NLUContext) -> str:
        running = ", ".join(entry.flow for entry in context.stack)
        return f"everything about {running or 'anything'}"


def knowing(knowledge: Any, *flows: str, **more: Any) -> Talk:
    talk = travel_agency(*flows, head=HOURS, **more)
    talk.knowledge = knowledge
    return talk


async def test_an_assistant_answers_from_what_its_author_wrote() -> None:
    context = Weather()
    talk = knowing(context)
    await talk.says("what about the weather", "cannot_handle")
    state = context.asked[0].context

    knowledge = AssistantKnowledge(assistant_of(PING, head=HOURS))
    assert [each.text for each in await knowledge.answer(Question("When?", "hours", state))] == ["From nine to five."]
    assert await knowledge.answer(Question("Rain?", "weather", state)) == ()


async def test_an_assistant_s_help_names_what_can_be_asked_for() -> None:
    weather = Weather()
    await knowing(weather).says("weather?", "cannot_handle")

    assert await AssistantHelp(assistant_of(PING, NAME)).help(weather.asked[0].context) == "ping, tell your name"


async def test_a_knowledge_base_gets_the_words_the_language_and_where_the_conversation_stands() -> None:
    weather = Weather()
    talk = knowing(weather)
    await talk.does({"start_flow": "trip"}, {"set_slot": {"city": "Rome"}})

    said = await talk.says("How is the weather in May?", {"digress": {"kind": "question", "topic": "climate"}})

    (question,) = weather.asked
    assert (question.text, question.topic, question.language) == ("How is the weather in May?", "climate", "en")
    assert [entry.flow for entry in question.context.stack] == ["trip"]
    assert question.context.filled == {"trip.city": "Rome"}
    assert said == ["answer:climate", "ask:nights"]


async def test_an_answer_names_its_sources_once_each() -> None:
    talk = knowing(Weather(Passage("Sunny.", "Almanac", "https://al.example"), Passage("Windy.", "Log"), Passage(" ")))

    assert await talk.says("weather?", {"digress": {"kind": "question"}}) == ["answer"]
    assert talk.texts == ["Sunny.\n\nWindy.\n\nFrom: Almanac (https://al.example), Log"]
    assert talk.outcome.record["lookups"][0]["sources"] == ["Almanac", "Log"]


async def test_what_no_flow_and_no_topic_claims_is_asked_before_it_counts_as_not_understood() -> None:
    talk = knowing(Weather())
    await talk.does({"start_flow": "trip"})

    assert await talk.says("the weather there?", "cannot_handle") == ["answer", "ask:city"]
    assert "misses" not in talk.outcome.state
    assert await talk.says("blah", "cannot_handle") == ["cannot_handle", "ask:city"]
    assert talk.outcome.state["misses"]["count"] == 1


async def test_what_it_does_not_know_the_author_may() -> None:
    talk = knowing(Weather())

    assert await talk.says("open?", {"digress": {"kind": "question", "topic": "hours"}}) == ["answer:hours"]
    assert talk.texts == ["From nine to five."]
    assert await talk.says("open?", {"digress": {"kind": "question", "topic": "tides"}}) == ["no_answer"]


@pytest.mark.parametrize("fails", [lambda: asyncio.sleep(60), lambda: 1 / 0], ids=["slow", "broken"])
async def test_a_knowledge_base_that_is_slow_or_broken_has_found_nothing(fails: Any) -> None:
    talk = knowing(Broken(fails))
    talk.lookup_seconds = 0.05

    assert await talk.says("the weather?", "cannot_handle") == ["cannot_handle"]
    (lookup,) = talk.outcome.record["lookups"]
    assert lookup["note"] in ("no answer in time", "ZeroDivisionError: division by zero")


async def test_one_that_is_not_async_holds_up_nobody_else() -> None:
    asked, go_on = threading.Event(), threading.Event()

    class Sleepy:
        def answer(self, question: Question) -> Sequence[Passage]:
            asked.set()
            return (Passage("At last."),) if go_on.wait(20) else ()

    async def others() -> None:
        while not asked.is_set():
            await asyncio.sleep(0.01)
        go_on.set()

    talk = knowing(Sleepy())
    talk.lookup_seconds = 30
    others_run = asyncio.create_task(others())

    assert await talk.says("the weather?", "cannot_handle") == ["answer"]
    await others_run
    assert talk.texts == ["At last."]


async def test_a_sensitive_value_is_neither_sent_when_it_is_awaited_nor_when_it_is_known() -> None:
    weather = Weather()
    talk = knowing(weather, SECRET)
    await talk.does({"start_flow": "pay"})

    await talk.says("my weather card 4111-1111", "cannot_handle")
    assert weather.asked == []

    await talk.does({"set_slot": {"card": CARD}})
    await talk.says(f"weather for {CARD}?", "cannot_handle")
    assert CARD not in weather.asked[0].text
    assert CARD not in str(weather.asked[0].context)


async def test_another_help_generator_is_told_where_the_conversation_stands() -> None:
    talk = travel_agency()
    talk.helper = Guide()

    await talk.does({"digress": "help"})
    assert talk.texts == ["I can help you with this: everything about anything."]
    await talk.does({"start_flow": "trip"})
    await talk.does({"digress": "help"})
    assert talk.texts[0] == "I can help you with this: everything about trip."


async def test_a_help_generator_that_fails_leaves_the_list_of_flows() -> None:
    talk = travel_agency()
    talk.helper = Broken(lambda: 1 / 0)

    assert await talk.does({"digress": "help"}) == ["help"]
    assert "book a trip" in talk.texts[0]
