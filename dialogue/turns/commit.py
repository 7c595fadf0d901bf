"""The one transaction of a turn: everything that the turn changed, guarded by the lease's fencing number."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import F

from dialogue.audit import chain
from dialogue.audit.chain import Act
from dialogue.engine.actions import ActionMissing
from dialogue.engine.graph import TurnOutcome
from dialogue.engine.ports.tasks import PendingTask, WaitTask
from dialogue.engine.stack.responses import Responses
from dialogue.models import AuditHead, Conversation, Event, HITLSession, Message, Turn, hot_path
from dialogue.models.conversations.event import IS_DUE
from dialogue.turns import clock
from dialogue.turns.classification import conversation_outcome, turn_reading
from dialogue.turns.lease import TERM, LeaseLost
from dialogue.turns.live.inbox import tell_inboxes
from dialogue.turns.live.recent_turns import CommittedTurn
from dialogue.turns.live.serializers import message_view, state_view
from dialogue.turns.process.crash_points import crash_point
from dialogue.turns.sessions import SessionChanges, tasks_without_session
from dialogue.turns.waiting.contact import set_contact
from dialogue.turns.waiting.outreach import plan_start
from dialogue.turns.waiting.timers import end_timers, mark_fired, set_timers
from dialogue.turns.work import FinishedTurn, Work

MAX_TURN_ATTEMPTS = 3
"""After this many failed attempts at a turn its event becomes an incident."""

ACTION_MISSING = "action_missing"
"""The name of the incident when a release calls an action that this installation no longer has."""

_DECIDED = (Event.Kind.DECISION, Event.Kind.EXPIRY)


class LockedConversation(NamedTuple):
    """A conversation's locked row, whether this event and another one are due, when it was locked, and its audit's end.

    Where keys are known before rows are inserted, also those of the turn and of its new sessions.
    """

    row: Conversation
    is_due: bool
    more: bool
    at: datetime
    audit_head: AuditHead | None
    turn_keys: Sequence[int]
    session_keys: Sequence[int]


@hot_path.one_transaction()
def commit_turn(work: Work, outcome: TurnOutcome, milliseconds: float) -> FinishedTurn:
    """Write checkpoint, transcript, sessions, record, audit and the event's state in one transaction.

    Raises LeaseLost, and writes nothing then.
    """
    asked = [] if outcome.ended else tasks_without_session(work.conversation.pk, outcome.tasks, work.sessions)
    locked = lock_work(work, turns=1, sessions=len(asked))
    if not locked.is_due:
        raise LeaseLost(work.conversation.pk)
    at = locked.at
    _mark_done(work.event, at)
    turn = _turn_row(work, outcome, milliseconds, locked)
    work.lines.adopt_stored(turn)
    messages = work.lines.insert_pending(work.conversation, turn, at, locked.row.last_message)
    work.saver.flush()
    crash_point("B2")
    changes = SessionChanges(
        work.conversation,
        work.release,
        work.ready_release().assistant,
        outcome.stack,
        at,
        heard=work.event.session_id,
        slots=outcome.slots,
        changed=[change["slot"] for change in outcome.record.get("slots", ())],
        began=work.at,
    )
    _change_sessions(work, outcome, changes, asked, locked.session_keys)
    _change_timers(work, outcome, at)
    _change_contact(work, outcome, at)
    tell_inboxes(changes.inbox)
    acts = [_turn_act(work, turn, outcome), *changes.acts]
    chain.append(work.conversation.pk, locked.audit_head, acts, at)
    _hold_or_release(
        work,
        locked,
        state=turn.state,
        explicit=outcome.explicit,
        outcome=conversation_outcome(
            work.conversation.outcome,
            outcome.record,
            [task.kind for task in outcome.tasks],
            ended=outcome.ended,
        ),
        unclear_turns=work.conversation.unclear_turns + (turn.reading == Turn.Reading.NOT_UNDERSTOOD),
        stack=outcome.stack,
        release_id=work.release.pk,
        idle_until=_last_wait_end(work, outcome, at) + work.ready_release().assistant.settings.session_timeout,
        last_turn=turn.number,
        last_message=locked.row.last_message + len(messages),
    )
    crash_point("B7")
    inbox = bool(changes.inbox) or work.event.kind in _DECIDED
    committed = None if inbox else _committed_turn(turn, locked, messages, changes.undecided_of(work.sessions))
    return FinishedTurn(1, locked.more, inbox, committed)


def _committed_turn(
    turn: Turn, locked: LockedConversation, messages: list[Message], pending: list[HITLSession]
) -> CommittedTurn | None:
    """Return the turn as sockets are told it. None while staff's sessions wait: they may have changed meanwhile."""
    if turn.state in Conversation.OVER or any(row.audience != HITLSession.Audience.USER for row in pending):
        return None
    view = state_view(turn, pending)
    return CommittedTurn(turn.number, locked.row.last_message, tuple(map(message_view, messages)), view)


