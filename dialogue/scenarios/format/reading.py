"""Reading scenario files: what is wrong in one is said with its line and column."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from dialogue.engine.language.errors import explain_cut_text, is_continuation
from dialogue.engine.language.paths import known_keys
from dialogue.engine.source.parser import Limits, Mark, Source, SourceRefused, read_source
from dialogue.engine.source.problems import FlowProblems, Problem, did_you_mean, nearest_name
from dialogue.library.documents.folders import FolderRefused, load_folder, read_document
from dialogue.library.knowledge.documents import DOCUMENTS_FOLDER
from dialogue.scenarios.format import files
from dialogue.scenarios.format.files import ScenarioFile

CODE = "E-SCENARIO"
LIMITS = Limits(max_bytes=8 * 1024 * 1024, max_nodes=500_000)
"""A file holds hundreds of conversations, and comes from this machine."""


@dataclass(frozen=True)
class Script:
    """A scenario file and the documents of the assistant that it is about.

    `knowledge` is the folder of those that questions are answered from, where there is one.
    """

    path: Path
    file: ScenarioFile
    documents: dict[str, str]
    knowledge: Path | None = None

    def refused(self, text: str) -> FlowProblems:
        """Something about the assistant that the file names keeps it from being played."""
        return FlowProblems([_problem(self.path, Mark(1, 1), text)])


def scripts_at(paths: Iterable[Path]) -> Iterator[Path]:
    """The scenario files at these paths: each file, and every `.yaml` of each folder."""
    for path in paths:
        yield from sorted(path.glob("*.yaml")) if path.is_dir() else (path,)


def read_script(path: Path, folder: Path | None = None) -> Script:
    """Read one file and its assistant: the one that it names, or that of `folder`. Raises FlowProblems."""
    source = _source(path)
    file = _file(path, source)
    home = folder or (path.parent / file.assistant).resolve()
    knowledge = home / DOCUMENTS_FOLDER if (home / DOCUMENTS_FOLDER).is_dir() else None
    try:
        return Script(path, file, load_folder(home), knowledge)
    except FolderRefused as why:
        raise FlowProblems([_problem(path, source.value_at(("assistant",)), str(why))]) from why


def read_text(text: str, name: str) -> ScenarioFile:
    """Read the text of a scenario file; `name` is how problems call it. Raises FlowProblems with every finding."""
    path = Path(name)
    return _file(path, _parsed(path, text))


def _source(path: Path) -> Source:
    try:
        return _parsed(path, read_document(path, LIMITS.max_bytes + 1))
    except OSError as why:
        raise FlowProblems([_problem(path, Mark(1, 1), f"the file cannot be read: {why.strerror}")]) from why


def _parsed(path: Path, text: str) -> Source:
    try:
        return read_source(text, LIMITS)
    except SourceRefused as why:
        found = Problem("E-YAML", str(path), why.line, why.column, "", "error", why.text, why.advice, why.rule)
        raise FlowProblems([found]) from why


def _file(path: Path, source: Source) -> ScenarioFile:
    try:
        return ScenarioFile.model_validate(source.tree)
    except ValidationError as why:
        raise FlowProblems([_finding(path, source, error) for error in _causes(why, source)]) from why


def _causes(why: ValidationError, source: Source) -> Iterator[ErrorDetails]:
    """The errors, without those that say of a list that it has too few whole entries because of another."""
    errors = why.errors()
    for error in errors:
        place = error["loc"]
        if is_continuation(source, error):
            continue
        within = any(other["loc"][: len(place)] == place for other in errors if other["loc"] != place)
        if error["type"] != "too_short" or not within:
            yield error


def _finding(path: Path, source: Source, error: ErrorDetails) -> Problem:
    place = error["loc"]
    if error["type"] == "extra_forbidden":
        said, advice = explain_cut_text(source, place) or _unknown_key(source, place)
        return _problem(path, source.key_at(place), said, advice)
    text = f"`{place[-1]}` is missing" if error["type"] == "missing" else error["msg"]
    return _problem(path, source.value_at(place), text)


def _unknown_key(source: Source, place: tuple[str | int, ...]) -> tuple[str, str]:
    """A key that another part of the file has is in the wrong place; any other is perhaps misspelt."""
    key = str(place[-1])
    here = known_keys(ScenarioFile, source.tree, place[:-1])
    homes = [title for title, part in _PARTS.items() if key in _keys_of(part)]
    if homes and not nearest_name(key, here):
        return f"`{key}` has no place here", f"It belongs {' or '.join(homes)}"
    return f"unknown key `{key}`", did_you_mean(
        key, here or {name for part in _PARTS.values() for name in _keys_of(part)}
    )


def _keys_of(part: type[BaseModel]) -> set[str]:
    return {field.alias or name for name, field in part.model_fields.items()}


_PARTS: dict[str, type[BaseModel]] = {
    "to the top of the file": ScenarioFile,
    "to a scenario": files.Scenario,
    "to a turn": files.Turn,
    "into `expect`": files.Expect,
    "to an expected message": files.MessageDemand,
    "into `operator`": files.OperatorTurn,
    "into `submit`": files.Submit,
    "into `expire` or `cancel`": files.Reasoned,
    "into `finally`": files.Finally,
    "to a stub": files.Stub,
}


def _problem(path: Path, mark: Mark, text: str, advice: str = "") -> Problem:
    return Problem(CODE, str(path), mark.line, mark.column, "", "error", text, advice, "scenario")
