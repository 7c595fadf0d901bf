"""What must always be so, as counts of rows for which it is not: 0 everywhere, on SQLite and on PostgreSQL."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db.models import CharField, Count, Exists, F, Max, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Cast, Coalesce, Now, Replace

from dialogue.audit import chain
from dialogue.models import (
    ActionRun,
    AuditEntry,
    Checkpoint,
    Conversation,
    Event,
    HITLSession,
    Message,
    Submission,
    Turn,
)
from dialogue.models.conversations.message import APOLOGY

PATIENCE = timedelta(seconds=30)
"""How long an accepted event may wait without a runner."""

DECISIONS = (Event.Kind.DECISION, Event.Kind.EXPIRY)
DECIDED = (HITLSession.State.SUBMITTED, HITLSession.State.EXPIRED)


@dataclass(frozen=True)
class Invariant:
    """One promise: its number in the list of promises, its sentence, and how to count what breaks it."""

    number: int
    sentence: str
    count: Callable[[], int]


def _free(prefix: str = "") -> Q:
    """Nobody has the conversation's lease."""
    return Q(**{f"{prefix}lease_until__isnull": True}) | Q(**{f"{prefix}lease_until__lt": Now()})


def _due() -> Exists:
    return Exists(Event.objects.filter(conversation=OuterRef("conversation"), state=Event.State.DUE))


def messages_without_line() -> int:
    return Event.objects.filter(kind=Event.Kind.MESSAGE, message__isnull=True).count()


def client_ids_twice() -> int:
    rows = Event.objects.order_by().values("conversation", "client_id").annotate(times=Count("pk"))
    return rows.filter(times__gt=1).count()


def half_leases() -> int:
    nobody = Q(lease_owner="")
    unlimited = Q(lease_until__isnull=True)
    return Conversation.objects.filter((nobody & ~unlimited) | (unlimited & ~nobody)).count()


def writes_from_the_future() -> int:
    return ActionRun.objects.filter(epoch__gt=F("conversation__epoch")).count()


def half_turns() -> int:
    """Events that are done without a turn, unless their decision was overtaken, and turns whose event is not done."""
    marked = Event.objects.filter(state=Event.State.DONE, turn__isnull=True)
    marked = marked.exclude(session__delivery=HITLSession.Delivery.OVERTAKEN)
    return marked.count() + Turn.objects.exclude(event__state=Event.State.DONE).count()


def uncounted_turns() -> int:
    return Conversation.objects.annotate(have=Count("turns")).exclude(have=F("last_turn")).count()


def turns_out_of_order() -> int:
    """An event that a person had to retry (it has a reference) may come after younger ones."""
    earlier = Turn.objects.filter(conversation=OuterRef("conversation"), number__lt=OuterRef("number"))
    before = earlier.filter(event__number__gt=OuterRef("event__number"))
    return Turn.objects.filter(Exists(before), event__reference="").count()


def forgotten_events() -> int:
    old = Event.objects.filter(state=Event.State.DUE, accepted_at__lt=Now() - PATIENCE)
    return old.filter(_free("conversation__")).count()


def broken_transcripts() -> int:
    rows = Conversation.objects.annotate(have=Count("messages"), top=Coalesce(Max("messages__seq"), 0))
    return rows.exclude(have=F("last_message"), top=F("last_message")).count()


def lines_without_turn() -> int:
    """Lines that were stored before their turn's commit, and that the turn did not take over.

    A decision that was overtaken after its turn had failed has no turn, and its lines stay with the event.
    """
    early = Message.objects.filter(reply_to__turn__isnull=False, turn__isnull=True)
    return early.exclude(key=APOLOGY).count()


def pauses_without_session() -> int:
    undecided = HITLSession.objects.filter(conversation=OuterRef("pk"), state__in=HITLSession.UNDECIDED)
    due = Event.objects.filter(conversation=OuterRef("pk"), state=Event.State.DUE)
    waiting = Conversation.objects.filter(state=Conversation.State.WAITING)
    return waiting.exclude(Exists(undecided)).exclude(Exists(due)).count()


def sessions_without_pause() -> int:
    undecided = HITLSession.objects.filter(state__in=HITLSession.UNDECIDED)
    paused = (Conversation.State.WAITING, Conversation.State.RUNNING, Conversation.State.FAILED)
    return undecided.exclude(conversation__state__in=paused).count()


def sessions_without_checkpoint() -> int:
    """Threads are named by the conversation's id as text, which the two databases write with and without dashes."""
    undecided = HITLSession.objects.filter(state__in=HITLSession.UNDECIDED)
    threads = Checkpoint.objects.annotate(plain=_plain("thread_id")).filter(plain=OuterRef("plain"))
    named = undecided.annotate(plain=_plain(Cast("conversation_id", CharField())))
    return named.exclude(Exists(threads)).count()


