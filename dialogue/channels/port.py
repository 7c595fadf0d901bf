"""The port of a channel: verify a request, read what people wrote, send them lines. A project may bring its own.

A channel knows neither conversations nor the database. It gets what it needs as frozen data, may call other servers,
and says by its exceptions what became of a call.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, ClassVar

MAX_THREAD_CHARACTERS = 64
MAX_RECIPIENT_CHARACTERS = 320
MIN_RETRY_AFTER, MAX_RETRY_AFTER = timedelta(seconds=1), timedelta(hours=1)
"""The shortest and longest time for which a channel may hold a thread back."""


class NotReadable(ValueError):
    """A request of the channel that cannot be read; the text says why."""


class NotLoaded(Exception):
    """A file could not be fetched from the channel now; the channel sends the message again later."""


class SendFailed(Exception):
    """The channel did not take a message; it is sent again later.

    With `retry_after` the channel works, but takes nothing more for this thread before that time. It is kept within
    `MIN_RETRY_AFTER` and `MAX_RETRY_AFTER`: a channel that is wrong about it neither is asked without a pause nor holds
    a thread's lines back for days.
    """

    def __init__(self, reason: str, retry_after: timedelta | None = None) -> None:
        super().__init__(reason)
        if retry_after is not None:
            retry_after = min(max(retry_after, MIN_RETRY_AFTER), MAX_RETRY_AFTER)
        self.retry_after = retry_after


class RecipientGone(SendFailed):
    """The person takes no messages any more, for example because they blocked the bot."""


class MessageNotTaken(SendFailed):
    """The channel will never take this message, however often it is sent."""


class CredentialsRefused(SendFailed):
    """The channel does not accept the connection's credentials."""


@dataclass(frozen=True)
class SettingField:
    """A setting of a connection, as a form asks for it. A secret one is stored encrypted and never shown."""

    name: str
    label: str
    help: str = ""
    secret: bool = False
    required: bool = True
    placeholder: str = ""


@dataclass(frozen=True)
class Connection:
    """A connection as its channel sees it.

    `receiver_url` is the address of this server that takes the channel's requests. `values` are its settings, secrets
    included. `secrets` are what requests are verified with, the newest first; `name` is the assistant's title.
    """

    uid: str
    address: str
    name: str
    receiver_url: str
    values: Mapping[str, str]
    secrets: Sequence[str]


@dataclass(frozen=True)
class Request:
    """A request as it came in: `headers` have lowercase names."""

    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class IncomingFile:
    """A file that came with a message. `load` returns its content; it may call the channel, and raise NotLoaded."""

    name: str
    load: Callable[[], bytes]


@dataclass(frozen=True)
class IncomingMessage:
    """What one person wrote.

    `id` is the sender's own id of the message, by which a repeated one is recognised. `thread` names the chat or the
    thread of mails, at most 64 characters that no other person can bring about. `recipient` is where answers go, and
    `sender` is the name that staff see. `button` is the `data` of a pressed `Button`. `answers` is the `uid` of the
    delivery that the message answers, where its sender can only know it from there; `answer_to` is what `reply` needs.
    `facts` are kept with the thread for `send`. `starts_over` begins a new conversation, with `start_code` in its
    metadata. `note` is a line that answers the message in its conversation. With `refusal` the message is not taken,
    and `reply` says so.
    """

    id: str
    thread: str
    recipient: str
    sender: str = ""
    text: str = ""
    button: str = ""
    files: tuple[IncomingFile, ...] = ()
    language: str = ""
    answers: str = ""
    answer_to: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    starts_over: bool = False
    start_code: str = ""
    note: str = ""
    refusal: str = ""

    def __post_init__(self) -> None:
        if not self.id or not 0 < len(self.thread) <= MAX_THREAD_CHARACTERS:
            raise NotReadable(f"a message needs an id, and a thread of at most {MAX_THREAD_CHARACTERS} characters")
        if not 0 < len(self.recipient) <= MAX_RECIPIENT_CHARACTERS:
            raise NotReadable(f"a message needs a recipient of at most {MAX_RECIPIENT_CHARACTERS} characters")


