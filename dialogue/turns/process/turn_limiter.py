"""Who came first is answered first: of a crowd of turns, few are at work at a time.

If all were, each would be ready only when nearly all are. A turn that waits for something outside has nobody wait.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar

PLACES = 8
"""How many turns are at work at a time."""

PATIENCE = 0.1
"""Seconds that a turn may wait for something outside before its place goes to the next."""

_place: "ContextVar[TurnSlot | None]" = ContextVar("place", default=None)


class TurnSlot:
    """One of the places, which is given back once."""

    def __init__(self, places: asyncio.Semaphore) -> None:
        self._places: asyncio.Semaphore | None = places

    def release(self) -> None:
        places, self._places = self._places, None
        if places is not None:
            places.release()


class TurnLimiter:
    """Lets turns through in the order in which they came."""

    def __init__(self, places: int = PLACES) -> None:
        self._places = asyncio.Semaphore(places)

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait for a place, and have it for the block, unless the block leaves it before."""
        await self._places.acquire()
        slot = TurnSlot(self._places)
        _place.set(slot)
        try:
            yield
        finally:
            slot.release()


@contextmanager
def waiting_outside() -> Iterator[None]:
    """What may wait for something outside, an action or a language model, does so in this block."""
    slot = _place.get()
    if slot is None:
        yield
        return
    leaving = asyncio.get_running_loop().call_later(PATIENCE, slot.release)
    try:
        yield
    finally:
        leaving.cancel()
