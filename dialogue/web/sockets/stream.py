"""Send numbered rows to a socket after a cursor, at the pace of the client's acknowledgements.

First load, live update, reconnect and slow reader are the same: rows after a cursor. The group's message only says that
there may be new rows. If it is lost, the heartbeat makes up for it: every 20 seconds the socket joins its group
again, reads the caller's rights again, and looks for new rows.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine
from functools import partial
from time import monotonic
from typing import Any, ClassVar

from autobahn.exception import Disconnected
from channels.consumer import get_handler_name
from channels.generic.websocket import AsyncWebsocketConsumer
from django.core.serializers.json import DjangoJSONEncoder
from django.db import DatabaseError, InterfaceError
from django.utils.translation import gettext as _

from dialogue.turns.live import notify
from dialogue.web.shared.hosting import attach_running_loop
from dialogue.web.shared.limits import TokenBucket
from dialogue.web.sockets.auth import query_params
from dialogue.web.sockets.close_codes import INTERNAL_ERROR, TOO_FAST, TOO_LARGE, TOO_SLOW, SocketClosed
from dialogue.web.sockets.feed import Feed, Outgoing
from dialogue.web.sockets.frames import MAX_FRAME_BYTES, Ack, FrameRefused, Ping, read_frame

log = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 20.0
MAX_CURSOR_DIGITS = 18
"""Longer numbers do not fit the database's integers."""
MAX_UNACKNOWLEDGED = 200
"""How many numbered frames may be on their way to one socket."""
STALL_SECONDS = 30.0
"""How long a full window may stand still before its reader counts as too slow."""

_encoder = DjangoJSONEncoder(ensure_ascii=False, separators=(",", ":"))


