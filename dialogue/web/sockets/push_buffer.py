"""Lines that are pushed to a socket as they are committed in this process, so that it need not read them again.

They count only when they continue what the socket has sent. Otherwise the socket reads the rows.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from dialogue.web.sockets.feed import Outgoing


@dataclass(frozen=True)
class PushedLines:
    """The transcript's lines behind line `after`, and the turn that ended with them: its number (0: no turn) and view.

    `lines` are as `message_view` returns them, `turn_fields` as `turn_view` does.
    """

    after: int
    lines: tuple[dict[str, Any], ...]
    turn: int = 0
    turn_fields: dict[str, Any] = field(default_factory=dict)

    def frames(self) -> Iterator[Outgoing]:
        """Yield a frame for each line, and one for the end of the turn."""
        for line in self.lines:
            yield Outgoing({"type": "message", **line}, line["seq"])
        if self.turn:
            yield Outgoing({"type": "turn.finished", "turn": self.turn, **self.turn_fields})


@dataclass(frozen=True)
class Cursor:
    """What a socket has sent: everything up to this line, and up to the end of this turn."""

    line: int
    turn: int

    def has_passed(self, pushed: PushedLines) -> bool:
        return pushed.after + len(pushed.lines) <= self.line and pushed.turn <= self.turn

    def is_followed_by(self, pushed: PushedLines) -> bool:
        return pushed.after == self.line and pushed.turn in (0, self.turn + 1)

    def behind(self, pushed: PushedLines) -> "Cursor":
        """Return the cursor after `pushed` was sent."""
        return Cursor(pushed.after + len(pushed.lines), max(self.turn, pushed.turn))


def take_pushed(buffer: "deque[PushedLines]", cursor: Cursor) -> tuple[list[Outgoing], Cursor] | None:
    """Empty the buffer; return its frames and the cursor behind them, or None when something in between is missing."""
    batch: list[Outgoing] = []
    while buffer:
        pushed = buffer.popleft()
        if cursor.has_passed(pushed):
            continue
        if not cursor.is_followed_by(pushed):
            return None
        batch += pushed.frames()
        cursor = cursor.behind(pushed)
    return batch, cursor
