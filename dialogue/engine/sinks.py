"""Where bot messages go as they come: buffered, over a socket, or to a callback."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Button:
    """A ready answer: what is sent, and what is read on it."""

    value: str
    label: str


@dataclass(frozen=True)
class BotMessage:
    """One message to the user. `key` is for machines ("ask:amount"), `ordinal` counts within the turn from 0."""

    key: str
    text: str
    buttons: tuple[Button, ...] = ()
    ordinal: int = 0

    def to_json(self) -> dict[str, Any]:
        """Plain JSON, with buttons as a list."""
        return {**vars(self), "buttons": [dict(vars(each)) for each in self.buttons]}


class MessageSink(Protocol):
    """Takes the messages of a turn in their order; a turn that is run again sends the same ordinals again."""

    async def send(self, message: BotMessage) -> None: ...


class BufferSink:
    """Keeps them: `messages` is the list."""

    def __init__(self) -> None:
        self.messages: list[BotMessage] = []

    async def send(self, message: BotMessage) -> None:
        self.messages.append(message)


class CallbackSink:
    """Hands each to an async function."""

    def __init__(self, callback: Callable[[BotMessage], Awaitable[None]]) -> None:
        self._callback = callback

    async def send(self, message: BotMessage) -> None:
        await self._callback(message)


class WebSocketSink:
    """Hands each as a JSON frame to the socket's `send_frame`."""

    def __init__(self, send_frame: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
        self._send_frame = send_frame

    async def send(self, message: BotMessage) -> None:
        await self._send_frame({"type": "message", "role": "bot", **message.to_json()})
