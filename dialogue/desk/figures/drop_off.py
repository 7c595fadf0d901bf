"""Where customers leave a flow: for each step that waits, how many reached it, and for how many it was the last."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from dialogue.desk.figures.periods import Period
from dialogue.models import HITLSession

MAX_PAUSES = 200_000
"""How many of a flow's pauses are counted."""


@dataclass(frozen=True)
class Pause:
    """One pause of one run of a flow."""

    conversation: UUID
    frame: str
    step: str
    state: str


@dataclass(frozen=True)
class StepDropOff:
    """One step: how many runs of the flow reached it, and how many ended there without an answer."""

    step: str
    reached: int
    left: int

    @property
    def share(self) -> float:
        return self.left / self.reached if self.reached else 0.0


@dataclass(frozen=True)
class FlowDropOff:
    """A flow's steps in the order in which runs reach them; `waiting` runs stand at a step and are not over yet.

    `finished` runs had their last question answered.
    """

    steps: list[StepDropOff]
    runs: int
    finished: int
    waiting: int


def flow_pauses(period: Period, assistant: str, flow: str) -> list[Pause]:
    """Return the pauses of a flow in real conversations, run by run in their order; one query."""
    rows = HITLSession.objects.filter(
        conversation__active_at__gte=period.start,
        conversation__assistant__name=assistant,
        conversation__test=False,
        flow=flow,
        opened_at__gte=period.start,
        opened_at__lt=period.end,
    ).exclude(kind=HITLSession.Kind.HANDOFF)
    facts = rows.order_by("conversation", "frame", "number").values_list("conversation", "frame", "step", "state")
    return [Pause(*row) for row in facts[:MAX_PAUSES]]


def drop_off(pauses: Iterable[Pause], step_order: Iterable[str] = ()) -> FlowDropOff:
    """Count the runs of a flow by the steps that they reached. A run that comes to a step twice counts once there."""
    reached: Counter[str] = Counter()
    left: Counter[str] = Counter()
    runs = finished = waiting = 0
    for _run, run_pauses in groupby(pauses, key=lambda pause: (pause.conversation, pause.frame)):
        steps = list(run_pauses)
        reached.update({pause.step for pause in steps})
        runs += 1
        last = steps[-1]
        if last.state in HITLSession.UNDECIDED:
            waiting += 1
        elif last.state == HITLSession.State.CANCELLED:
            left[last.step] += 1
        else:
            finished += 1
    places = {step: place for place, step in enumerate(step_order)}
    order = sorted(reached, key=lambda step: (places.get(step, len(places)), -reached[step], step))
    return FlowDropOff([StepDropOff(step, reached[step], left[step]) for step in order], runs, finished, waiting)
