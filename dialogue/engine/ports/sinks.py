"""Message sinks: where the bot's messages go while a turn runs.

In service the sink is the transcript (`dialogue.turns.transcript`), which sockets and event streams follow. A replay
and the tests use a buffer.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias


@dataclass(frozen=True)
class Button:
    """A ready answer: the value that is sent, and the label that people read."""

    value: str
    label: str


@dataclass(frozen=True)
class BotMessage:
    """One message to the user. `key` is for programs ("ask:amount"), `ordinal` counts from 0 within the turn.

    `parts` (see `message_parts`) are empty for a message that is only text; otherwise `text` is their plain text.
    """

    key: str
    text: str
    buttons: tuple[Button, ...] = ()
    ordinal: int = 0
    parts: tuple[Mapping[str, Any], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return `{key, text, buttons: [{value, label}], ordinal}`, and `parts` where there are any."""
        view = {**vars(self), "buttons": [dict(vars(button)) for button in self.buttons]}
        parts = [dict(part) for part in view.pop("parts")]
        return {**view, "parts": parts} if parts else view


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
