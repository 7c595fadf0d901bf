"""What customers answered to the two questions of the flow `satisfaction`, which templates bring along."""

from collections import Counter
from dataclasses import dataclass

from dialogue.desk.figures.periods import Period
from dialogue.models import HITLSession

SATISFACTION_FLOW = "satisfaction"
SCORE_SLOT, SOLVED_SLOT = "score", "solved"
SCORES = range(1, 6)
MAX_ANSWERS = 100_000


@dataclass(frozen=True)
class Satisfaction:
    """The answers of a period: how many gave each score from 1 to 5, and how many said that it was solved or not."""

    scores: dict[int, int]
    solved: int
    unsolved: int

    @property
    def answers(self) -> int:
        return sum(self.scores.values())

    @property
    def average(self) -> float | None:
        return sum(score * count for score, count in self.scores.items()) / self.answers if self.answers else None

    @property
    def solved_share(self) -> float | None:
        total = self.solved + self.unsolved
        return self.solved / total if total else None


def satisfaction_in(period: Period, assistant: str = "") -> Satisfaction:
    """Count the answers that customers gave in the period; one query."""
    rows = HITLSession.objects.filter(
        conversation__active_at__gte=period.start,
        conversation__test=False,
        flow=SATISFACTION_FLOW,
        audience=HITLSession.Audience.USER,
        state=HITLSession.State.SUBMITTED,
        decided_at__gte=period.start,
        decided_at__lt=period.end,
    )
    if assistant:
        rows = rows.filter(conversation__assistant__name=assistant)
    scores: Counter[int] = Counter()
    solved: Counter[bool] = Counter()
    for values in rows.order_by().values_list("values", flat=True)[:MAX_ANSWERS]:
        score = values.get(SCORE_SLOT)
        if isinstance(score, int) and score in SCORES:
            scores[score] += 1
        if isinstance(values.get(SOLVED_SLOT), bool):
            solved[values[SOLVED_SLOT]] += 1
    return Satisfaction({score: scores[score] for score in SCORES}, solved[True], solved[False])
