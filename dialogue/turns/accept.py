"""Accept events: each is stored, numbered and acknowledged before its turn runs."""

import hashlib
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from time import monotonic
from typing import Any
from uuid import UUID

from django.db import IntegrityError
from django.utils.translation import gettext as _

from dialogue.models import Assistant, Conversation, Event, HITLSession, Message, Release, hot_path
from dialogue.models.account import Account
from dialogue.turns import clock, lease
from dialogue.turns.lease import Lease
from dialogue.turns.process import jobs
from dialogue.turns.process.crash_points import crash_point

_ACCEPT_COLUMNS = ("last_event", "last_message", "active_at", "lease_owner", "lease_until", "epoch")
"""The columns of a conversation that accepting an event may change; one update writes them all."""

MAX_WAITING_MESSAGES = 20
"""How many messages of one conversation may wait for their turns."""

MAX_TEXT_BYTES = 64 * 1024
"""The size of one message of a customer, on every channel: as much as a socket's frame may hold."""


AGENT_CHANNEL = "agent"
"""The channel of the conversations that stand for threads of other systems' agents."""


class AssistantNotFound(Exception):
    """No published assistant has that name."""


class ConversationNotFound(Exception):
    """No conversation has that id, or the token does not open it."""


class MessageRefused(Exception):
    """`accept` stored nothing. All channels answer with `code`, `detail` and, where there is one, the HTTP status."""

    status: int
    code: str

    @property
    def detail(self) -> str:
        """The reason in the reader's language."""
        raise NotImplementedError


class ConversationOver(MessageRefused):
    """This conversation has ended; a new message needs a new conversation."""

    status, code = 409, "conversation_over"

    @property
    def detail(self) -> str:
        return _("This conversation has ended.")


class NotAChat(ConversationOver):
    """The conversation is the thread of another system's agent. People answer its gates, and it reads no messages."""

    code = "not_a_chat"

    @property
    def detail(self) -> str:
        return _("This is a thread of another system's agent. Answer its gates; it reads no messages.")


class SameIdOtherBody(MessageRefused):
    """The client's message id was used before, with another text."""

    status, code = 422, "same_id_other_body"

    @property
    def detail(self) -> str:
        return _("This message id was used before, with another text.")


class TextTooLarge(MessageRefused):
    """The message is larger than `MAX_TEXT_BYTES`."""

    status, code = 413, "too_large"
    limit = MAX_TEXT_BYTES

    @property
    def detail(self) -> str:
        return _("A message may hold at most 64 KiB.")


class TooManyWaiting(MessageRefused):
    """`MAX_WAITING_MESSAGES` of this conversation wait already; the client may send this one again after a moment."""

    status, code = 429, "rate_limited"

    @property
    def detail(self) -> str:
        return _("%s messages wait already. Please send this one again in a moment.") % MAX_WAITING_MESSAGES


@dataclass(frozen=True)
class Incoming:
    """An event as a channel hands it in. `text` is its line in the transcript; None when the event is not a message."""

    kind: str
    client_id: str
    payload: dict[str, Any] = field(default_factory=dict)
    text: str | None = None
    role: str = Message.Role.USER
    author: str = ""
    session: HITLSession | None = None
    parts: tuple[dict[str, Any], ...] = ()
    """The parts of the line (see `dialogue.engine.ports.message_parts`)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "payload", storable_value(self.payload))
        object.__setattr__(self, "text", storable_value(self.text))

    def digest(self) -> str:
        """Return the SHA-256 of kind and payload, which tells a retry from another message with the same id."""
        body = json.dumps([self.kind, self.payload], sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(body.encode()).hexdigest()


@dataclass(frozen=True)
class TurnRows:
    """A conversation as it is when an event is accepted, the time, and the rows of the queries that its turn needs."""

    conversation: Conversation
    at: datetime
    found: Sequence[list[Any]]
    read_at: float = field(default_factory=monotonic)
    """In seconds, by this process's monotonic clock."""


@dataclass(frozen=True)
class Accepted:
    """The stored event: its row, its place in the order, and the transcript's number of its line."""

    event: int
    number: int
    seq: int | None
    repeated: bool = False
    lease: Lease | None = None
    line: Message | None = None
    """The line as it was stored just now."""
    rows: TurnRows | None = None
    """What the turn reads, if the lease was taken and the caller gave `reads`."""


