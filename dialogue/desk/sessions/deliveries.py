"""A decision that did not reach the engine: a person lets it try again, or gives it up."""

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from dialogue.desk.access.people import Caller
from dialogue.desk.forms import refusals
from dialogue.desk.sessions import transitions
from dialogue.desk.sessions.incidents import leave_failure
from dialogue.desk.sessions.operation import Knock, Outcome, Visit, go_through, wake
from dialogue.desk.sessions.transitions import Move
from dialogue.models import Event, HITLSession

Delivery = HITLSession.Delivery


def retry(number: int, caller: Caller, *, version: int | None = None) -> Outcome:
    """Let the turn of this decision run again, with three fresh attempts. 202."""
    return _deliver(Knock(number, caller, transitions.RETRY, version), Delivery.PENDING, Event.State.DUE)


def abandon(number: int, caller: Caller, *, reason: str = "", version: int | None = None) -> Outcome:
    """Leave the decision undelivered for good; it stays on record. 202."""
    return _deliver(
        Knock(number, caller, transitions.ABANDON, version, reason), Delivery.ABANDONED, Event.State.ABANDONED
    )


def _deliver(knock: Knock, delivery: Delivery, event: Event.State) -> Outcome:
    def work(visit: Visit) -> Outcome:
        visit.check_right()
        _check_incident(visit.session, knock.move)
        visit.check_version()
        visit.write(delivery=delivery)
        visit.tell(detail={"reason": knock.reason} if knock.reason else None)
        _stuck(visit.session).update(state=event, attempts=0, error="", reference="", basis={})
        if knock.move is transitions.ABANDON:
            leave_failure(visit.session.conversation_id)
        wake(visit.session)
        return Outcome(visit.session, 202)

    return go_through(knock, work)


def _check_incident(session: HITLSession, move: Move) -> None:
    if session.state in HITLSession.UNDECIDED:
        raise refusals.NotDecided(_("%s is not decided yet.") % session.name, session=session)
    if session.delivery != Delivery.INCIDENT:
        raise refusals.NotInIncident(_("The decision of %s is not stuck.") % session.name, session=session)
    if move is transitions.RETRY and not _stuck(session).exists():
        detail = _("What %s was asked for is gone; its decision can only be abandoned.") % session.name
        raise refusals.NotInIncident(detail, session=session)


def _stuck(session: HITLSession) -> QuerySet[Event]:
    return Event.objects.filter(session=session, state=Event.State.INCIDENT)
