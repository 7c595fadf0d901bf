"""Turns that this process has just committed, at hand for the sockets that are rung about them.

The database stays the truth: who finds nothing here, or has not been told what came before, reads it there.
"""

import asyncio
from dataclasses import dataclass
from typing import Any
from uuid import UUID

KEPT_FOR = 2.0
"""Seconds that a turn stays at hand; the ring about it comes within milliseconds."""


@dataclass(frozen=True)
class CommittedTurn:
    """What customers' sockets are told of a turn, as `message_view` and `turn_view` would tell it: its lines, which
    come after the transcript's line number `after`, and how the conversation stood when it was over."""

    turn: int
    after: int
    lines: tuple[dict[str, Any], ...]
    state_view: dict[str, Any]


_kept: dict[UUID, CommittedTurn] = {}


def remember_turn(conversation: UUID, turn: CommittedTurn) -> None:
    """Have this committed turn at hand for a moment, in place of the one before it. For the loop's own thread."""
    _kept[conversation] = turn
    asyncio.get_running_loop().call_later(KEPT_FOR, _forget_turn, conversation, turn)


def find_turn(conversation: UUID, turn: int) -> CommittedTurn | None:
    """This turn, where this process committed it a moment ago."""
    entry = _kept.get(conversation)
    return entry if entry is not None and entry.turn == turn else None


def _forget_turn(conversation: UUID, turn: CommittedTurn) -> None:
    if _kept.get(conversation) is turn:
        del _kept[conversation]
