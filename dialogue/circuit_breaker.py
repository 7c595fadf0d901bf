"""Circuit breaker: stop calling a service that keeps failing, and try it again after a pause.

Used for actions (`dialogue.turns.actions`) and for language models (`dialogue.nlu.llm`).
"""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

OPEN_SECONDS = 30.0


@dataclass
class CircuitBreaker:
    """Closed at first; opens for `open_seconds` after `max_failures`, and closes with the next success.

    `window_seconds` limits how far apart those failures may lie; None counts all since the last success.
    `clock` gives seconds. Callers either ask `allow` before each call, which lets a single trial call through after
    the pause, or look at `is_open`, which lets all calls through after it.
    """

    max_failures: int
    window_seconds: float | None = None
    open_seconds: float = OPEN_SECONDS
    clock: Callable[[], float] = time.monotonic
    _failed_at: deque[float] = field(default_factory=deque)
    _open_until: float = 0.0
    _is_trial_running: bool = False

    @property
    def is_open(self) -> bool:
        return self.clock() < self._open_until

    def allow(self) -> bool:
        """Return whether a call may be made now. Follow up with `record_success`, `record_failure` or `abandon`."""
        if not self._open_until:
            return True
        if self._is_trial_running or self.is_open:
            return False
        self._is_trial_running = True
        return True

    def record_success(self) -> None:
        self._is_trial_running = False
        self._failed_at.clear()
        self._open_until = 0.0

    def record_failure(self) -> None:
        self._is_trial_running = False
        now = self.clock()
        self._failed_at.append(now)
        if len(self._failed_at) > self.max_failures:
            self._failed_at.popleft()
        # Once it has been open, a single failure opens it again: only a success sets `_open_until` back to 0.
        if self._open_until or self._has_too_many_failures(now):
            self.open_for(self.open_seconds)

    def abandon(self) -> None:
        """End a call whose outcome is not known, so that another one may be the trial."""
        self._is_trial_running = False

    def open_for(self, seconds: float) -> None:
        """Refuse calls for at least so many seconds; a longer pause that is running is not shortened."""
        self._open_until = max(self._open_until, self.clock() + seconds)

    def _has_too_many_failures(self, now: float) -> bool:
        if len(self._failed_at) < self.max_failures:
            return False
        return self.window_seconds is None or now - self._failed_at[0] <= self.window_seconds
