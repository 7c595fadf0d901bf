"""A cache of turns that this process has just committed, for the sockets that are notified of them.

A socket that does not find the turn, or has not sent the lines before it, reads the database.
"""

import asyncio
from dataclasses import dataclass
from typing import Any
from uuid import UUID

KEPT_FOR = 2.0
"""Seconds that a turn stays in the cache; its notification comes within milliseconds."""


@dataclass(frozen=True)
class CommittedTurn:
    """A committed turn as customers' sockets send it.

    `lines` are `message_view`s, which follow the transcript's line number `after`; `state_view` is `{state, pending}`.
    """

    turn: int
    after: int
    lines: tuple[dict[str, Any], ...]
    state_view: dict[str, Any]


_kept: dict[UUID, CommittedTurn] = {}


def remember_turn(conversation: UUID, turn: CommittedTurn) -> None:
    """Cache this committed turn in place of the conversation's one before it. Call it in the loop's thread."""
    _kept[conversation] = turn
    asyncio.get_running_loop().call_later(KEPT_FOR, _forget_turn, conversation, turn)


def find_turn(conversation: UUID, turn: int) -> CommittedTurn | None:
    """Return this turn if this process has just committed it."""
    entry = _kept.get(conversation)
    return entry if entry is not None and entry.turn == turn else None


def _forget_turn(conversation: UUID, turn: CommittedTurn) -> None:
    if _kept.get(conversation) is turn:
        del _kept[conversation]
