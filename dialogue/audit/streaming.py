"""Stream long responses: lines of text, a chunk at a time, over WSGI and ASGI."""

from collections.abc import AsyncIterator, Iterable
from itertools import islice

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse

CHUNK_LINES = 200
"""Lines of one chunk."""


def stream_lines(
    request: HttpRequest, lines: Iterable[str], content_type: str, *, chunk: int = CHUNK_LINES
) -> StreamingHttpResponse:
    """Return a response that streams the lines. They are produced in the request's thread, which has the connection."""
    content = _chunks_of(lines, chunk) if isinstance(request, ASGIRequest) else lines
    return StreamingHttpResponse(content, content_type=content_type, headers={"Cache-Control": "no-store"})


async def _chunks_of(lines: Iterable[str], chunk: int) -> AsyncIterator[str]:
    remaining = iter(lines)
    next_chunk = sync_to_async(lambda: "".join(islice(remaining, chunk)), thread_sensitive=True)
    while text := await next_chunk():
        yield text
