"""Arrivals: what came through a channel is verified, read, stored once in its conversation, and then acknowledged."""

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from io import BytesIO
from typing import Any, BinaryIO

from django.conf import settings
from django.db import DatabaseError, DataError, IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import translation
from django.utils.translation import gettext as _

from dialogue.channels.connections import note_failed_request, port_of
from dialogue.channels.port import Channel, Connection, IncomingMessage, NotLoaded, NotReadable, Request
from dialogue.channels.table import channel_named
from dialogue.channels.threads import (
    NOT_TAKEN_KEY,
    TooManyOpened,
    add_line,
    find_thread,
    open_thread,
    sender_hash,
)
from dialogue.conf import soni
from dialogue.models import ChannelArrival, ChannelConnection, ChannelThread, Conversation, Message
from dialogue.turns import clock, runner
from dialogue.turns.accept import (
    AssistantNotFound,
    ConversationOver,
    Incoming,
    MessageRefused,
    accept,
    storable_value,
)
from dialogue.turns.lease import Lease
from dialogue.turns.load import CONVERSATION, MESSAGE, ServerBusy, refuse_when_busy
from dialogue.turns.process.crash_points import crash_point

log = logging.getLogger(__name__)

RATE_WINDOW = timedelta(minutes=1)
MAX_REF_CHARACTERS = 80
STARTED_KEY = "channel_started"
"""Key of the line that greets a person who opened a chat without saying anything."""

Outcome = ChannelArrival.Outcome
Json = Mapping[str, Any]


class NotVerified(Exception):
    """The request does not come from the channel, or there is no such connection."""


class OldButton(Exception):
    """The pressed button is under no line of this conversation."""


class NotNow(Exception):
    """The message cannot be taken now; its sender has to send it again later."""


@contextmanager
def _failures_noted(connection: ChannelConnection) -> Iterator[None]:
    """Turn an unexpected error, such as one of a project's channel, into NotNow, so that the sender keeps the message.

    The error is noted at the connection, where people see it.
    """
    try:
        yield
    except (NotVerified, NotReadable, NotNow, DatabaseError):
        raise
    except Exception as error:
        log.exception("a request of channel %s could not be taken; it is to be sent again", connection)
        note_failed_request(connection, type(error).__name__)
        raise NotNow(f"an error that was not expected: {type(error).__name__}") from error


@dataclass(frozen=True)
class Arrival:
    """What became of a request; `reply` is the body of its answer, where the channel has one."""

    outcome: str
    reason: str = ""
    repeated: bool = False
    reply: Json | None = None


@dataclass
class Upload:
    """A file of a message, as the store of files takes it."""

    name: str | None
    size: int | None
    file: BinaryIO = field(repr=False)


def receive(connection: ChannelConnection, request: Request) -> Arrival:
    """Verify and read a request, store its message, and return what became of it; its turn runs afterwards.

    Raises NotVerified, NotReadable, and NotNow where the sender has to try again; then nothing is stored.
    """
    channel = channel_named(connection.channel)
    port = port_of(connection)
    with _failures_noted(connection):
        if not channel.verify(request, port, clock.now()):
            raise NotVerified
        return _read_and_take(connection, channel, port, request)


def take(connection: ChannelConnection, channel: Channel, port: Connection, request: Request) -> Arrival:
    """Read a verified request, as `receive` does."""
    with _failures_noted(connection):
        return _read_and_take(connection, channel, port, request)


def _read_and_take(connection: ChannelConnection, channel: Channel, port: Connection, request: Request) -> Arrival:
    if connection.state != ChannelConnection.State.ACTIVE:
        raise NotNow("the connection is paused")
    reading = channel.read(request, port)
    ChannelConnection.objects.filter(pk=connection.pk).update(received_at=clock.now())
    if reading.message is None:
        return _ignore(connection, reading.id, reading.ignored)
    received = _Received(connection, channel, reading.message)
    with translation.override(storable_value(reading.message.language) or settings.LANGUAGE_CODE):
        try:
            return _take_message(received)
        except (
            DataError,
            UnicodeError,
        ):  # to send it again would change nothing, and would hold up what comes after it
            log.exception("a message of channel %s has values that cannot be stored", connection)
            return _refuse(received, "values that cannot be stored", _("This message could not be read."))


