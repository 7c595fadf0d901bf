"""How far a socket's reader is behind: numbers that were sent and not yet acknowledged."""

from collections import deque
from collections.abc import Callable
from time import monotonic

WIDEST = 200
"""How many numbered frames may be on their way to one socket."""
PATIENCE = 30.0
"""Seconds that a full window may stand still before its reader counts as too slow."""


class Window:
    """The numbers under way, oldest first."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self.clock = clock
        self.moved_at = clock()
        self._under_way: deque[int] = deque()

    @property
    def room(self) -> int:
        """How many more may be sent."""
        return WIDEST - len(self._under_way)

    @property
    def stuck(self) -> bool:
        """Whether the reader has had its time and did not use it."""
        return self.room <= 0 and self.clock() - self.moved_at > PATIENCE

    def sent(self, number: int) -> None:
        if not self._under_way:
            self.moved_at = self.clock()
        self._under_way.append(number)

    def acknowledged(self, number: int) -> None:
        """Everything up to `number` has arrived."""
        while self._under_way and self._under_way[0] <= number:
            self._under_way.popleft()
            self.moved_at = self.clock()
