"""The periodic sweep: expire and escalate gates, fire timers, run unattended events, end idle conversations, send mail.

Running it twice changes nothing, and a job that fails does not stop the others.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from django.db.models import Exists, OuterRef, QuerySet

from dialogue.channels.sending import deliver_lines, deliver_through, due_connections
from dialogue.desk.agent_requests.deliveries import deliver_answers, deliver_answers_of, due_accounts
from dialogue.desk.maintenance.outbox import deliver_due
from dialogue.desk.maintenance.retention import delete_periodically
from dialogue.desk.sessions.escalation import escalate_due
from dialogue.desk.sessions.receipts import ensure_key
from dialogue.desk.sessions.service import expire_due, return_expired_claims
from dialogue.desk.webhooks.addressing import BATCH_EVENTS, address_events
from dialogue.desk.webhooks.deliveries import deliver_to, deliver_webhooks, due_endpoints
from dialogue.models import Conversation, Event, Outreach
from dialogue.turns import clock, runner
from dialogue.turns.accept import ConversationOver, Incoming, accept
from dialogue.turns.learning import learn_published
from dialogue.turns.lease import is_free
from dialogue.turns.metrics import EXPIRED
from dialogue.turns.nlu.stores import forget_answers
from dialogue.turns.process.database import in_background, in_sender
from dialogue.turns.waiting.outreach import begin_due
from dialogue.turns.waiting.timers import fire_due
from dialogue.turns.worker import SERVICE, Ports, drain

log = logging.getLogger(__name__)

PERIOD_SECONDS = 2.0
"""Seconds between two sweeps."""

LINE_PERIOD_SECONDS = 0.5
"""Seconds between two looks for lines that channels wait for: a customer does."""

BATCH_ROWS = 100
MAX_CONCURRENT_CONVERSATIONS = 20


@dataclass(frozen=True)
class SweepResult:
    """Numbers of expired sessions, turns run, idle conversations that were told to end, and mails sent."""

    expired: int
    turns: int
    ended: int
    mails: int = 0

    def __str__(self) -> str:
        done = f"{self.expired} expired, {self.turns} turns run, {self.ended} conversations ended"
        return f"{done}, {self.mails} mails sent"


async def sweep(ports: Ports = SERVICE) -> SweepResult:
    """Do everything that is due now, the oldest first and the mails last. Turns run in this process."""
    return await sweep_with(partial(_drain_all, ports))


async def _sweep_database(run: Callable[[list[UUID]], Awaitable[int]]) -> SweepResult:
    expired = 0
    while count := await in_background(expire_due)(BATCH_ROWS):
        expired += count
        EXPIRED.inc(count)
    for fire in (fire_due, begin_due):
        while await in_background(fire)(BATCH_ROWS):
            pass
    await in_background(return_expired_claims)(BATCH_ROWS)
    await in_background(escalate_due)(BATCH_ROWS)
    ended = await in_background(end_idle)()
    await in_background(forget_answers)()
    await in_background(delete_periodically)()
    turns = 0
    while waiting := await in_background(unattended_conversations)():
        ran = await run(waiting)
        turns += ran
        if not ran:  # left to the runner, or all leased meanwhile: the next sweep looks again
            break
    return SweepResult(expired, turns, ended)


async def sweep_with(run: Callable[[list[UUID]], Awaitable[int]]) -> SweepResult:
    """Do everything that is due now. `run` takes the unattended conversations and returns how many turns it ran."""
    swept = await _sweep_database(run)
    await in_background(deliver_answers)()
    await in_background(address_events)()
    await in_background(deliver_webhooks)()
    await in_background(deliver_lines)()
    return replace(swept, mails=await in_background(deliver_due)())


async def sweep_forever(period: float = PERIOD_SECONDS) -> None:
    """Sweep every `period` seconds until cancelled. A slow turn, mail server or program delays no other job.

    The key that signs receipts is made first: an installation has it before its first decision.
    """
    try:
        await in_background(ensure_key)()
    except Exception:
        log.exception("The key of receipts could not be made. The first receipt makes it.")
    answers = OutsideSender(due_accounts, deliver_answers_of, "Account")
    webhooks = OutsideSender(due_endpoints, deliver_to, "Webhook")
    lines = OutsideSender(due_connections, deliver_through, "Channel")
    jobs = (
        partial(_sweep_database, _wake_all),
        in_background(deliver_due),
        in_background(learn_published),
        answers.send_due,
        partial(_send_webhooks, webhooks),
    )
    await asyncio.gather(
        *(_repeat(job, period) for job in jobs), _repeat(lines.send_due, min(period, LINE_PERIOD_SECONDS))
    )


async def _send_webhooks(webhooks: "OutsideSender") -> None:
    """Address the events to endpoints, and begin to send them."""
    while await in_background(address_events)() == BATCH_EVENTS:
        pass
    await webhooks.send_due()


class OutsideSender:
    """Sends to other systems, each target in a task of its own, so that a slow one delays no other.

    `due` returns the numbers of the targets that something is due for, `deliver` sends it to one of them.
    """

    def __init__(self, due: Callable[[], list[int]], deliver: Callable[[int], int], title: str) -> None:
        self._due, self._deliver, self._title = due, deliver, title
        self._tasks: dict[int, asyncio.Task[int]] = {}

    async def send_due(self) -> None:
        """Begin to send to each target that is not being sent to."""
        self._tasks = {target: task for target, task in self._tasks.items() if not task.done()}
        for target in await in_background(self._due)():
            if target not in self._tasks:
                self._tasks[target] = asyncio.create_task(self._send(target))

    async def _send(self, target: int) -> int:
        try:
            return await in_sender(self._deliver)(target)
        except Exception:
            log.exception("%s %s could not be sent to. The next sweep tries again.", self._title, target)
            return 0


async def _wake_all(conversations: list[UUID]) -> int:
    """Hand the conversations to this process's runner. Returns 0, because no turn has run yet."""
    for conversation in conversations:
        runner.wake_conversation(conversation)
    return 0


