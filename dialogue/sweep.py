"""What is due, lost or stuck: expires and escalates, runs events that nobody runs, ends idle conversations, sends mail.

Running it twice changes nothing; a failing one does not stop the others.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from django.db.models import Exists, OuterRef, QuerySet

from dialogue.desk.maintenance.outbox import deliver_due
from dialogue.desk.maintenance.retention import forget_sometimes
from dialogue.desk.sessions.escalation import escalate_due
from dialogue.desk.sessions.service import expire_due, return_claims
from dialogue.models import Conversation, Event
from dialogue.turns import clock, runner
from dialogue.turns.accept import ConversationOver, Incoming, accept
from dialogue.turns.learning import learn_published
from dialogue.turns.lease import is_free
from dialogue.turns.metrics import EXPIRED
from dialogue.turns.nlu.stores import forget_answers
from dialogue.turns.process.database import in_background
from dialogue.turns.worker import SERVICE, Ports, drain

log = logging.getLogger(__name__)

PERIOD = 2.0
"""Seconds between two sweeps."""

BATCH = 100
AT_ONCE = 20


@dataclass(frozen=True)
class Swept:
    """How many sessions expired, turns were run, idle conversations were told to end, and mails went out."""

    expired: int
    turns: int
    ended: int
    mails: int = 0

    def __str__(self) -> str:
        done = f"{self.expired} expired, {self.turns} turns run, {self.ended} conversations ended"
        return f"{done}, {self.mails} mails sent"


async def sweep(ports: Ports = SERVICE) -> Swept:
    """Do everything that is due now, oldest first, the mails last."""
    return await sweep_with(partial(_drain_all, ports))


async def _sweep(run: Callable[[list[UUID]], Awaitable[int]]) -> Swept:
    expired = 0
    while count := await in_background(expire_due)(BATCH):
        expired += count
        EXPIRED.inc(count)
    await in_background(return_claims)(BATCH)
    await in_background(escalate_due)(BATCH)
    ended = await in_background(end_idle)()
    await in_background(forget_answers)()
    await in_background(forget_sometimes)()
    turns = 0
    while waiting := await in_background(undrained)():
        ran = await run(waiting)
        turns += ran
        if not ran:
            break
    return Swept(expired, turns, ended)


async def sweep_with(run: Callable[[list[UUID]], Awaitable[int]]) -> Swept:
    """Do everything that is due now; `run` takes the conversations that nobody runs, and gives how many it ran."""
    swept = await _sweep(run)
    return replace(swept, mails=await in_background(deliver_due)())


async def sweep_forever(period: float = PERIOD) -> None:
    """Sweep every `period` seconds until cancelled. A slow turn or mail server keeps nothing else waiting."""
    works = (partial(_sweep, _wake_all), in_background(deliver_due), in_background(learn_published))
    await asyncio.gather(*(_again(work, period) for work in works))


async def _wake_all(conversations: list[UUID]) -> int:
    """Leave the conversations to this process's runner; none has been run yet."""
    for conversation in conversations:
        runner.wake_conversation(conversation)
    return 0


async def _again(work: Callable[[], Awaitable[Any]], period: float) -> None:
    while True:
        try:
            await work()
        except Exception:
            log.exception("a sweep failed; the next one tries again")
        await asyncio.sleep(period)


def undrained(limit: int = BATCH) -> list[UUID]:
    """Conversations with due events that no living runner has, the longest waiting first."""
    rows = Conversation.objects.filter(is_free(), Exists(_due())).order_by("active_at")
    return list(rows.values_list("pk", flat=True)[:limit])


def _due() -> QuerySet[Event]:
    return Event.objects.filter(conversation=OuterRef("pk"), state=Event.State.DUE)


def end_idle(limit: int = BATCH) -> int:
    """Tell conversations that were left alone longer than their assistant's `session_timeout` to end."""
    quiet = Conversation.objects.filter(
        ~Exists(_due()),
        state__in=Conversation.LEFT_ALONE,
        idle_until__lte=clock.sql_now(),
    )
    return sum(_end(row) for row in quiet.order_by("idle_until")[:limit])


def _end(row: Conversation) -> bool:
    # The id is random, because a client that could guess it might take it first with a message of its own.
    try:
        accept(row.pk, Incoming(Event.Kind.TIMEOUT, f"timeout:{uuid4()}"))
    except ConversationOver:
        return False
    except Exception:
        log.exception("conversation %s could not be ended; the next sweep tries again", row.pk)
        return False
    return True


async def _drain_all(ports: Ports, conversations: list[UUID]) -> int:
    """Run the given conversations, a bounded number at a time."""
    room = asyncio.Semaphore(AT_ONCE)

    async def one(conversation: UUID) -> int:
        async with room:
            return await drain(conversation, ports=ports)

    ran = await asyncio.gather(*(one(each) for each in conversations), return_exceptions=True)
    for result in ran:
        if isinstance(result, BaseException):
            log.error("a conversation could not be run; the next sweep tries again", exc_info=result)
    return sum(result for result in ran if isinstance(result, int))
