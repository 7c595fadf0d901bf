"""Many open pages at once, without browsers: each has a WebSocket, comes back when it is lost, and keeps its lines."""

import asyncio
import json
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from tests.support.processes.server import Client

AGAIN, INSIST = 0.3, 2.0
"""Seconds until a lost page tries again, and until it says again what was not accepted."""


@dataclass
class Page:
    """A customer's page, as `static/js/chat/chat.js` keeps it: what comes has a number, what is said has an id."""

    address: str
    """The socket's URL, without its query."""

    token: str
    lines: dict[int, dict[str, Any]] = field(default_factory=dict)
    accepted: dict[str, int] = field(default_factory=dict)
    repeats: int = 0
    returns: int = -1
    open: asyncio.Event = field(default_factory=asyncio.Event)
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    """A line of the assistant has come; whoever waits for the next one clears it."""

    _socket: ClientConnection | None = None
    unsaid: dict[str, str] = field(default_factory=dict)

    @property
    def cursor(self) -> int:
        return max(self.lines, default=0)

    @property
    def missing(self) -> list[int]:
        """Numbers that were never heard though later ones were."""
        return sorted(set(range(1, self.cursor + 1)) - self.lines.keys())

    @property
    def unanswered(self) -> list[int]:
        """Lines of the customer that no line of the assistant follows."""
        last = max((seq for seq, line in self.lines.items() if line["role"] == "assistant"), default=0)
        return [seq for seq in self.accepted.values() if seq > last]

    async def live(self) -> None:
        """Stay connected until cancelled."""
        while True:
            with suppress(OSError, WebSocketException):
                await self._listen()
            self.open.clear()
            await asyncio.sleep(AGAIN)

    async def ask(self, name: str, text: str) -> float:
        """Say it and wait for the answer; the seconds that took."""
        self.answered.clear()
        began = time.monotonic()
        await self.say(name, text)
        await self.answered.wait()
        return time.monotonic() - began

    async def say(self, name: str, text: str) -> None:
        """Say it now, and again with the same id after every return until it is accepted."""
        self.unsaid[name] = text
        if self._socket is not None:
            with suppress(WebSocketException):
                await self._send(name)

    async def _listen(self) -> None:
        async with connect(f"{self.address}?after={self.cursor}&token={self.token}", open_timeout=5) as socket:
            self._socket = socket
            self.returns += 1
            self.open.set()
            insisting = asyncio.create_task(self._insist())
            try:
                async for text in socket:
                    await self._hear(json.loads(text))
            finally:
                insisting.cancel()

    async def _insist(self) -> None:
        """What was refused or got lost is said again, as a person presses "send again"."""
        with suppress(WebSocketException):
            while True:
                for name in list(self.unsaid)[:5]:
                    await self._send(name)
                await asyncio.sleep(INSIST)

    async def _send(self, name: str) -> None:
        if self._socket is not None:
            frame = {"type": "user.message", "id": name, "text": self.unsaid[name]}
            await self._socket.send(json.dumps(frame))

    async def _hear(self, frame: dict[str, Any]) -> None:
        match frame["type"]:
            case "accepted":
                self.accepted[frame["id"]] = frame["seq"]
                self.unsaid.pop(frame["id"], None)
            case "message":
                await self._keep(frame)
            case _:
                pass

    async def _keep(self, line: dict[str, Any]) -> None:
        seq = line["seq"]
        self.repeats += seq in self.lines
        self.lines[seq] = line
        if line["role"] == "assistant":
            self.answered.set()
        if self._socket is not None:
            await self._socket.send(json.dumps({"type": "ack", "seq": seq}))


def open_page(service: Client, assistant: str, who: str) -> Page:
    """A new conversation of `who`, whose API token that is, and its page; it connects when it is told to live."""
    made = service.post("/api/v1/conversations", {"assistant": assistant}, who)
    assert made.status == 201, made.body
    address = service.url.replace("http", "ws", 1)
    return Page(f"{address}/ws/conversations/{made.body['id']}/", made.body["token"])
