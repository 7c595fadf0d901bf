"""What the publish dialog shows: changes, problems, scenario results, and where conversations wait."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dialogue.engine.actions import registry
from dialogue.engine.language.compiler import check_documents
from dialogue.engine.language.documents import digest_of
from dialogue.engine.source.problems import Problem
from dialogue.library.documents.document_check import MISSING_CODE, stale_code_advice
from dialogue.library.documents.folders import SUFFIX
from dialogue.library.documents.side_by_side import LinePair, abridge_pairs, line_pairs
from dialogue.library.documents.step_changes import StepChange, changed_steps
from dialogue.library.documents.versions import documents_of, heads_of
from dialogue.library.nlu_programs.flow_advice import advice_before_release
from dialogue.library.releases.groups import group_warnings
from dialogue.models import Assistant, Flow, Release
from dialogue.turns.compiled_releases import registered_actions
from dialogue.turns.live.flow_words import flow_title, titles_of
from dialogue.web.flows.graph import step_look
from dialogue.web.releases.open_conversations import (
    MAX_WAITING_STEPS,
    WaitingStep,
    conversations_by_release,
    open_conversations,
    waiting_steps,
)
from dialogue.web.releases.scenario_check import ScenarioResults, scenario_results
from dialogue.web.shared.words.findings import in_words

if TYPE_CHECKING:
    from dialogue.nlu.training.authoring import CloseExample, FlowAdvice

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
class Preview:
    """Everything that the dialog shows. `digest` and `base` are sent back, so that an old tab is noticed.

    `same`: the texts are those of the active release, to the letter. `errors` are without the contracts of actions that
    have no Python code, which `missing_actions` names; `stale_code` says why the code may be there and not loaded, or
    is empty. `other_waiting` is how many conversations wait elsewhere.
    """

    digest: str
    base: int
    next: int
    same: bool
    changes: list[Change]
    errors: list[Problem]
    missing_actions: list[str]
    stale_code: str
    warnings: list[Problem]
    other_warnings: list[Problem]
    scenarios: ScenarioResults
    conversations_by_release: dict[int, int]
    waiting_steps: list[WaitingStep]
    other_waiting: int
    drafts: list[str]
    advice: "list[FlowAdvice]"

    @property
    def close_examples(self) -> "list[tuple[str, CloseExample]]":
        """(flow, example) for the examples of the changed flows that are close to another flow's."""
        return [(advice.flow, example) for advice in self.advice for example in advice.close_examples]

    @property
    def flows_in_braces(self) -> "list[FlowAdvice]":
        """The changed flows whose examples all have a free text in braces."""
        return [advice for advice in self.advice if advice.slots_in_braces]

    @property
    def kinds(self) -> Counter[str]:
        return Counter(change.change.kind for change in self.changes)

    @property
    def open(self) -> int:
        return sum(self.conversations_by_release.values())

    @property
    def is_publishable(self) -> bool:
        return not (self.errors or self.missing_actions or self.same)


def publication_preview(assistant: Assistant) -> Preview:
    """What publishing the newest versions would change now."""
    active = assistant.active_release
    after = documents_of(assistant)
    before = active.documents() if active else {}
    changes = changed_steps(before, after)
    waiting = waiting_steps(open_conversations(assistant), {(change.flow, change.step) for change in changes})
    waiting_counts = {(step.flow, step.step): step.number for step in waiting}
    by_release = conversations_by_release(assistant)
    problems = check_documents(after, registered_actions(), registry.mismatch)
    errors = [problem for problem in problems if problem.severity == "error"]
    warnings = [*group_warnings(after), *(problem for problem in problems if problem.severity == "warning")]
    changed_files = {file for file in after if before.get(file) != after[file]}
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
        errors=[problem for problem in errors if problem.rule != MISSING_CODE],
        missing_actions=[problem.path.rpartition(".")[2] for problem in errors if problem.rule == MISSING_CODE],
        stale_code=in_words(stale_code_advice() or ""),
        warnings=[warning for warning in warnings if warning.file in changed_files],
        other_warnings=[warning for warning in warnings if warning.file not in changed_files],
        scenarios=scenario_results(assistant, after),
        conversations_by_release=by_release,
        waiting_steps=waiting[:MAX_WAITING_STEPS],
        other_waiting=sum(by_release.values()) - sum(step.number for step in waiting[:MAX_WAITING_STEPS]),
        drafts=list(_flows_with_drafts(assistant)),
        advice=_advice(after, changes, problems),
    )


def _advice(documents: dict[str, str], changes: list[StepChange], problems: Sequence[Problem]) -> "list[FlowAdvice]":
    """What authors can improve in the changed flows; nothing while there are errors."""
    if any(problem.severity == "error" for problem in problems):
        return []
    return advice_before_release(documents, list(dict.fromkeys(change.flow for change in changes)))


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


def _flows_with_drafts(assistant: Assistant) -> list[str]:
    """Titles of the flows with unsaved drafts, which are not published."""
    rows = Flow.objects.filter(assistant=assistant, archived=False).exclude(draft="").select_related("head")
    titles = titles_of(assistant)
    return [
        flow_title(flow.name, titles)
        for flow in rows.order_by("name")
        if flow.head is None or flow.draft != flow.head.text
    ]
