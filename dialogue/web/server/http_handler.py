"""The ASGI side of HTTP: liveness without Django, a bound on requests in flight, and one thread hop a request."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from io import BytesIO
from typing import Any

from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.handlers.base import BaseHandler
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix
from django.utils import translation
from django.utils.translation import gettext as _

from dialogue.turns.load import REQUEST, ServerBusy
from dialogue.turns.metrics import REFUSED, REQUESTS_IN_FLIGHT
from dialogue.turns.process.database import in_page_thread
from dialogue.turns.process.shared_commits import SharedCommitFailed, in_shared_commit
from dialogue.web.server.cors import CONVERSATIONS_PATH, let_any_page_read
from dialogue.web.shared.deferred import DeferredResponse
from dialogue.web.shared.limits import limit_text

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]

UNCOUNTED_PATHS = r"(health/|metrics$|static/|api/v1/conversations/[^/]+/events$)"
"""Probes must hear the truth about a busy server, and streams of events have a bound of their own."""
OPENING_PATHS = r"(api/v1/conversations|chat/[^/]+/open/)$"
OPENING_SHARE = 0.75
"""With so many of the requests in flight that are served at all, none that opens a conversation is taken any more."""
MESSAGE_PATH = r"api/v1/conversations/[^/]+/messages$"
RETRY_AFTER_SECONDS = 2


MAX_BODY_BYTES = 32 * 1024 * 1024
"""The most that a request may send: files that people send, and the form around them. Other limits are far lower."""


class LimitedBody:
    """Counts a body while it streams in, before all of it is on this server's disk."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._bytes = 0

    @property
    def is_too_large(self) -> bool:
        """Whether the request sends more than `MAX_BODY_BYTES`; the rest of it is not read."""
        return self._bytes > MAX_BODY_BYTES

    async def receive(self) -> Mapping[str, Any]:
        """Return the next message of the request; beyond the limit, that the client is gone, which ends the reading."""
        message = await self._receive()
        self._bytes += len(message.get("body", b""))
        return {"type": "http.disconnect"} if self.is_too_large else message


