"""Limit how many turns run concurrently, first come, first served.

If a crowd of turns ran at once, each would end only when nearly all do. A turn that waits for an action or a language
model gives its slot to the next turn.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar

MAX_CONCURRENT_TURNS = 8
"""How many turns of this process run at a time."""

OUTSIDE_WAIT_SECONDS = 0.1
"""How long a turn may wait for an action or a language model before its slot goes to the next turn."""

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
    """Gives slots to turns in the order in which they came."""

    def __init__(self, places: int = MAX_CONCURRENT_TURNS) -> None:
        self._places = asyncio.Semaphore(places)

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait for a slot and hold it during the block, or until `waiting_outside` gives it back."""
        await self._places.acquire()
        slot = TurnSlot(self._places)
        _place.set(slot)
        try:
            yield
        finally:
            slot.release()


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
