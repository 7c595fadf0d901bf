"""Coalesce concurrent calls of many sockets into one (single flight), and batch their counts that way."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from dialogue.desk.access.people import Person
from dialogue.turns.process.database import in_reader
from dialogue.web.gates.counts import plain_counts_by_person

Result = TypeVar("Result")


class SingleFlight(Generic[Result]):
    """Single flight: callers during a run share the next run, which begins after they called.

    So no caller gets a result from before its call, and a thousand concurrent calls cost at most two runs.
    """

    def __init__(self, work: Callable[[], Awaitable[Result]]) -> None:
        self._work = work
        self._running: asyncio.Task[Result] | None = None
        self._next: asyncio.Task[Result] | None = None

    async def __call__(self) -> Result:
        """The result of a run that begins from now on; raises what the run raised."""
        if self._next is None:
            self._next = asyncio.create_task(self._run(self._running))
        return await asyncio.shield(self._next)  # a caller that is cancelled does not cancel the others' run

    async def _run(self, earlier: "asyncio.Task[Result] | None") -> Result:
        if earlier is not None:
            await asyncio.wait([earlier])
        self._running, self._next = self._next, None
        return await self._work()


class CountBatcher:
    """One count for all people who asked since the last count began."""

    def __init__(self) -> None:
        self._asking: set[Person] = set()
        self._count = SingleFlight(self._count_for_all)

    async def counts_for(self, person: Person) -> dict[str, Any]:
        """Return the counts of this person, read after this call, as `plain_counts_by_person` describes them."""
        self._asking.add(person)
        return (await self._count())[person]

    async def _count_for_all(self) -> dict[Person, dict[str, Any]]:
        people, self._asking = self._asking, set()
        return await in_reader(plain_counts_by_person)(people)


_batchers: WeakKeyDictionary[asyncio.AbstractEventLoop, CountBatcher] = WeakKeyDictionary()


def count_batcher() -> CountBatcher:
    """Return the batcher of the running loop."""
    return _batchers.setdefault(asyncio.get_running_loop(), CountBatcher())
