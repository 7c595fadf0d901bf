"""Work that many sockets want at the same moment, done once."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

Result = TypeVar("Result")


class Shared(Generic[Result]):
    """Whoever asks while a run is under way shares the next one, which begins after they asked.

    So nobody is given what was read before they came, and a thousand who ask at once cost one run, two at most.
    """

    def __init__(self, work: Callable[[], Awaitable[Result]]) -> None:
        self._work = work
        self._running: asyncio.Task[Result] | None = None
        self._next: asyncio.Task[Result] | None = None

    async def __call__(self) -> Result:
        """The result of a run that begins from now on; raises what the run raised."""
        if self._next is None:
            self._next = asyncio.create_task(self._run(self._running))
        return await asyncio.shield(self._next)  # one who leaves takes nothing away from the others

    async def _run(self, earlier: "asyncio.Task[Result] | None") -> Result:
        if earlier is not None:
            await asyncio.wait([earlier])
        self._running, self._next = self._next, None
        return await self._work()
