"""Whether staff are at the desk, and the notice for a customer who asks for a person while the desk is empty.

The engine does not know the desk, so the notice is added to its reply on the way into the transcript.
"""

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from dialogue.models import Attendance, Conversation
from dialogue.turns import clock
from dialogue.turns.answer_links import is_rehearsal
from dialogue.turns.process.database import in_thread

if TYPE_CHECKING:
    from dialogue.engine.language.compiler import Assistant
    from dialogue.engine.ports.sinks import BotMessage, DisplayValues

AWAY_AFTER = timedelta(seconds=100)
"""A person without a sign for this long counts as gone; longer than two renewals, so that one may be lost."""

HANDOFF, HANDOFF_ABSENT = "handoff", "handoff_nobody"
"""The key of the reply to a request for a person, and of the response that is added while the desk is empty."""


def is_desk_staffed() -> bool:
    """Whether a person who takes chats is at the desk now."""
    return Attendance.objects.filter(seen_at__gt=clock.now() - AWAY_AFTER, user__is_active=True).exists()


@dataclass(frozen=True)
class AbsenceNotice:
    """The reply filter that tells a customer who asks for a person that the desk is empty and they need not wait."""

    conversation: Conversation
    assistant: "Assistant"
    language: str

    async def filter_reply(self, message: "BotMessage", _values: "DisplayValues") -> "BotMessage":
        """Add the notice to the reply to a request for a person; tests and scenarios do not look at the desk."""
        if message.key != HANDOFF or is_rehearsal(self.conversation) or await in_thread(is_desk_staffed)():
            return message
        from dialogue.engine.stack.responses import Responses  # pages import this module without the engine

        return replace(message, text=f"{message.text} {Responses(self.assistant).say(HANDOFF_ABSENT, self.language)}")
