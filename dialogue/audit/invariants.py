"""Invariants of the stored data. Each function counts the rows that violate one; every count must be 0."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db.models import CharField, Count, Exists, F, Max, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce, Now, Replace

from dialogue.audit import chain
from dialogue.models import (
    ActionRun,
    AgentRequest,
    AuditEntry,
    ChannelThread,
    Checkpoint,
    Conversation,
    Event,
    HITLSession,
    Message,
    Submission,
    Timer,
    Turn,
)
from dialogue.models.conversations.message import APOLOGY
from dialogue.models.sessions.session import AGENT_FRAME

MAX_LINE_WAIT = timedelta(days=7)
"""A channel's next attempt is never as far away; the longest pause after a failure is much shorter."""

MAX_EVENT_WAIT = timedelta(seconds=30)
"""How long an accepted event may be due without a lease on its conversation."""

_IS_FROM_AGENT = Q(frame__startswith=AGENT_FRAME)
"""The sessions that an agent of another system asks for; it has the state to go on from, and gets no event of ours."""

DECISION_KINDS = (Event.Kind.DECISION, Event.Kind.EXPIRY)
DECIDED_STATES = (HITLSession.State.SUBMITTED, HITLSession.State.EXPIRED)


@dataclass(frozen=True)
class Invariant:
    """One invariant: its number in the list of promises, its sentence, and the count of its violations."""

    number: int
    sentence: str
    count: Callable[[], int]


def _without_lease(prefix: str = "") -> Q:
    """The conversation has no running lease."""
    return Q(**{f"{prefix}lease_until__isnull": True}) | Q(**{f"{prefix}lease_until__lt": Now()})


def messages_without_line() -> int:
    """Every accepted message has its line in the transcript."""
    return Event.objects.filter(kind=Event.Kind.MESSAGE, message__isnull=True).count()


def client_ids_twice() -> int:
    """A client's message id occurs once in a conversation."""
    rows = Event.objects.order_by().values("conversation", "client_id").annotate(times=Count("pk"))
    return rows.filter(times__gt=1).count()


def half_leases() -> int:
    """A lease has both an owner and an end, or neither."""
    without_owner = Q(lease_owner="")
    without_end = Q(lease_until__isnull=True)
    return Conversation.objects.filter((without_owner & ~without_end) | (without_end & ~without_owner)).count()


def writes_from_the_future() -> int:
    """No action was recorded under an epoch that its conversation has not reached."""
    return ActionRun.objects.filter(epoch__gt=F("conversation__epoch")).count()


def half_turns() -> int:
    """An event is done exactly when it has a turn; a decision that was overtaken is done without one."""
    without_turn = Event.objects.filter(state=Event.State.DONE, turn__isnull=True)
    without_turn = without_turn.exclude(session__delivery=HITLSession.Delivery.OVERTAKEN)
    return without_turn.count() + Turn.objects.exclude(event__state=Event.State.DONE).count()


def uncounted_turns() -> int:
    """A conversation has as many turns as the number of its last turn."""
    return Conversation.objects.annotate(have=Count("turns")).exclude(have=F("last_turn")).count()


def turns_out_of_order() -> int:
    """Turns come in the order of their events; one that a person retried (it has a reference) may come later."""
    earlier = Turn.objects.filter(conversation=OuterRef("conversation"), number__lt=OuterRef("number"))
    before = earlier.filter(event__number__gt=OuterRef("event__number"))
    return Turn.objects.filter(Exists(before), event__reference="").count()


def forgotten_events() -> int:
    """No event is due for longer than `MAX_EVENT_WAIT` while its conversation has no lease."""
    old = Event.objects.filter(state=Event.State.DUE, accepted_at__lt=Now() - MAX_EVENT_WAIT)
    return old.filter(_without_lease("conversation__")).count()


def broken_transcripts() -> int:
    """The lines of a transcript are numbered from 1 to its last one, without gaps."""
    rows = Conversation.objects.annotate(have=Count("messages"), top=Coalesce(Max("messages__seq"), 0))
    return rows.exclude(have=F("last_message"), top=F("last_message")).count()


def lines_without_turn() -> int:
    """Lines that were stored before their turn's commit belong to the turn afterwards.

    A decision that was overtaken after its turn had failed has no turn; its lines stay with the event.
    """
    early = Message.objects.filter(reply_to__turn__isnull=False, turn__isnull=True)
    return early.exclude(key=APOLOGY).count()


def pauses_without_session() -> int:
    """A waiting conversation has an undecided session, or a due event that will change it, or waits for an event."""
    undecided = HITLSession.objects.filter(conversation=OuterRef("pk"), state__in=HITLSession.UNDECIDED)
    due = Event.objects.filter(conversation=OuterRef("pk"), state=Event.State.DUE)
    waiting = Conversation.objects.filter(state=Conversation.State.WAITING).exclude(explicit="waiting_for_event")
    return waiting.exclude(Exists(undecided)).exclude(Exists(due)).count()


