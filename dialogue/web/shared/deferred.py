"""Responses that are known only after view and middleware have ended, so that no thread waits for them."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import async_to_sync
from django.http import HttpRequest, HttpResponse

Body = Callable[[], Awaitable[tuple[int, Any]]]
"""Gives the status and the JSON of a response."""


class DeferredResponse(HttpResponse):
    """A response whose status and body are known only later: `body` is awaited after view and middleware are done."""

    def __init__(self, body: Body) -> None:
        super().__init__(content_type="application/json")
        self._body = body

    async def fulfil(self) -> None:
        """Wait for the body and take it over."""
        self.status_code, plain = await self._body()
        self.content = json.dumps(plain, ensure_ascii=False).encode()
        self["Content-Length"] = str(len(self.content))


def respond_later(request: HttpRequest, body: Body) -> HttpResponse:
    """Return the response of `body`. ConsoleHandler awaits it on the loop; under another handler this thread waits."""
    response = DeferredResponse(body)
    if not hasattr(request, "serving_handler"):
        async_to_sync(response.fulfil)()
    return response
