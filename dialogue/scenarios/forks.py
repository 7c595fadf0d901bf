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

MOST_TURNS = 500
"""Turns of a longer conversation are not made once more while somebody waits."""

_BY_STAFF = (Event.Kind.DECISION, Event.Kind.EXPIRY)


class TurnNotFound(Exception):
    """The conversation has no turn of that number."""


class TooManyTurns(Exception):
    """Five hundred turns are the most that a fork makes once more."""


class ForkFailed(Exception):
    """A turn could not be made once more as it was; the message says which."""


def fork(conversation: Conversation, number: int, owner: Account | None) -> tuple[Conversation, str]:
    """A test conversation that stands where this one stood after turn `number` (0: at its beginning), and its token.

    Raises TurnNotFound, TooManyTurns, ForkFailed.
    """
    turns = _turns(conversation, number)
    with transaction.atomic():  # whoever erases the conversation finds the copy by its origin
        copy, token = _opened(conversation)
        trial = _circumstances(conversation, copy, number, owner)
    ports = Ports(actions=RecordedActions(list(conversation.action_runs.order_by("pk"))))
    ahead = _ahead(conversation)
    _record(conversation, copy, number, owner)  # first: what could be made before a turn failed is there to be read
    for turn in turns:
        _set_scene(copy, trial, turn, ahead)
        _make_again(copy, turn, ports)
    return Conversation.objects.select_related("release").get(pk=copy.pk), token


def _turns(conversation: Conversation, number: int) -> list[Turn]:
    if not 0 <= number <= conversation.last_turn:
        raise TurnNotFound(number)
    if number > MOST_TURNS:
        raise TooManyTurns(number)
    rows = conversation.turns.filter(number__lte=number).order_by("number")
    return list(rows.select_related("event__session", "event__message", "release"))


def _opened(conversation: Conversation) -> tuple[Conversation, str]:
    return open_conversation(
        conversation.assistant.name,
        user_ref=conversation.customer[:200],
        vouched=True,
        channel="test",
        language=conversation.language,
        test=True,
        release=conversation.release,
    )


def _circumstances(conversation: Conversation, copy: Conversation, number: int, owner: Account | None) -> Trial:
    """Simulated actions, and otherwise as it was. What real people said stays with who may see it."""
    known = trial_of(conversation)
    return Trial.objects.create(
        conversation=copy,
        owner=owner,
        private=known.private if known else not conversation.test,
        stubs=known.stubs if known else {},
        nlu=known.nlu if known else "",
        origin=conversation,
        origin_turn=number,
    )


def _ahead(conversation: Conversation) -> timedelta:
    known = trial_of(conversation)
    return known.ahead if known else timedelta()


def _set_scene(copy: Conversation, trial: Trial, turn: Turn, ahead: timedelta) -> None:
    """The clock and the release of then; after the last turn the clock goes on from there."""
    Trial.objects.filter(pk=trial.pk).update(ahead=turn.finished_at + ahead - clock.now())
    Conversation.objects.filter(pk=copy.pk).update(release=turn.release)


def _make_again(copy: Conversation, turn: Turn, ports: Ports) -> None:
    event = turn.event
    decided = _decide_again(copy, event.session) if event.kind in _BY_STAFF and event.session else None
    payload = {**event.payload, "session": str(decided.uid), "task": decided.task_key} if decided else event.payload
    line = event.message
    incoming = Incoming(
        event.kind,
        event.client_id if decided is None else f"session:{decided.uid}",
        payload,
        text=line.text if line else None,
        role=line.role if line else "user",
        author=line.author if line else "",
        session=decided,
    )
    try:
        accepted = accept(copy.pk, incoming, claim_for=OWNER)  # ours from the first moment: a worker has other ports
    except ConversationOver as why:  # erased meanwhile, with what it was made of
        raise ForkFailed(f"Turn {turn.number} could not be made once more.") from why
    Event.objects.filter(pk=accepted.event).update(understanding=event.understanding)
    async_to_sync(drain)(copy.pk, accepted.lease, ports=ports)
    if not Turn.objects.filter(event=accepted.event).exists():
        raise ForkFailed(f"Turn {turn.number} could not be made once more.")


@transaction.atomic
def _decide_again(copy: Conversation, then: HITLSession) -> HITLSession:
    """The same decision on the copy's own session, as a matter of record."""
    same = HITLSession.objects.filter(conversation=copy, frame=then.frame, step=then.step, visit=then.visit)
    now = same.filter(state__in=HITLSession.UNDECIDED).first()
    if now is None:
        raise ForkFailed(f"The gate {then.step} was not asked when it was made once more.")
    for name in ("state", "handle", "values", "reason", "decided_by", "decided_as", "decided_through"):
        setattr(now, name, getattr(then, name))
    now.decided_at = clock.now()
    now.delivery = HITLSession.Delivery.PENDING
    now.version += 1
    now.save()
    _copy_submission(then, now)
    return now


def _copy_submission(then: HITLSession, now: HITLSession) -> None:
    accepted = Submission.objects.filter(session=then, accepted=True).first()
    if accepted is not None:
        accepted.pk, accepted.session = None, now
        accepted._state.adding = True
        accepted.save()


def _record(conversation: Conversation, copy: Conversation, number: int, owner: Account | None) -> None:
    """Whoever makes a test of a real conversation has looked at it, and that is on record."""
    name, account = (owner.get_username(), owner.pk) if owner else ("system", None)
    act = Act("conversation.forked", name, account, facts={"turn": number, "fork": str(copy.pk)})
    with transaction.atomic():
        chain.record(conversation.pk, [act], clock.now())
