"""Limit how many turns run concurrently, first come, first served.

If a crowd of turns ran at once, each would end only when nearly all do. A turn that waits for an action or a language
model gives its slot to the next turn. How many wait, and how long one that comes now would wait, is what back-pressure
goes by (`turns/load.py`).
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from time import monotonic

MAX_CONCURRENT_TURNS = 8
"""How many turns of this process run at a time."""

OUTSIDE_WAIT_SECONDS = 0.1
"""How long a turn may wait for an action or a language model before its slot goes to the next turn."""

PACED_TURNS = 50
"""The estimate of the wait goes by the pace of so many turns."""

_place: "ContextVar[TurnSlot | None]" = ContextVar("place", default=None)


class TurnSlot:
    """One of the slots; it can be given back once."""

    def __init__(self, places: asyncio.Semaphore) -> None:
        self._places: asyncio.Semaphore | None = places

    def release(self) -> None:
        """Give the slot to the next turn. A second call does nothing."""
        places, self._places = self._places, None
        if places is not None:
            places.release()


class TurnLimiter:
    """Gives slots to turns in the order in which they came. `observe` gets the number of waiting turns at each change.

    `waiting` is that number.
    """

    def __init__(
        self,
        places: int = MAX_CONCURRENT_TURNS,
        observe: Callable[[int], None] = lambda waiting: None,
        seconds: Callable[[], float] = monotonic,
    ) -> None:
        self._places = asyncio.Semaphore(places)
        self._observe = observe
        self._seconds = seconds
        self._given_at: deque[float] = deque(maxlen=PACED_TURNS)
        """When slots were given since turns have been waiting."""
        self.waiting = 0

    def wait_seconds(self) -> float:
        """Estimate how long a turn that comes now would wait: all that wait before it, at the pace of the last ones."""
        if not self.waiting or not self._given_at:
            return 0.0
        return self.waiting * (self._seconds() - self._given_at[0]) / len(self._given_at)

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait for a slot and hold it during the block, or until `waiting_outside` gives it back."""
        await self._acquire()
        slot = TurnSlot(self._places)
        _place.set(slot)
        try:
            yield
        finally:
            slot.release()

    async def _acquire(self) -> None:
        if not self._places.locked():
            self._given_at.clear()
            self._given_at.append(self._seconds())
            await self._places.acquire()
            return
        self._count_waiting(1)
        try:
            await self._places.acquire()
            self._given_at.append(self._seconds())
        finally:
            self._count_waiting(-1)

    def _count_waiting(self, more: int) -> None:
        self.waiting += more
        self._observe(self.waiting)


@contextmanager
def waiting_outside() -> Iterator[None]:
    """Wait for an action or a language model in this block; the turn's slot is given back if that takes long.

    The turn goes on without a slot afterwards.
    """
    slot = _place.get()
    if slot is None:
        yield
        return
    leaving = asyncio.get_running_loop().call_later(OUTSIDE_WAIT_SECONDS, slot.release)
    try:
        yield
    finally:
        leaving.cancel()
