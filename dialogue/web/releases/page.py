"""What the publish dialog shows: changes, problems, scenario results, and where conversations wait."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Count

from dialogue.engine.actions import registry
from dialogue.engine.language.compiler import check_documents, load_assistant
from dialogue.engine.language.documents import digest_of
from dialogue.engine.source.problems import FlowProblems, Problem
from dialogue.library.documents.folders import SUFFIX
from dialogue.library.documents.side_by_side import LinePair, abridge_pairs, line_pairs
from dialogue.library.documents.step_changes import StepChange, changed_steps
from dialogue.library.documents.versions import documents_of, heads_of
from dialogue.library.nlu_programs.flow_advice import close_examples_of
from dialogue.library.releases.groups import group_warnings
from dialogue.models import Assistant, Conversation, Flow, HITLSession, Release
from dialogue.turns.compiled_releases import registered_actions
from dialogue.web.flows.graph import step_look

if TYPE_CHECKING:
    from dialogue.nlu.training.authoring import CloseExample

MAX_WAITING_STEPS = 8
MAX_COMPARED_LINES = 500
"""Lines that are shown of each document."""


@dataclass(frozen=True)
class Change:
    """A change with how its step looks; `waits` is how many conversations stand at the step."""

    change: StepChange
    look: str
    icon: str
    waits: int


@dataclass(frozen=True)
class WaitingStep:
    """How many conversations stand at one step of the flows, and whether the step changes."""

    flow: str
    step: str
    number: int
    changes: bool


@dataclass(frozen=True)
class ScenarioResults:
    """Results of the scenarios that ran with exactly these texts, and how many steps they reach."""

    passed: int
    failed: int
    total: int
    reached_steps: int
    total_steps: int

    @property
    def percent(self) -> int:
        return round(100 * self.reached_steps / self.total_steps) if self.total_steps else 0


@dataclass(frozen=True)
class Preview:
    """Everything that the dialog shows. `digest` and `base` are sent back, so that an old tab is noticed.

    `same`: the texts are those of the active release, to the letter.
    """

    digest: str
    base: int
    next: int
    same: bool
    changes: list[Change]
    errors: list[Problem]
    warnings: list[Problem]
    scenarios: ScenarioResults
    conversations_by_release: dict[int, int]
    waiting_steps: list[WaitingStep]
    drafts: list[str]
    close_examples: "list[tuple[str, CloseExample]]"

    @property
    def kinds(self) -> Counter[str]:
        return Counter(change.change.kind for change in self.changes)

    @property
    def open(self) -> int:
        return sum(self.conversations_by_release.values())


def publication_preview(assistant: Assistant) -> Preview:
    """What publishing the newest versions would change now."""
    active = assistant.active_release
    after = documents_of(assistant)
    before = active.documents() if active else {}
    changes = changed_steps(before, after)
    waiting_steps = _waiting_steps(assistant, {(change.flow, change.step) for change in changes})
    waiting_counts = {(waiting.flow, waiting.step): waiting.number for waiting in waiting_steps}
    problems = check_documents(after, registered_actions(), registry.mismatch)
    numbers = assistant.releases.filter(trial=False).order_by("-number").values_list("number", flat=True)
    return Preview(
        digest=digest_of(after),
        base=active.number if active else 0,
        next=(numbers.first() or 0) + 1,
        same=before == after,
        changes=[
            Change(change, *step_look(change.type), waiting_counts.get((change.flow, change.step), 0))
            for change in changes
        ],
        errors=[problem for problem in problems if problem.severity == "error"],
        warnings=[*group_warnings(after), *(problem for problem in problems if problem.severity == "warning")],
        scenarios=_scenario_results(assistant, after),
        conversations_by_release=_conversations_by_release(assistant),
        waiting_steps=waiting_steps[:MAX_WAITING_STEPS],
        drafts=list(_flows_with_drafts(assistant)),
        close_examples=_close_examples(after, changes, problems),
    )


def _close_examples(
    documents: dict[str, str], changes: list[StepChange], problems: Sequence[Problem]
) -> "list[tuple[str, CloseExample]]":
    """The examples of the changed flows that are close to another flow's; none while there are errors."""
    if any(problem.severity == "error" for problem in problems):
        return []
    return close_examples_of(documents, list(dict.fromkeys(change.flow for change in changes)))


