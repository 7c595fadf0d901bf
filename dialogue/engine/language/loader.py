"""Load documents into an assistant, and collect every problem in them."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TypeVar

from pydantic import ValidationError

from dialogue.engine.language.documents import Assistant, Flow, digest_of
from dialogue.engine.language.errors import problems_of, readable_path
from dialogue.engine.language.verifier.assistant_document import SignatureCheck
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.verify import verify
from dialogue.engine.slots.records import RecordTypes
from dialogue.engine.source.parser import Source, SourceRefused, read_recent_source
from dialogue.engine.source.phrases import Phrase
from dialogue.engine.source.problems import Problem

ASSISTANT_FILE = "assistant.yaml"
Document = TypeVar("Document", Assistant, Flow)


@dataclass
class LoadedDocuments:
    """The documents as far as they can be loaded: `assistant` is None if assistant.yaml is missing or wrong.

    `sources` is by file name, `flows` by flow name. `records` are those of assistant.yaml, readable or not.
    """

    sources: dict[str, Source] = field(default_factory=dict)
    flows: dict[str, Flow] = field(default_factory=dict)
    assistant: Assistant | None = None
    problems: list[Problem] = field(default_factory=list)
    records: RecordTypes | None = None


def load_documents(
    texts: Mapping[str, str],
    registered: Collection[str] | None = None,
    only_file: str = "",
    signature_check: SignatureCheck | None = None,
) -> LoadedDocuments:
    """Parse, validate and verify documents (file name → YAML text). Problems are returned, not raised.

    `only_file` limits the checks inside flows to the flow of this file, for an editor. The problems are sorted:
    assistant.yaml first, then by file, line and column.
    """
    documents = LoadedDocuments()
    for file, text in texts.items():
        try:
            documents.sources[file] = read_recent_source(text)
        except SourceRefused as error:
            place = file, error.line, error.column, ""
            documents.problems.append(Problem("E-YAML", *place, "error", error.text, error.advice, error.rule))
    head = _load_head(texts, documents)
    for file, source in documents.sources.items():
        if not _is_head(file):
            _load_flow(file, source, head, documents)
    if head is not None:
        documents.assistant = head.with_flows(documents.flows.values(), digest_of(texts))
        _verify_documents(documents, documents.assistant, registered, only_file, signature_check)
    documents.problems.sort(
        key=lambda problem: (not _is_head(problem.file), problem.file, problem.line, problem.column)
    )
    return documents


def _is_head(file: str) -> bool:
    return PurePosixPath(file).name == ASSISTANT_FILE


def _load_head(texts: Mapping[str, str], documents: LoadedDocuments) -> Assistant | None:
    file = next(filter(_is_head, texts), None)
    if file is None:
        advice = Phrase("Write one with version: 1, assistant: <name> and title: <title>")
        text = Phrase("there is no assistant.yaml")
        documents.problems.append(Problem("E-FLOW", ASSISTANT_FILE, 1, 1, "", "error", text, advice, "no_assistant"))
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
        mark = source.value_at(("flow",))
        place = file, mark.line, mark.column, f"{flow.flow}.flow"
        text, advice = (
            Phrase("the flow `{flow}` is in the file {file}", flow=flow.flow, file=file),
            Phrase("Name the file {flow}.yaml", flow=flow.flow),
        )
        documents.problems.append(Problem("E-FLOW", *place, "error", text, advice, "file_name"))
    documents.flows.setdefault(flow.flow, flow)


def _validate_document(
    model: type[Document], file: str, name: str, documents: LoadedDocuments, head: Assistant | None = None
) -> Document | None:
    source = documents.sources[file]
    # Texts without a language tag are in the assistant's language, also while assistant.yaml itself is validated.
    language = head.language if head else source.tree.get("language", "en")
    language = language if isinstance(language, str) else "en"
    if documents.records is None:
        documents.records = _read_records(documents, language)
    try:
        return model.model_validate(source.tree, context={"language": language, "records": documents.records})
    except ValidationError as error:
        documents.problems.extend(problems_of(error, model, source, file, name))
        return None


def _read_records(documents: LoadedDocuments, language: str) -> RecordTypes:
    source = next((source for file, source in documents.sources.items() if _is_head(file)), None)
    return RecordTypes(source.tree.get("records") if source else None, language)


def _verify_documents(
    documents: LoadedDocuments,
    assistant: Assistant,
    registered: Collection[str] | None,
    only_file: str,
    signature_check: SignatureCheck | None,
) -> None:
    files = {
        ("" if _is_head(file) else str(source.tree.get("flow", PurePosixPath(file).stem))): file
        for file, source in documents.sources.items()
    }
    # Broken flows are known by name, so that a call of one is not reported as unknown.
    unreadable = {PurePosixPath(problem.file).stem for problem in documents.problems if problem.code == "E-YAML"}
    flow_names = {name for name, file in files.items() if file == only_file} if only_file else None
    broken = frozenset({*files, *unreadable} - {""} - documents.flows.keys())
    for finding in verify(assistant, broken, registered, flow_names, signature_check):
        file = files.get(finding.flow, ASSISTANT_FILE)
        documents.problems.append(locate_finding(finding, file, documents.sources[file]))


def locate_finding(finding: Finding, file: str, source: Source) -> Problem:
    """Return the finding as a problem with its file, line and column."""
    # Of a text that is written in one language only, this is the position of the text itself.
    path = (*finding.path, finding.language) if finding.language else finding.path
    mark = source.key_at(path) if finding.on_key else source.value_at(path)
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
    """Yield the errors: the problems that keep the documents from being published."""
    return (problem for problem in problems if problem.severity == "error")
