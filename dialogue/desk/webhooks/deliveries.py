"""Send deliveries: at least once under one id, in order for each conversation, with growing pauses after failures.

A worker claims a delivery by one conditional update, which also sets the time of the next attempt if the process dies.
Bodies are sent outside of transactions. An endpoint gets one delivery at a time, and rests after a failure.
"""

import logging
from dataclasses import dataclass
from datetime import timedelta
from random import uniform
from time import monotonic

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.desk.webhooks.event_bodies import TEST
from dialogue.desk.webhooks.signed_posts import PostAnswer, PostFailed, SignedPost, send_post
from dialogue.desk.webhooks.signing_keys import endpoint_secrets
from dialogue.models import WebhookDelivery, WebhookEndpoint
from dialogue.turns import clock
from dialogue.turns.process.crash_points import crash_point

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 10
FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(hours=4)
"""The pause after a failed attempt is four times the one before, up to this: ten attempts take about fourteen hours."""
LONGEST_REST = timedelta(minutes=5)
"""An endpoint that fails gets no other delivery for the pause that its failures ask for, up to this."""
JITTER = 0.2
"""Pauses are up to this share longer or shorter, so that deliveries that failed together do not come back together."""
SEND_LEASE = timedelta(minutes=2)
"""How long sending may take. After that the worker counts as dead, and another one may try."""
MAX_ANSWER_CHARACTERS = 500
MAX_LOGGED_ATTEMPTS = 30
"""Attempts that a delivery keeps, the last ones: more than ten only where a person sent it again."""
MAX_ROUND_SECONDS = 20.0
GONE = 410

State = WebhookDelivery.State


@dataclass(frozen=True)
class _Claim:
    """A delivery that this process has claimed, as it is after the claim."""

    delivery: WebhookDelivery
    secrets: list[str]


def deliver_webhooks() -> int:
    """Send what is due to every endpoint, one after the other; return the number that arrived."""
    return sum(map(deliver_to, due_endpoints()))


def due_endpoints() -> list[int]:
    """Return the endpoints to which something can be sent now."""
    due = WebhookDelivery.objects.filter(endpoint=OuterRef("pk"), state=State.PENDING, due_at__lte=clock.sql_now())
    rows = WebhookEndpoint.objects.filter(Q(_is_open(""), Exists(due)) | Exists(due.filter(type=TEST)))
    return list(rows.order_by("pk").values_list("pk", flat=True))


def deliver_to(endpoint: int) -> int:
    """Send an endpoint what is due, until an attempt fails or `MAX_ROUND_SECONDS` are over; return what arrived."""
    count, end = 0, monotonic() + MAX_ROUND_SECONDS
    while monotonic() < end:
        delivery = _sendable(endpoint).order_by("pk").first()
        if delivery is None:
            break
        claim = _claim(delivery)
        if claim is None:
            continue  # another worker has it, or it has been deleted
        if not _attempt(claim):
            break
        count += 1
    return count


def _is_open(prefix: str) -> Q:
    rested = Q(**{f"{prefix}rests_until": None}) | Q(**{f"{prefix}rests_until__lte": clock.sql_now()})
    return rested & Q(**{f"{prefix}state": WebhookEndpoint.State.ACTIVE})


def _sendable(endpoint: int) -> QuerySet[WebhookDelivery]:
    """The deliveries that are due and have no earlier one of their conversation before them."""
    earlier = WebhookDelivery.objects.filter(
        endpoint=endpoint, conversation=OuterRef("conversation"), state=State.PENDING, pk__lt=OuterRef("pk")
    )
    due = WebhookDelivery.objects.filter(endpoint=endpoint, state=State.PENDING, due_at__lte=clock.sql_now())
    return due.filter(_is_open("endpoint__") | Q(type=TEST)).exclude(Exists(earlier))


def with_order(rows: QuerySet[WebhookDelivery]) -> QuerySet[WebhookDelivery]:
    """The deliveries with `is_held`: whether an earlier one of their conversation has to arrive or fail before them."""
    earlier = WebhookDelivery.objects.filter(
        endpoint=OuterRef("endpoint"), conversation=OuterRef("conversation"), state=State.PENDING, pk__lt=OuterRef("pk")
    )
    return rows.annotate(is_held=Exists(earlier))


def earlier_pending(delivery: WebhookDelivery) -> WebhookDelivery | None:
    """Return the delivery for which a pending one waits: the first pending one of its conversation before it."""
    if delivery.state != State.PENDING or delivery.conversation_id is None:
        return None
    rows = WebhookDelivery.objects.filter(
        endpoint=delivery.endpoint_id, conversation=delivery.conversation_id, state=State.PENDING, pk__lt=delivery.pk
    )
    return rows.defer("body", "answer").order_by("pk").first()


def _claim(delivery: WebhookDelivery) -> _Claim | None:
    """Claim the delivery; None where another worker was faster.

    The condition names columns of the row only: PostgreSQL does not look again into a subquery after it has waited.
    """
    now = clock.now()
    changes = {"attempts": delivery.attempts + 1, "tried_at": now, "due_at": now + SEND_LEASE}
    if _own_row(delivery).update(**changes) != 1:
        return None
    claimed = WebhookDelivery.objects.select_related("endpoint").filter(pk=delivery.pk).first()
    return _Claim(claimed, endpoint_secrets(claimed.endpoint_id)) if claimed else None


