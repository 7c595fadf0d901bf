"""Conversations of a turn's tests: open one, send a message and run its turn, and the bank with stubbed actions."""

from dialogue.engine.actions import StubbedActions
from dialogue.models import Conversation, Event, Message, Turn
from dialogue.turns.accept import Incoming, accept, open_conversation
from dialogue.turns.process.database import in_thread
from dialogue.turns.worker import SERVICE, Ports, drain
from tests.support.releases import publish

TRANSFER = "send 8450 to Lindqvist Marine, DE89370400440532013000"


@in_thread
def begun(documents: dict[str, str]) -> Conversation:
    release = publish(documents)
    return open_conversation(release.assistant.name, user_ref="Ursula")[0]


async def say(conversation: Conversation, text: str, ports: Ports = SERVICE) -> list[str]:
    """Send one message, run its turn; the keys of what was said."""
    client_id = f"m{await Event.objects.acount()}"
    await in_thread(accept)(conversation.pk, Incoming("message", client_id, {"text": text}, text=text))
    await drain(conversation.pk, ports=ports)
    await conversation.arefresh_from_db()
    turn = await Turn.objects.filter(conversation=conversation).order_by("number").alast()
    return [row.key async for row in Message.objects.filter(turn=turn).order_by("ordinal")]


def bank() -> Ports:
    """The bank's actions, stubbed: nobody is known."""
    return Ports(
        actions=StubbedActions(
            {
                "check_payee": [{"returns": {"known": False, "valid": True}}],
                "send_money": [{"returns": {"reference": "TR-1"}}],
            }
        )
    )
