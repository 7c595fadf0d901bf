"""Send the lines of transcripts to their threads: each at least once, in order, with growing pauses after failures.

The transcript is the outbox: a thread is due while `sent` is behind `latest`, which a trigger sets in the transaction
that writes a line. A worker claims a thread by one conditional update, which also sets the time of the next attempt if
the process dies. Lines are sent outside of transactions, and marked after each message: a process that dies in between
makes one message arrive twice, under the same id of delivery. A line that the channel takes in several messages goes on
with the one that failed.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from time import monotonic

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import translation

from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.channels.arrivals import button_data
from dialogue.channels.connections import port_of
from dialogue.channels.credentials import CredentialsLost
from dialogue.channels.port import (
    Button,
    Channel,
    Connection,
    CredentialsRefused,
    Delivery,
    Line,
    MessageNotTaken,
    RecipientGone,
    SendFailed,
)
from dialogue.channels.table import ChannelUnknown, channel_named
from dialogue.desk.webhooks.deliveries import pause_after
from dialogue.models import ChannelConnection, ChannelDelivery, ChannelThread, Message
from dialogue.turns import clock
from dialogue.turns.process.crash_points import crash_point

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 8
"""With the pauses of `pause_after` the last attempt comes about six hours after the first one."""
LONGEST_REST = timedelta(minutes=5)
"""A connection that fails sends nothing to its other threads for the pause that its failures ask for, up to this."""
SEND_LEASE = timedelta(minutes=2)
"""How long sending one message may take. After that the worker counts as dead, and another one may send it."""
MAX_ROUND_SECONDS = 20.0
HELD_BACK_IN_A_ROW = 3
"""After so many threads one after the other that the channel holds back, the limit counts as the connection's."""

State = ChannelThread.State


@dataclass(frozen=True)
class _Claim:
    """A thread that this process sends to, as it is after the claim, with its channel and its connection."""

    thread: ChannelThread
    channel: Channel
    connection: Connection

    @property
    def own_row(self) -> QuerySet[ChannelThread]:
        """The thread, unless another worker has claimed it since."""
        return ChannelThread.objects.filter(pk=self.thread.pk, claims=self.thread.claims, state=State.ACTIVE)


def deliver_lines() -> int:
    """Send what is due through every connection, one after the other; return the number of messages that arrived."""
    return sum(map(deliver_through, due_connections()))


def due_connections() -> list[int]:
    """Return the connections through which something can be sent now."""
    rows = ChannelConnection.objects.filter(_is_open(""), Exists(_due_threads().filter(connection=OuterRef("pk"))))
    return list(rows.order_by("pk").values_list("pk", flat=True))


def deliver_through(connection: int) -> int:
    """Send what is due through a connection, until an attempt fails or `MAX_ROUND_SECONDS` are over.

    A thread that the channel holds back does not stop the others, unless `HELD_BACK_IN_A_ROW` are.
    """
    count, held_back, end = 0, 0, monotonic() + MAX_ROUND_SECONDS
    while monotonic() < end:
        due = _due_threads().filter(_is_open("connection__"), connection=connection)
        thread = due.select_related("connection__assistant", "conversation").order_by("due_at", "pk").first()
        if thread is None:
            break
        claim = _claim(thread)
        if claim is None:
            continue  # another worker has it
        sent, failure = _send_lines(claim, end)
        count += sent
        held_back = (0 if sent else held_back) + int(failure is not None and failure.retry_after is not None)
        if failure is not None and held_back >= HELD_BACK_IN_A_ROW:
            _rest(claim, str(failure)[:500], min(failure.retry_after or LONGEST_REST, LONGEST_REST), is_failure=False)
            break
        if failure is not None and not _concerns_one_thread(failure):
            break
    return count


def _due_threads() -> QuerySet[ChannelThread]:
    return ChannelThread.objects.filter(state=State.ACTIVE, sent__lt=F("latest"), due_at__lte=clock.sql_now())


def _is_open(prefix: str) -> Q:
    rested = Q(**{f"{prefix}rests_until": None}) | Q(**{f"{prefix}rests_until__lte": clock.sql_now()})
    return rested & Q(**{f"{prefix}state": ChannelConnection.State.ACTIVE})