@dataclass(frozen=True)
class Reading:
    """A request in the channel's terms: one message, or the reason for which there is nothing to take."""

    message: IncomingMessage | None = None
    id: str = ""
    ignored: str = ""


@dataclass(frozen=True)
class Button:
    """A button under a line: its label, and what the channel gives back when it is pressed (at most 64 bytes)."""

    label: str
    data: str


@dataclass(frozen=True)
class Line:
    """A line of the transcript. `author` is the member of staff who wrote it; "" for the assistant."""

    number: int
    text: str
    buttons: tuple[Button, ...] = ()
    author: str = ""

    @property
    def signed_text(self) -> str:
        """The text with its author, for channels in which one account speaks for all."""
        return f"{self.author}: {self.text}" if self.author else self.text


@dataclass(frozen=True)
class Delivery:
    """One message for one recipient; `uid` is the same in every attempt, so that a repeated one can be recognised."""

    uid: str
    recipient: str
    lines: tuple[Line, ...]
    facts: Mapping[str, Any]
    language: str = ""


class Channel(ABC):
    """One kind of channel. `lines_per_delivery` says how many lines that wait are sent as one message."""

    name: ClassVar[str]
    title: ClassVar[str]
    fields: ClassVar[tuple[SettingField, ...]] = ()
    lines_per_delivery: ClassVar[int] = 1
    max_request_bytes: ClassVar[int] = 1024 * 1024
    shows_secret: ClassVar[bool] = False
    """Whether a person has to copy the secret to the sender; otherwise `connect` tells the channel."""

    @abstractmethod
    def verify(self, request: Request, connection: Connection, now: datetime) -> bool:
        """Whether the request comes from the channel."""

    @abstractmethod
    def read(self, request: Request, connection: Connection) -> Reading:
        """Read a verified request. Raises NotReadable."""

    def pieces(self, lines: Sequence[Line]) -> list[tuple[Line, ...]]:
        """The messages as which lines go out: each is sent by itself, and not again when a later one fails.

        For a channel whose messages are short; by default all lines are one message.
        """
        return [tuple(lines)]

    @abstractmethod
    def send(self, delivery: Delivery, connection: Connection) -> str:
        """Send one message and return the channel's id of it. Raises SendFailed."""

    def reply(self, message: IncomingMessage, text: str) -> Mapping[str, Any] | None:
        """The body of the answer to the request with which the sender is told `text`; None where there is no such way.

        `text` is "" for a message that was taken.
        """
        return None

    def shown_secret(self, connection: Connection) -> str:
        """The newest secret as the program writes it that signs."""
        return connection.secrets[0]

    def address(self, values: Mapping[str, str]) -> str:
        """Return the account's public name, asked from the channel. Raises SendFailed, and ValueError with advice."""
        return values.get("address", "")

    def account_id(self, values: Mapping[str, str]) -> str:
        """The account's id, which stays when its public name changes; "" where only `address` tells accounts apart."""
        return ""

    def connect(self, connection: Connection) -> None:
        """Tell the channel where to send its requests. Raises SendFailed."""
        return

    def disconnect(self, connection: Connection) -> None:
        """Tell the channel to send nothing more. Raises SendFailed."""
        return

    def check(self, connection: Connection) -> str:
        """Try the connection and return in words what the channel says of it. Raises SendFailed."""
        return ""


def buttons_as_text(lines: Sequence[Line], words: str) -> str:
    """Return the lines as text for a channel without buttons; `words` has a place `%s` for the labels.

    >>> buttons_as_text([Line(1, "Send it?", (Button("yes", "1"), Button("no", "2")))], "Reply with: %s")
    'Send it?\\n\\nReply with: yes / no'
    """
    parts = []
    for line in lines:
        parts.append(line.signed_text)
        if line.buttons:
            parts.append(words % " / ".join(button.label for button in line.buttons))
    return "\n\n".join(filter(None, parts))
