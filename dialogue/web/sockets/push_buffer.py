"""Lines that a socket is given as they are committed here, so that it need not read them again.

They count only where they follow what the socket has told; whatever else there is, a look at the rows finds.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from dialogue.web.sockets.stream import Outgoing


@dataclass(frozen=True)
class Given:
    """The lines after line `after`, and the turn that ended with them; 0 for none."""

    after: int
    lines: tuple[dict[str, Any], ...]
    turn: int = 0
    standing: dict[str, Any] = field(default_factory=dict)

    def frames(self) -> Iterator[Outgoing]:
        """One for each line, and one for the end of the turn."""
        for line in self.lines:
            yield Outgoing({"type": "message", **line}, line["seq"])
        if self.turn:
            yield Outgoing({"type": "turn.finished", "turn": self.turn, **self.standing})


@dataclass(frozen=True)
class Place:
    """What a socket has told: everything up to this line, and up to the end of this turn."""

    line: int
    turn: int

    def has_told(self, given: Given) -> bool:
        return given.after + len(given.lines) <= self.line and given.turn <= self.turn

    def leads_to(self, given: Given) -> bool:
        return given.after == self.line and given.turn in (0, self.turn + 1)

    def behind(self, given: Given) -> "Place":
        """Where the socket stands when this is told."""
        return Place(given.after + len(given.lines), max(self.turn, given.turn))


def follow(given: "deque[Given]", place: Place) -> tuple[list[Outgoing], Place] | None:
    """The frames of what was given, and the place behind them; None where something in between is missing."""
    ready: list[Outgoing] = []
    while given:
        each = given.popleft()
        if place.has_told(each):
            continue
        if not place.leads_to(each):
            return None
        ready += each.frames()
        place = place.behind(each)
    return ready, place