def sessions_without_pause() -> int:
    """The conversation of an undecided session waits, runs or has failed."""
    undecided = HITLSession.objects.filter(state__in=HITLSession.UNDECIDED)
    paused = (Conversation.State.WAITING, Conversation.State.RUNNING, Conversation.State.FAILED)
    return undecided.exclude(conversation__state__in=paused).count()


def timers_of_ended() -> int:
    """A conversation that is over has no timers."""
    return Timer.objects.filter(conversation__state__in=Conversation.OVER).count()


def timers_not_once() -> int:
    """A timer has one event if it was fired, and none before."""
    task, timer = KeyTextTransform("task", "payload"), KeyTextTransform("timer", "payload")
    events = Event.objects.filter(kind=Event.Kind.TIMER).order_by().annotate(task=task, timer=timer)
    rows = events.values("conversation", "task", "timer").annotate(times=Count("pk"))
    own_events = events.filter(conversation=OuterRef("conversation"), task=OuterRef("task_key"), timer=OuterRef("name"))
    fired, unfired = Timer.objects.filter(fired_at__isnull=False), Timer.objects.filter(fired_at__isnull=True)
    lost = fired.exclude(Exists(own_events)).count()
    return rows.filter(times__gt=1).count() + lost + unfired.filter(Exists(own_events)).count()


def sessions_without_checkpoint() -> int:
    """The conversation of an undecided session has a checkpoint to resume from."""
    undecided = HITLSession.objects.filter(state__in=HITLSession.UNDECIDED)
    # A thread is named by the conversation's id as text; SQLite stores ids without dashes, PostgreSQL with them.
    threads = Checkpoint.objects.annotate(plain=_without_dashes("thread_id")).filter(plain=OuterRef("plain"))
    undecided = undecided.exclude(_IS_FROM_AGENT)
    with_thread = undecided.annotate(plain=_without_dashes(Cast("conversation_id", CharField())))
    return with_thread.exclude(Exists(threads)).count()


def _without_dashes(name: str | Cast) -> Replace:
    return Replace(name, Value("-"), Value(""))


def decisions_without_event() -> int:
    """A decision or expiry of a staff session has exactly one event; handing back a chat is a decision."""
    decided = _staff_sessions().filter(state__in=DECIDED_STATES).exclude(_IS_FROM_AGENT)
    return decided.annotate(heard=Count("events")).exclude(heard=1).count()


def events_without_decision() -> int:
    """An event of a decision belongs to a session that was decided."""
    return Event.objects.filter(kind__in=DECISION_KINDS).exclude(session__state__in=DECIDED_STATES).count()


def submissions_not_one() -> int:
    """A submitted session has exactly one accepted submission, and an undecided session has none."""
    accepted = Count("submissions", filter=Q(submissions__accepted=True))
    submitted = _staff_sessions().filter(state=HITLSession.State.SUBMITTED).annotate(accepted=accepted)
    early = Submission.objects.filter(accepted=True).exclude(session__state__in=HITLSession.FINAL)
    return submitted.exclude(accepted=1).count() + early.count()


def _staff_sessions() -> QuerySet[HITLSession]:
    return HITLSession.objects.filter(audience=HITLSession.Audience.STAFF)


def actions_half_written() -> int:
    """An action has an end time exactly when it is over, and outputs when it succeeded."""
    over = (ActionRun.State.SUCCEEDED, ActionRun.State.FAILED, ActionRun.State.UNKNOWN)
    unfinished = Q(state__in=over, finished_at__isnull=True)
    early = Q(finished_at__isnull=False) & ~Q(state__in=over)
    empty = Q(state=ActionRun.State.SUCCEEDED, outputs__isnull=True)
    return ActionRun.objects.filter(unfinished | early | empty).count()


def actions_repeated() -> int:
    """An action that is not idempotent was attempted at most once."""
    return ActionRun.objects.filter(idempotent=False, attempts__gt=1).count()


def actions_left_behind() -> int:
    """An unfinished action has a due event, a lease or an incident: something will deal with it."""
    begun = ActionRun.objects.filter(state__in=(ActionRun.State.INTENDED, ActionRun.State.RUNNING))
    alone = begun.filter(_without_lease("conversation__")).exclude(
        Exists(Event.objects.filter(conversation=OuterRef("conversation"), state=Event.State.DUE))
    )
    return alone.exclude(conversation__state=Conversation.State.FAILED).count()


def foreign_releases() -> int:
    """A conversation runs a release of its own assistant."""
    return Conversation.objects.exclude(release__assistant=F("assistant")).count()


def releases_changed_under_way() -> int:
    """The release does not change while a flow is running, unless the conversation was migrated."""
    before = Turn.objects.filter(conversation=OuterRef("conversation"), number=OuterRef("number") - 1)
    under_way = before.exclude(stack=[]).exclude(release=OuterRef("release"))
    changed = Turn.objects.filter(Exists(under_way)).values_list("conversation_id", flat=True)
    return sum(1 for conversation in changed if not _was_migrated(conversation))


