"""The lines of a turn on their way into the transcript. The turn's next transaction stores them.

The record of an action's start is such a transaction, so the user reads a line from before a slow action while the
action runs. A turn without an action has one transaction, its commit. A stored line is final: a turn that runs again
repeats the same lines under the same numbers, and a turn that fails for good leaves them in the transcript.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any, Protocol

from django.db import transaction

from dialogue.engine.ports.message_parts import plain_text
from dialogue.engine.ports.sinks import BotMessage, DisplayValues
from dialogue.models import Conversation, Event, Message, Turn, hot_path
from dialogue.models.conversations.message import APOLOGY
from dialogue.turns import clock
from dialogue.turns.lease import Lease, LeaseLost
from dialogue.turns.live import notify
from dialogue.turns.process.crash_points import crash_point


@dataclass
class TurnLines:
    """The lines of one run of an event's turn.

    `stored`: the lines that were stored before the turn's commit, by this run or an earlier one. `messages`: all lines
    of this run. `pending`: those of them that wait for a transaction. `basis`: release and time for a later run,
    `{release, at}` (see `Event.basis`).
    """

    event: Event
    basis: dict[str, Any]
    stored: list[Message] = field(default_factory=list)
    messages: list[BotMessage] = field(default_factory=list)
    pending: list[BotMessage] = field(default_factory=list)
    next_ordinal: int = 0
    _differs: bool = field(default=False, init=False)

    def stored_line(self, key: str) -> Message | None:
        """Return the stored line that this run repeats next, if its key is `key`; None once the runs differ."""
        index = len(self.messages)
        if self._differs or index >= len(self.stored):
            return None
        if self.stored[index].key == key:
            return self.stored[index]
        self._differs = True  # another release or another result of an action: the rest of this run is new
        return None

    def repeat(self, message: BotMessage, line: Message) -> None:
        """Take the stored line in place of `message`: the user may have read it already, in these words."""
        self.messages.append(replace(message, text=line.text, parts=tuple(line.parts), ordinal=line.ordinal))

    def add(self, message: BotMessage) -> None:
        """Add a new line, which waits for the next transaction."""
        if message.ordinal != self.next_ordinal:
            message = replace(message, ordinal=self.next_ordinal)
        self.next_ordinal += 1
        self.messages.append(message)
        self.pending.append(message)

    def store_pending(self, lease: Lease) -> None:
        """Store the pending lines in the open transaction, and notify sockets when it is committed.

        Raises LeaseLost.
        """
        locked, at = clock.fetch_with_time(Conversation, lease.columns, hot_path.for_update())
        if not locked:
            raise LeaseLost(lease.conversation)
        last_message = locked[0].last_message
        rows = self.insert_pending(locked[0], None, at, last_message)
        hot_path.update(Conversation, lease.columns, {"last_message": last_message + len(rows)})
        if not self.event.basis:  # with the understanding, which names the values of the lines to redact
            changes = {"basis": self.basis, "understanding": self.event.understanding}
            hot_path.update(Event, {"id": self.event.pk}, changes)
        transaction.on_commit(partial(self._note_stored, rows, lease), robust=True)

    def insert_pending(self, row: Conversation, turn: Turn | None, at: datetime, after: int) -> list[Message]:
        """Insert the pending lines behind line number `after`. Without a turn they belong to the event only."""
        rows = [
            Message(
                conversation=row,
                seq=seq,
                turn=turn,
                reply_to=None if turn else self.event,
                ordinal=message.ordinal,
                role=Message.Role.ASSISTANT,
                key=message.key,
                text=message.text,
                buttons=[dict(vars(button)) for button in message.buttons],
                parts=[dict(part) for part in message.parts],
                at=at,
            )
            for seq, message in enumerate(self.pending, start=after + 1)
        ]
        hot_path.insert(rows)
        return rows

    def apologise(self, text: str) -> None:
        """Replace the lines that are not stored by the apology `text`, because the turn has failed for good."""
        ordinal = self.next_ordinal - len(self.pending)
        self.pending = [BotMessage(APOLOGY, text, ordinal=ordinal)]

    def adopt_stored(self, turn: Turn) -> None:
        """Give the lines that were stored before the commit to the turn that the commit has inserted."""
        if self.stored:
            hot_path.update(Message, {"reply_to": self.event.pk}, {"turn": turn}, f"AND key <> '{APOLOGY}'")

    def _note_stored(self, rows: Iterable[Message], lease: Lease) -> None:
        """Count the lines as stored once the transaction has committed, and notify sockets."""
        crash_point("A6s")
        self.stored += rows
        self.pending.clear()
        self.event.basis = self.basis
        notify.notify_conversation(lease.conversation)


def lines_of(event: Event, basis: dict[str, Any]) -> TurnLines:
    """Return the lines with which this event's turn begins: none, or those that an earlier run has stored."""
    if event.basis is None:
        return TurnLines(event, basis)
    rows = hot_path.fetch(Message, {"reply_to": event.pk}, "ORDER BY ordinal")
    stored = [row for row in rows if row.key != APOLOGY]
    return TurnLines(event, event.basis or basis, stored, next_ordinal=rows[-1].ordinal + 1 if rows else 0)


class ReplyFilter(Protocol):
    """One change of the engine's replies on their way into the transcript."""

    async def filter_reply(self, message: BotMessage, values: DisplayValues, /) -> BotMessage:
        """Return `message`, or a copy with another text. `values()` lists the values of slots that the text shows."""


@dataclass(frozen=True)
class TranscriptSink:
    """The sink of a turn in service: the one place where replies are changed after the engine."""

    lines: TurnLines
    filters: Sequence[ReplyFilter]
    """They are applied in this order, before the line is stored."""

    async def send(self, message: BotMessage, values: DisplayValues) -> None:
        """Take the next message of the turn. A line that an earlier run stored keeps its text and is not filtered."""
        line = self.lines.stored_line(message.key)
        if line is not None:
            self.lines.repeat(message, line)
            return
        for reply_filter in self.filters:
            message = await _apply_filter(reply_filter, message, values)
        self.lines.add(message)


async def _apply_filter(reply_filter: ReplyFilter, message: BotMessage, values: DisplayValues) -> BotMessage:
    """Filter the message. Of a message with parts the filter sees and changes only the author's own text."""
    own_text = message.parts[0] if message.parts else None
    if own_text is None or own_text["type"] != "text":
        # Without a text of the author, a filter's words would replace the list.
        return message if message.parts else await reply_filter.filter_reply(message, values)
    filtered = await reply_filter.filter_reply(replace(message, text=own_text["text"]), values)
    parts = ({**own_text, "text": filtered.text}, *message.parts[1:])
    return replace(message, text=plain_text(parts), parts=parts)
