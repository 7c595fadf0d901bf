"""A test conversation that goes on from a turn of another one.

The turns up to there are made once more, the way that turns are always made: each event is accepted and drained, with
what was understood then, what the actions gave then, and what staff decided then. Nothing real is asked anything.
"""

from datetime import timedelta

from asgiref.sync import async_to_sync
from django.db import transaction

from dialogue.audit import chain
from dialogue.audit.chain import Act
from dialogue.models import Conversation, Event, HITLSession, Submission, Trial, Turn
from dialogue.models.account import Account
from dialogue.scenarios.replay import RecordedActions
from dialogue.turns import clock
from dialogue.turns.accept import ConversationOver, Incoming, accept, open_conversation
from dialogue.turns.actions.test_world import trial_of
from dialogue.turns.lease import OWNER
from dialogue.turns.worker import Ports, drain

MAX_TURNS = 500
"""Turns of a longer conversation are not made once more while somebody waits."""

_BY_STAFF = (Event.Kind.DECISION, Event.Kind.EXPIRY)


class TurnNotFound(Exception):
    """The conversation has no turn of that number."""


class TooManyTurns(Exception):
    """Five hundred turns are the most that a fork makes once more."""


class ForkFailed(Exception):
    """A turn could not be made once more as it was; the message says which."""


def fork_conversation(conversation: Conversation, number: int, owner: Account | None) -> tuple[Conversation, str]:
    """A test conversation that stands where this one stood after turn `number` (0: at its beginning), and its token.

    Raises TurnNotFound, TooManyTurns, ForkFailed.
    """
    turns = _turns_up_to(conversation, number)
    with transaction.atomic():  # an erasure of the conversation finds the copy by its origin
        copy, token = _open_copy(conversation)
        trial = _create_trial(conversation, copy, number, owner)
    ports = Ports(actions=RecordedActions(list(conversation.action_runs.order_by("pk"))))
    ahead = _clock_offset(conversation)
    _record_fork(
        conversation, copy, number, owner
    )  # first: what could be made before a turn failed is there to be read
    for turn in turns:
        _set_clock_and_release(copy, trial, turn, ahead)
        _repeat_turn(copy, turn, ports)
    return Conversation.objects.select_related("release").get(pk=copy.pk), token


def _turns_up_to(conversation: Conversation, number: int) -> list[Turn]:
    if not 0 <= number <= conversation.last_turn:
        raise TurnNotFound(number)
    if number > MAX_TURNS:
        raise TooManyTurns(number)
    rows = conversation.turns.filter(number__lte=number).order_by("number")
    return list(rows.select_related("event__session", "event__message", "release"))


def _open_copy(conversation: Conversation) -> tuple[Conversation, str]:
    return open_conversation(
        conversation.assistant.name,
        user_ref=conversation.customer[:200],
        vouched=True,
        channel="test",
        language=conversation.language,
        test=True,
        release=conversation.release,
        opening=conversation.opening,
    )


def _create_trial(conversation: Conversation, copy: Conversation, number: int, owner: Account | None) -> Trial:
    """Simulated actions, and otherwise as it was. What real people said stays with who may see it."""
    trial = trial_of(conversation)
    return Trial.objects.create(
        conversation=copy,
        owner=owner,
        private=trial.private if trial else not conversation.test,
        stubs=trial.stubs if trial else {},
        nlu=trial.nlu if trial else "",
        origin=conversation,
        origin_turn=number,
    )


def _clock_offset(conversation: Conversation) -> timedelta:
    trial = trial_of(conversation)
    return trial.ahead if trial else timedelta()


def _set_clock_and_release(copy: Conversation, trial: Trial, turn: Turn, ahead: timedelta) -> None:
    """The clock and the release of then; after the last turn the clock goes on from there."""
    Trial.objects.filter(pk=trial.pk).update(ahead=turn.finished_at + ahead - clock.now())
    Conversation.objects.filter(pk=copy.pk).update(release=turn.release)


def _repeat_turn(copy: Conversation, turn: Turn, ports: Ports) -> None:
    event = turn.event
    session = _repeat_decision(copy, event.session) if event.kind in _BY_STAFF and event.session else None
    payload = {**event.payload, "session": str(session.uid), "task": session.task_key} if session else event.payload
    line = event.message
    incoming = Incoming(
        event.kind,
        event.client_id if session is None else f"session:{session.uid}",
        payload,
        text=line.text if line else None,
        role=line.role if line else "user",
        author=line.author if line else "",
        session=session,
    )
    try:
        accepted = accept(copy.pk, incoming, claim_for=OWNER)  # ours from the first moment: a worker has other ports
    except ConversationOver as error:  # erased meanwhile, with what it was made of
        raise ForkFailed(f"Turn {turn.number} could not be made once more.") from error
    Event.objects.filter(pk=accepted.event).update(understanding=event.understanding)
    async_to_sync(drain)(copy.pk, accepted.lease, ports=ports)
    if not Turn.objects.filter(event=accepted.event).exists():
        raise ForkFailed(f"Turn {turn.number} could not be made once more.")


@transaction.atomic
def _repeat_decision(copy: Conversation, original: HITLSession) -> HITLSession:
    """The same decision on the copy's own session, as a matter of record."""
    candidates = HITLSession.objects.filter(
        conversation=copy, frame=original.frame, step=original.step, visit=original.visit
    )
    session = candidates.filter(state__in=HITLSession.UNDECIDED).first()
    if session is None:
        raise ForkFailed(f"The gate {original.step} was not asked when it was made once more.")
    for name in ("state", "handle", "values", "reason", "decided_by", "decided_as", "decided_through"):
        setattr(session, name, getattr(original, name))
    session.decided_at = clock.now()
    session.delivery = HITLSession.Delivery.PENDING
    session.version += 1
    session.save()
    _copy_submission(original, session)
    return session


def _copy_submission(original: HITLSession, session: HITLSession) -> None:
    accepted = Submission.objects.filter(session=original, accepted=True).first()
    if accepted is not None:
        accepted.pk, accepted.session = None, session
        accepted._state.adding = True
        accepted.save()


def _record_fork(conversation: Conversation, copy: Conversation, number: int, owner: Account | None) -> None:
    """Record that the person looked at the real conversation of which they make a test."""
    name, account = (owner.get_username(), owner.pk) if owner else ("system", None)
    act = Act("conversation.forked", name, account, facts={"turn": number, "fork": str(copy.pk)})
    with transaction.atomic():
        chain.record(conversation.pk, [act], clock.now())
