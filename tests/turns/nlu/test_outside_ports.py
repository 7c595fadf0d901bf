"""A project's own knowledge and help answer digressions, by the dotted names in the settings."""

import asyncio
import time
from collections.abc import Sequence
from typing import Any

import pytest

from dialogue.engine.knowledge import Passage, Question
from dialogue.engine.language.compiler import Assistant
from dialogue.engine.ports.commands import CannotHandle, Command, Digress
from dialogue.engine.understanding import NLUContext, Understanding
from dialogue.models import Conversation, Event, Message
from dialogue.turns import compiled_releases
from dialogue.turns.worker import Ports
from tests.support.releases import GREETER
from tests.support.soni_settings import override
from tests.support.turns import begun, say

pytestmark = pytest.mark.django_db(transaction=True)


class Library:
    """A double of a project's own knowledge."""

    def __init__(self, assistant: Assistant) -> None:
        self._name = assistant.assistant

    async def answer(self, question: Question) -> Sequence[Passage]:
        known = f"{self._name} knows {question.topic} in {question.language}, asked “{question.text}”"
        return [Passage(known, source="The house")]


class Guide:
    """A double of a project's own help."""

    async def help(self, context: NLUContext) -> str:
        return f"everything in {context.language}"


def guide_for(assistant: Assistant) -> Guide:
    return Guide()


class Digresses:
    """Understanding that hears one command in everything."""

    def __init__(self, command: Command) -> None:
        self._command = command

    async def understand(self, message: str, context: Any) -> Understanding:
        return Understanding((self._command,))


@pytest.fixture(autouse=True)
def _compiled_anew() -> Any:
    compiled_releases.forget_releases()
    yield
    compiled_releases.forget_releases()


async def told(conversation: Conversation, command: Command) -> str:
    """What Ursula is told, in one text."""
    keys = await say(conversation, "…", Ports(nlu=lambda assistant: Digresses(command)))
    rows = Message.objects.filter(conversation=conversation).order_by("-seq")[: len(keys)]
    return " ".join([row.text async for row in rows])


@override(KNOWLEDGE=f"{__name__}.Library")
async def test_a_question_is_answered_by_the_knowledge_that_the_settings_name() -> None:
    conversation = await begun(GREETER)

    answer = await told(conversation, Digress("question", "fees"))
    assert "greeter knows fees in en, asked “…”" in answer
    assert "From: The house" in answer


@override(KNOWLEDGE=f"{__name__}.Library")
async def test_what_is_not_understood_is_asked_of_it_too_and_the_record_tells_how_long_it_took() -> None:
    conversation = await begun(GREETER)

    assert "greeter knows  in en" in await told(conversation, CannotHandle())
    record = (await conversation.turns.aget()).record
    assert (record["lookups"][0]["part"], record["lookups"][0]["sources"]) == ("Library", ["The house"])


class Slow:
    """A double that answers later than anybody waits for."""

    def __init__(self, assistant: Assistant) -> None:
        pass

    def answer(self, question: Question) -> Sequence[Passage]:
        time.sleep(1.5)
        return [Passage("late")]


@override(KNOWLEDGE=f"{__name__}.Slow", LOOKUP_SECONDS=0.1)
async def test_a_slow_answer_blocks_neither_the_turn_nor_another_conversation() -> None:
    slow, other = await begun(GREETER), await begun(GREETER)

    first = asyncio.create_task(told(slow, Digress("question", "fees")))
    await asyncio.sleep(0)
    assert "greet" in await told(other, Digress("help"))

    assert "I do not know that" in await first
    assert (await slow.turns.aget()).record["lookups"][0]["note"] == "no answer in time"


@override(HELP=f"{__name__}.guide_for")
async def test_help_is_said_by_what_the_function_that_the_settings_name_makes() -> None:
    conversation = await begun(GREETER)

    assert "everything in en" in await told(conversation, Digress("help"))


async def test_without_these_settings_the_assistant_s_own_documents_answer() -> None:
    conversation = await begun(GREETER)

    assert "greet" in await told(conversation, Digress("help"))


@override(KNOWLEDGE=f"{__name__}.Nobody")
async def test_a_name_behind_which_there_is_nothing_is_an_incident_that_says_so() -> None:
    conversation = await begun(GREETER)

    await told(conversation, Digress("question", "fees"))

    event = await Event.objects.aget()
    assert event.state == Event.State.INCIDENT and "Nobody" in event.error


class Silent:
    """A double that has nothing to say, in the simplest way that Python has for it."""

    def __init__(self, assistant: Assistant) -> None:
        pass

    async def answer(self, question: Question) -> None:
        return None

    async def help(self, context: NLUContext) -> None:
        return None


@override(KNOWLEDGE=f"{__name__}.Silent", HELP=f"{__name__}.Silent")
async def test_a_port_that_returns_nothing_has_no_answer() -> None:
    conversation = await begun(GREETER)

    assert "I do not know that" in await told(conversation, Digress("question", "fees"))
    answer = await told(conversation, Digress("help"))
    assert "greet" in answer and "None" not in answer


class Texts(Silent):
    """A double that gives a text where passages are asked for."""

    async def answer(self, question: Question) -> Any:
        return "on Monday"


@override(KNOWLEDGE=f"{__name__}.Texts")
async def test_a_port_that_returns_something_else_has_failed_and_the_record_says_so() -> None:
    conversation = await begun(GREETER)

    assert "I do not know that" in await told(conversation, Digress("question", "fees"))
    assert "AttributeError" in (await conversation.turns.aget()).record["lookups"][0]["note"]
