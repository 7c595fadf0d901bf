"""Counts for all sockets of a process that want them in the same moment, made in one go."""

import asyncio
from typing import Any
from weakref import WeakKeyDictionary

from dialogue.desk.access.people import Person
from dialogue.turns.process.database import in_reader
from dialogue.web.gates.counts import plain_tallies
from dialogue.web.sockets.single_flight import Shared


class CountingRoom:
    """Counts for whoever asked since the last count began."""

    def __init__(self) -> None:
        self._asking: set[Person] = set()
        self._count = Shared(self._count_for_all)

    async def counts_for(self, person: Person) -> dict[str, Any]:
        """The counts of this person, by rows as they are from now on."""
        self._asking.add(person)
        return (await self._count())[person]

    async def _count_for_all(self) -> dict[Person, dict[str, Any]]:
        people, self._asking = self._asking, set()
        return await in_reader(plain_tallies)(people)


_rooms: WeakKeyDictionary[asyncio.AbstractEventLoop, CountingRoom] = WeakKeyDictionary()


def counting_room() -> CountingRoom:
    """The counting room of the running loop."""
    return _rooms.setdefault(asyncio.get_running_loop(), CountingRoom())
