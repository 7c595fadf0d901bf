"""How typed messages were understood, release by release."""

from dataclasses import dataclass, field

from django.db.models import Count, QuerySet

from dialogue.desk.figures.periods import Period
from dialogue.models import Turn

MAX_RELEASES = 12
READINGS = (Turn.Reading.UNDERSTOOD, Turn.Reading.ASKED_BACK, Turn.Reading.NOT_UNDERSTOOD, Turn.Reading.CORRECTED)


@dataclass(frozen=True)
class ReleaseUnderstanding:
    """The typed messages of one release, by how they were understood; each message counts once."""

    assistant: str
    release: int
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def share(self, reading: str) -> float:
        """The share of messages with this reading, 0 to 1."""
        return self.counts.get(reading, 0) / self.total if self.total else 0.0


def understanding_by_release(period: Period, assistant: str = "") -> list[ReleaseUnderstanding]:
    """Return the releases with typed messages in the period, the newest of each assistant first; one query."""
    turns = _typed_messages(period, assistant)
    counted = turns.order_by().values_list("release__assistant__name", "release__number", "reading")
    releases: dict[tuple[str, int], ReleaseUnderstanding] = {}
    for name, number, reading, count in counted.annotate(count=Count("pk")):
        releases.setdefault((name, number), ReleaseUnderstanding(name, number)).counts[reading] = count
    return [releases[key] for key in sorted(releases, key=lambda key: (key[0], -key[1]))][:MAX_RELEASES]


def readings_by_assistant(period: Period, assistant: str = "") -> dict[str, dict[str, int]]:
    """Return {assistant: {reading: messages}} of the period, of all releases together; one query."""
    counted = _typed_messages(period, assistant).order_by().values_list("conversation__assistant__name", "reading")
    readings: dict[str, dict[str, int]] = {}
    for name, reading, count in counted.annotate(count=Count("pk")):
        readings.setdefault(name, {})[reading] = count
    return readings


def _typed_messages(period: Period, assistant: str) -> QuerySet[Turn]:
    """The turns that customers' typed messages began; without tests."""
    turns = Turn.objects.filter(
        conversation__active_at__gte=period.start,
        conversation__test=False,
        finished_at__gte=period.start,
        finished_at__lt=period.end,
        reading__in=READINGS,
    )
    return turns.filter(conversation__assistant__name=assistant) if assistant else turns
