"""What a dry run says step by step: how many conversations move and where to, how many stay and why."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.text import capfirst

from dialogue.engine.language.compiler import Assistant
from dialogue.library.releases.migration_apply import MoveReport
from dialogue.models import Release
from dialogue.turns.compiled_releases import assistant_of
from dialogue.turns.live.flow_words import flow_words, step_words
from dialogue.web.flows.graph import step_look
from dialogue.web.releases.move_words import MoveWords


@dataclass
class StepOutcome:
    """The conversations of a dry run that stand at one step of the old release.

    One with several flows in progress counts at its topmost. `target` is the title of the step where those that move
    go on. `reasons` and `losses` are in the reader's language, each with how many conversations it is about.
    """

    flow_title: str
    title: str
    target: str
    look: str
    icon: str
    moving: int = 0
    staying: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    losses: Counter[str] = field(default_factory=Counter)

    @property
    def common_reasons(self) -> list[tuple[str, int]]:
        """The reasons why conversations stay, the most common first."""
        return self.reasons.most_common()

    @property
    def common_losses(self) -> list[tuple[str, int]]:
        """What those that move lose, the most common first."""
        return self.losses.most_common()


def step_outcomes(
    old: Release, new: Release, mapping: Mapping[str, str], reports: Sequence[MoveReport]
) -> list[StepOutcome]:
    """The steps at which conversations of the reports stand; those where some stay first, then the fullest."""
    before, after = assistant_of(old), assistant_of(new)
    words = MoveWords(before, after)
    outcomes: dict[str, StepOutcome] = {}
    for report in reports:
        place = report.steps[-1] if report.steps else ""
        if place not in outcomes:
            outcomes[place] = _empty_outcome(place, before, after, mapping)
        _count(outcomes[place], report, words)
    return sorted(outcomes.values(), key=lambda row: (not row.staying, -(row.moving + row.staying), row.title))


def places_in_words(release: Release, reports: Collection[MoveReport]) -> dict[str, str]:
    """The places of the reports, `flow › step`, in the reader's words."""
    assistant = assistant_of(release)
    places = {place for report in reports for place in report.steps}
    return {place: _place_words(place, assistant) for place in places}


def _place_words(place: str, assistant: Assistant) -> str:
    flow, _arrow, step = place.partition(" › ")
    return f"{capfirst(flow_words(flow, assistant))} › {capfirst(step_words(flow, step, assistant))}"


def _empty_outcome(place: str, before: Assistant, after: Assistant, mapping: Mapping[str, str]) -> StepOutcome:
    flow, _arrow, step = place.partition(" › ")
    target = mapping.get(f"{flow}.{step}", step)
    known = before.flows.get(flow)
    look = step_look(known.step(step).type) if known and known.has_step(step) else step_look("say")
    return StepOutcome(
        capfirst(flow_words(flow, before)),
        capfirst(step_words(flow, step, before)),
        capfirst(step_words(flow, target, after)),
        *look,
    )


def _count(outcome: StepOutcome, report: MoveReport, words: MoveWords) -> None:
    if report.is_possible:
        outcome.moving += 1
        outcome.losses.update(words.losses(report.lost))
    else:
        outcome.staying += 1
        outcome.reasons.update(words.reasons(report.refusals))
