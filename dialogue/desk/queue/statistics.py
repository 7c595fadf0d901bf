"""Statistics of gates by step: how long they wait, how long people work on them, and how they end."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median, quantiles

from django.db.models import Exists, Min, OuterRef, Subquery

from dialogue.desk.access.people import Person, visible_sessions
from dialogue.models import HITLSession, InboxEvent, Submission
from dialogue.turns import clock

MAX_SESSIONS = 50_000
"""How many of the newest gates are counted."""

State = HITLSession.State
StepKey = tuple[str, str, str]
STEP_COLUMNS = ("conversation__assistant__name", "flow", "step")


@dataclass(frozen=True)
class DurationSummary:
    """The number of cases, their median and their 90th percentile, in seconds."""

    cases: int
    median: float
    percentile_90: float


@dataclass(frozen=True)
class EndedSession:
    """A gate that has ended; spans in seconds, None for what did not happen.

    `queue` is the name of its group ("" without one), `decider` the key of the account that ended it, if a person did.
    """

    assistant: str
    flow: str
    step: str
    state: str
    by_clock: bool
    overtaken: bool
    contested: bool
    to_claim: float | None
    handling: float | None
    to_decision: float | None
    opened_at: datetime
    decided_at: datetime
    queue: str = ""
    decider: int | None = None

    @property
    def is_answered(self) -> bool:
        return self.state == State.SUBMITTED


@dataclass(frozen=True)
class StepStatistics:
    """One step of one assistant's flow: how many gates ended how, how long they took, and at how many two people met.

    `overtaken` are those decisions that came after the customer had changed or withdrawn the request.
    `to_claim` from opening to the first claim, `handling` from there to the answer, `to_decision` from opening to the
    answer; None where there was no such case. `expired` are those that the clock ended, without an answer.
    """

    assistant: str
    flow: str
    step: str
    ended: int
    decided: int
    expired: int
    cancelled: int
    overtaken: int
    contested: int
    to_claim: DurationSummary | None
    handling: DurationSummary | None
    to_decision: DurationSummary | None

    @property
    def expired_share(self) -> float:
        """The share of gates without an answer among those that an answer or the deadline ended; 0 to 1."""
        return self.expired / max(1, self.decided + self.expired)

    @property
    def conflict_share(self) -> float:
        """The share of ended gates at which a person was refused because another was faster; 0 to 1."""
        return self.contested / max(1, self.ended)


def statistics_of(person: Person, period: timedelta) -> list[StepStatistics]:
    """Return the statistics of each step with gates that ended in the last `period` and that this person may see."""
    return statistics_by_step(ended_sessions(person, clock.now() - period))


def statistics_by_step(gates: Iterable[EndedSession]) -> list[StepStatistics]:
    """Return the statistics of these gates by step."""
    steps: dict[StepKey, list[EndedSession]] = defaultdict(list)
    for gate in gates:
        steps[gate.assistant, gate.flow, gate.step].append(gate)
    return [_step_statistics(step, step_gates) for step, step_gates in sorted(steps.items())]


def ended_sessions(person: Person, since: datetime) -> Iterator[EndedSession]:
    """Yield the gates that ended since then and that this person may see, tests aside; at most `MAX_SESSIONS`."""
    claims = InboxEvent.objects.filter(session=OuterRef("pk"), kind="claimed").order_by()
    first = claims.values("session").annotate(first=Min("at")).values("first")
    refused = Submission.objects.filter(session=OuterRef("pk"), accepted=False, contested=True)
    gates = visible_sessions(person).select_related(None)
    gates = gates.filter(audience=HITLSession.Audience.STAFF, kind=HITLSession.Kind.HUMAN, conversation__test=False)
    rows = (
        gates.annotate(claimed=Subquery(first), contested=Exists(refused))
        .filter(state__in=HITLSession.FINAL, decided_at__gte=since)
        .order_by("-decided_at")
    )
    columns = ("state", "delivery", "opened_at", "decided_at", "decided_by", "group__name", "claimed", "contested")
    for assistant, flow, step, state, delivery, opened, decided, decider, queue, claimed, contested in rows.values_list(
        *STEP_COLUMNS, *columns
    )[:MAX_SESSIONS]:
        answered = state == State.SUBMITTED
        yield EndedSession(
            assistant=assistant,
            flow=flow,
            step=step,
            state=state,
            by_clock=state == State.EXPIRED and decider is None,
            overtaken=delivery == HITLSession.Delivery.OVERTAKEN,
            contested=contested,
            to_claim=_seconds_between(opened, claimed),
            handling=_seconds_between(claimed, decided) if answered else None,
            to_decision=_seconds_between(opened, decided) if answered else None,
            opened_at=opened,
            decided_at=decided,
            queue=queue or "",
            decider=decider,
        )


def _step_statistics(step_key: StepKey, gates: list[EndedSession]) -> StepStatistics:
    assistant, flow, step = step_key
    return StepStatistics(
        assistant=assistant,
        flow=flow,
        step=step,
        ended=len(gates),
        decided=sum(gate.state == State.SUBMITTED for gate in gates),
        expired=sum(gate.by_clock for gate in gates),
        cancelled=sum(gate.state == State.CANCELLED for gate in gates),
        overtaken=sum(gate.overtaken for gate in gates),
        contested=sum(gate.contested for gate in gates),
        to_claim=duration_summary(gate.to_claim for gate in gates),
        handling=duration_summary(gate.handling for gate in gates),
        to_decision=duration_summary(gate.to_decision for gate in gates),
    )


def duration_summary(seconds: Iterable[float | None]) -> DurationSummary | None:
    """Return number, median and 90th percentile of the spans that there are; None without any."""
    durations = sorted(duration for duration in seconds if duration is not None)
    if not durations:
        return None
    percentile_90 = quantiles(durations, n=10, method="inclusive")[-1] if len(durations) > 1 else durations[0]
    return DurationSummary(len(durations), median(durations), percentile_90)


def _seconds_between(start: datetime | None, end: datetime | None) -> float | None:
    return (end - start).total_seconds() if start and end else None
