"""Figures of requests to staff: how many ended how, day by day, and how long people waited."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from dialogue.desk.figures.periods import Period
from dialogue.desk.queue.statistics import DurationSummary, EndedSession, duration_summary

HOURS = range(24)
NO_QUEUE = "-"
"""The name by which gates without a group are chosen."""


@dataclass(frozen=True)
class GateFilter:
    """Which gates count; everything empty: all."""

    assistant: str = ""
    flow: str = ""
    queue: str = ""
    person: str = ""

    def leaves(self, gate: EndedSession) -> bool:
        """Whether this gate counts."""
        return (
            self.assistant in ("", gate.assistant)
            and self.flow in ("", gate.flow)
            and self.queue in ("", gate.queue or NO_QUEUE)
            and self.person in ("", str(gate.decider))
        )


@dataclass(frozen=True)
class GateCounts:
    """How many requests ended how. A request is counted once, at the moment of its end.

    `answered`: a person decided. `expired`: the deadline passed and the default took effect; it stays so if the turn of
    its expiry failed and was mended later. `withdrawn`: a person or the conversation ended it without an answer.
    """

    answered: int = 0
    expired: int = 0
    withdrawn: int = 0

    @property
    def total(self) -> int:
        return self.answered + self.expired + self.withdrawn


def counts_of(gates: Iterable[EndedSession]) -> GateCounts:
    """Count the gates by how they ended."""
    answered = expired = withdrawn = 0
    for gate in gates:
        if gate.is_answered:
            answered += 1
        elif gate.by_clock:
            expired += 1
        else:
            withdrawn += 1
    return GateCounts(answered, expired, withdrawn)


def counts_by_day(gates: Iterable[EndedSession], period: Period) -> dict[date, GateCounts]:
    """Return the counts of every day of the period, by the day on which a gate ended."""
    by_day: Mapping[date, list[EndedSession]] = defaultdict(list)
    for gate in gates:
        by_day[period.day_of(gate.decided_at)].append(gate)
    return {day: counts_of(by_day.get(day, ())) for day in period.days}


def waiting_time(gates: Iterable[EndedSession]) -> DurationSummary | None:
    """Return how long answered requests waited from question to answer; None without any."""
    return duration_summary(gate.to_decision for gate in gates)


def waiting_by_hour(gates: Iterable[EndedSession], period: Period) -> list[DurationSummary | None]:
    """Return the waiting time by the hour of the day at which the request was asked, 0 to 23."""
    by_hour: Mapping[int, list[EndedSession]] = defaultdict(list)
    for gate in gates:
        by_hour[period.hour_of(gate.opened_at)].append(gate)
    return [waiting_time(by_hour.get(hour, ())) for hour in HOURS]


@dataclass(frozen=True)
class StepWaiting:
    """The waiting time of one step's gates, and its median in the period before."""

    assistant: str
    flow: str
    step: str
    waiting: DurationSummary
    median_before: float | None


def waiting_by_step(gates: Sequence[EndedSession], gates_before: Sequence[EndedSession]) -> list[StepWaiting]:
    """Return the waiting time of every step with an answered gate, the longest median first."""
    now, before = _by_step(gates), _by_step(gates_before)
    rows = []
    for step, step_gates in now.items():
        waiting, earlier = waiting_time(step_gates), waiting_time(before.get(step, ()))
        if waiting is not None:
            rows.append(StepWaiting(*step, waiting, earlier.median if earlier else None))
    return sorted(rows, key=lambda row: -row.waiting.median)


def _by_step(gates: Iterable[EndedSession]) -> dict[tuple[str, str, str], list[EndedSession]]:
    steps: dict[tuple[str, str, str], list[EndedSession]] = defaultdict(list)
    for gate in gates:
        steps[gate.assistant, gate.flow, gate.step].append(gate)
    return steps
