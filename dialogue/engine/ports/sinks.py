"""Message sinks: where the bot's messages go while a turn runs.

In service the sink is the transcript (`dialogue.turns.transcript`), which sockets and event streams follow. A replay
and the tests use a buffer.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias


@dataclass(frozen=True)
class Button:
    """A ready answer: the value that is sent, and the label that people read."""

    value: str
    label: str


@dataclass(frozen=True)
class BotMessage:
    """One message to the user. `key` is for programs ("ask:amount"), `ordinal` counts from 0 within the turn."""

    key: str
    text: str
    buttons: tuple[Button, ...] = ()
    ordinal: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return `{key, text, buttons: [{value, label}], ordinal}`."""
        return {**vars(self), "buttons": [dict(vars(button)) for button in self.buttons]}


DisplayValues: TypeAlias = Callable[[], Iterable[str]]
"""Yields every value that the conversation holds when it is called, as users read it."""


class MessageSink(Protocol):
    """Receives the messages of a turn in order. A turn that runs again sends the same ordinals again."""

    async def send(self, message: BotMessage, shown: DisplayValues) -> None: ...


class BufferSink:
    """Keeps the messages in the list `messages`."""

    def __init__(self) -> None:
        self.messages: list[BotMessage] = []

    async def send(self, message: BotMessage, shown: DisplayValues) -> None:
        self.messages.append(message)
