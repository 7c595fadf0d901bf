"""An open socket, as a test talks through it."""

import json
from typing import Any

from channels.auth import AuthMiddlewareStack
from channels.layers import get_channel_layer
from channels.routing import URLRouter
from channels.testing import WebsocketCommunicator
from django.test import Client

from dialogue.turns.live import notify
from dialogue.web.sockets.urls import websocket_urlpatterns

PATIENCE_SECONDS = 30
"""How long a busy machine may need for what a socket should tell at once."""

application = AuthMiddlewareStack(URLRouter(websocket_urlpatterns))


class Socket:
    """One open socket, with the frames as Python values."""

    def __init__(self, path: str, browser: Client | None = None) -> None:
        cookies = browser.cookies.output(header="", sep=";").strip() if browser else ""
        headers = [(b"cookie", cookies.encode())] if cookies else []
        self.line = WebsocketCommunicator(application, path, headers=headers)

    async def __aenter__(self) -> "Socket":
        assert (await self.line.connect(timeout=PATIENCE_SECONDS))[0]
        return self

    async def __aexit__(self, *ending: object) -> None:
        await self.line.disconnect(timeout=PATIENCE_SECONDS)

    async def say(self, **frame: Any) -> None:
        await self.line.send_json_to(frame)

    async def hear(self, *types: str) -> dict[str, Any]:
        """The next frame, or the next of these types."""
        while True:
            frame: dict[str, Any] = json.loads(await self.line.receive_from(timeout=PATIENCE_SECONDS))
            if not types or frame["type"] in types:
                return frame

    async def closed(self) -> int:
        """The code that it was closed with."""
        while True:
            said = await self.line.receive_output(timeout=PATIENCE_SECONDS)
            if said["type"] == "websocket.close":
                code: int = said["code"]
                return code

    async def silent(self) -> bool:
        return bool(await self.line.receive_nothing(timeout=0.3))


async def ring_inbox() -> None:
    layer = get_channel_layer()
    assert layer is not None
    await layer.group_send(notify.INBOX, {"type": "inbox.ring"})
