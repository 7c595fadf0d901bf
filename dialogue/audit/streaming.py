"""Long answers, sent as they are made: lines of text, a chunk at a time, whichever way the request came in."""

from collections.abc import AsyncIterator, Iterable
from itertools import islice

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse

CHUNK = 200
"""Lines of one chunk."""


def streamed(
    request: HttpRequest, lines: Iterable[str], content_type: str, *, chunk: int = CHUNK
) -> StreamingHttpResponse:
    """The lines as one answer. They are made in the request's own thread, where its database connection is."""
    content = _pumped(lines, chunk) if isinstance(request, ASGIRequest) else lines
    return StreamingHttpResponse(content, content_type=content_type, headers={"Cache-Control": "no-store"})


async def _pumped(lines: Iterable[str], chunk: int) -> AsyncIterator[str]:
    rest = iter(lines)
    take = sync_to_async(lambda: "".join(islice(rest, chunk)), thread_sensitive=True)
    while text := await take():
        yield text
