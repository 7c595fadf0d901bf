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

    def problem_with_assistant(self, text: str) -> FlowProblems:
        """Something about the assistant that the file names keeps it from being played."""
        return FlowProblems([_file_problem(self.path, Mark(1, 1), text)])


def scenario_files_at(paths: Iterable[Path]) -> Iterator[Path]:
    """The scenario files at these paths: each file, and every `.yaml` of each folder."""
    for path in paths:
        yield from sorted(path.glob("*.yaml")) if path.is_dir() else (path,)


def read_script(path: Path, folder: Path | None = None) -> Script:
    """Read one file and its assistant: the one that it names, or that of `folder`. Raises FlowProblems."""
    source = _read_source_file(path)
    file = _validate_file(path, source)
    home = folder or (path.parent / file.assistant).resolve()
    knowledge = home / DOCUMENTS_FOLDER if (home / DOCUMENTS_FOLDER).is_dir() else None
    try:
        return Script(path, file, load_folder(home), knowledge)
    except FolderRefused as error:
        raise FlowProblems([_file_problem(path, source.value_at(("assistant",)), str(error))]) from error


def read_text(text: str, name: str) -> ScenarioFile:
    """Read the text of a scenario file; `name` is how problems call it. Raises FlowProblems with every finding."""
    path = Path(name)
    return _validate_file(path, _parse_source(path, text))


def _read_source_file(path: Path) -> Source:
    try:
        return _parse_source(path, read_document(path, LIMITS.max_bytes + 1))
    except OSError as error:
        raise FlowProblems([_file_problem(path, Mark(1, 1), f"the file cannot be read: {error.strerror}")]) from error


def _parse_source(path: Path, text: str) -> Source:
    try:
        return read_source(text, LIMITS)
    except SourceRefused as error:
        problem = Problem(
            "E-YAML", str(path), error.line, error.column, "", "error", error.text, error.advice, error.rule
        )
        raise FlowProblems([problem]) from error


def _validate_file(path: Path, source: Source) -> ScenarioFile:
    try:
        return ScenarioFile.model_validate(source.tree)
    except ValidationError as error:
        details = _causing_errors(error, source)
        raise FlowProblems([_problem_of_error(path, source, detail) for detail in details]) from error


def _causing_errors(validation_error: ValidationError, source: Source) -> Iterator[ErrorDetails]:
    """The errors, without those that say of a list that it has too few whole entries because of another."""
    errors = validation_error.errors()
    for error in errors:
        location = error["loc"]
        if is_continuation(source, error):
            continue
        within = any(other["loc"][: len(location)] == location for other in errors if other["loc"] != location)
        if error["type"] != "too_short" or not within:
            yield error


def _problem_of_error(path: Path, source: Source, error: ErrorDetails) -> Problem:
    location = error["loc"]
    if error["type"] == "extra_forbidden":
        message, advice = explain_cut_text(source, location) or _unknown_key(source, location)
        return _file_problem(path, source.key_at(location), message, advice)
    text = f"`{location[-1]}` is missing" if error["type"] == "missing" else error["msg"]
    return _file_problem(path, source.value_at(location), text)


def _unknown_key(source: Source, location: tuple[str | int, ...]) -> tuple[str, str]:
    """A key that another part of the file has is in the wrong place; any other is perhaps misspelt."""
    key = str(location[-1])
    keys = known_keys(ScenarioFile, source.tree, location[:-1])
    homes = [title for title, part in _PARTS.items() if key in _keys_of(part)]
    if homes and not nearest_name(key, keys):
        return f"`{key}` has no place here", f"It belongs {' or '.join(homes)}"
    return f"unknown key `{key}`", did_you_mean(
        key, keys or {name for part in _PARTS.values() for name in _keys_of(part)}
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


def _file_problem(path: Path, mark: Mark, text: str, advice: str = "") -> Problem:
    return Problem(CODE, str(path), mark.line, mark.column, "", "error", text, advice, "scenario")