def _attempt(claim: _Claim) -> bool:
    """Send a claimed delivery, and store what came of it. Whether it arrived."""
    crash_point("W1")
    answer, error = _send(claim)
    crash_point("W2")
    is_success = answer is not None and answer.is_success
    (_mark_delivered if is_success else _mark_failed)(claim.delivery, answer, error)
    return is_success


def _send(claim: _Claim) -> tuple[PostAnswer | None, str]:
    """Return the answer and, where the delivery has not arrived, the reason."""
    delivery = claim.delivery
    if not claim.secrets:
        return None, "The secret was made with an earlier key of this server. Replace the secret."
    seconds = int(clock.now().timestamp())
    try:
        answer = send_post(
            SignedPost(delivery.endpoint.url, delivery.webhook_id, delivery.body.encode(), claim.secrets, seconds)
        )
    except PostFailed as failure:
        return None, str(failure)
    if answer.is_success:
        return answer, ""
    redirect = " Redirects are not followed." if 300 <= answer.status < 400 else ""
    return answer, f"The address answered {answer.status}.{redirect}"


@transaction.atomic
def _mark_delivered(delivery: WebhookDelivery, answer: PostAnswer | None, _error: str) -> None:
    now = clock.now()
    columns = _answer_columns(delivery, answer, "")
    if _own_row(delivery).update(state=State.DELIVERED, delivered_at=now, error="", **columns):
        WebhookEndpoint.objects.filter(pk=delivery.endpoint_id).update(succeeded_at=now, failures=0, rests_until=None)


@transaction.atomic
def _mark_failed(delivery: WebhookDelivery, answer: PostAnswer | None, error: str) -> None:
    """Plan the next attempt. After the last one the delivery has failed, or the whole endpoint is paused."""
    now = clock.now()
    log.warning("delivery %s was not taken: %s", delivery.webhook_id, error)
    own_row, columns = _own_row(delivery), {"error": error[:500], **_answer_columns(delivery, answer, error)}
    endpoint = WebhookEndpoint.objects.select_for_update().filter(pk=delivery.endpoint_id).first()
    if endpoint is None:
        return  # deleted meanwhile, and the delivery with it
    if delivery.type == TEST:
        own_row.update(state=State.FAILED, **columns)
        return
    is_spent = delivery.attempts >= MAX_ATTEMPTS
    works_else = endpoint.succeeded_at is not None and endpoint.succeeded_at >= delivery.made_at
    if is_spent and works_else:
        own_row.update(state=State.FAILED, **columns)
    elif own_row.update(due_at=now + pause_after(delivery.attempts), **columns):
        _rest(endpoint)
        if is_spent or (answer is not None and answer.status == GONE):
            cause = WebhookEndpoint.Cause.FAILING if is_spent else WebhookEndpoint.Cause.GONE
            _pause_failing(endpoint, cause, delivery)


def pause_after(attempts: int) -> timedelta:
    """Return the time from the failed attempt with this number to the next one."""
    factor: int = 4 ** (min(attempts, MAX_ATTEMPTS) - 1)
    return min(FIRST_PAUSE * factor, LONGEST_PAUSE) * uniform(1 - JITTER, 1 + JITTER)


def _own_row(delivery: WebhookDelivery) -> QuerySet[WebhookDelivery]:
    """The delivery, unless another worker has tried it since it was read."""
    return WebhookDelivery.objects.filter(pk=delivery.pk, state=State.PENDING, attempts=delivery.attempts)


def _answer_columns(delivery: WebhookDelivery, answer: PostAnswer | None, error: str) -> dict[str, object]:
    """The columns with what came of the attempt that the delivery is claimed for; `error` is empty if it arrived."""
    status, milliseconds = (answer.status, answer.milliseconds) if answer else (None, None)
    attempt = {
        "at": (delivery.tried_at or clock.now()).isoformat(),
        "status": status,
        "milliseconds": milliseconds,
        "error": error[:500],
    }
    return {
        "status": status,
        "answer": answer.text[:MAX_ANSWER_CHARACTERS] if answer else "",
        "milliseconds": milliseconds,
        "attempt_log": [*delivery.attempt_log, attempt][-MAX_LOGGED_ATTEMPTS:],
    }


def _rest(endpoint: WebhookEndpoint) -> None:
    endpoint.failures += 1
    rest = min(pause_after(endpoint.failures), LONGEST_REST)
    WebhookEndpoint.objects.filter(pk=endpoint.pk).update(failures=endpoint.failures, rests_until=clock.now() + rest)


def _pause_failing(endpoint: WebhookEndpoint, cause: str, delivery: WebhookDelivery) -> None:
    """Pause an endpoint that takes nothing. Its deliveries wait, and a person resumes it."""
    active = WebhookEndpoint.objects.filter(pk=endpoint.pk, state=WebhookEndpoint.State.ACTIVE)
    now = clock.now()
    if active.update(state=WebhookEndpoint.State.PAUSED, paused_because=cause, paused_at=now):
        log.error("webhook %s is paused: %s", endpoint.pk, cause)
        facts = {"cause": cause, "attempts": delivery.attempts}
        chain.record(CONSOLE, [Act("webhook.paused", "clock", subject=f"webhook {endpoint.pk}", facts=facts)], now)