def _claim(thread: ChannelThread) -> _Claim | None:
    """Claim the thread; None where another worker was faster, or its connection cannot be used."""
    try:
        channel, connection = channel_named(thread.connection.channel), port_of(thread.connection)
    except (ChannelUnknown, CredentialsLost) as error:
        reason = (
            "its credentials were encrypted with an earlier key"
            if isinstance(error, CredentialsLost)
            else (f"this installation has no channel {error}")
        )
        _pause_refused(thread.connection, reason)
        return None
    unclaimed = ChannelThread.objects.filter(pk=thread.pk, claims=thread.claims, state=State.ACTIVE)
    if unclaimed.update(claims=thread.claims + 1, due_at=clock.now() + SEND_LEASE) != 1:
        return None
    thread.claims += 1
    return _Claim(thread, channel, connection)


def _send_lines(claim: _Claim, end: float) -> tuple[int, SendFailed | None]:
    """Send the lines of a thread in their order. Return how many messages arrived, and the failure that ended it."""
    count = 0
    while (delivery := _next_delivery(claim)) is not None:
        failure = _attempt(claim, delivery)
        if failure is not None:
            _note_failure(claim, delivery, failure)
            return count, failure
        if not _mark_sent(claim, delivery):
            return count + 1, None  # the thread was claimed by another worker, or erased
        count += 1
        if monotonic() >= end:
            break
    claim.own_row.update(due_at=clock.now())
    return count, None


def _next_delivery(claim: _Claim) -> ChannelDelivery | None:
    """Return the delivery of the next lines: the one of an earlier attempt, or a new one; None where no line waits."""
    thread = claim.thread
    rows = ChannelDelivery.objects.filter(thread=thread, state=ChannelDelivery.State.PENDING, first__gt=thread.sent)
    if (delivery := rows.order_by("first").first()) is not None:
        return delivery
    numbers = list(_lines(thread).values_list("seq", flat=True)[: claim.channel.lines_per_delivery])
    if not numbers:
        return None
    fields = {"last": numbers[-1], "conversation": thread.conversation, "made_at": clock.now()}
    delivery, _new = ChannelDelivery.objects.update_or_create(
        thread=thread,
        first=numbers[0],
        defaults={"state": ChannelDelivery.State.PENDING},
        create_defaults={"connection": thread.connection, **fields},
    )
    return delivery


def _lines(thread: ChannelThread) -> QuerySet[Message]:
    """The lines that the channel has not taken; it has those that the customer wrote."""
    rows = Message.objects.filter(conversation=thread.conversation_id, seq__gt=thread.sent)
    return rows.exclude(role=Message.Role.USER).order_by("seq")


def _attempt(claim: _Claim, delivery: ChannelDelivery) -> SendFailed | None:
    """Send the pieces of a delivery that have not arrived; return the failure, if one failed."""
    thread = claim.thread
    ChannelDelivery.objects.filter(pk=delivery.pk).update(attempts=F("attempts") + 1)
    rows = _lines(thread).filter(seq__lte=delivery.last)
    lines = [_line(thread, row) for row in rows]
    try:
        with translation.override(thread.conversation.language or None):
            pieces = claim.channel.pieces(lines)
            for number in range(delivery.pieces_sent, len(pieces)):
                crash_point("N2")
                outgoing = _outgoing(claim, delivery, pieces, number)
                delivery.remote_id = claim.channel.send(outgoing, claim.connection)[:200]
                crash_point("N3")
                if number + 1 < len(pieces) and not _mark_piece_sent(claim, delivery, number + 1):
                    break  # the thread was claimed by another worker, or erased
    except SendFailed as failure:
        return failure
    except Exception as error:  # a project's channel, or a mail library, may raise anything
        log.exception("delivery %s could not be sent", delivery.uid)
        return SendFailed(f"{type(error).__name__}: {error}")
    return None


def _outgoing(claim: _Claim, delivery: ChannelDelivery, pieces: Sequence[tuple[Line, ...]], number: int) -> Delivery:
    """A piece of a delivery. The first one has the delivery's own id."""
    thread = claim.thread
    uid = f"{delivery.uid.hex}.{number}" if number else delivery.uid.hex
    return Delivery(uid, thread.recipient, pieces[number], thread.facts, thread.conversation.language)


def _line(thread: ChannelThread, row: Message) -> Line:
    buttons = (
        Button(str(button["label"]), button_data(thread.pk, row.seq, index)) for index, button in enumerate(row.buttons)
    )
    author = row.author if row.role == Message.Role.OPERATOR else ""
    return Line(row.seq, row.text, tuple(buttons), author)


