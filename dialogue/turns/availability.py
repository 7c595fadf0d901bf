"""Whether anybody is at the desk, and what a customer who asks for a person is told when nobody is.

The engine asks for a person and knows nothing of the desk, so that this is added on the way into the transcript.
"""

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from dialogue.models import Attendance, Conversation
from dialogue.turns import clock
from dialogue.turns.answer_links import is_rehearsal
from dialogue.turns.process.database import in_thread

if TYPE_CHECKING:
    from dialogue.engine.language.compiler import Assistant
    from dialogue.engine.ports.sinks import BotMessage

AWAY_AFTER = timedelta(seconds=100)
"""Without a sign for so long, a person counts as gone; longer than two renewals, so that one may be lost."""

ASKED, NOBODY = "handoff", "handoff_nobody"
"""The key of the message that asks for a person, and the response that stands behind it while nobody is there."""


def is_desk_staffed() -> bool:
    """Whether anybody who takes chats is at the desk now."""
    return Attendance.objects.filter(seen_at__gt=clock.now() - AWAY_AFTER, user__is_active=True).exists()


async def with_absence_notice(
    message: "BotMessage", conversation: Conversation, assistant: "Assistant", language: str
) -> "BotMessage":
    """The same message; who asks for a person while nobody is there is told so, and that they need not wait."""
    if message.key != ASKED or is_rehearsal(conversation) or await in_thread(is_desk_staffed)():
        return message
    from dialogue.engine.stack.responses import Responses  # pages ask who is there without the engine

    return replace(message, text=f"{message.text} {Responses(assistant).say(NOBODY, language)}")
