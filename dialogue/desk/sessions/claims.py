"""Taking a session on, giving it back, and keeping it for later: nothing here decides it."""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from dialogue.audit import chain
from dialogue.audit.chain import Act
from dialogue.desk.access.people import Caller
from dialogue.desk.forms import refusals
from dialogue.desk.forms.deadlines import clock_time, deadline_passed
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
"""How long a claim holds without activity; then it has returned by itself."""


def claim(number: int, caller: Caller, *, version: int | None = None) -> Outcome:
    """Take the session on; the holder's claim is renewed."""
    return run_operation(Request(number, caller, transitions.CLAIM, version), _assign)


def take_over(number: int, caller: Caller, *, reason: str, version: int | None = None) -> Outcome:
    """Take the session from whoever has it; for supervisors, with a reason."""
    return run_operation(Request(number, caller, transitions.TAKE_OVER, version, reason), _assign)


def release(number: int, caller: Caller, *, version: int | None = None) -> Outcome:
    """Put the session back for others; for its holder."""
    return _run_update(
        Request(number, caller, transitions.RELEASE, version), lambda _visit: {"assignee": None, "claimed_until": None}
    )


def snooze(number: int, caller: Caller, duration: timedelta, *, version: int | None = None) -> Outcome:
    """Look at it again after `duration`; the deadline stays, and nothing is put off until it has passed."""

    def put_off(operation: Operation) -> Outcome:
        operation.update(follow_up_at=check_snooze(operation, duration))
        operation.publish()
        return Outcome(operation.session)

    return run_operation(Request(number, caller, transitions.SNOOZE, version), put_off)


def check_snooze(operation: Operation, duration: timedelta) -> datetime:
    """When the session comes back. Raises what is in its way; InvalidValue for the past, and from the deadline on."""
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
    """Put a snoozed session back into the queue now."""
    return _run_update(Request(number, caller, transitions.UNSNOOZE, version), lambda _visit: {"follow_up_at": None})


def extend(
    number: int,
    caller: Caller,
    *,
    by: timedelta | None = None,
    until: datetime | None = None,
    version: int | None = None,
) -> Outcome:
    """Move the deadline by a duration or to a moment, while it has not passed; for supervisors."""

    def extend_deadline(operation: Operation) -> dict[str, Any]:
        deadline = _new_deadline(operation.session, by, until)
        if deadline <= operation.at:
            raise refusals.InvalidValue(_("The new deadline has passed already."), session=operation.session)
        return {"expires_at": deadline, "urgent_at": earliest_of(operation.session.due_at, deadline)}

    return _run_update(Request(number, caller, transitions.EXTEND, version), extend_deadline)


def save_draft(number: int, caller: Caller, text: DraftText, *, version: int | None = None) -> Outcome:
    """Keep what was typed, as typed; the holder's claim is renewed. A refusal keeps it too, and carries it."""

    def store(operation: Operation) -> Outcome:
        operation.check_all()
        drafts.store_draft(operation.session, operation.person.id, text, operation.at)
        renew_claim(operation)
        return Outcome(operation.session)

    return run_operation(Request(number, caller, transitions.SAVE_DRAFT, version, draft=text), store)


def add_note(number: int, caller: Caller, text: str, *, version: int | None = None) -> Outcome:
    """Write a line into the session's history, whatever its state."""

    def write_note(operation: Operation) -> Outcome:
        operation.check_right()
        operation.check_version()
        if not text.strip():
            raise refusals.InvalidValue(_("A note needs some text."), session=operation.session)
        operation.publish(detail={"text": storable_value(text)})
        return Outcome(operation.session)

    return run_operation(Request(number, caller, transitions.NOTE, version), write_note)


def renew_claim(operation: Operation) -> None:
    """Activity keeps a claim alive, and brings none back whose time ran out.

    The version stays: what the holder's own form shows has not changed.
    """
    if operation.is_held_by_caller:
        row = HITLSession.objects.filter(pk=operation.session.pk, version=operation.session.version)
        row.update(claimed_until=operation.at + CLAIM_LEASE)


def return_expired_claims(limit: int = 100) -> int:
    """Put sessions whose claim ran out back to open, oldest first; the number of them."""
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
    """Who has the session, or had it last."""
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
