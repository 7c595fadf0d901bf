"""The end of a server: stop listening, wait for what is in flight, cancel the rest, and only then stop the loop."""

import asyncio
import json
import logging
from contextlib import suppress
from typing import Any

from daphne.server import Server  # type: ignore[import-untyped]
from twisted.internet import defer, reactor, tcp

from dialogue.turns import runner
from dialogue.turns.process import watchdog

log = logging.getLogger(__name__)

GRACE_SECONDS = 3.5
"""For requests and turns that are in flight."""

CANCEL_SECONDS = 2.0
"""For what was cancelled, and for the threads that it waits for."""

RESTARTING = 1012
"""Close code for sockets: their pages reconnect, to this server's successor."""

SOCKETS_SECONDS = 0.5
"""For sockets to end by themselves after that."""

DETAIL = "This server is about to stop. Please try again in a moment."


class RequestTracker:
    """ASGI middleware: knows the requests in flight, and refuses new ones once the server is about to stop.

    A connection that is kept alive may bring requests after the server has stopped listening.
    """

    def __init__(self, application: Any) -> None:
        self._application = application
        self._in_flight: set[object] = set()
        self._sockets: dict[object, Any] = {}
        self._closing = False

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await self._follow(scope, receive, send)
        elif scope["type"] != "http":
            await self._application(scope, receive, send)
        elif self._closing:
            await _refuse(scope, send)
        else:
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        request = object()

        async def send_and_look(message: Any) -> None:
            if message["type"] == "http.response.start" and _is_stream(message):
                self._in_flight.discard(request)  # a stream ends only when its caller leaves
            await send(message)

        self._in_flight.add(request)
        try:
            await self._application(scope, receive, send_and_look)
        finally:
            self._in_flight.discard(request)

    async def _follow(self, scope: Any, receive: Any, send: Any) -> None:
        socket = object()

        async def send_and_look(message: Any) -> None:
            if message["type"] == "websocket.accept":
                self._sockets[socket] = send
            elif message["type"] == "websocket.close":
                self._sockets.pop(socket, None)
            await send(message)

        try:
            await self._application(scope, receive, send_and_look)
        finally:
            self._sockets.pop(socket, None)

    def close(self) -> None:
        """Refuse new requests from now on."""
        self._closing = True

    async def wait_until_idle(self) -> None:
        """Wait until no request is in flight."""
        while self._in_flight:
            await asyncio.sleep(0.02)

    async def close_sockets(self) -> None:
        """Tell those who follow by a socket to come again, and wait until they have left."""
        for send in list(self._sockets.values()):
            await send({"type": "websocket.close", "code": RESTARTING})
        with suppress(TimeoutError):
            async with asyncio.timeout(SOCKETS_SECONDS):
                while self._sockets:
                    await asyncio.sleep(0.02)


def install_graceful_shutdown(requests: RequestTracker) -> None:
    """Have Daphne end in order when it is told to, however it was started.

    Daphne itself cancels everything at once and waits for nothing: threads that still work for a request then wait for
    a loop that has ended, and Python waits for the threads.
    """

    def end(_server: Any) -> Any:
        watchdog.end_within()
        return defer.Deferred.fromFuture(asyncio.ensure_future(_end(requests)))

    Server.kill_all_applications = end


async def _end(requests: RequestTracker) -> None:
    """What happens between the signal and the end of the loop. Twisted goes on only after it."""
    try:
        await _stop_listening()
        requests.close()
        await runner.stop_taking_turns()
        with suppress(TimeoutError):
            await asyncio.wait_for(_wait_until_idle(requests), GRACE_SECONDS)
        await requests.close_sockets()
        await _cancel_all()
    except Exception:
        log.exception("the server could not end in order")


async def _stop_listening() -> None:
    readers = reactor.getReaders()  # type: ignore[misc]
    ports = [reader for reader in readers if isinstance(reader, tcp.Port)]
    for port in ports:
        await defer.maybeDeferred(port.stopListening).asFuture(asyncio.get_running_loop())


async def _wait_until_idle(requests: RequestTracker) -> None:
    await requests.wait_until_idle()
    await runner.wait_for_turns()
    while reactor.getWriters():  # type: ignore[misc]
        await asyncio.sleep(0.02)  # what was answered is not sent yet


async def _cancel_all() -> None:
    """End the sockets, streams and turns that are left, while the loop still runs for the threads that need it."""
    remaining = asyncio.all_tasks() - {asyncio.current_task()}
    for task in remaining:
        task.cancel()
    if remaining:
        await asyncio.wait(remaining, timeout=CANCEL_SECONDS)


def _is_stream(message: Any) -> bool:
    return any(name.lower() == b"content-type" and b"event-stream" in value for name, value in message["headers"])


async def _refuse(scope: Any, send: Any) -> None:
    """503 in the form that the caller reads; the same request may be sent again."""
    problem = {"type": "about:blank", "title": "Service Unavailable", "status": 503, "fields": []}
    api = "/api/" in scope["path"]
    body = json.dumps({**problem, "code": "try_again", "detail": DETAIL}) if api else DETAIL
    kind = b"application/problem+json" if api else b"text/plain; charset=utf-8"
    headers = [(b"content-type", kind), (b"retry-after", b"2"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": body.encode()})
