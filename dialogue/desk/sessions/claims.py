"""Claims: take a session, release it, put it off, extend its deadline, and note what was typed."""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F

from dialogue.audit import chain
from dialogue.audit.chain import Act
from dialogue.desk.access.people import Caller
from dialogue.desk.forms import refusals
from dialogue.desk.forms.deadlines import deadline_passed
from dialogue.desk.forms.sentences import clock_time
from dialogue.desk.forms.sentences import sentence as _
from dialogue.desk.sessions import drafts, transitions
from dialogue.desk.sessions.drafts import DraftText
from dialogue.desk.sessions.operation import (
    Operation,
    Outcome,
    Request,
    lock_conversation_of,
    publish_inbox_event,
    run_operation,
)
from dialogue.models import AuditEntry, HITLSession
from dialogue.models.account import Account, accounts
from dialogue.models.sessions.session import earliest_of
from dialogue.turns import clock
from dialogue.turns.accept import storable_value

CLAIM_LEASE = timedelta(minutes=10)
"""How long a claim lasts without activity. An expired claim does not count, even before the sweep returns it."""


def claim(number: int, caller: Caller, *, version: int | None = None) -> Outcome:
    """Claim the session, or renew the caller's claim. Raises what `run_operation` and `Operation.check_all` raise."""
    return run_operation(Request(number, caller, transitions.CLAIM, version), _assign)


def take_over(number: int, caller: Caller, *, reason: str, version: int | None = None) -> Outcome:
    """Take the session from its holder; for supervisors, with a reason. Raises as `claim` does."""
    return run_operation(Request(number, caller, transitions.TAKE_OVER, version, reason), _assign)


def release(number: int, caller: Caller, *, version: int | None = None) -> Outcome:
    """Release the session for others; for its holder. Raises as `claim` does."""
    return _run_update(
        Request(number, caller, transitions.RELEASE, version), lambda _visit: {"assignee": None, "claimed_until": None}
    )


def snooze(number: int, caller: Caller, duration: timedelta, *, version: int | None = None) -> Outcome:
    """Take the session out of the queue for `duration`; the deadline stays.

    Raises InvalidValue for a duration of zero or one that reaches the deadline, and what `claim` raises.
    """

    def put_off(operation: Operation) -> Outcome:
        operation.update(follow_up_at=check_snooze(operation, duration))
        operation.publish()
        return Outcome(operation.session)

    return run_operation(Request(number, caller, transitions.SNOOZE, version), put_off)


def check_snooze(operation: Operation, duration: timedelta) -> datetime:
    """Return when the session comes back. Raises InvalidValue, and what `Operation.check_all` raises."""
    operation.check_all()
    at = operation.at + duration
    if duration <= timedelta(0):
        raise refusals.InvalidValue(_("That moment has passed already."), session=operation.session)
    if deadline_passed(operation.session, at):
        facts = {"gate": operation.session.name, "when": clock_time(operation.session.expires_at)}
        detail = _("%(gate)s expires at %(when)s, before it would come back. Choose a shorter time.") % facts
        raise refusals.InvalidValue(detail, session=operation.session)
    return at


def unsnooze(number: int, caller: Caller, *, version: int | None = None) -> Outcome:
    """Put a snoozed session back into the queue now. Raises as `claim` does."""
    return _run_update(Request(number, caller, transitions.UNSNOOZE, version), lambda _visit: {"follow_up_at": None})


def extend(
    number: int,
    caller: Caller,
    *,
    by: timedelta | None = None,
    until: datetime | None = None,
    version: int | None = None,
) -> Outcome:
    """Move the deadline by a duration or to a moment, while it has not passed; for supervisors.

    Raises InvalidValue without a deadline or for a moment in the past, and what `claim` raises.
    """

    def extend_deadline(operation: Operation) -> dict[str, Any]:
        deadline = _new_deadline(operation.session, by, until)
        if deadline <= operation.at:
            raise refusals.InvalidValue(_("The new deadline has passed already."), session=operation.session)
        return {"expires_at": deadline, "urgent_at": earliest_of(operation.session.due_at, deadline)}

    return _run_update(Request(number, caller, transitions.EXTEND, version), extend_deadline)


