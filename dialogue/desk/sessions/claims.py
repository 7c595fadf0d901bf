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
from dialogue.desk.forms.storable import storable
from dialogue.desk.sessions import drafts, transitions
from dialogue.desk.sessions.drafts import DraftText
from dialogue.desk.sessions.operation import Knock, Outcome, Visit, announce, go_through
from dialogue.models import AuditEntry, Conversation, HITLSession
from dialogue.models.account import Account, accounts
from dialogue.models.sessions.session import earliest_of
from dialogue.turns import clock

LEASE = timedelta(minutes=10)
"""How long a claim holds without activity; then it has returned by itself."""


def claim(number: int, caller: Caller, *, version: int | None = None) -> Outcome:
    """Take the session on; the holder's claim is renewed."""
    return go_through(Knock(number, caller, transitions.CLAIM, version), _take)


def take_over(number: int, caller: Caller, *, reason: str, version: int | None = None) -> Outcome:
    """Take the session from whoever has it; for supervisors, with a reason."""
    return go_through(Knock(number, caller, transitions.TAKE_OVER, version, reason), _take)


def release(number: int, caller: Caller, *, version: int | None = None) -> Outcome:
    """Put the session back for others; for its holder."""
    return _write(
        Knock(number, caller, transitions.RELEASE, version), lambda _visit: {"assignee": None, "claimed_until": None}
    )


def snooze(number: int, caller: Caller, duration: timedelta, *, version: int | None = None) -> Outcome:
    """Look at it again after `duration`; the deadline stays, and nothing is put off until it has passed."""

    def off(visit: Visit) -> Outcome:
        visit.write(follow_up_at=acceptable_snooze(visit, duration))
        visit.tell()
        return Outcome(visit.session)

    return go_through(Knock(number, caller, transitions.SNOOZE, version), off)


def acceptable_snooze(visit: Visit, duration: timedelta) -> datetime:
    """When the session comes back. Raises what is in its way; InvalidValue for the past, and from the deadline on."""
    visit.check()
    at = visit.at + duration
    if duration <= timedelta(0):
        raise refusals.InvalidValue(_("That moment has passed already."), session=visit.session)
    if beyond_deadline(visit.session, at):
        facts = {"gate": visit.session.name, "when": refusals.clock_time(visit.session.expires_at)}
        detail = _("%(gate)s expires at %(when)s, before it would come back. Choose a shorter time.") % facts
        raise refusals.InvalidValue(detail, session=visit.session)
    return at


def unsnooze(number: int, caller: Caller, *, version: int | None = None) -> Outcome:
    """Put a snoozed session back into the queue now."""
    return _write(Knock(number, caller, transitions.UNSNOOZE, version), lambda _visit: {"follow_up_at": None})


def beyond_deadline(session: HITLSession, at: datetime) -> bool:
    """Whether the session would have expired by then."""
    return session.expires_at is not None and session.expires_at <= at


def extend(
    number: int,
    caller: Caller,
    *,
    by: timedelta | None = None,
    until: datetime | None = None,
    version: int | None = None,
) -> Outcome:
    """Move the deadline by a duration or to a moment, while it has not passed; for supervisors."""

    def later(visit: Visit) -> dict[str, Any]:
        deadline = _later(visit.session, by, until)
        if deadline <= visit.at:
            raise refusals.InvalidValue(_("The new deadline has passed already."), session=visit.session)
        return {"expires_at": deadline, "urgent_at": earliest_of(visit.session.due_at, deadline)}

    return _write(Knock(number, caller, transitions.EXTEND, version), later)


def save_draft(number: int, caller: Caller, text: DraftText, *, version: int | None = None) -> Outcome:
    """Keep what was typed, as typed; the holder's claim is renewed. A refusal keeps it too, and carries it."""

    def keep(visit: Visit) -> Outcome:
        visit.check()
        drafts.keep_draft(visit.session, visit.person.id, text, visit.at)
        renew(visit)
        return Outcome(visit.session)

    return go_through(Knock(number, caller, transitions.SAVE_DRAFT, version, sent=text), keep)


def note(number: int, caller: Caller, text: str, *, version: int | None = None) -> Outcome:
    """Write a line into the session's history, whatever its state."""

    def write(visit: Visit) -> Outcome:
        visit.check_right()
        visit.check_version()
        if not text.strip():
            raise refusals.InvalidValue(_("A note needs some text."), session=visit.session)
        visit.tell(detail={"text": storable(text)})
        return Outcome(visit.session)

    return go_through(Knock(number, caller, transitions.NOTE, version), write)


def renew(visit: Visit) -> None:
    """Activity keeps a claim alive, and brings none back whose time ran out.

    The version stays: what the holder's own form shows has not changed.
    """
    if visit.held_by_me:
        held = HITLSession.objects.filter(pk=visit.session.pk, version=visit.session.version)
        held.update(claimed_until=visit.at + LEASE)


def return_claims(limit: int = 100) -> int:
    """Put sessions whose claim ran out back to open, oldest first; the number of them."""
    lapsed = HITLSession.objects.filter(state=HITLSession.State.CLAIMED, claimed_until__lte=clock.sql_now())
    numbers = lapsed.order_by("claimed_until").values_list("pk", flat=True)[:limit]
    return sum(_return(number) for number in list(numbers))


@transaction.atomic
def _return(number: int) -> bool:
    holder = HITLSession.objects.filter(pk=number).values("conversation")
    Conversation.objects.select_for_update(of=("self",)).filter(pk__in=holder).values_list("pk").first()
    lapsed = HITLSession.objects.filter(pk=number, state=HITLSession.State.CLAIMED, claimed_until__lte=clock.sql_now())
    lost = lapsed.values_list("assignee_id", flat=True).first()
    changes = {"state": HITLSession.State.OPEN, "assignee": None, "claimed_until": None}
    if lapsed.update(version=F("version") + 1, **changes) != 1:
        return False
    session = HITLSession.objects.get(pk=number)
    at = clock.now()
    announce(session, transitions.RELEASE.event, at)
    returned = Act("session.claim_returned", "clock", subject=session.name, facts={"holder": lost})
    chain.record(session.conversation_id, [returned], at)
    return True


def _take(visit: Visit) -> Outcome:
    visit.check()
    before = _last_holder(visit.session)
    visit.write(assignee=visit.person.id, claimed_until=visit.at + LEASE)
    drafts.hand_on(visit.session, before, visit.person.id, visit.at)
    visit.tell(detail=_spoken(visit.knock.reason))
    return Outcome(visit.session)


def _last_holder(session: HITLSession) -> Account | None:
    """Who has the session, or had it last."""
    if session.assignee is not None:
        return session.assignee
    claims = AuditEntry.objects.filter(subject=session.name, act__in=("session.claim", "session.take_over"))
    last = claims.order_by("-at", "-pk").values_list("actor_id", flat=True).first()
    return accounts().filter(pk=last).first() if last else None


def _write(knock: Knock, changes: Any) -> Outcome:
    def work(visit: Visit) -> Outcome:
        visit.check()
        visit.write(**changes(visit))
        visit.tell()
        return Outcome(visit.session)

    return go_through(knock, work)


def _spoken(reason: str) -> dict[str, str] | None:
    return {"reason": storable(reason)} if reason else None


def _later(session: HITLSession, by: timedelta | None, until: datetime | None) -> datetime:
    if until is not None:
        return until
    if session.expires_at is None or by is None:
        raise refusals.InvalidValue(_("%s has no deadline to extend.") % session.name, session=session)
    return session.expires_at + by
