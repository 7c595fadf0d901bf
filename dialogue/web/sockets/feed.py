"""What a socket follows, apart from the transport: numbered rows, the rights to them, and the client's frames."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from django.utils import translation

from dialogue.turns.process.database import in_reader, in_thread
from dialogue.turns.process.shared_commits import in_shared_commit
from dialogue.web.sockets.auth import page_language
from dialogue.web.sockets.frames import Frame

Result = TypeVar("Result")


@dataclass(frozen=True)
class Outgoing:
    """A frame on its way to the client; `number` is what the client acknowledges, None for what need not be."""

    frame: dict[str, Any]
    number: int | None = None


@dataclass(frozen=True)
class Reply:
    """The answer to a client's frame, if any, and what to do after it was sent or could not be sent."""

    frame: dict[str, Any] | None = None
    afterwards: Callable[[], Awaitable[None]] | None = None


class Feed(ABC):
    """The rows that one socket follows. `LiveConsumer` sends what `fetch` returns and hands the client's frames over.

    `authorize`, `last_number` and `seek` run in a database thread; the other methods on the loop.
    """

    cursor = 0
    """The number of the last row that was sent."""
    unread = False
    """Whether there may be rows that were not read yet."""

    def __init__(self, scope: Mapping[str, Any], channel_name: str) -> None:
        self.scope = scope
        self.channel_name = channel_name
        self.language = page_language(scope)
        self.news = asyncio.Event()

    @property
    @abstractmethod
    def group(self) -> str:
        """The group whose messages tell of new rows. Known after `authorize`."""

    @abstractmethod
    def authorize(self) -> None:
        """Read the caller's rights from the database. Raises SocketClosed when they do not suffice (any more)."""

    @abstractmethod
    def last_number(self) -> int:
        """Return the highest number of a row."""

    @abstractmethod
    def seek(self, after: int | None) -> None:
        """Begin behind row `after`; None begins where a reader without a cursor does."""

    @abstractmethod
    async def fetch(self, limit: int) -> list[Outgoing]:
        """Return at most `limit` numbered frames behind the cursor, in order, and what belongs between them."""

    @abstractmethod
    async def receive(self, frame: Frame) -> Reply:
        """Do what a frame asks for. Raises FrameRefused, SocketClosed."""

    def may_be_behind(self) -> bool:
        """Return whether there may be rows whose group message was lost; asked at each heartbeat, after `authorize`."""
        return True

    def look(self) -> None:
        """Have the socket fetch: there may be new rows."""
        self.unread = True
        self.news.set()

    async def in_thread(self, work: Callable[[], Result]) -> Result:
        """Run `work` in a thread that may write, in the language of the page."""
        result: Result = await in_thread(self._in_language(work))()
        return result

    async def in_shared_commit(self, work: Callable[[], Result]) -> Result:
        """Run `work`, which may be repeated, in the language of the page; on SQLite sockets share commits."""
        result: Result = await in_shared_commit(self._in_language(work), may_repeat=True)()
        return result

    async def in_reader(self, work: Callable[[], Result]) -> Result:
        """Run `work` in a thread that only reads, in the language of the page."""
        result: Result = await in_reader(self._in_language(work))()
        return result

    def _in_language(self, work: Callable[[], Result]) -> Callable[[], Result]:
        def in_language() -> Result:
            with translation.override(self.language):
                return work()

        return in_language
