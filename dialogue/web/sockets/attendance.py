"""Attendance of a chat that needs or has a person: who answers, and what each side has read."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dialogue.desk.chats.chats import chat_holder, open_handoffs
from dialogue.desk.chats.read_receipts import ReadMarks, read_marks_of
from dialogue.models import Conversation
from dialogue.models.account import display_name
from dialogue.turns.availability import is_desk_staffed

BOT_ANSWERS: dict[str, Any] = {"type": "person", "session": None}
"""The frame that says: the bot has this chat."""


@dataclass(frozen=True)
class Attendance:
    """Who has the chat (`holder` None: no person yet), since when a person is needed, and the read marks."""

    session: str
    holder: int | None
    by: str
    since: datetime
    due: datetime | None
    desk: bool
    marks: ReadMarks

    def frames(self) -> list[dict[str, Any]]:
        """Return `person` (who answers, whether the desk is staffed) and `read` (the last line each side has read)."""
        person = {
            "type": "person",
            "session": self.session,
            "state": "here" if self.holder else "waiting",
            "by": self.by or None,
            "since": self.since.isoformat(),
            "due": self.due.isoformat() if self.due else None,
            "desk": self.desk,
        }
        return [person, {"type": "read", "customer": self.marks.customer, "staff": self.marks.staff}]


def attendance_of(conversation: Conversation) -> Attendance | None:
    """Return the current attendance, or None while the bot has the chat."""
    session = open_handoffs(conversation.pk).first()
    if session is None:
        return None
    holder = chat_holder(session)
    return Attendance(
        session=session.name,
        holder=holder.pk if holder else None,
        by=display_name(holder) if holder else "",
        since=session.opened_at,
        due=session.due_at,
        desk=holder is not None or is_desk_staffed(),
        marks=read_marks_of(conversation),
    )


def frames_of(now: Attendance | None) -> list[dict[str, Any]]:
    """Return the frames that tell a client of it."""
    return now.frames() if now else [BOT_ANSWERS]
