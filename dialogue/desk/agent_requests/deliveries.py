"""Deliver answers to the addresses that agents named: at least once, under one id; three failures make an incident.

A worker claims a request by one conditional update, which also sets the time of the next attempt if the process dies.
The answer is sent outside of transactions.
"""

import logging
from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from dialogue.audit import chain
from dialogue.audit.chain import Act
from dialogue.desk.agent_requests.answers import lock_thread, mark_delivered, move_deliveries, request_view
from dialogue.desk.agent_requests.callbacks import Callback, CallbackFailed, send_callback
from dialogue.desk.webhooks.signing_keys import account_secrets
from dialogue.models import AgentRequest, HITLSession
from dialogue.turns import clock
from dialogue.turns.process.crash_points import crash_point

log = logging.getLogger(__name__)

BACKOFF = (timedelta(seconds=30), timedelta(minutes=5))
"""The time from the first and the second failed attempt to the next one."""
MAX_ATTEMPTS = len(BACKOFF) + 1
SEND_LEASE = timedelta(minutes=2)
"""How long sending may take. After that the worker counts as dead, and another one may try."""


def deliver_answers() -> int:
    """Send the answers that are due, of one account after the other; return the number that arrived."""
    return sum(map(deliver_answers_of, due_accounts()))


def due_accounts() -> list[int]:
    """Return the accounts whose agents wait for an answer that can be sent now."""
    return list(_due_requests().order_by("by").values_list("by", flat=True).distinct())


def deliver_answers_of(account: int, limit: int = 20) -> int:
    """Send an account's answers that are due, oldest first; return what arrived. One that fails stops no other."""
    rows = _due_requests().filter(by=account).order_by("due_at", "pk")
    return sum(_deliver_or_log(number) for number in list(rows.values_list("pk", flat=True)[:limit]))


def _due_requests() -> QuerySet[AgentRequest]:
    """The requests whose questions are all decided, and whose answer was not delivered."""
    undecided = HITLSession.objects.filter(agent_pause__request=OuterRef("pk"), state__in=HITLSession.UNDECIDED)
    rows = AgentRequest.objects.filter(state=AgentRequest.State.WAITING, due_at__lte=clock.sql_now())
    return rows.exclude(callback="").exclude(Exists(undecided))


def _deliver_or_log(number: int) -> bool:
    try:
        return _deliver(number)
    except Exception:
        log.exception("the answer to request %s could not be delivered; the next sweep tries again", number)
        return False


def _deliver(number: int) -> bool:
    request = _claim(number)
    if request is None:
        return False
    crash_point("R3")
    seconds = int(clock.now().timestamp())
    body = request_view(request)
    try:
        secret, *earlier = account_secrets(request.by_id) or [""]
        send_callback(Callback(request.callback, f"req_{request.pk}", body, secret, seconds, tuple(earlier)))
    except CallbackFailed as failure:
        log.warning("the answer to request %s was not taken: %s", request.pk, failure)
        _mark_failed(request, str(failure))
        return False
    crash_point("R4")
    return mark_delivered(request, "webhook")


@transaction.atomic
def _claim(number: int) -> AgentRequest | None:
    """Claim the answer; None if another worker has it or its attempts are used up."""
    request = AgentRequest.objects.select_related("conversation").get(pk=number)
    lock_thread(request)
    if request.attempts >= MAX_ATTEMPTS:
        _give_up(request, "the process ended in each attempt")
        return None
    unclaimed = _due_requests().filter(pk=number, attempts=request.attempts)
    if unclaimed.update(attempts=request.attempts + 1, due_at=clock.now() + SEND_LEASE) != 1:
        return None
    request.attempts += 1
    move_deliveries(request, HITLSession.Delivery.APPLYING)
    return request


@transaction.atomic
def _mark_failed(request: AgentRequest, error: str) -> None:
    lock_thread(request)
    if request.attempts >= MAX_ATTEMPTS:
        _give_up(request, error)
        return
    due_at = clock.now() + BACKOFF[request.attempts - 1]
    waiting = AgentRequest.objects.filter(pk=request.pk, state=AgentRequest.State.WAITING)
    if waiting.update(error=error[:2000], due_at=due_at):
        move_deliveries(request, HITLSession.Delivery.PENDING)


def _give_up(request: AgentRequest, error: str) -> None:
    """Make the answer an incident after the last attempt; at the gate a supervisor can send it again."""
    waiting = AgentRequest.objects.filter(pk=request.pk, state=AgentRequest.State.WAITING)
    if waiting.update(state=AgentRequest.State.INCIDENT, error=error[:2000]):
        move_deliveries(request, HITLSession.Delivery.INCIDENT)
        act = Act("request.incident", "clock", subject=request.ref, facts={"attempt": request.attempts})
        chain.record(request.conversation_id, [act], clock.now(), is_locked=True)