async def _repeat(job: Callable[[], Awaitable[Any]], period: float) -> None:
    while True:
        try:
            await job()
        except Exception:
            log.exception("A sweep failed. The next one tries again.")
        await asyncio.sleep(period)


def unattended_conversations(limit: int = BATCH_ROWS) -> list[UUID]:
    """Conversations with due events that no runner has leased, the longest waiting first."""
    rows = Conversation.objects.filter(is_free(), Exists(_due_events())).order_by("active_at")
    return list(rows.values_list("pk", flat=True)[:limit])


def _due_events() -> QuerySet[Event]:
    return Event.objects.filter(conversation=OuterRef("pk"), state=Event.State.DUE)


def end_idle(limit: int = BATCH_ROWS) -> int:
    """End conversations that were idle longer than their assistant's `session_timeout`. Returns how many."""
    idle = Conversation.objects.filter(
        ~Exists(_due_events()),
        ~Exists(Outreach.objects.filter(conversation=OuterRef("pk"), state=Outreach.State.PLANNED)),
        state__in=Conversation.LEFT_ALONE,
        idle_until__lte=clock.sql_now(),
    )
    return sum(_end_conversation(row) for row in idle.order_by("idle_until")[:limit])


def _end_conversation(row: Conversation) -> bool:
    # The id is random: a client that could guess it might use it first, for a message of its own.
    try:
        accept(row.pk, Incoming(Event.Kind.TIMEOUT, f"timeout:{uuid4()}"))
    except ConversationOver:
        return False
    except Exception:
        log.exception("Conversation %s could not be ended. The next sweep tries again.", row.pk)
        return False
    return True


async def _drain_all(ports: Ports, conversations: list[UUID]) -> int:
    """Run the conversations, at most `MAX_CONCURRENT_CONVERSATIONS` at a time. Returns the number of turns."""
    slots = asyncio.Semaphore(MAX_CONCURRENT_CONVERSATIONS)

    async def drain_one(conversation: UUID) -> int:
        async with slots:
            return await drain(conversation, ports=ports)

    results = await asyncio.gather(*(drain_one(conversation) for conversation in conversations), return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            log.error("A conversation could not be run. The next sweep tries again.", exc_info=result)
    return sum(result for result in results if isinstance(result, int))