@transaction.atomic
def commit_failure(work: Work, error: Exception, reference: str) -> FinishedTurn:
    """Count a failed attempt. The last one becomes an incident and the user is told; the state stays unchanged.

    Raises LeaseLost.
    """
    locked = lock_work(work)
    at = locked.at
    attempts = work.event.attempts + 1
    spent = attempts >= MAX_TURN_ATTEMPTS
    Event.objects.filter(pk=work.event.pk, state=Event.State.DUE).update(
        attempts=attempts,
        error=f"{error_name(error)}: {error}"[:2000],
        reference=reference,
        **({"state": Event.State.INCIDENT, "basis": work.event.basis or {}} if spent else {}),
    )
    if not spent:
        return FinishedTurn(0, more=True)
    _record_incident(work, locked, reference, at)
    return FinishedTurn(1, locked.more, inbox=True)


def error_name(error: Exception) -> str:
    """Return the name of the incident: `action_missing`, or the exception's class."""
    return ACTION_MISSING if isinstance(error, ActionMissing) else type(error).__name__


def lock_work(work: Work, *, turns: int = 0, sessions: int = 0) -> LockedConversation:
    """Lock the conversation's row for this transaction, and reserve keys for so many new rows. Raises LeaseLost.

    While it is locked, no event is accepted, and no event that is due becomes another's: both take this lock before.
    """
    conversation = work.conversation.pk
    others = (
        hot_path.Query(Event, {"conversation": conversation}, f"{IS_DUE} ORDER BY id <> %s LIMIT 2", [work.event.pk]),
        chain.end_of(conversation),
    )
    keys = (hot_path.NewKeys(Turn, turns), hot_path.NewKeys(HITLSession, sessions))
    lease = work.lease.columns
    rows, at, found, new_keys = clock.fetch_all_with_time(
        Conversation, lease, hot_path.for_update(), *others, keys=keys
    )
    if not rows:
        raise LeaseLost(conversation)
    due, heads = found
    turn_keys, session_keys = new_keys
    is_due = any(event.pk == work.event.pk for event in due)
    more = any(event.pk != work.event.pk for event in due)
    return LockedConversation(rows[0], is_due, more, at, next(iter(heads), None), turn_keys, session_keys)


def _record_incident(work: Work, locked: LockedConversation, reference: str, at: datetime) -> None:
    row = work.conversation
    work.lines.apologise(apology_text(work, reference))
    work.lines.insert_pending(row, None, at, locked.row.last_message)
    if work.event.session_id:
        HITLSession.objects.filter(pk=work.event.session_id).update(
            delivery=HITLSession.Delivery.INCIDENT, version=F("version") + 1
        )
    act = Act("turn.failed", "engine", facts={"event": work.event.number, "reference": reference})
    chain.append(row.pk, locked.audit_head, [act], at)
    _hold_or_release(
        work,
        locked,
        state=Conversation.State.FAILED,
        outcome=Conversation.Outcome.FAILED,
        last_message=locked.row.last_message + 1,
    )


def apology_text(work: Work, reference: str) -> str:
    """Return the apology with its reference, in the assistant's words if the assistant can be read."""
    try:
        assistant = work.ready_release().assistant
    except Exception:  # the release may be what failed
        return f"Something went wrong on our side, reference {reference}. Everything is as it was; please try again."
    language = work.conversation.language or assistant.language
    return Responses(assistant).say("error", language, reference=reference)


def _mark_done(event: Event, at: datetime) -> None:
    changes = {"state": Event.State.DONE, "done_at": at, "understanding": event.understanding}
    hot_path.update_later(Event, {"id": event.pk, "state": Event.State.DUE}, changes)


