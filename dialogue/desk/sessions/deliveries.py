"""A decision that did not reach the engine: a person lets it try again, or gives it up."""

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from dialogue.desk.access.people import Caller
from dialogue.desk.forms import refusals
from dialogue.desk.sessions import transitions
from dialogue.desk.sessions.incidents import end_failed_state
from dialogue.desk.sessions.operation import Operation, Outcome, Request, run_operation, run_turn_after_commit
from dialogue.desk.sessions.transitions import Transition
from dialogue.models import Event, HITLSession

Delivery = HITLSession.Delivery


def retry_delivery(number: int, caller: Caller, *, version: int | None = None) -> Outcome:
    """Let the turn of this decision run again, with three fresh attempts. 202."""
    return _deliver(Request(number, caller, transitions.RETRY, version), Delivery.PENDING, Event.State.DUE)


def abandon_delivery(number: int, caller: Caller, *, reason: str = "", version: int | None = None) -> Outcome:
    """Leave the decision undelivered for good; it stays on record. 202."""
    return _deliver(
        Request(number, caller, transitions.ABANDON, version, reason), Delivery.ABANDONED, Event.State.ABANDONED
    )


def _deliver(request: Request, delivery: Delivery, event: Event.State) -> Outcome:
    def work(operation: Operation) -> Outcome:
        operation.check_right()
        _check_incident(operation.session, request.transition)
        operation.check_version()
        operation.update(delivery=delivery)
        operation.publish(detail={"reason": request.reason} if request.reason else None)
        _stuck(operation.session).update(state=event, attempts=0, error="", reference="", basis={})
        if request.transition is transitions.ABANDON:
            end_failed_state(operation.session.conversation_id)
        run_turn_after_commit(operation.session)
        return Outcome(operation.session, 202)

    return run_operation(request, work)


def _check_incident(session: HITLSession, move: Transition) -> None:
    if session.state in HITLSession.UNDECIDED:
        raise refusals.NotDecided(_("%s is not decided yet.") % session.name, session=session)
    if session.delivery != Delivery.INCIDENT:
        raise refusals.NotInIncident(_("The decision of %s is not stuck.") % session.name, session=session)
    if move is transitions.RETRY and not _stuck(session).exists():
        detail = _("What %s was asked for is gone; its decision can only be abandoned.") % session.name
        raise refusals.NotInIncident(detail, session=session)


def _stuck(session: HITLSession) -> QuerySet[Event]:
    return Event.objects.filter(session=session, state=Event.State.INCIDENT)