def save_draft(number: int, caller: Caller, text: DraftText, *, version: int | None = None) -> Outcome:
    """Store what was typed, as typed, and renew the holder's claim.

    Raises as `claim` does; a refused draft is stored too, and the exception carries it.
    """

    def store(operation: Operation) -> Outcome:
        operation.check_all()
        drafts.store_draft(operation.session, operation.person.id, text, operation.at)
        renew_claim(operation)
        return Outcome(operation.session)

    return run_operation(Request(number, caller, transitions.SAVE_DRAFT, version, draft=text), store)


def add_note(number: int, caller: Caller, text: str, *, version: int | None = None) -> Outcome:
    """Write a line into the session's history, in any state.

    Raises InvalidValue for an empty line, NotAllowed, StaleVersion, SessionNotFound.
    """

    def write_note(operation: Operation) -> Outcome:
        operation.check_right()
        operation.check_version()
        if not text.strip():
            raise refusals.InvalidValue(_("A note needs some text."), session=operation.session)
        operation.publish(detail={"text": storable_value(text)})
        return Outcome(operation.session)

    return run_operation(Request(number, caller, transitions.NOTE, version), write_note)


def renew_claim(operation: Operation) -> None:
    """Extend the caller's claim after activity; an expired claim stays expired.

    The version stays, so that the holder's open form is still valid.
    """
    if operation.is_held_by_caller:
        row = HITLSession.objects.filter(pk=operation.session.pk, version=operation.session.version)
        row.update(claimed_until=operation.at + CLAIM_LEASE)


def return_expired_claims(limit: int = 100) -> int:
    """Return sessions whose claim has run out to the queue, oldest first, one transaction each; return their number."""
    lapsed = HITLSession.objects.filter(state=HITLSession.State.CLAIMED, claimed_until__lte=clock.sql_now())
    numbers = lapsed.order_by("claimed_until").values_list("pk", flat=True)[:limit]
    return sum(_return_claim(number) for number in list(numbers))


@transaction.atomic
def _return_claim(number: int) -> bool:
    lock_conversation_of(number)
    lapsed = HITLSession.objects.filter(pk=number, state=HITLSession.State.CLAIMED, claimed_until__lte=clock.sql_now())
    lost = lapsed.values_list("assignee_id", flat=True).first()
    changes = {"state": HITLSession.State.OPEN, "assignee": None, "claimed_until": None}
    if lapsed.update(version=F("version") + 1, **changes) != 1:
        return False
    session = HITLSession.objects.get(pk=number)
    at = clock.now()
    publish_inbox_event(session, transitions.RELEASE.inbox_event, at)
    returned = Act("session.claim_returned", "clock", subject=session.name, facts={"holder": lost})
    chain.record(session.conversation_id, [returned], at)
    return True


def _assign(operation: Operation) -> Outcome:
    operation.check_all()
    before = _last_holder(operation.session)
    operation.update(assignee=operation.person.id, claimed_until=operation.at + CLAIM_LEASE)
    drafts.pass_on_draft(operation.session, before, operation.person.id, operation.at)
    operation.publish(detail={"reason": storable_value(operation.request.reason)} if operation.request.reason else None)
    return Outcome(operation.session)


def _last_holder(session: HITLSession) -> Account | None:
    """Return the holder of the session, or its last one."""
    if session.assignee is not None:
        return session.assignee
    claims = AuditEntry.objects.filter(subject=session.name, act__in=("session.claim", "session.take_over"))
    last = claims.order_by("-at", "-pk").values_list("actor_id", flat=True).first()
    return accounts().filter(pk=last).first() if last else None


def _run_update(request: Request, changes: Any) -> Outcome:
    def write_changes(operation: Operation) -> Outcome:
        operation.check_all()
        operation.update(**changes(operation))
        operation.publish()
        return Outcome(operation.session)

    return run_operation(request, write_changes)


def _new_deadline(session: HITLSession, by: timedelta | None, until: datetime | None) -> datetime:
    if until is not None:
        return until
    if session.expires_at is None or by is None:
        raise refusals.InvalidValue(_("%s has no deadline to extend.") % session.name, session=session)
    return session.expires_at + by