def _mark_piece_sent(claim: _Claim, delivery: ChannelDelivery, count: int) -> bool:
    """Note how many pieces have arrived, and keep the claim. Whether it is still ours."""
    with transaction.atomic():
        if not claim.own_row.update(due_at=clock.now() + SEND_LEASE):
            return False
        ChannelDelivery.objects.filter(pk=delivery.pk).update(pieces_sent=count)
    return True


def _mark_sent(claim: _Claim, delivery: ChannelDelivery) -> bool:
    now = clock.now()
    with transaction.atomic():
        if not claim.own_row.update(sent=delivery.last, attempts=0, error="", due_at=now + SEND_LEASE):
            return False
        ChannelDelivery.objects.filter(pk=delivery.pk).update(
            state=ChannelDelivery.State.SENT, sent_at=now, remote_id=delivery.remote_id, error=""
        )
        ChannelConnection.objects.filter(pk=claim.thread.connection_id).update(
            sent_at=now, failures=0, rests_until=None, error=""
        )
    claim.thread.sent, claim.thread.attempts = delivery.last, 0
    return True


def _concerns_one_thread(failure: SendFailed) -> bool:
    """Whether other threads of the connection may be tried now."""
    return isinstance(failure, RecipientGone | MessageNotTaken) or failure.retry_after is not None


def _note_failure(claim: _Claim, delivery: ChannelDelivery, failure: SendFailed) -> None:
    """Store what a failure means."""
    reason = str(failure)[:500]
    log.warning("delivery %s was not taken: %s", delivery.uid, reason)
    ChannelDelivery.objects.filter(pk=delivery.pk).update(error=reason)
    match failure:
        case RecipientGone():
            claim.own_row.update(state=State.BLOCKED, error=reason, due_at=clock.now())
        case MessageNotTaken():
            _give_up(claim, delivery, reason)
        case CredentialsRefused():
            claim.own_row.update(due_at=clock.now(), error=reason)
            _pause_refused(claim.thread.connection, reason)
        case _:
            _plan_next_attempt(claim, delivery, failure, reason)


def _plan_next_attempt(claim: _Claim, delivery: ChannelDelivery, failure: SendFailed, reason: str) -> None:
    if failure.retry_after is not None:  # the channel works, and says when this thread may go on
        claim.own_row.update(due_at=clock.now() + failure.retry_after, error=reason)
    elif claim.thread.attempts + 1 >= MAX_ATTEMPTS:
        _give_up(claim, delivery, reason)
        _rest(claim, reason, LONGEST_REST, is_failure=True)
    else:
        attempts = claim.thread.attempts + 1
        claim.own_row.update(attempts=attempts, due_at=clock.now() + pause_after(attempts), error=reason)
        failures = claim.thread.connection.failures + 1
        _rest(claim, reason, min(pause_after(failures), LONGEST_REST), is_failure=True)


def _rest(claim: _Claim, reason: str, pause: timedelta, *, is_failure: bool) -> None:
    now = clock.now()
    rows = ChannelConnection.objects.filter(pk=claim.thread.connection_id)
    rows.update(rests_until=now + pause, error=reason, failures=F("failures") + int(is_failure))


@transaction.atomic
def _give_up(claim: _Claim, delivery: ChannelDelivery, reason: str) -> None:
    """Make the line an incident: a person sends it again or skips it, and the lines behind it wait."""
    if not claim.own_row.update(state=State.FAILED, error=reason, due_at=clock.now()):
        return
    ChannelDelivery.objects.filter(pk=delivery.pk).update(state=ChannelDelivery.State.FAILED)
    facts = {"line": delivery.first, "delivery": delivery.uid.hex}
    act = Act("channel.incident", "clock", subject=str(claim.thread.connection)[:200], facts=facts)
    chain.record(claim.thread.conversation_id, [act], clock.now())


@transaction.atomic
def _pause_refused(connection: ChannelConnection, reason: str) -> None:
    """Pause a connection whose credentials are not accepted. Its lines wait, and a person resumes it."""
    now = clock.now()
    active = ChannelConnection.objects.filter(pk=connection.pk, state=ChannelConnection.State.ACTIVE)
    cause = ChannelConnection.Cause.REFUSED
    changes = {"state": ChannelConnection.State.PAUSED, "paused_because": cause, "paused_at": now}
    if active.update(**changes, error=reason[:500]):
        log.error("channel %s is paused: %s", connection, reason)
        facts = {"cause": str(cause), "assistant": connection.assistant.name}
        chain.record(CONSOLE, [Act("channel.paused", "clock", subject=str(connection)[:200], facts=facts)], now)