class AckWindow:
    """Flow control: the numbers that were sent and not acknowledged yet, oldest first."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self.clock = clock
        self.moved_at = clock()
        self._unacknowledged: deque[int] = deque()

    @property
    def free(self) -> int:
        """How many more numbers may be sent."""
        return MAX_UNACKNOWLEDGED - len(self._unacknowledged)

    @property
    def is_stuck(self) -> bool:
        """Whether the reader acknowledged nothing of a full window for `STALL_SECONDS`."""
        return self.free <= 0 and self.clock() - self.moved_at > STALL_SECONDS

    def add(self, number: int) -> None:
        """Count `number` as sent."""
        if not self._unacknowledged:
            self.moved_at = self.clock()
        self._unacknowledged.append(number)

    def acknowledge(self, number: int) -> None:
        """Remove everything up to `number`, which has arrived."""
        while self._unacknowledged and self._unacknowledged[0] <= number:
            self._unacknowledged.popleft()
            self.moved_at = self.clock()


class LiveConsumer(AsyncWebsocketConsumer):
    """A socket that sends the rows of its feed while the client acknowledges them, and hands the client's frames over.

    A subclass names its feed and has the handlers of its group's messages.
    """

    feed_class: ClassVar[type[Feed]]
    feed: Feed
    heartbeat: ClassVar[float] = HEARTBEAT_SECONDS
    over = False
    """Whether it was closed from here; frames that were on their way then are ignored."""

    # ---- the socket's life ----------------------------------------------------------------------------------------

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Call the handler of a message.

        Before each event Channels goes to a thread to close old connections there; our pools see to their own.
        """
        handler = getattr(self, get_handler_name(message), None)
        if handler is None:
            raise ValueError(f"No handler for message type {message['type']}")
        await handler(message)

    async def connect(self) -> None:
        attach_running_loop()
        self.feed = self.feed_class(self.scope, self.channel_name)
        self.bucket = TokenBucket()
        self.window = AckWindow()
        self.tasks: list[asyncio.Task[None]] = []
        await self.accept()
        await self.guard(self._start)
        if not self.tasks and not self.over:  # what could not start would stay open and send nothing
            await self.close(INTERNAL_ERROR)

    async def disconnect(self, code: int) -> None:
        for task in self.tasks:
            task.cancel()
        if self.tasks:
            await notify.leave(self.feed.group, self.channel_name)

    async def close(self, code: int | None = None, reason: str | None = None) -> None:
        self.over = True
        await super().close(code, reason)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        await self.guard(partial(self._receive_frame, text_data))

    async def _start(self) -> None:
        objection = await self.feed.in_thread(self._authorize_and_seek)
        if objection is not None:
            await self.send_frame(objection.plain())
        await self._join_group()
        self.feed.look()
        self.tasks = [asyncio.create_task(loop) for loop in self.background_loops()]

    def background_loops(self) -> list[Coroutine[Any, Any, None]]:
        """Return what runs for as long as the socket is open."""
        return [self._send_loop(), self._heartbeat_loop()]

    def _authorize_and_seek(self) -> FrameRefused | None:
        """Begin after `after`. An unusable `after` is objected to, and the stream begins as without one."""
        self.feed.authorize()
        text, last = query_params(self.scope).get("after"), self.feed.last_number()
        after = None
        if text is not None and text.isascii() and text.isdigit() and len(text) <= MAX_CURSOR_DIGITS:
            after = int(text) if int(text) <= last else None
        self.feed.seek(after)
        if text is None or after is not None:
            return None
        return FrameRefused("bad_after", _("“after” is a whole number from 0 to %(last)s.") % {"last": last})

    # ---- what comes in --------------------------------------------------------------------------------------------

    async def _receive_frame(self, text: str | None) -> None:
        if not self.bucket.take():
            raise SocketClosed(TOO_FAST, "too_fast", _("Too many frames: about 20 a second are taken."))
        if text is not None and len(text.encode(errors="surrogatepass")) > MAX_FRAME_BYTES:
            raise SocketClosed(TOO_LARGE, "too_large", _("A frame may have at most 64 KiB."))
        frame = read_frame(text)
        if isinstance(frame, Ping):
            await self.feed.in_thread(self.feed.authorize)
            await self.send_frame({"type": "pong"})
            return
        if isinstance(frame, Ack):
            was_full = self.window.free <= 0
            self.window.acknowledge(frame.seq)
            if was_full:
                self.feed.look()
        reply = await self.feed.receive(frame)
        try:
            if reply.frame is not None:
                await self.send_frame(reply.frame)
        finally:
            # A stored message gets its turn even when the client could not be told that it was accepted.
            if reply.afterwards is not None:
                await reply.afterwards()

    # ---- what goes out --------------------------------------------------------------------------------------------

    async def _send_loop(self) -> None:
        while True:
            await self.feed.news.wait()
            self.feed.news.clear()
            await self.guard(self._send_new_rows)

    async def _send_new_rows(self) -> None:
        while (limit := self.window.free) > 0:
            batch = await self.feed.fetch(limit)
            for outgoing in batch:
                await self.send_row(outgoing)
            if len(batch) < limit:
                return  # that was all; the group's next message tells of more

    async def send_row(self, outgoing: Outgoing) -> None:
        """Send one frame of the feed; a numbered one waits to be acknowledged."""
        if outgoing.number is not None:
            self.feed.cursor = outgoing.number
            self.window.add(outgoing.number)
        await self.send_frame(outgoing.frame)

    async def _heartbeat_loop(self) -> None:
        while True:
            await asyncio.sleep(self.heartbeat)
            await self.guard(self.check)

    async def check(self) -> None:
        """Check the reader's pace, the caller's rights, the group and the rows. Raises SocketClosed."""
        if self.window.is_stuck:
            raise SocketClosed(TOO_SLOW, "too_slow", _("200 frames are unacknowledged; come back with “after”."))
        await self.feed.in_thread(self.feed.authorize)
        await self._join_group()
        if self.feed.may_be_behind():
            self.feed.look()

    async def _join_group(self) -> None:
        await notify.join(self.feed.group, self.channel_name)

    async def guard(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run `work`; a failure becomes a frame to the client, or the socket's end, and never ends the process."""
        if self.over:
            return
        try:
            await self._run_or_report(work)
        except Disconnected:
            # Any client can hang up at any time, as often as it likes: one line and no traceback. What else was being
            # sent at that moment fails too.
            if not self.over:
                self.over = True
                log.info("a client hung up while it was sent to")

    async def _run_or_report(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await work()
        except Disconnected:
            raise
        except FrameRefused as error:
            await self.send_frame(error.plain())
        except SocketClosed as error:
            await self.send_frame(FrameRefused(error.name, error.detail).plain())
            await self.close(error.code)
        except (DatabaseError, InterfaceError):
            log.exception("the database did not answer a socket")
            detail = _("The database does not answer; nothing was taken. Please try again.")
            await self.send_frame(FrameRefused("try_again", detail).plain())
        except Exception:
            # Closed, because a socket that stays open and sends nothing looks alive. The client comes back with
            # "after" and misses nothing.
            log.exception("a socket failed and is closed")
            await self.close(INTERNAL_ERROR)

    async def send_frame(self, frame: dict[str, Any]) -> None:
        """Send `frame` as JSON."""
        await self.send(_encoder.encode(frame))
