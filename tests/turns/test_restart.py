"""“Start over” in a conversation of rows: it stays open, forgets, and goes on with the active release."""

import pytest

from dialogue.models import Conversation, HITLSession, Message
from dialogue.turns.process.database import in_thread
from tests.support.releases import GREETER, publish
from tests.support.turns import begun, say

pytestmark = pytest.mark.django_db(transaction=True)

SLOTS = "slots:\n  tone: {type: text, default: TONE}\n"


def greeter(tone: str) -> dict[str, str]:
    """The greeter with a slot of the conversation that its question shows."""
    head = GREETER["assistant.yaml"] + SLOTS.replace("TONE", tone)
    return {"assistant.yaml": head, "greet.yaml": GREETER["greet.yaml"].replace("Who are you?", '"{tone} name?"')}


async def last_text(conversation: Conversation) -> str:
    last = await Message.objects.filter(conversation=conversation).order_by("seq").alast()
    return last.text if last else ""


async def test_a_restarted_conversation_stays_open_and_goes_on_with_the_active_release() -> None:
    conversation = await begun(greeter("Kind"))
    await say(conversation, "say hello")
    assert await last_text(conversation) == "Kind name?"
    newer = await in_thread(publish)(greeter("Short"))

    assert await say(conversation, "start over") == ["confirm_restart"]
    assert await say(conversation, "yes") == ["restarted"]

    assert (conversation.state, conversation.stack) == (Conversation.State.IDLE, [])
    assert not await HITLSession.objects.filter(state__in=HITLSession.UNDECIDED).aexists()
    assert await say(conversation, "say hello") == ["ask:name"]
    assert conversation.release_id == newer.pk
    assert await last_text(conversation) == "Short name?"


async def test_a_restart_that_is_declined_changes_nothing() -> None:
    conversation = await begun(greeter("Kind"))
    await say(conversation, "say hello")
    await say(conversation, "start over")

    assert await say(conversation, "no") == ["ask:name"]
    assert conversation.stack[0]["awaiting"] == "greet?name"
