"""Back-pressure: the turns that wait to begin, and the work that is refused while there are too many.

New conversations are refused first. Messages of conversations that exist are taken until `MESSAGES_BOUND` times as many
turns wait, so that what has begun can be finished. What was refused is not stored; its sender may try again.
"""

import math
import time
from datetime import timedelta

from dialogue.conf import soni
from dialogue.turns.metrics import REFUSED, WAITING_TURNS
from dialogue.turns.process import jobs
from dialogue.turns.process.turn_limiter import TurnLimiter

CONVERSATION, MESSAGE, REQUEST = "conversation", "message", "request"
"""What is refused, as the label of the counter. A request of any kind is refused by `web/server/http_handler.py`."""

MESSAGES_BOUND = 5
MIN_WAIT_SECONDS, MAX_WAIT_SECONDS = 2, 60
"""The shortest and longest time after which a refused sender is asked to try again."""

SAMPLE_SECONDS = 1.0
"""How often a server without turns of its own looks into the queue of the workers."""
QUEUED_TURN_SECONDS = 0.05
"""How long a turn in that queue is taken to need, for the estimate of the wait."""

_limiter = TurnLimiter()
_queued, _sampled_at = 0, -SAMPLE_SECONDS


class ServerBusy(Exception):
    """Too many turns wait, so this was not taken; `wait` is after how long to try again."""

    def __init__(self, wait: timedelta) -> None:
        super().__init__(wait)
        self.wait = wait

    @property
    def seconds(self) -> int:
        """For `Retry-After`: whole seconds."""
        return round(self.wait.total_seconds())


def new_limiter() -> TurnLimiter:
    """Return a new limiter for this process's turns; the load of the process is that of the newest."""
    global _limiter  # noqa: PLW0603 - a process runs turns on one loop
    _limiter = TurnLimiter(observe=WAITING_TURNS.set)
    return _limiter


def waiting_turns() -> int:
    """Return how many turns wait to begin: in this process, and with workers in their queue (as of a second ago)."""
    return _limiter.waiting + _queued_turns()


def refuse_when_busy(work: str) -> None:
    """Raise ServerBusy when too many turns wait for this work: CONVERSATION (a new one) or MESSAGE (of an open one)."""
    if not soni.MAX_WAITING_TURNS:
        return
    bound = soni.MAX_WAITING_TURNS * (MESSAGES_BOUND if work == MESSAGE else 1)
    if waiting_turns() >= bound:
        REFUSED.labels(work).inc()
        raise ServerBusy(timedelta(seconds=_wait_seconds()))


def _wait_seconds() -> int:
    seconds = math.ceil(_limiter.wait_seconds() + _queued * QUEUED_TURN_SECONDS)
    return min(max(seconds, MIN_WAIT_SECONDS), MAX_WAIT_SECONDS)


def _queued_turns() -> int:
    """Count the jobs that no worker has begun; no further than matters, and at most once in `SAMPLE_SECONDS`."""
    global _queued, _sampled_at  # noqa: PLW0603 - one sample a process
    if jobs.have_workers() and time.monotonic() - _sampled_at >= SAMPLE_SECONDS:
        _sampled_at = time.monotonic()
        _queued = jobs.count_waiting(MESSAGES_BOUND * soni.MAX_WAITING_TURNS)
    return _queued
