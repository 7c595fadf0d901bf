"""What the two sides of a chat know of each other while a person has it or was asked for: who answers, who reads."""

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
    """Who has the chat (`holder` None: nobody yet), since when a person was asked for, and the read marks."""

    session: str
    holder: int | None
    by: str
    since: datetime
    due: datetime | None
    desk: bool
    marks: ReadMarks

    def frames(self) -> list[dict[str, Any]]:
        """`person`: who answers, and whether anybody is at the desk; `read`: the last line that each side has read."""
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
    """How it stands now; None while the bot has the chat."""
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
    """What is told of it."""
    return now.frames() if now else [BOT_ANSWERS]
