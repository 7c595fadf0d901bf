"""An address that no socket answers: said in the socket's own way, where a browser can read the code."""

from channels.generic.websocket import AsyncWebsocketConsumer

from dialogue.web.sockets.auth import UNKNOWN


class Nowhere(AsyncWebsocketConsumer):
    """Accepts and closes with 4404: a handshake that is refused tells a browser nothing."""

    async def connect(self) -> None:
        await self.accept()
        await self.close(UNKNOWN)
