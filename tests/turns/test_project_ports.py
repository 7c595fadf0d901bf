"""A project's own knowledge and help answer digressions, by the dotted names in the settings."""

from typing import Any

import pytest
from django.test import override_settings

from dialogue.engine.commands import Digress
from dialogue.engine.language import Assistant
from dialogue.engine.understanding import Understanding
from dialogue.models import Conversation, Event, Message
from dialogue.turns import dialogues
from dialogue.turns.run import Ports
from tests.published import GREETER
from tests.turns.test_run import begun, say

pytestmark = pytest.mark.django_db(transaction=True)


class Library:
    """A double of a project's own knowledge."""

    def __init__(self, assistant: Assistant) -> None:
        self._name = assistant.assistant

    def answer(self, topic: str, language: str) -> str | None:
        return f"{self._name} knows {topic} in {language}"


class Guide:
    """A double of a project's own help."""

    def help(self, language: str) -> str:
        return "everything"


def guide_for(assistant: Assistant) -> Guide:
    return Guide()


class Digresses:
    """Understanding that hears one digression in everything."""

    def __init__(self, command: Digress) -> None:
        self._command = command

    async def understand(self, message: str, context: Any) -> Understanding:
        return Understanding((self._command,))


@pytest.fixture(autouse=True)
def _compiled_anew() -> Any:
    dialogues.forget()
    yield
    dialogues.forget()


async def told(conversation: Conversation, command: Digress) -> str:
    """What Ursula is told, in one text."""
    keys = await say(conversation, "…", Ports(nlu=lambda assistant: Digresses(command)))
    rows = Message.objects.filter(conversation=conversation).order_by("-seq")[: len(keys)]
    return " ".join([row.text async for row in rows])


@override_settings(SONI_KNOWLEDGE=f"{__name__}.Library")
async def test_a_question_is_answered_by_the_knowledge_that_the_settings_name() -> None:
    conversation = await begun(GREETER)

    assert "greeter knows fees in en" in await told(conversation, Digress("question", "fees"))


@override_settings(SONI_HELP=f"{__name__}.guide_for")
async def test_help_is_said_by_what_the_function_that_the_settings_name_makes() -> None:
    conversation = await begun(GREETER)

    assert "everything" in await told(conversation, Digress("help"))


async def test_without_these_settings_the_assistant_s_own_documents_answer() -> None:
    conversation = await begun(GREETER)

    assert "greet" in await told(conversation, Digress("help"))


@override_settings(SONI_KNOWLEDGE=f"{__name__}.Nobody")
async def test_a_name_behind_which_there_is_nothing_is_an_incident_that_says_so() -> None:
    conversation = await begun(GREETER)

    await told(conversation, Digress("question", "fees"))

    event = await Event.objects.aget()
    assert event.state == Event.State.INCIDENT and "Nobody" in event.error