def _plain(name: str | Cast) -> Replace:
    return Replace(name, Value("-"), Value(""))


def decisions_without_event() -> int:
    """Staff's decisions and expiries that the engine hears of never, or more than once; handing a chat back is one."""
    return _by_staff().filter(state__in=DECIDED).annotate(heard=Count("events")).exclude(heard=1).count()


def events_without_decision() -> int:
    return Event.objects.filter(kind__in=DECISIONS).exclude(session__state__in=DECIDED).count()


def submissions_not_one() -> int:
    """Submitted sessions without an accepted submission, or with several, and accepted ones of sessions still open."""
    accepted = Count("submissions", filter=Q(submissions__accepted=True))
    submitted = _by_staff().filter(state=HITLSession.State.SUBMITTED).annotate(accepted=accepted)
    early = Submission.objects.filter(accepted=True).exclude(session__state__in=HITLSession.FINAL)
    return submitted.exclude(accepted=1).count() + early.count()


def _by_staff() -> QuerySet[HITLSession]:
    return HITLSession.objects.filter(audience=HITLSession.Audience.STAFF)


def actions_half_written() -> int:
    over = (ActionRun.State.SUCCEEDED, ActionRun.State.FAILED, ActionRun.State.UNKNOWN)
    unfinished = Q(state__in=over, finished_at__isnull=True)
    early = Q(finished_at__isnull=False) & ~Q(state__in=over)
    empty = Q(state=ActionRun.State.SUCCEEDED, outputs__isnull=True)
    return ActionRun.objects.filter(unfinished | early | empty).count()


def actions_repeated() -> int:
    return ActionRun.objects.filter(idempotent=False, attempts__gt=1).count()


def actions_left_behind() -> int:
    """Begun, not ended, and nobody is going to look: no due event, no runner, no incident."""
    begun = ActionRun.objects.filter(state__in=(ActionRun.State.INTENDED, ActionRun.State.RUNNING))
    alone = begun.filter(_free("conversation__")).exclude(_due())
    return alone.exclude(conversation__state=Conversation.State.FAILED).count()


def foreign_releases() -> int:
    return Conversation.objects.exclude(release__assistant=F("assistant")).count()


def releases_changed_under_way() -> int:
    before = Turn.objects.filter(conversation=OuterRef("conversation"), number=OuterRef("number") - 1)
    under_way = before.exclude(stack=[]).exclude(release=OuterRef("release"))
    changed = Turn.objects.filter(Exists(under_way)).values_list("conversation_id", flat=True)
    return sum(1 for conversation in changed if not _was_migrated(conversation))


def _was_migrated(conversation: UUID) -> bool:
    """Somebody moved it to another release, which is on record in its own chain."""
    return AuditEntry.objects.filter(chain=str(conversation), act="conversation.migrated").exists()


def broken_chains() -> int:
    return sum(1 for _ in chain.verify())


def decisions_held_in_memory() -> int:
    """Decisions on their way to the engine that no stored event carries."""
    way = (HITLSession.Delivery.PENDING, HITLSession.Delivery.APPLYING)
    due = Event.objects.filter(session=OuterRef("pk"), kind__in=DECISIONS, state=Event.State.DUE)
    unsent = Q(delivery=HITLSession.Delivery.NONE, state__in=DECIDED)
    lost = Q(delivery__in=way) & ~Exists(due)
    return _by_staff().filter(unsent | lost).count()


def ended_and_still_due() -> int:
    """Decisions that were heard, overtaken or given up, and whose event a runner would take up all the same."""
    ended = (HITLSession.Delivery.APPLIED, HITLSession.Delivery.OVERTAKEN, HITLSession.Delivery.ABANDONED)
    return Event.objects.filter(state=Event.State.DUE, session__delivery__in=ended).count()


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
    Invariant(7, "a decision has exactly one event to the engine", decisions_without_event),
    Invariant(7, "an event of a decision has a session that was decided", events_without_decision),
    Invariant(7, "a submitted session has exactly one accepted submission", submissions_not_one),
    Invariant(8, "an action's record is written to its end", actions_half_written),
    Invariant(8, "an action that is not idempotent was called at most once", actions_repeated),
    Invariant(8, "no action is left behind half done", actions_left_behind),
    Invariant(9, "a conversation runs a release of its own assistant", foreign_releases),
    Invariant(9, "no release changed while something was under way", releases_changed_under_way),
    Invariant(10, "the audit chains verify", broken_chains),
    Invariant(11, "a decision on its way is carried by a stored event", decisions_held_in_memory),
    Invariant(11, "no decision that was applied or overtaken has an event that is due", ended_and_still_due),
)


def counted() -> list[tuple[Invariant, int]]:
    """Every invariant with the number of rows that break it."""
    return [(invariant, invariant.count()) for invariant in INVARIANTS]
