"""Who may open a WebSocket: pages of the configured origins; without any, pages of the very host they talk to.

A browser tells where a page came from and cannot be made to lie about it. A client without an `Origin` is no browser:
it carries no cookies by accident, and signs in like any other client.
"""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http.request import split_domain_port, validate_host

USUAL_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class OriginGate:
    """Hands a handshake on to `application` if its origin may speak to us; otherwise refuses it with 403."""

    application: Any

    async def __call__(self, scope: Any, receive: Any, send: Any) -> Any:
        headers = dict(scope["headers"])
        origin, host = (headers.get(name, b"").decode("latin-1") for name in (b"origin", b"host"))
        speaker = self.application if may_speak(origin, host) else WebsocketDenier()
        return await speaker(scope, receive, send)


def may_speak(origin: str, host: str) -> bool:
    """Whether a page of `origin` (empty: no page) may open a socket on `host`, as the two headers say it."""
    if not validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS):
        return False
    welcome = {whole(each) for each in settings.WEBSOCKET_ORIGINS or [own_origin(host)]} - {None}
    return not origin or whole(origin) in welcome


def own_origin(host: str) -> str:
    return f"{'https' if settings.HTTPS else 'http'}://{host}"


def whole(origin: str) -> tuple[str, str, int] | None:
    """Scheme, host and port; None for what is no origin, such as the `null` of a sandboxed page."""
    try:
        parts = urlsplit(origin.lower())
        return parts.scheme, parts.hostname or "", parts.port or USUAL_PORTS[parts.scheme]
    except (ValueError, KeyError):
        return None
