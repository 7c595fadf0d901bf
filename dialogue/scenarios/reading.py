"""Reading scenario files: what is wrong in one is said with its line and column."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from dialogue.engine.problems import FlowProblems, Problem, did_you_mean
from dialogue.engine.source import Limits, Mark, Source, SourceRefused, read_source
from dialogue.library.folders import FolderRefused, load_folder, read_document
from dialogue.scenarios import files
from dialogue.scenarios.files import ScenarioFile

CODE = "E-SCENARIO"
LIMITS = Limits(size=8 * 1024 * 1024, nodes=500_000)
"""A file holds hundreds of conversations, and comes from this machine."""


@dataclass(frozen=True)
class Script:
    """A scenario file and the documents of the assistant that it is about."""

    path: Path
    file: ScenarioFile
    documents: dict[str, str]


def scripts_at(paths: Iterable[Path]) -> Iterator[Path]:
    """The scenario files at these paths: each file, and every `.yaml` of each folder."""
    for path in paths:
        yield from sorted(path.glob("*.yaml")) if path.is_dir() else (path,)


def read_script(path: Path, folder: Path | None = None) -> Script:
    """Read one file and its assistant: the one that it names, or that of `folder`. Raises FlowProblems."""
    source = _source(path)
    file = _file(path, source)
    try:
        return Script(path, file, load_folder(folder or (path.parent / file.assistant).resolve()))
    except FolderRefused as why:
        raise FlowProblems([_problem(path, source.value_at(("assistant",)), str(why))]) from why


def read_text(text: str, name: str) -> ScenarioFile:
    """Read the text of a scenario file; `name` is how problems call it. Raises FlowProblems with every finding."""
    path = Path(name)
    return _file(path, _parsed(path, text))


def _source(path: Path) -> Source:
    try:
        return _parsed(path, read_document(path, LIMITS.size + 1))
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
        raise FlowProblems([_finding(path, source, error) for error in _causes(why)]) from why


def _causes(why: ValidationError) -> Iterator[ErrorDetails]:
    """The errors, without those that say of a list that it has too few whole entries because of another."""
    errors = why.errors()
    for error in errors:
        place = error["loc"]
        within = any(other["loc"][: len(place)] == place for other in errors if other["loc"] != place)
        if error["type"] != "too_short" or not within:
            yield error


def _finding(path: Path, source: Source, error: ErrorDetails) -> Problem:
    place = error["loc"]
    if error["type"] == "extra_forbidden":
        key = str(place[-1])
        return _problem(path, source.key_at(place), f"unknown key `{key}`", did_you_mean(key, _known_keys()))
    text = f"`{place[-1]}` is missing" if error["type"] == "missing" else error["msg"]
    return _problem(path, source.value_at(place), text)


def _known_keys() -> set[str]:
    """Every key that some part of a scenario file has."""
    parts: list[Any] = [each for each in vars(files).values() if isinstance(each, type)]
    models = [part for part in parts if issubclass(part, BaseModel)]
    return {field.alias or name for model in models for name, field in model.model_fields.items()}


def _problem(path: Path, mark: Mark, text: str, advice: str = "") -> Problem:
    return Problem(CODE, str(path), mark.line, mark.column, "", "error", text, advice, "scenario")