def _was_migrated(conversation: UUID) -> bool:
    """The migration to another release is recorded in the conversation's own chain."""
    return AuditEntry.objects.filter(chain=str(conversation), act="conversation.migrated").exists()


def broken_chains() -> int:
    """Every audit chain verifies."""
    return sum(1 for _ in chain.verify())


def decisions_without_due_event() -> int:
    """A decision on its way to the engine has a due event, and a new one is on its way."""
    on_their_way = (HITLSession.Delivery.PENDING, HITLSession.Delivery.APPLYING)
    due = Event.objects.filter(session=OuterRef("pk"), kind__in=DECISION_KINDS, state=Event.State.DUE)
    unsent = Q(delivery=HITLSession.Delivery.NONE, state__in=DECIDED_STATES)
    lost = Q(delivery__in=on_their_way) & ~Exists(due)
    return _staff_sessions().exclude(_IS_FROM_AGENT).filter(unsent | lost).count()


def answers_to_agents_lost() -> int:
    """A decision for another system's agent is on its way while its request waits, and not longer."""
    decided = _staff_sessions().filter(_IS_FROM_AGENT, state__in=DECIDED_STATES)
    unsent = decided.filter(Q(delivery=HITLSession.Delivery.NONE) | Q(agent_pause__isnull=True))
    heard = decided.filter(agent_pause__request__state=AgentRequest.State.DELIVERED)
    return unsent.count() + heard.exclude(delivery=HITLSession.Delivery.APPLIED).count()


def ended_and_still_due() -> int:
    """A decision that was applied, overtaken or abandoned has no due event."""
    ended = (HITLSession.Delivery.APPLIED, HITLSession.Delivery.OVERTAKEN, HITLSession.Delivery.ABANDONED)
    return Event.objects.filter(state=Event.State.DUE, session__delivery__in=ended).count()


def lines_unseen_by_channels() -> int:
    """A channel's thread knows its transcript's last line, sends no line that is not there, and has a time to send."""
    lines = Message.objects.filter(conversation=OuterRef("conversation")).exclude(role=Message.Role.USER)
    newest = Coalesce(Subquery(lines.order_by("-seq").values("seq")[:1]), 0)
    never_due = Q(state=ChannelThread.State.ACTIVE, sent__lt=F("latest"), due_at__gt=Now() + MAX_LINE_WAIT)
    threads = ChannelThread.objects.annotate(newest=newest)
    return threads.filter(Q(latest__lt=F("newest")) | Q(sent__gt=F("latest")) | never_due).count()


INVARIANTS = (
    Invariant(1, "every accepted message stands in the transcript", messages_without_line),
    Invariant(1, "no client message id was taken twice", client_ids_twice),
    Invariant(2, "a lease has an owner and an end, or neither", half_leases),
    Invariant(2, "no write comes from an epoch that was not given out", writes_from_the_future),
    Invariant(3, "an event is done when its turn is there, and only then", half_turns),
    Invariant(3, "a conversation's turns are as many as it counts", uncounted_turns),
    Invariant(4, "turns come in the order of their events", turns_out_of_order),
    Invariant(4, "no event is older than 30 seconds without a runner", forgotten_events),
    Invariant(5, "the transcript has no gap and no repeat", broken_transcripts),
    Invariant(5, "a line that was read before its turn was done belongs to that turn", lines_without_turn),
    Invariant(6, "a conversation that waits has a session that says for what", pauses_without_session),
    Invariant(6, "an open session has a conversation that waits", sessions_without_pause),
    Invariant(6, "an open session has a checkpoint to go on from", sessions_without_checkpoint),
    Invariant(6, "a conversation that is over has no timer", timers_of_ended),
    Invariant(7, "a timer that was fired has exactly one event", timers_not_once),
    Invariant(7, "a decision has exactly one event to the engine", decisions_without_event),
    Invariant(7, "an event of a decision has a session that was decided", events_without_decision),
    Invariant(7, "a submitted session has exactly one accepted submission", submissions_not_one),
    Invariant(8, "an action's record is written to its end", actions_half_written),
    Invariant(8, "an action that is not idempotent was called at most once", actions_repeated),
    Invariant(8, "no action is left behind half done", actions_left_behind),
    Invariant(9, "a conversation runs a release of its own assistant", foreign_releases),
    Invariant(9, "no release changed while something was under way", releases_changed_under_way),
    Invariant(10, "the audit chains verify", broken_chains),
    Invariant(11, "a decision on its way is carried by a stored event", decisions_without_due_event),
    Invariant(11, "a decision for another system's agent is sent or on its way", answers_to_agents_lost),
    Invariant(11, "no line of a channel waits unseen", lines_unseen_by_channels),
    Invariant(11, "no decision that was applied or overtaken has an event that is due", ended_and_still_due),
)


def count_violations() -> list[tuple[Invariant, int]]:
    """Every invariant with the number of rows that violate it."""
    return [(invariant, invariant.count()) for invariant in INVARIANTS]