def _turn_row(work: Work, outcome: TurnOutcome, milliseconds: float, locked: LockedConversation) -> Turn:
    usage = outcome.record.get("usage", {})
    turn = Turn(
        pk=next(iter(locked.turn_keys), None),
        conversation=work.conversation,
        number=work.conversation.last_turn + 1,
        event=work.event,
        release=work.release,
        record=outcome.record,
        reading=turn_reading(outcome.record),
        state=_next_state(work, outcome),
        stack=outcome.stack,
        milliseconds=round(milliseconds, 2),
        llm_calls=usage.get("calls", 0),
        tokens=usage.get("prompt_tokens", 0) + usage.get("completion_tokens", 0),
        finished_at=locked.at,
    )
    hot_path.insert([turn], returning_keys=True)
    return turn


def _change_sessions(
    work: Work, outcome: TurnOutcome, changes: SessionChanges, asked: Sequence[PendingTask], keys: Sequence[int]
) -> None:
    changes.close(outcome.settled, work.sessions)
    if outcome.ended:
        changes.close_all("conversation_over")
    else:
        changes.open(asked, keys)
        changes.note_user_message(work.event, work.sessions)
    changes.tell_overtaken()
    decided = work.event.session
    if decided is not None:
        crash_point("C5")
    if decided is not None and not any(end.task_key == decided.task_key for end in outcome.settled):
        # The decided pause no longer exists and no turn has ended it, as after a restored backup: a person must look.
        HITLSession.objects.filter(pk=decided.pk).update(
            delivery=HITLSession.Delivery.INCIDENT, reason="gate_orphaned", version=F("version") + 1
        )
        changes.acts.append(Act("session.orphaned", "engine", subject=decided.name))


def _change_timers(work: Work, outcome: TurnOutcome, at: datetime) -> None:
    if work.event.kind == Event.Kind.TIMER:
        # A fork repeats the event of a timer that its own clock has not fired.
        mark_fired(work.conversation.pk, work.event.payload, at)
    end_timers(work.conversation.pk, outcome.settled)
    if outcome.timers and not outcome.ended:
        set_timers(work.conversation.pk, outcome.timers, ahead=_clock_ahead(work))


def _change_contact(work: Work, outcome: TurnOutcome, at: datetime) -> None:
    """Store whether the customer may be written to first, and plan the flow that an event begins."""
    if contact := outcome.record.get("contact"):
        set_contact(work.conversation, allowed=contact == "allowed", at=at)
    if outcome.begin:
        plan_start(work.conversation, work.event, outcome.begin, at)


def _last_wait_end(work: Work, outcome: TurnOutcome, at: datetime) -> datetime:
    """Return when the last wait for a time ends, or `at`: a conversation that waits on purpose is not idle."""
    ends = [task.until for task in outcome.tasks if isinstance(task, WaitTask) and task.until]
    return max([at, *(datetime.fromisoformat(end) - _clock_ahead(work) for end in ends)])


def _clock_ahead(work: Work) -> timedelta:
    return work.trial.ahead if work.trial else timedelta(0)


def _turn_act(work: Work, turn: Turn, outcome: TurnOutcome) -> Act:
    facts = {
        "event": work.event.kind,
        "messages": [message.key for message in outcome.messages],
        "stack": [entry["awaiting"] for entry in outcome.stack],
    }
    return Act("turn", "engine", subject=f"turn {turn.number}", facts=facts)


def _next_state(work: Work, outcome: TurnOutcome) -> str:
    if outcome.ended:
        cancelled = work.event.kind == Event.Kind.CANCEL
        return Conversation.State.CANCELLED if cancelled else Conversation.State.DONE
    return Conversation.State.WAITING if outcome.tasks else Conversation.State.IDLE


def _hold_or_release(work: Work, locked: LockedConversation, **changes: Any) -> None:
    """Update the conversation's locked row once: its projection of the turn, and the lease, renewed or given back."""
    lease = {"lease_until": locked.at + TERM} if locked.more else {"lease_until": None, "lease_owner": ""}
    # SQLite rewrites the entry of an index for each column that the statement names, also where the value is the same.
    stored = vars(locked.row)
    changed = {name: value for name, value in changes.items() if stored[name] != value}
    hot_path.update_later(Conversation, work.lease.columns, {**lease, **changed})