def accept(
    conversation: UUID, incoming: Incoming, claim_for: str = "", reads: Sequence[hot_path.Query] = ()
) -> Accepted:
    """Store one event, and its line in the transcript, in one transaction.

    A retry with the same client id and the same body returns the first answer, with `repeated`. With `claim_for`, the
    name of a lease's owner, the same commit takes the conversation's lease when it is free, and the caller can start
    the turn at once. `reads` are the queries of this turn: they go to the database with the commit.

    Raises ConversationNotFound, ConversationOver, SameIdOtherBody, TextTooLarge and TooManyWaiting, and stores nothing
    then.
    """
    _refuse_large_text(incoming)
    crash_point("A1")
    try:
        with hot_path.one_transaction() as ending:
            locked = _lock_for(conversation, incoming)
            accepted = _store_event(locked, incoming, claim_for)
            rows_found = hot_path.fetch_after(ending, reads) if reads and accepted.lease else None
        crash_point("A2")
        if rows_found is None:
            return accepted
        found = [[row for row, *_ in rows] for rows in rows_found()]
        return replace(accepted, rows=TurnRows(locked.row, locked.at, found))
    except (IntegrityError, ConversationOver, TooManyWaiting):
        earlier = Event.objects.filter(conversation_id=conversation, client_id=incoming.client_id)
        repeated = earlier.select_related("message").first()
        if repeated is None:
            raise
        return repeated_event(repeated, incoming)


def open_conversation(
    assistant: str,
    *,
    user: Account | None = None,
    user_ref: str = "",
    vouched: bool = False,
    channel: str = "web",
    language: str = "",
    metadata: dict[str, Any] | None = None,
    opening: dict[str, Any] | None = None,
    test: bool = False,
    release: Release | None = None,
    origin: str = "",
) -> tuple[Conversation, str]:
    """Create a conversation. Return it with the token that opens it for its end user; only the token's hash is stored.

    `vouched`: the opener is trusted to say in `user_ref` and `metadata` who the customer is. `origin`: a key of the
    network address, by which limits recognise conversations that were opened from the same address. `opening`: what
    `turns.opening.read_opening` returned for this release.

    Raises AssistantNotFound when the assistant is unknown or was never published.
    """
    home = Assistant.objects.filter(name=assistant).select_related("active_release").first()
    pinned = release or (home.active_release if home else None)
    if home is None or pinned is None:
        raise AssistantNotFound(assistant)
    token = secrets.token_urlsafe(32)
    at = clock.now()
    conversation = Conversation.objects.create(
        assistant=home,
        release=pinned,
        user=user,
        user_ref=user_ref,
        vouched=vouched,
        channel=channel,
        language=language,
        metadata=metadata or {},
        opening=opening or {},
        test=test,
        origin=origin,
        token_sha256=token_digest(token),
        created_at=at,
        active_at=at,
    )
    return conversation, token


def conversation_by_token(conversation: UUID, token: str) -> Conversation:
    """Return the conversation that `token` opens.

    Raises ConversationNotFound for a wrong id and for a wrong token alike, so that it does not tell which ids exist.
    """
    rows = hot_path.fetch(Conversation, {"id": conversation, "token_sha256": token_digest(token)})
    if not rows or not token:
        raise ConversationNotFound(conversation)
    return rows[0]


