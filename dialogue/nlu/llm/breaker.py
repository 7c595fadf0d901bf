"""A circuit breaker: who has just failed several times in a row is left alone for a while."""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

PAUSE = 30.0


@dataclass
class Breaker:
    """Closed; open for `PAUSE` seconds after `most_failures` in a row, or as long as it is told; then one may try."""

    most_failures: int = 3
    clock: Callable[[], float] = monotonic
    _failures: int = 0
    _open_until: float = field(default=0.0)

    @property
    def is_open(self) -> bool:
        return self.clock() < self._open_until

    def succeeded(self) -> None:
        self._failures = 0

    def failed(self) -> None:
        """After a pause the first failure opens it again."""
        self._failures += 1
        if self._failures >= self.most_failures:
            self.open_for(PAUSE)

    def open_for(self, seconds: float) -> None:
        self._open_until = self.clock() + seconds
