"""The lines of a turn on their way into the transcript: each is stored by the next transaction that the turn makes.

The record of an action's start is such a transaction, so that a line that was said before a slow action is read while
the action runs. A turn without an action has one transaction, its commit. What was stored is final: a turn that is run
again says the same lines under the same numbers, and one that fails for good leaves them where they are.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any, Protocol

from django.db import transaction

from dialogue.engine.ports.sinks import BotMessage, DisplayValues
from dialogue.models import Conversation, Event, Message, Turn, hot_path
from dialogue.models.conversations.message import APOLOGY
from dialogue.turns import clock
from dialogue.turns.lease import Lease, LeaseLost
from dialogue.turns.live import notify
from dialogue.turns.process.crash_points import crash_point


@dataclass
class TurnLines:
    """What one run of an event's turn says. `stored` are the lines that went out before the turn's commit, those of an
    earlier run included; `basis` is what a run after this one is to begin with (see `Event.basis`)."""

    event: Event
    basis: dict[str, Any]
    stored: list[Message] = field(default_factory=list)
    messages: list[BotMessage] = field(default_factory=list)
    pending: list[BotMessage] = field(default_factory=list)
    next_ordinal: int = 0
    _differs: bool = field(default=False, init=False)

    def stored_line(self, key: str) -> Message | None:
        """The stored line that this run says next, as an earlier run did; None once the two runs differ."""
        index = len(self.messages)
        if self._differs or index >= len(self.stored):
            return None
        if self.stored[index].key == key:
            return self.stored[index]
        self._differs = True  # another release or another answer of an action: what follows is new
        return None

    def repeat(self, message: BotMessage, line: Message) -> None:
        """The user has read this one already, in these words."""
        self.messages.append(replace(message, text=line.text, ordinal=line.ordinal))

    def add(self, message: BotMessage) -> None:
        """A new line, which waits for the next transaction."""
        if message.ordinal != self.next_ordinal:
            message = replace(message, ordinal=self.next_ordinal)
        self.next_ordinal += 1
        self.messages.append(message)
        self.pending.append(message)

    def store_pending(self, lease: Lease) -> None:
        """Store what was said so far, for an open transaction; sockets are rung when it is committed.

        Raises LeaseLost.
        """
        found, at = clock.fetch_with_time(Conversation, lease.columns, hot_path.for_update())
        if not found:
            raise LeaseLost(lease.conversation)
        rows = self.insert_pending(found[0], None, at, found[0].last_message)
        hot_path.update(Conversation, lease.columns, {"last_message": found[0].last_message + len(rows)})
        if not self.event.basis:  # what was understood goes with it: by that, sensitive values are masked
            changes = {"basis": self.basis, "understanding": self.event.understanding}
            hot_path.update(Event, {"id": self.event.pk}, changes)
        transaction.on_commit(partial(self._store_rows, rows, lease))

    def insert_pending(self, row: Conversation, turn: Turn | None, at: datetime, after: int) -> list[Message]:
        """Write the pending lines behind line number `after`; without a turn they belong to the event alone."""
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
                at=at,
            )
            for seq, message in enumerate(self.pending, start=after + 1)
        ]
        hot_path.insert(rows)
        return rows

    def apologise(self, text: str) -> None:
        """The turn has failed for good: this is said in place of what was not stored yet."""
        ordinal = self.next_ordinal - len(self.pending)
        self.pending = [BotMessage(APOLOGY, text, ordinal=ordinal)]

    def adopt_stored(self, turn: Turn) -> None:
        """The lines that went out before become the turn's own."""
        if self.stored:
            hot_path.update(Message, {"reply_to": self.event.pk}, {"turn": turn}, f"AND key <> '{APOLOGY}'")

    def _store_rows(self, rows: Iterable[Message], lease: Lease) -> None:
        crash_point("A6s")
        self.stored += rows
        self.pending.clear()
        self.event.basis = self.basis
        notify.notify_conversation(lease.conversation)


def lines_of(event: Event, basis: dict[str, Any]) -> TurnLines:
    """The lines of this event's turn before it is run; those of an earlier run are read, where there was one."""
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
            message = await reply_filter.filter_reply(message, values)
        self.lines.add(message)
