"""Timers of pauses as rows: set and ended in a turn's commit, fired by the sweep as events of the conversation."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction

from dialogue.engine.ports.timers import TimerRequest
from dialogue.engine.stack.turn import SettledPause
from dialogue.models import Event, Timer
from dialogue.turns import clock
from dialogue.turns.accept import ConversationOver, Incoming, accept, lock_conversation
from dialogue.turns.process.crash_points import crash_point
from dialogue.turns.waiting.contact import has_refused, quiet_hours_end

log = logging.getLogger(__name__)


def end_timers(conversation: UUID, settled: Iterable[SettledPause]) -> None:
    """Delete the timers of the pauses that ended in this turn."""
    keys = [pause.task_key for pause in settled if pause.timed]
    if keys:
        Timer.objects.filter(conversation=conversation, task_key__in=keys).delete()


def mark_fired(conversation: UUID, payload: Mapping[str, Any], at: datetime) -> None:
    """Mark the timer of this event as fired, so that the sweep does not fire it too."""
    own = Timer.objects.filter(conversation=conversation, task_key=payload["task"], name=payload["timer"])
    own.filter(fired_at__isnull=True).update(fired_at=at)


def set_timers(conversation: UUID, requests: Sequence[TimerRequest], ahead: timedelta = timedelta(0)) -> None:
    """Store the timers that a turn has set. `ahead`: how far the clock of a test is ahead of the database's."""
    rows = [
        Timer(conversation_id=conversation, task_key=timer.task_key, name=timer.name, due_at=timer.at - ahead)
        for timer in requests
    ]
    if rows:
        # A pause whose number was used before, as after a restored backup, keeps the timer that it has.
        Timer.objects.bulk_create(rows, ignore_conflicts=True)


def fire_due(limit: int = 100) -> int:
    """Accept an event for each timer that is due by the database's clock, the oldest first; return their number.

    A timer that fails is logged and left for the next sweep; the others go on. Running it twice changes nothing.
    """
    due = Timer.objects.filter(fired_at__isnull=True, due_at__lte=clock.sql_now())
    return sum(map(_fire_or_log, list(due.order_by("due_at", "pk")[:limit])))


def _fire_or_log(timer: Timer) -> bool:
    crash_point("T1")
    try:
        fired = _fire(timer)
    except Exception:
        log.exception("timer %s could not be fired; the next sweep tries again", timer.pk)
        return False
    crash_point("T3")
    return fired


@transaction.atomic
def _fire(timer: Timer) -> bool:
    """Fire the timer if its pause is still open; False when a turn or another process was faster.

    In quiet hours reminders and ends of waits are moved to their end. A time limit is not: others may depend on it.
    """
    own = Timer.objects.filter(pk=timer.pk)
    try:
        conversation, at = lock_conversation(timer.conversation_id)
    except ConversationOver:
        own.delete()
        return False
    if timer.name == "reminder" and has_refused(conversation):
        own.delete()
        return False
    quiet_end = quiet_hours_end(conversation, at) if timer.name != "timeout" else None
    if quiet_end is not None:
        own.filter(fired_at__isnull=True).update(due_at=quiet_end)
        return False
    due = Timer.objects.filter(pk=timer.pk, fired_at__isnull=True, due_at__lte=clock.sql_now())
    if due.update(fired_at=at) != 1:
        return False
    # Random, because a client that could guess the id might take it first with a message of its own.
    payload = {"task": timer.task_key, "timer": timer.name}
    accept(timer.conversation_id, Incoming(Event.Kind.TIMER, f"timer:{uuid4()}", payload))
    crash_point("T2")
    return True