@dataclass(frozen=True)
class DocumentChange:
    """One document whose newest version (`head`) differs from the active release.

    `pairs` are its lines beside each other, `more` says that there are more of them than are shown.
    """

    flow: str
    head: int
    pairs: list[LinePair | None]
    more: bool


def document_changes(assistant: Assistant) -> list[DocumentChange]:
    """The documents that publishing would change."""
    before = assistant.active_release.documents() if assistant.active_release else {}
    after, heads = documents_of(assistant), {version.flow.filename: version.number for version in heads_of(assistant)}
    files = [file for file in sorted({*before, *after}) if before.get(file) != after.get(file)]
    return [_document_change(file, before.get(file, ""), after.get(file, ""), heads.get(file, 0)) for file in files]


def _document_change(file: str, before: str, after: str, head: int) -> DocumentChange:
    pairs = abridge_pairs(line_pairs(before, after))
    return DocumentChange(file.removesuffix(SUFFIX), head, pairs[:MAX_COMPARED_LINES], len(pairs) > MAX_COMPARED_LINES)


def changes_since(release: Release | None, assistant: Assistant) -> list[StepChange]:
    """The steps that differ between the release and the newest versions."""
    return changed_steps(release.documents() if release else {}, documents_of(assistant))


def _conversations_by_release(assistant: Assistant) -> dict[int, int]:
    """How many conversations are in the middle of a flow, by the release that they stay on."""
    rows = Conversation.objects.filter(assistant=assistant, test=False).exclude(state__in=Conversation.OVER)
    counted = rows.exclude(stack=[]).values("release__number").annotate(count=Count("pk"))
    return {row["release__number"]: row["count"] for row in counted.order_by("release__number")}


def _waiting_steps(assistant: Assistant, changed: set[tuple[str, str]]) -> list[WaitingStep]:
    waiting = HITLSession.objects.filter(
        state__in=HITLSession.UNDECIDED, conversation__assistant=assistant, conversation__test=False
    )
    rows = waiting.values_list("flow", "step").annotate(number=Count("conversation", distinct=True))
    steps = [WaitingStep(flow, step, number, (flow, step) in changed) for flow, step, number in rows.order_by()]
    return sorted(steps, key=lambda waiting: (not waiting.changes, -waiting.number, waiting.flow, waiting.step))


def _scenario_results(assistant: Assistant, documents: dict[str, str]) -> ScenarioResults:
    digest = digest_of(documents)
    rows = list(assistant.scenarios.values_list("passed", "sha256", "result__reach__steps"))
    results = [(passed, steps or []) for passed, sha256, steps in rows if passed is not None and sha256 == digest]
    reached_steps = {tuple(step) for _passed, steps in results for step in steps}
    all_steps = _steps_of(documents)
    passed_count = sum(bool(passed) for passed, _steps in results)
    return ScenarioResults(
        passed_count, len(results) - passed_count, len(rows), len(reached_steps & all_steps), len(all_steps)
    )


def _steps_of(documents: dict[str, str]) -> set[tuple[Any, ...]]:
    try:
        definition = load_assistant(documents)
    except FlowProblems:
        return set()
    return {(flow.flow, step.step) for flow in definition.flows.values() for step in flow.all_steps()}


def _flows_with_drafts(assistant: Assistant) -> list[str]:
    """Flows with unsaved drafts, which are not published."""
    rows = Flow.objects.filter(assistant=assistant, archived=False).exclude(draft="").select_related("head")
    return [flow.name for flow in rows.order_by("name") if flow.head is None or flow.draft != flow.head.text]
