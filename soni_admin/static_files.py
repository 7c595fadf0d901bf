"""Static files, answered before Django: a file needs no session, no language and no thread of a request's own."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from whitenoise.middleware import WhiteNoiseMiddleware  # type: ignore[import-untyped]

CHUNK_BYTES = 256 * 1024

HEADERS = [(b"x-content-type-options", b"nosniff"), (b"cross-origin-opener-policy", b"same-origin")]
"""What Django's security middleware adds to every page."""


@dataclass(frozen=True)
class StaticFiles:
    """ASGI middleware: WhiteNoise answers for its files, `application` for everything else.

    WhiteNoise's own middleware is synchronous. Within Django's asynchronous chain a request would hold a thread that
    waits for the loop, and threads that wait for a loop that has ended keep the process from ending.
    """

    application: Any
    files: WhiteNoiseMiddleware = field(default_factory=WhiteNoiseMiddleware)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        file = self._file(scope) if scope["type"] == "http" else None
        if file is None:
            await self.application(scope, receive, send)
        else:
            await _answer(file, scope, send)

    def _file(self, scope: Any) -> Any:
        """The file of the request's path, or None. A request that Django redirects to TLS is left to Django."""
        path = scope["path"]
        if not path.startswith(settings.STATIC_URL) or (settings.SECURE_SSL_REDIRECT and not _is_secure(scope)):
            return None
        if self.files.autorefresh:
            return self.files.find_file(path)
        return self.files.files.get(path)


def _is_secure(scope: Any) -> bool:
    name, value = settings.SECURE_PROXY_SSL_HEADER or ("", "")
    return bool(scope.get("scheme") == "https" or (name and _environment(scope).get(name) == value))


def _environment(scope: Any) -> dict[str, str]:
    """The request's headers under the names that WSGI gives them, which WhiteNoise reads."""
    return {
        f"HTTP_{name.decode('latin-1').upper().replace('-', '_')}": value.decode("latin-1")
        for name, value in scope["headers"]
    }


async def _answer(file: Any, scope: Any, send: Any) -> None:
    response = await asyncio.to_thread(file.get_response, scope["method"], _environment(scope))
    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in response.headers]
    headers += [*HEADERS, (b"referrer-policy", settings.SECURE_REFERRER_POLICY.encode())]
    if settings.SECURE_HSTS_SECONDS:
        value = f"max-age={settings.SECURE_HSTS_SECONDS}; includeSubDomains; preload"
        headers.append((b"strict-transport-security", value.encode()))
    await send({"type": "http.response.start", "status": int(response.status), "headers": headers})
    if response.file is not None:
        with response.file:
            while chunk := await asyncio.to_thread(response.file.read, CHUNK_BYTES):
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
    await send({"type": "http.response.body", "body": b""})