def token_digest(token: str) -> str:
    """Return the hash under which a conversation's token is stored."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


def storable_value(value: Any) -> Any:
    """Return `value` with U+FFFD for each NUL and lone surrogate in its texts: databases refuse to store those."""
    match value:
        case str():
            return value.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case dict():
            return {storable_value(str(key)): storable_value(item) for key, item in value.items()}
        case list() | tuple():
            return [storable_value(item) for item in value]
        case _:
            return value


def repeated_event(earlier: Event, incoming: Incoming) -> Accepted:
    """Return the first answer for a client id that was used before. Raises SameIdOtherBody."""
    if earlier.body_sha256 != incoming.digest():
        raise SameIdOtherBody(incoming.client_id)
    seq = earlier.message.seq if earlier.message else None
    return Accepted(earlier.pk, earlier.number, seq, repeated=True)


def lock_conversation(conversation: UUID) -> tuple[Conversation, datetime]:
    """Lock the conversation's row for the open transaction. Return it with the database's time.

    Raises ConversationNotFound and ConversationOver.
    """
    locked = _lock_with_keys(conversation)
    return locked.row, locked.at


@dataclass(frozen=True)
class _Locked:
    """A locked conversation, when it was locked, and the primary keys of its next rows where they are known before."""

    row: Conversation
    at: datetime
    event_key: int | None = None
    line_key: int | None = None


def _lock_for(conversation: UUID, incoming: Incoming) -> _Locked:
    """Lock the conversation for an event and its line."""
    lines = hot_path.NewKeys(Message, 0 if incoming.text is None else 1)
    return _lock_with_keys(conversation, hot_path.NewKeys(Event), lines)


def _lock_with_keys(conversation: UUID, *keys: hot_path.NewKeys) -> _Locked:
    where = {"id": conversation}
    rows, at, _others, new_keys = clock.fetch_all_with_time(Conversation, where, hot_path.for_update(), keys=keys)
    if not rows:
        raise ConversationNotFound(conversation)
    if rows[0].state in Conversation.OVER:
        raise ConversationOver(conversation)
    return _Locked(rows[0], at, *(next(iter(each), None) for each in new_keys))


def _refuse_large_text(incoming: Incoming) -> None:
    if incoming.kind not in (Event.Kind.MESSAGE, Event.Kind.CHOICE):
        return
    texts = (incoming.text or "", *(value for value in incoming.payload.values() if isinstance(value, str)))
    if max(len(text.encode("utf-8", "surrogatepass")) for text in texts) > MAX_TEXT_BYTES:
        raise TextTooLarge


def _store_event(locked: _Locked, incoming: Incoming, claim_for: str) -> Accepted:
    row, at = locked.row, locked.at
    if row.channel == AGENT_CHANNEL and incoming.kind != Event.Kind.CANCEL:
        raise NotAChat(row.pk)
    own_lease = lease_of_row(row, claim_for, at)
    if own_lease is None:  # a caller with the lease runs all waiting events now, so only other callers count them
        from_user = incoming.kind in (Event.Kind.MESSAGE, Event.Kind.CHOICE, Event.Kind.FILE)
        if from_user and Event.objects.filter(conversation=row, state=Event.State.DUE).count() >= MAX_WAITING_MESSAGES:
            raise TooManyWaiting(row.pk)
    message = _user_message(locked, incoming, incoming.text) if incoming.text is not None else None
    row.last_event += 1
    row.active_at = at
    hot_path.update_later(Conversation, {"id": row.pk}, {name: getattr(row, name) for name in _ACCEPT_COLUMNS})
    event = Event(
        pk=locked.event_key,
        conversation=row,
        number=row.last_event,
        kind=incoming.kind,
        client_id=incoming.client_id,
        body_sha256=incoming.digest(),
        payload=incoming.payload,
        session=incoming.session,
        message=message,
        accepted_at=at,
    )
    hot_path.insert([event], returning_keys=True)
    if row.lease_until is None:  # a runner with the lease looks for new events before it gives the lease back
        jobs.enqueue(row.pk)
    return Accepted(event.pk, event.number, message.seq if message else None, lease=own_lease, line=message)


def _user_message(locked: _Locked, incoming: Incoming, text: str) -> Message:
    """Store the event's line in the transcript, behind the last line of the conversation."""
    locked.row.last_message += 1
    line = Message(
        pk=locked.line_key,
        conversation=locked.row,
        seq=locked.row.last_message,
        role=incoming.role,
        author=incoming.author,
        text=text,
        parts=list(incoming.parts),
        at=locked.at,
    )
    hot_path.insert([line], returning_keys=True)
    return line


def lease_of_row(row: Conversation, claim_for: str, at: datetime) -> Lease | None:
    """Take the lease on the locked row when the caller asks for it and it is free; the caller saves the row."""
    if not claim_for or row.lease_until is not None or clock.is_skewed():
        return None
    row.lease_owner = claim_for
    row.lease_until = at + lease.TERM
    row.epoch += 1
    return Lease(row.pk, claim_for, row.epoch)
