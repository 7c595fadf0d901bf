"""Check a text that an author is writing together with the saved documents."""

import re
from dataclasses import dataclass, replace

from dialogue.engine.actions import registry
from dialogue.engine.language.documents import Flow as FlowDefinition
from dialogue.engine.language.loader import LoadedDocuments, load_documents, locate_finding
from dialogue.engine.language.steps import Action
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import FlowView
from dialogue.engine.source.phrases import Phrase
from dialogue.engine.source.problems import Problem
from dialogue.library.documents.folders import OWN_FILE, SUFFIX
from dialogue.library.documents.versions import documents_of
from dialogue.models import Assistant
from dialogue.turns.compiled_releases import registered_actions
from dialogue.turns.process.code_changes import outdated_modules, unloadable_modules

MISSING_CODE = "unregistered_action"
"""The rule of the finding that an action has no Python code."""
SIMULATED_ADVICE = Phrase("Until then tests simulate it, and it keeps the assistant from being published")
_LANGUAGE_LINE = re.compile(r"(?m)^language:[ \t]*[\"']?([A-Za-z]{2,3}(?:-[A-Za-z0-9]+)*)")
_SUGGESTION = re.compile(r"Did you mean `([^`]+)`\?")


@dataclass(frozen=True)
class TextCheck:
    """The problems of one document, and the flow that it makes, if it makes one."""

    problems: tuple[Problem, ...]
    flow: FlowDefinition | None


def check_text(assistant: Assistant, name: str, text: str) -> TextCheck:
    """Check one document among the others; problems of those are not told, unless this one is the assistant's own.

    An action without Python code is a warning here, at its contract and at each step that calls it: a draft can be
    tried without it, and only publishing needs it.
    """
    file = name + SUFFIX
    texts, only = {**documents_of(assistant), file: text}, "" if file == OWN_FILE else file
    documents = load_documents(texts, registered_actions(), only, registry.mismatch)
    own_problems = [_as_in_draft(problem) for problem in documents.problems if file in (problem.file, OWN_FILE)]
    if file != OWN_FILE:
        own_problems += _calls_without_code(documents, name, file)
        own_problems.sort(key=lambda problem: (problem.line, problem.column))
    return TextCheck(tuple(own_problems), documents.flows.get(name))


def _calls_without_code(documents: LoadedDocuments, name: str, file: str) -> list[Problem]:
    """A warning at each step of the flow that calls an action which only has a contract yet."""
    problems = [problem for problem in documents.problems if problem.rule == MISSING_CODE]
    missing = {problem.path.rpartition(".")[2]: problem for problem in problems}
    flow = documents.flows.get(name)
    if not missing or documents.assistant is None or flow is None:
        return []
    findings = [
        Finding(MISSING_CODE, "warning", name, (*path, "call"), missing[step.call].text, missing[step.call].advice)
        for path, step in FlowView(documents.assistant, flow, frozenset()).steps_with_paths
        if isinstance(step, Action) and step.call in missing
    ]
    return [_as_in_draft(locate_finding(finding, file, documents.sources[file])) for finding in findings]


def language_of(assistant: Assistant) -> str:
    """The language tag of the assistant's saved document, "en" without one. Only that line is read."""
    line = _LANGUAGE_LINE.search(documents_of(assistant).get(OWN_FILE, ""))
    return line[1] if line else "en"


def _as_in_draft(problem: Problem) -> Problem:
    if problem.rule != MISSING_CODE:
        return problem
    advice = Phrase("{advice}. {simulation}", advice=problem.advice, simulation=SIMULATED_ADVICE)
    if stale := stale_code_advice():
        advice = Phrase("{advice}. {stale}", advice=advice, stale=stale)
    return replace(problem, code="W-FLOW", severity="warning", advice=advice)


def stale_code_advice() -> Phrase | None:
    """Say why this server may miss an action that its file has: the file has changed, and is not loaded."""
    if unloadable := unloadable_modules():
        return Phrase(
            "The changed file of {modules} cannot be loaded: the log of the server has the reason",
            modules=", ".join(unloadable),
        )
    if outdated := outdated_modules():
        return Phrase(
            "If it is in {modules}, restart the server, which runs the code from before that file changed",
            modules=", ".join(outdated),
        )
    return None


def suggested_name(problem: Problem) -> str:
    """The name that a problem's advice suggests, or ""."""
    match = _SUGGESTION.search(problem.advice)
    return match.group(1) if match else ""
