"""Brakes on actions: a bounded number of calls at a time, and none at all for a while to a world that does not answer.

A call that the brakes refuse has not happened; it has failed, and says so.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from dialogue.engine.actions import ActionCall, Actions, Failed, Outcome, Unknown

AT_ONCE = 4
"""How many calls of one action a process makes at a time; the others wait."""

FAILURES = 5
WITHIN = 60.0
OPEN_FOR = 30.0
"""After so many calls of unknown outcome within these seconds, the next ones fail at once for so many seconds; then one
call tries whether the world is back."""


@dataclass
class Breaker:
    """Whether an action may be called: closed, open until a moment, or trying. `clock` gives seconds."""

    clock: Callable[[], float] = time.monotonic
    _failures: "deque[float]" = field(default_factory=lambda: deque(maxlen=FAILURES))
    _open_until: float = 0.0
    _trying: bool = False

    def lets_through(self) -> bool:
        if not self._open_until:
            return True
        if self._trying or self.clock() < self._open_until:
            return False
        self._trying = True
        return True

    def heard(self, outcome: Outcome) -> None:
        """What became of a call that was let through. A refusal is an answer: the world is there."""
        self._trying = False
        if not isinstance(outcome, Unknown):
            self._failures.clear()
            self._open_until = 0.0
            return
        now = self.clock()
        self._failures.append(now)
        if self._open_until or (len(self._failures) == FAILURES and now - self._failures[0] <= WITHIN):
            self._open_until = now + OPEN_FOR

    def gave_up(self) -> None:
        """A call was let through, and was never heard of."""
        self._trying = False


@dataclass
class Brakes:
    """The brakes of a process, by the names of its actions."""

    breakers: dict[str, Breaker] = field(default_factory=dict)
    _room: "WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, asyncio.Semaphore]]" = field(
        default_factory=WeakKeyDictionary
    )

    def breaker(self, name: str) -> Breaker:
        return self.breakers.setdefault(name, Breaker())

    def room(self, name: str) -> asyncio.Semaphore:
        """A place among the calls of this action."""
        rooms = self._room.setdefault(asyncio.get_running_loop(), {})
        return rooms.setdefault(name, asyncio.Semaphore(AT_ONCE))


brakes = Brakes()
"""The process's own."""


@dataclass(frozen=True)
class Braked:
    """The actions port with brakes on it."""

    inner: Actions
    brakes: Brakes = field(default_factory=lambda: brakes)

    async def run(self, call: ActionCall) -> Outcome:
        """What `inner` says, or that the call was not made because too many before it had no answer."""
        async with self.brakes.room(call.name):
            breaker = self.brakes.breaker(call.name)
            if not breaker.lets_through():
                return Failed(f"{call.name} is not called for now: it did not answer the last {FAILURES} times")
            try:
                outcome = await self.inner.run(call)
            except BaseException:
                breaker.gave_up()
                raise
            breaker.heard(outcome)
            return outcome
