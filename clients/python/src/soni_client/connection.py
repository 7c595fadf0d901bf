"""What both clients share: addresses, headers, and how an HTTP answer is read."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx

from soni_client.errors import refusal_of
from soni_client.retries import Retries
from soni_client.server_events import EventReader
from soni_client.steps import Call, Reply

API_PATH = "/api/v1"
STREAM_SECONDS = 60.0
"""The server sends a comment every 20 seconds; after so long without one, the connection is dead."""
CONNECT_SECONDS = 10.0


@dataclass(frozen=True)
class Settings:
    """The address of the API, and the account's token."""

    api: str
    token: str


def settings_of(url: str, token: str) -> Settings:
    """Return the settings for an installation's address. Raises ValueError for one that is not http or https."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{url!r} is not an address. Write one such as https://soni.example.")
    return Settings(url.rstrip("/") + API_PATH, token)


def request_of(settings: Settings, call: Call) -> dict[str, Any]:
    """Return the arguments of httpx's `request` for a call."""
    return {
        "method": call.method,
        "url": settings.api + call.path,
        "params": dict(call.query) or None,
        "headers": _headers(settings, call),
        "timeout": httpx.Timeout(call.seconds, connect=CONNECT_SECONDS),
        **({} if call.body is None else {"json": call.body}),
    }


def stream_request(settings: Settings, call: Call, reader: EventReader) -> dict[str, Any]:
    """Return the arguments of httpx's `stream` for a stream of events, from where the reader is."""
    headers = {**_headers(settings, call), "Accept": "text/event-stream"}
    if reader.last_id:
        headers["Last-Event-ID"] = reader.last_id
    timeout = httpx.Timeout(STREAM_SECONDS, connect=CONNECT_SECONDS)
    return {"method": "GET", "url": settings.api + call.path, "headers": headers, "timeout": timeout}


def reply_of(response: httpx.Response) -> Reply:
    """Return the reply of an answer; a proxy's page has no JSON body."""
    try:
        return Reply(response.status_code, response.json())
    except ValueError:
        return Reply(response.status_code, None)


def pause_after_refusal(response: httpx.Response, retries: Retries) -> float:
    """Return the seconds until a refused stream is tried again. Raises Refusal if it is not; its body must be read."""
    pause = retries.pause_after_status(response.status_code, response.headers)
    if pause is None:
        raise refusal_of(response.status_code, reply_of(response).body)
    return pause


def _headers(settings: Settings, call: Call) -> dict[str, str]:
    token = call.token or settings.token
    return {"Accept": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
