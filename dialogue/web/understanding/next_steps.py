"""What the page of understanding shows first: how many messages were understood, and what to do next."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.urls import reverse
from django.utils.timezone import get_current_timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy

from dialogue.desk.figures.periods import Period
from dialogue.desk.figures.understanding import readings_by_assistant
from dialogue.models import Assistant, Turn
from dialogue.turns import clock
from dialogue.web.shared.percentages import percent_of

FIGURE_DAYS = 30
_PROPOSED = ngettext_lazy(
    "Decide on %d example that colleagues proposed.", "Decide on %d examples that colleagues proposed."
)
_MISSED = ngettext_lazy("Say what was meant by %d message.", "Say what was meant by each of %d messages.")
_FLOWS = ngettext_lazy("Improve the examples of %d flow.", "Improve the examples of %d flows.")


@dataclass(frozen=True)
class MessageCounts:
    """Typed messages of customers in the last `FIGURE_DAYS` days, by how they were understood."""

    total: int = 0
    asked_back: int = 0
    not_understood: int = 0
    corrected: int = 0

    @property
    def understood(self) -> int:
        return self.total - self.asked_back - self.not_understood - self.corrected

    @property
    def understood_percent(self) -> int:
        return percent_of(self.understood, self.total)


@dataclass(frozen=True)
class NextStep:
    """One thing to do: words, and the address or the part of the page where it is done."""

    words: str
    href: str


@dataclass(frozen=True)
class OpenWork:
    """What is there to do: proposed examples, messages to correct, flows to improve, and what measuring needs."""

    proposed: int
    missed: int
    flows: int
    documents: int
    was_measured: bool


@dataclass(frozen=True)
class OverviewRow:
    """One assistant of the overview: `proposed` examples wait; `program` is the number of the one in use, 0 without."""

    assistant: Assistant
    counts: MessageCounts
    proposed: int
    program: int


def message_counts(assistant: str = "") -> dict[str, MessageCounts]:
    """Return the counts by assistant; one query. They hold no text, so they are the same for everybody."""
    period = Period.ending_at(clock.now(), FIGURE_DAYS, get_current_timezone())
    return {name: _counts_of(readings) for name, readings in readings_by_assistant(period, assistant).items()}


def _counts_of(readings: Mapping[str, int]) -> MessageCounts:
    return MessageCounts(
        sum(readings.values()),
        readings.get(Turn.Reading.ASKED_BACK, 0),
        readings.get(Turn.Reading.NOT_UNDERSTOOD, 0),
        readings.get(Turn.Reading.CORRECTED, 0),
    )


def next_steps(assistant: Assistant, work: OpenWork) -> list[NextStep]:
    """Return what an author can do now, the most useful first."""
    if assistant.active_release_id is None:
        releases = reverse("dialogue:releases", args=[assistant.name])
        return [NextStep(_("Publish a release: messages are understood from then on."), releases)]
    steps = [step for step in _corrections(work) if step]
    if not work.documents:
        words = _("Write a scenario: understanding is measured with scenarios.")
        steps.append(NextStep(words, reverse("dialogue:scenarios", args=[assistant.name])))
    elif not work.was_measured:
        steps.append(NextStep(_("Measure how well the scenarios are understood."), "#measure"))
    return steps


def _corrections(work: OpenWork) -> Iterator[NextStep | None]:
    yield NextStep(str(_PROPOSED % work.proposed), "#proposed") if work.proposed else None
    yield NextStep(str(_MISSED % work.missed), "#missed") if work.missed else None
    yield NextStep(str(_FLOWS % work.flows), "#flows") if work.flows else None
