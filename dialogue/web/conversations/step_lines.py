"""Where the steps of a release stand in its texts: the line that a turn's explanation links to."""

from collections.abc import Iterator, Mapping
from typing import Any

from dialogue.engine.source.parser import Source, SourceRefused, read_source
from dialogue.models import Release
from dialogue.turns.compiled_releases import ReleaseCache

StepLines = Mapping[tuple[str, str], int]
"""By flow and step, the line of the step, from 1; with an empty step the flow's first line."""


def step_lines(release: Release) -> StepLines:
    """Return the lines of a release's steps, from the cache after the first call, which reads the database."""
    return _lines.get(release)


def _read_lines(release: Release) -> dict[tuple[str, str], int]:
    lines: dict[tuple[str, str], int] = {}
    for text in release.documents().values():
        try:
            source = read_source(text)
        except SourceRefused:  # a text of a trial, which may be unfinished
            continue
        flow = source.tree.get("flow") if isinstance(source.tree, dict) else None
        if isinstance(flow, str):
            lines[flow, ""] = source.key_at(("flow",)).line
            lines |= {(flow, step): line for step, line in _step_marks(source, source.tree, ())}
    return lines


def _step_marks(source: Source, tree: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str, int]]:
    """Yield (step, line) of every step below a value, those of loops included."""
    if isinstance(tree, dict):
        if isinstance(tree.get("step"), str) and "type" in tree:
            yield tree["step"], source.key_at((*path, "step")).line
        for key, value in tree.items():
            yield from _step_marks(source, value, (*path, key))
    elif isinstance(tree, list | tuple):
        for index, value in enumerate(tree):
            yield from _step_marks(source, value, (*path, index))


_lines: ReleaseCache[dict[tuple[str, str], int]] = ReleaseCache(_read_lines)