@dataclass(frozen=True)
class _Received:
    """A message with where it came from."""

    connection: ChannelConnection
    channel: Channel
    message: IncomingMessage

    @property
    def ref(self) -> str:
        return str(storable_value(self.message.id))[:MAX_REF_CHARACTERS]

    @property
    def sender(self) -> str:
        return sender_hash(self.connection, self.message.recipient)

    def arrival(self, outcome: str, reason: str = "", text: str = "", *, repeated: bool = False) -> Arrival:
        """What became of it; `text` is for the sender."""
        return Arrival(outcome, reason, repeated, self._reply(text))

    def _reply(self, text: str) -> Json | None:
        """The body of the answer; None where the channel fails at it, for what was stored is stored all the same."""
        try:
            reply = self.channel.reply(self.message, text)
            json.dumps(reply)
        except Exception as error:
            log.exception("channel %s has no answer to a request", self.connection)
            note_failed_request(self.connection, type(error).__name__)
            return None
        return reply

    def store(self, outcome: str, reason: str = "", thread: ChannelThread | None = None) -> None:
        """Store what becomes of it. Raises IntegrityError where that was done before."""
        ChannelArrival.objects.create(
            connection=self.connection,
            ref=self.ref,
            sender=self.sender,
            conversation_id=thread.conversation_id if thread else None,
            outcome=outcome,
            reason=reason[:200],
            at=clock.now(),
        )


def _take_message(received: _Received) -> Arrival:
    earlier = ChannelArrival.objects.filter(connection=received.connection, ref=received.ref).first()
    if earlier is not None:
        return received.arrival(earlier.outcome, earlier.reason, repeated=True)
    message = received.message
    if message.refusal:
        return _refuse(received, "not for this channel", message.refusal)
    try:
        thread = _thread_of(received)
        if thread is None:
            return _refuse(received, "no conversation", message.note or _old_button_text())
        _note_sender(thread, message)
        return _accept_in(thread, received)
    except AssistantNotFound:
        raise NotNow("the assistant is not published") from None
    except ServerBusy:
        raise NotNow("too many turns wait") from None
    except NotLoaded as error:
        raise NotNow(str(error)) from None
    except TooManyOpened:
        text = _("You have begun too many conversations. Please wait ten minutes, then write again.")
        return _refuse(received, "too many conversations", text)


def _thread_of(received: _Received) -> ChannelThread | None:
    """The message's thread, a new one where it begins a conversation; None where it needs one and there is none."""
    connection, message = received.connection, received.message
    found = find_thread(connection, message)
    goes_on = found is not None and not message.starts_over and found.conversation.state not in Conversation.OVER
    if not goes_on and (message.button or message.note):
        return None
    refuse_when_busy(MESSAGE if goes_on else CONVERSATION)
    return found if goes_on else open_thread(connection, message, found)


def _note_sender(thread: ChannelThread, message: IncomingMessage) -> None:
    """Keep what answers need, and let lines go out again to a person who writes again."""
    row = ChannelThread.objects.filter(pk=thread.pk)
    if message.facts and dict(message.facts) != thread.facts:
        row.update(facts=storable_value(dict(message.facts)))
    row.filter(state=ChannelThread.State.BLOCKED).update(
        state=ChannelThread.State.ACTIVE, attempts=0, due_at=clock.now(), error=""
    )


def _accept_in(thread: ChannelThread, received: _Received) -> Arrival:
    """Accept the parts of a message in its conversation: files, then the pressed button or the text."""
    message = received.message
    if _is_too_fast(received):
        return _refuse(received, "too many messages", _too_fast_text(), thread)
    try:
        refused = _accept_files(message, thread) if message.files else ""
        event = _event_of(message, thread)
        if event is None and refused:
            return _refuse(received, refused, "", thread)  # the transcript has the reason
        if event is None:
            return _accept_silent(thread, received)
        lease = _accept_once(thread, received, event)
    except OldButton:
        return _refuse(received, "an old button", _old_button_text(), thread)
    except ConversationOver:  # it ended since it was looked up
        return _accept_in(open_thread(received.connection, message, thread), received)
    except MessageRefused as error:
        return _refuse(received, error.code, error.detail, thread)
    except IntegrityError:  # the same request came twice at the same moment
        return received.arrival(Outcome.ACCEPTED, repeated=True)
    crash_point("N1")
    runner.wake_conversation(thread.conversation_id, lease)
    return received.arrival(Outcome.ACCEPTED)


def _accept_silent(thread: ChannelThread, received: _Received) -> Arrival:
    """Accept a message without words: the files are stored already, and a line may answer it."""
    message = received.message
    greeting = _greeting(received.connection) if message.starts_over else ""
    with transaction.atomic():
        received.store(Outcome.ACCEPTED, thread=thread)
        if message.note or greeting:
            key = STARTED_KEY if greeting else NOT_TAKEN_KEY
            add_line(thread.conversation_id, key, message.note or greeting)
    return received.arrival(Outcome.ACCEPTED)


@transaction.atomic
def _accept_once(thread: ChannelThread, received: _Received, event: Incoming) -> Lease | None:
    """Store the arrival and the event in one transaction. Raises IntegrityError where the message was stored before."""
    received.store(Outcome.ACCEPTED, thread=thread)
    return accept(thread.conversation_id, event, claim_for=runner.lease_owner()).lease


