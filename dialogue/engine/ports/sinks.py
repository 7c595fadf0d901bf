"""Where bot messages go as they come.

In service that is the transcript (`dialogue.turns.transcript`), from which sockets and streams of events are told; a
replay and the tests keep them in a buffer.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias


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
        return {**vars(self), "buttons": [dict(vars(button)) for button in self.buttons]}


DisplayValues: TypeAlias = Callable[[], Iterable[str]]
"""Gives every value that the conversation holds at the moment, as users read it."""


class MessageSink(Protocol):
    """Takes the messages of a turn in their order; a turn that is run again sends the same ordinals again."""

    async def send(self, message: BotMessage, shown: DisplayValues) -> None: ...


class BufferSink:
    """Keeps them: `messages` is the list."""

    def __init__(self) -> None:
        self.messages: list[BotMessage] = []

    async def send(self, message: BotMessage, shown: DisplayValues) -> None:
        self.messages.append(message)
