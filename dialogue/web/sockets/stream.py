"""First load, live update, reconnect and slow reader are one: rows after a cursor, sent while they are acknowledged.

The group's message only rings the bell. What the bell loses, the heartbeat finds: every 20 seconds the socket joins its
group again, reads the caller's rights again, and looks for new rows.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any, ClassVar

from autobahn.exception import Disconnected
from channels.consumer import get_handler_name
from channels.generic.websocket import AsyncWebsocketConsumer
from django.core.serializers.json import DjangoJSONEncoder
from django.db import DatabaseError, InterfaceError
from django.utils import translation
from django.utils.translation import gettext as _

from dialogue.turns.live import notify
from dialogue.turns.process.database import in_reader, in_thread
from dialogue.web.shared.hosting import attach_running_loop
from dialogue.web.shared.limits import TokenBucket
from dialogue.web.sockets.auth import page_language, query_params
from dialogue.web.sockets.close_codes import INTERNAL_ERROR, TOO_FAST, TOO_LARGE, TOO_SLOW, SocketClosed
from dialogue.web.sockets.frames import MAX_FRAME_BYTES, Ack, Frame, FrameRefused, Ping, read_frame

MAX_UNACKNOWLEDGED = 200
"""How many numbered frames may be on their way to one socket."""
STALL_SECONDS = 30.0
"""Seconds that a full window may stand still before its reader counts as too slow."""


class AckWindow:
    """The numbers under way, oldest first."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self.clock = clock
        self.moved_at = clock()
        self._under_way: deque[int] = deque()

    @property
    def free(self) -> int:
        """How many more may be sent."""
        return MAX_UNACKNOWLEDGED - len(self._under_way)

    @property
    def is_stuck(self) -> bool:
        """Whether the reader has had its time and did not use it."""
        return self.free <= 0 and self.clock() - self.moved_at > STALL_SECONDS

    def add(self, number: int) -> None:
        if not self._under_way:
            self.moved_at = self.clock()
        self._under_way.append(number)

    def acknowledge(self, number: int) -> None:
        """Everything up to `number` has arrived."""
        while self._under_way and self._under_way[0] <= number:
            self._under_way.popleft()
            self.moved_at = self.clock()


log = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 20.0
"""Seconds between two looks at group, rights and rows."""
MAX_CURSOR_DIGITS = 18
"""Digits of a cursor; more would not fit the database's integers."""

_encoder = DjangoJSONEncoder(ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True)
class Outgoing:
    """A frame on its way to the client; `number` is what the client acknowledges, None for what need not be."""

    frame: dict[str, Any]
    number: int | None = None