def _accept_files(message: IncomingMessage, thread: ChannelThread) -> str:
    """Store the files of a message where something asks for them. Return why not, as a code, or "".

    The transcript says why, and so the sender reads it.
    """
    # The engine is loaded with the first file, not at start.
    from dialogue.turns.files.refusals import FileRefused
    from dialogue.turns.files.sending import note_refusal, send_files
    from dialogue.turns.files.uploads import expected_slot

    try:
        thread.conversation.refresh_from_db()
        expected_slot(thread.conversation)  # before anything of the files is fetched
    except FileRefused as refused:
        note_refusal(thread.conversation_id, refused)
        return refused.code
    uploads = [_upload(file.name, file.load()) for file in message.files]
    try:
        accepted = send_files(thread.conversation, f"{message.id[-90:]} files", uploads, runner.lease_owner())
    except FileRefused as refused:
        return refused.code
    runner.wake_conversation(thread.conversation_id, accepted.lease)
    return ""


def _upload(name: str, content: bytes) -> Upload:
    return Upload(name, len(content), BytesIO(content))


def _event_of(message: IncomingMessage, thread: ChannelThread) -> Incoming | None:
    """Return the event of a message: a choice or a text, or None where it has neither. Raises OldButton."""
    client_id = message.id[-100:]
    choice = _pressed(message.button, thread) if message.button else _named_choice(message.text, thread)
    if choice:
        return Incoming("choice", client_id, {"value": choice["value"]}, text=str(choice["label"]))
    if message.text:
        return Incoming("message", client_id, {"text": message.text}, text=message.text)
    return None


def button_data(thread: int, seq: int, index: int) -> str:
    """Return the data of a button: which one of which line of which thread."""
    return f"{thread}.{seq}.{index}"


def _pressed(data: str, thread: ChannelThread) -> dict[str, Any]:
    """The button that was pressed. Raises OldButton where it is not one of this thread's."""
    parts = data.split(".")
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        raise OldButton
    number, seq, index = map(int, parts)
    line = Message.objects.filter(conversation=thread.conversation_id, seq=seq).first() if number == thread.pk else None
    if line is None or index >= len(line.buttons):
        raise OldButton
    button: dict[str, Any] = line.buttons[index]
    return button


def _named_choice(text: str, thread: ChannelThread) -> dict[str, Any] | None:
    """The button of the last line that has this very label, for people who write what others press."""
    wanted = text.strip().strip(".!").casefold()
    last = Message.objects.filter(conversation=thread.conversation_id).exclude(role=Message.Role.USER).last()
    fitting = (button for button in (last.buttons if last else []) if str(button["label"]).casefold() == wanted)
    return next(fitting, None) if wanted else None


def _is_too_fast(received: _Received) -> bool:
    limit = soni.MESSAGES_PER_CONVERSATION
    return bool(limit) and _recent(received).count() >= limit


def _recent(received: _Received) -> QuerySet[ChannelArrival]:
    since = clock.now() - RATE_WINDOW
    return ChannelArrival.objects.filter(connection=received.connection, sender=received.sender, at__gt=since)


def _refuse(received: _Received, reason: str, text: str, thread: ChannelThread | None = None) -> Arrival:
    """Store that the message was refused, and tell the sender: in the answer to the request, else by a line.

    Within `RATE_WINDOW` a sender gets one such line for one reason, however many messages are refused.
    """
    arrival = received.arrival(Outcome.REFUSED, reason, text)
    try:
        with transaction.atomic():
            received.store(Outcome.REFUSED, reason, thread)
            is_first = _recent(received).filter(reason=reason[:200]).count() == 1
            if text and not arrival.reply and thread and is_first:
                add_line(thread.conversation_id, NOT_TAKEN_KEY, text)
    except IntegrityError:
        return received.arrival(Outcome.REFUSED, reason, repeated=True)
    return arrival


def _ignore(connection: ChannelConnection, ref: str, reason: str) -> Arrival:
    ref, reason = storable_value(ref)[:MAX_REF_CHARACTERS], storable_value(reason)
    row = ChannelArrival.objects.filter(connection=connection, ref=ref)
    if not ref or row.exists():
        return Arrival(Outcome.IGNORED, reason, repeated=bool(ref))
    fields = {"outcome": Outcome.IGNORED, "reason": reason[:200], "at": clock.now(), "sender": ""}
    ChannelArrival.objects.get_or_create(connection=connection, ref=ref, defaults=fields)
    return Arrival(Outcome.IGNORED, reason)


def _old_button_text() -> str:
    return _("This button belongs to an earlier conversation. Please write what you need.")


def _greeting(connection: ChannelConnection) -> str:
    name = connection.assistant.translated_title or connection.assistant.name
    return _("You are writing to %s. What can I do for you?") % name


def _too_fast_text() -> str:
    return _("Too much came from you in a short time, and this was not taken. Please wait a minute, then try again.")
