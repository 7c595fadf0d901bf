"""Turns that failed three times: a person lets one run again, or gives it up.

A decision that is stuck is mended at its gate (see `deliveries`); what stands here is everything else that came in.
"""

from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from dialogue.audit import chain
from dialogue.audit.chain import Act
from dialogue.desk.access.people import Person
from dialogue.desk.forms.storable import storable
from dialogue.models import Conversation, Event, HITLSession
from dialogue.turns import clock
from dialogue.turns.live import notify


class TurnNotStuck(Exception):
    """Nothing is stuck there any more; somebody mended it, or gave it up."""


class QuestionAskedSince(TurnNotStuck):
    """The customer was asked something after this message; run again, it would answer a question it never saw."""


_ASKED_SINCE = HITLSession.objects.filter(
    conversation=OuterRef("conversation"),
    audience=HITLSession.Audience.USER,
    state__in=HITLSession.UNDECIDED,
    opened_at__gt=OuterRef("accepted_at"),
)


def incidents_of(conversation: Conversation) -> QuerySet[Event]:
    """The events that a person has to look at, oldest first; those that are `outdated` can only be given up."""
    stuck = conversation.events.filter(state=Event.State.INCIDENT, session=None)
    return stuck.annotate(outdated=Exists(_ASKED_SINCE)).order_by("number")


@transaction.atomic
def retry_turn(conversation: UUID, number: int, person: Person) -> None:
    """Let the turn of event `number` run again, with three fresh attempts, on the release and the clock of now.

    Raises NotInIncident, AskedSince.
    """
    from dialogue.turns import runner  # the engine is loaded when something happens, not at start

    _move(conversation, number, state=Event.State.DUE, attempts=0, error="", basis={})
    if Event.objects.filter(Exists(_ASKED_SINCE), conversation_id=conversation, number=number).exists():
        raise QuestionAskedSince(number)  # a late "yes" would consent to values that the customer has not seen
    _note(conversation, number, person, "turn.retried")
    transaction.on_commit(partial(runner.wake_conversation, conversation))


@transaction.atomic
def abandon_turn(conversation: UUID, number: int, person: Person, reason: str = "") -> None:
    """Leave event `number` unanswered for good; it stays on record. Raises NotInIncident."""
    _move(conversation, number, state=Event.State.ABANDONED)
    _note(conversation, number, person, "turn.abandoned", reason)
    end_failed_state(conversation)
    transaction.on_commit(partial(notify.notify_conversation, conversation))


def end_failed_state(conversation: UUID) -> None:
    """A failed conversation in which nothing is stuck any more goes on where it stands; its row is locked already."""
    row = Conversation.objects.get(pk=conversation)
    stuck = row.events.filter(state=Event.State.INCIDENT).exists()
    if row.state == Conversation.State.FAILED and not stuck:
        waits = row.sessions.filter(state__in=HITLSession.UNDECIDED).exists()
        row.state = Conversation.State.WAITING if waits else Conversation.State.IDLE
        row.save(update_fields=["state"])


def _move(conversation: UUID, number: int, **changes: object) -> None:
    """One conditional update says who was first; the conversation is locked before, as a turn's commit does."""
    Conversation.objects.select_for_update().filter(pk=conversation).values_list("pk").first()
    stuck = Event.objects.filter(conversation_id=conversation, number=number, state=Event.State.INCIDENT, session=None)
    if stuck.update(**changes) != 1:
        raise TurnNotStuck(number)


def _note(conversation: UUID, number: int, person: Person, act: str, reason: str = "") -> None:
    detail = {"reason": storable(reason)} if reason else None
    done = Act(act, person.name, person.id, facts={"event": number}, detail=detail)
    chain.record(conversation, [done], clock.now())
