"""From documents to an assistant, with every problem on the way."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any, TypeVar

from pydantic import ValidationError

from dialogue.engine.language.documents import Assistant, Flow, digest_of
from dialogue.engine.language.errors import problems_of, readable_path
from dialogue.engine.language.verifier.assistant_document import SignatureCheck
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.verify import verify
from dialogue.engine.source.parser import Source, SourceRefused, read_source
from dialogue.engine.source.problems import Problem

ASSISTANT_FILE = "assistant.yaml"
_read_source_cached = lru_cache(maxsize=32)(read_source)
"""While an author types in one document, the others are as they were."""
Document = TypeVar("Document", Assistant, Flow)


@dataclass
class LoadedDocuments:
    """Documents as far as they could be read: `assistant` is None when one of them makes none."""

    sources: dict[str, Source] = field(default_factory=dict)
    flows: dict[str, Flow] = field(default_factory=dict)
    assistant: Assistant | None = None
    problems: list[Problem] = field(default_factory=list)


def load_documents(
    texts: Mapping[str, str],
    registered: Collection[str] | None = None,
    only: str = "",
    signature_check: SignatureCheck | None = None,
) -> LoadedDocuments:
    """Read the texts (file name → YAML) and check all there is to check; `only` this file's flow from inside."""
    documents = LoadedDocuments()
    for file, text in texts.items():
        _read_document(file, text, documents)
    head = _load_head(texts, documents)
    for file, source in documents.sources.items():
        if not _is_head(file):
            _load_flow(file, source, head, documents)
    if head is not None:
        documents.assistant = head.with_flows(documents.flows.values(), digest_of(texts))
        _verify_documents(documents, documents.assistant, registered, only, signature_check)
    documents.problems.sort(
        key=lambda problem: (not _is_head(problem.file), problem.file, problem.line, problem.column)
    )
    return documents


def _is_head(file: str) -> bool:
    return PurePosixPath(file).name == ASSISTANT_FILE


def _read_document(file: str, text: str, documents: LoadedDocuments) -> None:
    try:
        documents.sources[file] = _read_source_cached(text)
    except SourceRefused as error:
        problem = Problem("E-YAML", file, error.line, error.column, "", "error", error.text, error.advice, error.rule)
        documents.problems.append(problem)


def _load_head(texts: Mapping[str, str], documents: LoadedDocuments) -> Assistant | None:
    file = next(filter(_is_head, texts), None)
    if file is None:
        advice = "Write one with version: 1, assistant: <name> and title: <title>"
        missing = Problem(
            "E-FLOW", ASSISTANT_FILE, 1, 1, "", "error", "there is no assistant.yaml", advice, "no_assistant"
        )
        documents.problems.append(missing)
        return None
    source = documents.sources.get(file)
    return _validate_document(Assistant, file, "assistant", documents) if source else None


def _load_flow(file: str, source: Source, head: Assistant | None, documents: LoadedDocuments) -> None:
    stem = PurePosixPath(file).stem
    declared_name = source.tree.get("flow")
    flow = _validate_document(Flow, file, declared_name if isinstance(declared_name, str) else stem, documents, head)
    if flow is None:
        return
    if PurePosixPath(file).name != f"{flow.flow}.yaml":
        documents.problems.append(_wrong_file_name(file, source, flow))
    documents.flows.setdefault(flow.flow, flow)


def _wrong_file_name(file: str, source: Source, flow: Flow) -> Problem:
    mark, path = source.value_at(("flow",)), f"{flow.flow}.flow"
    text, advice = f"the flow `{flow.flow}` is in the file {file}", f"Name the file {flow.flow}.yaml"
    return Problem("E-FLOW", file, mark.line, mark.column, path, "error", text, advice, "file_name")


def _validate_document(
    model: type[Document], file: str, name: str, documents: LoadedDocuments, head: Assistant | None = None
) -> Document | None:
    source = documents.sources[file]
    try:
        return model.model_validate(source.tree, context={"language": _language_of(source.tree, head)})
    except ValidationError as error:
        documents.problems.extend(problems_of(error, model, source, file, name))
        return None


def _language_of(tree: Mapping[str, Any], head: Assistant | None) -> str:
    language = head.language if head else tree.get("language", "en")
    return language if isinstance(language, str) else "en"


def _verify_documents(
    documents: LoadedDocuments,
    assistant: Assistant,
    registered: Collection[str] | None,
    only: str,
    signature_check: SignatureCheck | None,
) -> None:
    files = {_flow_of(file, source): file for file, source in documents.sources.items()}
    unreadable = {PurePosixPath(problem.file).stem for problem in documents.problems if problem.code == "E-YAML"}
    flow_names = {name for name, file in files.items() if file == only} if only else None
    broken = frozenset({*files, *unreadable} - documents.flows.keys())
    for finding in verify(assistant, broken, registered, flow_names, signature_check):
        file = files.get(finding.flow, ASSISTANT_FILE)
        documents.problems.append(locate_finding(finding, file, documents.sources[file]))


def _flow_of(file: str, source: Source) -> str:
    return "" if _is_head(file) else str(source.tree.get("flow", PurePosixPath(file).stem))


def locate_finding(finding: Finding, file: str, source: Source) -> Problem:
    """The finding as a problem of this document."""
    mark = source.key_at(finding.path) if finding.on_key else source.value_at(finding.path)
    return Problem(
        code="E-FLOW" if finding.severity == "error" else "W-FLOW",
        file=file,
        line=mark.line,
        column=mark.column_at(finding.offset),
        path=readable_path(finding.flow or "assistant", source.tree, finding.path),
        severity=finding.severity,
        text=finding.text,
        advice=finding.advice,
        rule=finding.rule,
    )


def errors_in(problems: list[Problem]) -> Iterator[Problem]:
    """Those that keep the documents from being an assistant."""
    return (problem for problem in problems if problem.severity == "error")
