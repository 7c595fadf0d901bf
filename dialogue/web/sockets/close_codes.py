"""How sockets end: the close codes, the exception that carries one, and the route of unknown addresses."""

from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer

NORMAL = 1000
INTERNAL_ERROR = 1011
TOO_SLOW = 1013
NOT_SIGNED_IN = 4401
RIGHT_LOST = 4403
UNKNOWN = 4404
TOO_LARGE = 4413
TOO_FAST = 4429


class SocketClosed(Exception):
    """Close this socket with `code`, after an error frame with `name` and `detail`."""

    def __init__(self, code: int, name: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.name = name
        self.detail = detail


class UnknownRoute(AsyncWebsocketConsumer):
    """Accept a socket of an unknown address and close it with 4404: a refused handshake tells a browser no reason."""

    async def connect(self) -> None:
        await self.accept()
        await self.close(UNKNOWN)


def allow_protocol_close_codes() -> None:
    """Let consumers close with the protocol's own codes too (1011, 1012, 1013). Call it once, before serving.

    Daphne closes by a function of autobahn's that is meant for applications and raises for these codes. The client then
    gets 1006 or, when a background task closes, no close frame at all. The frame itself may carry any code.
    """
    from daphne.ws_protocol import WebSocketProtocol  # type: ignore[import-untyped]  # other servers do without it

    WebSocketProtocol.serverClose = _close


def _close(protocol: Any, code: int | None = None) -> None:
    protocol.sendCloseFrame(code=NORMAL if code is None else code)
