"""Incidents: turns that failed three times. A person lets one run again, or abandons it.

The incident of a decision belongs to its gate: `retry_delivery` and `abandon_delivery` are operations on the session.
Every other event is retried or abandoned by its number in the conversation.
"""

from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from dialogue.audit import chain
from dialogue.audit.chain import Act
from dialogue.desk.access.people import Caller, Person
from dialogue.desk.forms import refusals
from dialogue.desk.forms.sentences import sentence as _
from dialogue.desk.sessions import agent_decisions, transitions
from dialogue.desk.sessions.operation import Operation, Outcome, Request, run_operation, run_turn_after_commit
from dialogue.desk.sessions.transitions import Transition
from dialogue.models import Conversation, Event, HITLSession
from dialogue.turns import clock
from dialogue.turns.accept import storable_value
from dialogue.turns.classification import waiting_outcome
from dialogue.turns.live import notify

Delivery = HITLSession.Delivery


class TurnNotStuck(Exception):
    """The event is not an incident any more: another person retried or abandoned it."""


class QuestionAskedSince(TurnNotStuck):
    """The customer was asked something after this message; run again, it would answer a question it never saw."""


_ASKED_SINCE = HITLSession.objects.filter(
    conversation=OuterRef("conversation"),
    audience=HITLSession.Audience.USER,
    state__in=HITLSession.UNDECIDED,
    opened_at__gt=OuterRef("accepted_at"),
)


def retry_delivery(number: int, caller: Caller, *, version: int | None = None) -> Outcome:
    """Run the turn of this decision again, with three new attempts. The outcome's status is 202.

    Raises NotDecided, NotInIncident and what `Operation.check_right` and `check_version` raise.
    """
    return _deliver(Request(number, caller, transitions.RETRY, version), Delivery.PENDING, Event.State.DUE)


def abandon_delivery(number: int, caller: Caller, *, reason: str = "", version: int | None = None) -> Outcome:
    """Leave the decision undelivered for good; it stays on record. The outcome's status is 202.

    Raises what `retry_delivery` raises.
    """
    request = Request(number, caller, transitions.ABANDON, version, reason)
    return _deliver(request, Delivery.ABANDONED, Event.State.ABANDONED)


def _deliver(request: Request, delivery: Delivery, event_state: Event.State) -> Outcome:
    def deliver(operation: Operation) -> Outcome:
        operation.check_right()
        _check_incident(operation.session, request.transition)
        operation.check_version()
        operation.update(delivery=delivery)
        operation.publish(detail={"reason": request.reason} if request.reason else None)
        if operation.session.is_from_agent:
            agent_decisions.end_incident(operation.session, resend=request.transition is transitions.RETRY)
            return Outcome(operation.session, 202)
        _stuck_decision(operation.session).update(state=event_state, attempts=0, error="", reference="", basis={})
        if request.transition is transitions.ABANDON:
            end_failed_state(operation.session.conversation_id)
        run_turn_after_commit(operation.session)
        return Outcome(operation.session, 202)

    return run_operation(request, deliver)


def _check_incident(session: HITLSession, transition: Transition) -> None:
    if session.state in HITLSession.UNDECIDED:
        raise refusals.NotDecided(_("%s is not decided yet.") % session.name, session=session)
    if session.delivery != Delivery.INCIDENT:
        raise refusals.NotInIncident(_("The decision of %s is not stuck.") % session.name, session=session)
    if transition is transitions.RETRY and not session.is_from_agent and not _stuck_decision(session).exists():
        detail = _("What %s was asked for is gone; its decision can only be abandoned.") % session.name
        raise refusals.NotInIncident(detail, session=session)


def _stuck_decision(session: HITLSession) -> QuerySet[Event]:
    return Event.objects.filter(session=session, state=Event.State.INCIDENT)


def incidents_of(conversation: Conversation) -> QuerySet[Event]:
    """Return the stuck events that are no decisions, oldest first; those with `outdated` can only be abandoned."""
    stuck_events = conversation.events.filter(state=Event.State.INCIDENT, session=None)
    return stuck_events.annotate(outdated=Exists(_ASKED_SINCE)).order_by("number")


@transaction.atomic
def retry_turn(conversation: UUID, number: int, person: Person) -> None:
    """Run the turn of event `number` again, with three new attempts, on the release and the clock of now.

    Raises TurnNotStuck, QuestionAskedSince.
    """
    from dialogue.turns import runner  # the engine is loaded when something happens, not at start

    _end_incident(conversation, number, state=Event.State.DUE, attempts=0, error="", basis={})
    if Event.objects.filter(Exists(_ASKED_SINCE), conversation_id=conversation, number=number).exists():
        raise QuestionAskedSince(number)  # a late "yes" would consent to values that the customer has not seen
    _record_act(conversation, number, person, "turn.retried")
    transaction.on_commit(partial(runner.wake_conversation, conversation), robust=True)


@transaction.atomic
def abandon_turn(conversation: UUID, number: int, person: Person, reason: str = "") -> None:
    """Leave event `number` unanswered for good; it stays on record. Raises TurnNotStuck."""
    _end_incident(conversation, number, state=Event.State.ABANDONED)
    _record_act(conversation, number, person, "turn.abandoned", reason)
    end_failed_state(conversation)
    transaction.on_commit(partial(notify.notify_conversation, conversation), robust=True)


def end_failed_state(conversation: UUID) -> None:
    """Let a failed conversation without stuck events go on. The caller has locked its row."""
    row = Conversation.objects.get(pk=conversation)
    has_stuck_event = row.events.filter(state=Event.State.INCIDENT).exists()
    if row.state == Conversation.State.FAILED and not has_stuck_event:
        kinds = set(row.sessions.filter(state__in=HITLSession.UNDECIDED).values_list("kind", flat=True))
        row.state = Conversation.State.WAITING if kinds else Conversation.State.IDLE
        row.outcome = waiting_outcome(kinds) or row.outcome
        row.save(update_fields=["state", "outcome"])


def _end_incident(conversation: UUID, number: int, **changes: object) -> None:
    # Locked before the event, in the order of a turn's commit; the reverse order could deadlock with it.
    Conversation.objects.select_for_update().filter(pk=conversation).values_list("pk").first()
    events = Event.objects.filter(conversation_id=conversation, number=number, state=Event.State.INCIDENT, session=None)
    if events.update(**changes) != 1:  # another person was first
        raise TurnNotStuck(number)


def _record_act(conversation: UUID, number: int, person: Person, act: str, reason: str = "") -> None:
    detail = {"reason": storable_value(reason)} if reason else None
    entry = Act(act, person.name, person.id, facts={"event": number}, detail=detail)
    chain.record(conversation, [entry], clock.now())
