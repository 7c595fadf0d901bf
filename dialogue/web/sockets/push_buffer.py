"""Lines that a socket is given as they are committed here, so that it need not read them again.

They count only where they follow what the socket has told; whatever else there is, a look at the rows finds.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from dialogue.web.sockets.stream import Outgoing


@dataclass(frozen=True)
class PushedLines:
    """The lines after line `after`, and the turn that ended with them; 0 for none."""

    after: int
    lines: tuple[dict[str, Any], ...]
    turn: int = 0
    turn_fields: dict[str, Any] = field(default_factory=dict)

    def frames(self) -> Iterator[Outgoing]:
        """One for each line, and one for the end of the turn."""
        for line in self.lines:
            yield Outgoing({"type": "message", **line}, line["seq"])
        if self.turn:
            yield Outgoing({"type": "turn.finished", "turn": self.turn, **self.turn_fields})


@dataclass(frozen=True)
class Cursor:
    """What a socket has told: everything up to this line, and up to the end of this turn."""

    line: int
    turn: int

    def has_passed(self, given: PushedLines) -> bool:
        return given.after + len(given.lines) <= self.line and given.turn <= self.turn

    def is_followed_by(self, given: PushedLines) -> bool:
        return given.after == self.line and given.turn in (0, self.turn + 1)

    def after(self, given: PushedLines) -> "Cursor":
        """Where the socket stands when this is told."""
        return Cursor(given.after + len(given.lines), max(self.turn, given.turn))


def take_pushed(given: "deque[PushedLines]", place: Cursor) -> tuple[list[Outgoing], Cursor] | None:
    """The frames of what was given, and the place behind them; None where something in between is missing."""
    ready: list[Outgoing] = []
    while given:
        each = given.popleft()
        if place.has_passed(each):
            continue
        if not place.is_followed_by(each):
            return None
        ready += each.frames()
        place = place.after(each)
    return ready, place
