"""Escalation: when no decision comes in time, another role may decide too, and is told. The session keeps waiting."""

import logging

from django.db import transaction
from django.db.models import F, Q, QuerySet

from dialogue.audit import chain
from dialogue.audit.chain import Act
from dialogue.desk.sessions.operation import lock_conversation_of, publish_inbox_event
from dialogue.models import HITLSession
from dialogue.models.sessions.inbox_event import ESCALATED
from dialogue.turns import clock
from dialogue.turns.answer_links import invite_role

log = logging.getLogger(__name__)


def escalate_due(limit: int = 100) -> int:
    """Escalate what is due by the database's clock, oldest first, one transaction each; return the number.

    A session that fails is logged and left for the next sweep. Running it twice changes nothing.
    """
    numbers = list(_due_sessions().order_by("escalates_at", "pk").values_list("pk", flat=True)[:limit])
    return sum(_escalate_or_log(number) for number in numbers)


def _due_sessions() -> QuerySet[HITLSession]:
    now = clock.sql_now()
    in_time = Q(expires_at__isnull=True) | Q(expires_at__gt=now)
    waiting = HITLSession.objects.filter(in_time, HITLSession.undecided())
    return waiting.filter(escalates_at__lte=now, escalated_at__isnull=True)


def _escalate_or_log(number: int) -> bool:
    try:
        return _escalate_session(number)
    except Exception:
        log.exception("g%s could not be escalated; the next sweep tries again", number)
        return False


@transaction.atomic
def _escalate_session(number: int) -> bool:
    """Escalate the session; False when a person decided in this moment, or another sweep was first."""
    lock_conversation_of(number)
    at = clock.now()
    if _due_sessions().filter(pk=number).update(escalated_at=at, version=F("version") + 1) != 1:
        return False
    session = HITLSession.objects.select_related("escalates_to", "conversation").get(pk=number)
    publish_inbox_event(session, ESCALATED, at)
    role = session.escalates_to.name if session.escalates_to else ""
    act = Act("session.escalated", "clock", None, session.name, {"role": role})
    chain.record(session.conversation_id, [act, *invite_role(session, session.escalates_to, at)], at)
    return True