class LiveConsumer(AsyncWebsocketConsumer):
    """A socket that follows numbered rows. A room says who may enter, what comes next, and what its frames do.

    `enter` and `take` run in a database thread, `outgoing` in one that only reads; `self.cursor` is the last number
    that was sent.
    """

    heartbeat: ClassVar[float] = HEARTBEAT_SECONDS
    cursor = 0
    unread = False
    """Whether rows may have come that were not looked at."""
    over = False
    """Whether it was closed from here; frames that were on their way then are not heard any more."""

    def enter(self) -> None:
        """Read the caller's rights afresh. Raises SocketClosed."""
        raise NotImplementedError

    def first_cursor(self) -> int:
        """Where to begin without `after`, and with one that makes no sense."""
        return 0

    def begin_after(self, cursor: int) -> None:
        """Send what comes after `cursor`."""
        self.cursor = cursor

    def last_number(self) -> int:
        """The highest number that there is."""
        raise NotImplementedError

    def outgoing(self, room: int) -> list[Outgoing]:
        """At most `free` numbered frames after the cursor, in order, and what belongs between them."""
        raise NotImplementedError

    def is_behind(self) -> bool:
        """Whether there may be rows that nobody told of; a room that learns it by entering need not look for them."""
        return True

    async def fetch(self, room: int) -> list[Outgoing]:
        """What goes out next; a room that is given some of it, or whose sockets share one reader, looks there first."""
        ready: list[Outgoing] = await in_reader(self._in_language(partial(self.outgoing, room)))()
        return ready

    def take(self, frame: Frame) -> dict[str, Any] | None:
        """Do what a frame asks for, and give the frame that answers it. Raises FrameRefused, SocketClosed."""
        raise NotImplementedError

    async def acknowledged(self, seq: int) -> None:
        """Everything up to `seq` has arrived; a room may make more of it."""

    async def took(self, frame: Frame) -> None:
        """After the answer was sent, or could not be."""

    def group(self) -> str:
        raise NotImplementedError

    # ---- the socket's life ----------------------------------------------------------------------------------------

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Before each event Channels goes to a thread to close old connections there; our pools see to their own."""
        handler = getattr(self, get_handler_name(message), None)
        if handler is None:
            raise ValueError(f"No handler for message type {message['type']}")
        await handler(message)

    async def connect(self) -> None:
        attach_running_loop()
        self.bell = asyncio.Event()
        self.bucket = TokenBucket()
        self.window = AckWindow()
        self.tasks: list[asyncio.Task[None]] = []
        self.language = page_language(self.scope)
        await self.accept()
        await self._guarded(self._begin)

    async def disconnect(self, code: int) -> None:
        for task in self.tasks:
            task.cancel()
        if self.tasks:
            await notify.leave(self.group(), self.channel_name)

    async def close(self, code: int | None = None, reason: str | None = None) -> None:
        self.over = True
        await super().close(code, reason)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        await self._guarded(partial(self._hear, text_data))

    async def ring(self, message: dict[str, Any]) -> None:
        self.look()

    def look(self) -> None:
        """There may be something new: the rows say what."""
        self.unread = True
        self.bell.set()

    async def _begin(self) -> None:
        objection = await self._in_thread(self._enter_at_cursor)
        if objection is not None:
            await self._send(objection.plain())
        await self._join()
        self.look()
        self.tasks = [asyncio.create_task(each) for each in self.parts()]

    def parts(self) -> list[Coroutine[Any, Any, None]]:
        """What goes on for as long as the socket is open."""
        return [self._pump(), self._beat()]

    def _enter_at_cursor(self) -> FrameRefused | None:
        """Enter, and begin after `after`; an `after` that makes no sense is objected to, and the stream begins anew."""
        self.enter()
        wished, last = query_params(self.scope).get("after"), self.last_number()
        sensible = wished is not None and wished.isascii() and wished.isdigit() and len(wished) <= MAX_CURSOR_DIGITS
        if sensible and int(wished or 0) <= last:
            self.begin_after(int(wished or 0))
            return None
        self.begin_after(self.first_cursor())
        if wished is None:
            return None
        return FrameRefused("bad_after", _("“after” is a whole number from 0 to %(last)s.") % {"last": last})

    # ---- what comes in --------------------------------------------------------------------------------------------

    async def _hear(self, text: str | None) -> None:
        if not self.bucket.take():
            raise SocketClosed(TOO_FAST, "too_fast", _("Too many frames: about 20 a second are taken."))
        if text is not None and len(text.encode(errors="surrogatepass")) > MAX_FRAME_BYTES:
            raise SocketClosed(TOO_LARGE, "too_large", _("A frame may have at most 64 KiB."))
        frame = read_frame(text)
        match frame:
            case Ack(seq=seq):
                waited = self.window.free <= 0
                self.window.acknowledge(seq)
                if waited:
                    self.look()
                await self.acknowledged(seq)
            case Ping():
                await self._in_thread(self.enter)
                await self._send({"type": "pong"})
            case _:
                await self._answer(frame)

    async def _answer(self, frame: Frame) -> None:
        answer = await self._in_thread(partial(self._take_freshly, frame))
        try:
            if answer is not None:
                await self._send(answer)
        finally:
            await self.took(frame)  # what was stored has its turn, whether or not the client could be told

    def _take_freshly(self, frame: Frame) -> dict[str, Any] | None:
        self.enter()
        return self.take(frame)

    # ---- what goes out --------------------------------------------------------------------------------------------

    async def _pump(self) -> None:
        while True:
            await self.bell.wait()
            self.bell.clear()
            await self._guarded(self._send_new)

    async def _send_new(self) -> None:
        while (room := self.window.free) > 0:
            ready = await self.fetch(room)
            for each in ready:
                await self._send_numbered(each)
            if len(ready) < room:
                return  # that was all; the bell tells of more

    async def _send_numbered(self, ready: Outgoing) -> None:
        if ready.number is not None:
            self.cursor = ready.number
            self.window.add(ready.number)
        await self._send(ready.frame)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self.heartbeat)
            await self._guarded(self._look_after)

    async def _look_after(self) -> None:
        if self.window.is_stuck:
            raise SocketClosed(TOO_SLOW, "too_slow", _("200 frames are unacknowledged; come back with “after”."))
        await self._in_thread(self.enter)
        await self._join()
        if self.is_behind():
            self.look()

    async def _join(self) -> None:
        await notify.join(self.group(), self.channel_name)

    async def _guarded(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do one thing; whatever comes of it, the client hears it in a frame and the process lives on."""
        if self.over:
            return
        try:
            await self._done_or_told(work)
        except Disconnected:
            # No fault of ours, and anybody can do it as often as they like: one line, and no traceback. What else was
            # being sent at that moment fails too.
            if not self.over:
                self.over = True
                log.info("a client hung up while it was sent to")

    async def _done_or_told(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await work()
        except Disconnected:
            raise
        except FrameRefused as refused:
            await self._send(refused.plain())
        except SocketClosed as closing:
            await self._send(FrameRefused(closing.name, closing.detail).plain())
            await self.close(closing.code)
        except (DatabaseError, InterfaceError):
            log.exception("the database did not answer a socket")
            away = _("The database does not answer; nothing was taken. Please try again.")
            await self._send(FrameRefused("try_again", away).plain())
        except Exception:
            # Closed rather than left open and deaf: the client comes back with "after" and misses nothing.
            log.exception("a socket failed and is closed")
            await self.close(INTERNAL_ERROR)

    async def _in_thread(self, work: Callable[[], Any]) -> Any:
        return await in_thread(self._in_language(work))()

    def _in_language(self, work: Callable[[], Any]) -> Callable[[], Any]:
        def in_language() -> Any:
            with translation.override(self.language):
                return work()

        return in_language

    async def _send(self, frame: dict[str, Any]) -> None:
        await self.send(_encoder.encode(frame))