class ConsoleHandler(ASGIHandler):
    """Django's ASGI handler, with middleware and view run together in one thread.

    Django's own goes to a thread and back for each middleware that is not async, which cost three times the turn of a
    message. At most `max_in_flight` requests are served at a time; others get 503 with `Retry-After`. Those that open a
    conversation get it earlier, so that there is room for the conversations that exist.
    `prefix` is the path below which the console is mounted.
    """

    def __init__(self, max_in_flight: int, prefix: str = "/") -> None:
        BaseHandler.__init__(self)
        self.load_middleware(is_async=False)
        self._max_in_flight = max_in_flight
        self._live_path, self._api_path = f"{prefix}health/live", f"{prefix}api/"
        self._uncounted = re.compile(re.escape(prefix) + UNCOUNTED_PATHS)
        self._opening = re.compile(re.escape(prefix) + OPENING_PATHS)
        self._message = re.compile(re.escape(prefix) + MESSAGE_PATH)
        self._conversations_path = prefix + CONVERSATIONS_PATH
        self._in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["path"] == self._live_path and scope["method"] in ("GET", "HEAD"):
            await self.send_response(_live(), send)
        elif self._uncounted.match(scope["path"]):
            await super().__call__(scope, receive, send)
        elif self._in_flight >= self._most_in_flight(scope):
            REFUSED.labels(REQUEST).inc()
            await self.send_response(self._busy(self.request_class(scope, BytesIO())), send)
        else:
            self._count_in_flight(1)
            try:
                await super().__call__(scope, receive, send)
            finally:
                self._count_in_flight(-1)

    def _most_in_flight(self, scope: Scope) -> float:
        """With how many requests in flight this one is refused."""
        opens = scope["method"] == "POST" and self._opening.match(scope["path"])
        return self._max_in_flight * OPENING_SHARE if opens else self._max_in_flight

    def _count_in_flight(self, more: int) -> None:
        self._in_flight += more
        REQUESTS_IN_FLIGHT.set(self._in_flight)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body, get the response in one thread, and send it."""
        body = LimitedBody(receive)
        try:
            body_file = await self.read_body(body.receive)
        except RequestAborted:
            if body.is_too_large:
                await self.send_response(self._for_other_sites(scope["path"], _too_large()), send)
            return
        set_script_prefix(get_script_prefix(scope))
        request: Any
        request, error_response = self.create_request(scope, body_file)
        try:
            response: Any = error_response
            if request is not None:
                request.serving_handler = self
                response = await self._response_in_thread(request)
            if isinstance(response, DeferredResponse | StreamingHttpResponse):
                await _until_disconnect(receive, self._send_later(response, send))
            else:
                await self.send_response(response, send)
        finally:
            body_file.close()

    async def _response_in_thread(self, request: Any) -> HttpResponseBase:
        # The thread that writes for turns stores a message too: on SQLite a second writer would sleep before its lock.
        if request.method == "POST" and self._message.match(request.path):
            try:
                response = await in_shared_commit(self.get_response)(request)
            except SharedCommitFailed:  # nothing is stored, and a retry under the same id is safe
                return self._busy(request)
            response.close()  # not in the shared transaction: it ends connections that are in one
            return response
        return await in_page_thread(self._response)(request)

    def _response(self, request: Any) -> HttpResponseBase:
        response: HttpResponseBase = self.get_response(request)
        if not response.streaming:
            response.close()
        return response

    async def _send_later(self, response: DeferredResponse | StreamingHttpResponse, send: Send) -> None:
        if isinstance(response, DeferredResponse):
            await response.fulfil()
            await self.send_response(response, send)
            return
        try:
            await self.send_response(response, send)
        finally:
            response.close()

    def _busy(self, request: HttpRequest) -> HttpResponse:
        """Refuse a request over the limit; nothing of it was read or stored."""
        with translation.override(translation.get_language_from_request(request)):
            detail = _("The server is busy, and this request was not taken. Please try again in a moment.")
            if self._opening.match(request.path):  # a customer reads this in the chat
                detail = limit_text(ServerBusy(timedelta(seconds=RETRY_AFTER_SECONDS)))
        if request.path.startswith(self._api_path) or "json" in request.headers.get("accept", ""):
            from dialogue.web.api.problems import problem_response  # the API is loaded with its first request

            response = problem_response(503, {"code": "busy", "detail": detail})
        else:
            response = HttpResponse(detail, status=503, content_type="text/plain; charset=utf-8")
        response["Retry-After"] = str(RETRY_AFTER_SECONDS)
        response["Cache-Control"] = "no-store"
        return self._for_other_sites(request.path, response)

    def _for_other_sites(self, path: str, response: HttpResponse) -> HttpResponse:
        """Return a refusal that no middleware saw: pages of other sites can read it where they may call."""
        return let_any_page_read(response) if path.startswith(self._conversations_path) else response


def _too_large() -> HttpResponse:
    detail = _("A request may send at most %s MiB.") % (MAX_BODY_BYTES // 1024 // 1024)
    content = json.dumps({"type": "about:blank", "status": 413, "code": "too_large", "detail": detail})
    return HttpResponse(content, status=413, content_type="application/problem+json")


async def _until_disconnect(receive: Receive, sending: Awaitable[None]) -> None:
    """Run `sending` to its end, or cancel it when the client hangs up."""
    work = asyncio.ensure_future(sending)
    disconnect = asyncio.ensure_future(receive())
    try:
        await asyncio.wait({work, disconnect}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        disconnect.cancel()
        if not work.done():
            work.cancel()
        with suppress(asyncio.CancelledError):
            await work


def _live() -> HttpResponse:
    response = HttpResponse(json.dumps({"status": "live"}), content_type="application/json")
    response["Cache-Control"] = "no-store"
    return response
