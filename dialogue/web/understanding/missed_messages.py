"""Typed messages that were not understood, or that the assistant asked back about: the ones to correct first."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from dialogue.desk.access.people import Person
from dialogue.desk.access.redaction import redact_lines
from dialogue.desk.queue.keyset import keyset_page_of_parts
from dialogue.models import Assistant, Message, Turn
from dialogue.web.shared.scope import conversation_parts, every_conversation

MAX_CONVERSATIONS = 50
MAX_MESSAGES = 10
_MISSED = (Turn.Reading.NOT_UNDERSTOOD, Turn.Reading.ASKED_BACK)


@dataclass(frozen=True)
class MissedMessage:
    """One message, with sensitive values masked for everybody; `asked_back`: the assistant asked what was meant."""

    conversation: UUID
    turn: int
    text: str
    asked_back: bool
    from_test: bool
    at: datetime


def missed_messages(assistant: Assistant, person: Person) -> list[MissedMessage]:
    """Return the newest ones of the conversations that this person may see, the newest first; four queries."""
    order = ("-active_at", "-id")
    parts = [part & Q(assistant=assistant) for part in conversation_parts(person)]
    unclear = Q(unclear_turns__gt=0)
    conversations = keyset_page_of_parts(
        every_conversation(), parts, order, scan_filter=unclear, limit=MAX_CONVERSATIONS
    ).rows
    rows = {row.pk: row for row in conversations}
    turns = Turn.objects.filter(conversation__in=rows, reading__in=_MISSED).select_related("event__message")
    newest = turns.defer("record", "stack").order_by("-finished_at")[:MAX_MESSAGES]
    turns_and_lines = [(turn, turn.event.message) for turn in newest if turn.event.message is not None]
    for _turn, line in turns_and_lines:
        line.conversation = rows[line.conversation_id]
    redact_lines([line for _turn, line in turns_and_lines])
    return [_missed_message(turn, line) for turn, line in turns_and_lines]


def _missed_message(turn: Turn, line: Message) -> MissedMessage:
    return MissedMessage(
        conversation=turn.conversation_id,
        turn=turn.number,
        text=" ".join(line.text.split()),
        asked_back=turn.reading == Turn.Reading.ASKED_BACK,
        from_test=line.conversation.test,
        at=line.at,
    )
