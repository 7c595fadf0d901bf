"""Highlight a flow's text: its lines in coloured pieces, and the first line of each step."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dialogue.library.documents.step_changes import step_beginning_in

_COLOURED = re.compile(
    r"""(?P<yaml_comment>(?:^|(?<=\s))\#.*$)
      | (?P<yaml_string>"(?:[^"\\]|\\.)*" | '(?:[^']|'')*')
      | (?P<yaml_type>(?<=\btype:\s)[a-z]+)
      | (?P<yaml_key>[A-Za-z_][\w-]*(?=:(?:\s|$)))""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class ColouredText:
    """A run of characters; `kind` is its CSS class, or empty."""

    text: str
    kind: str = ""


@dataclass(frozen=True)
class Line:
    """One line; `step` is the step that begins here."""

    number: int
    pieces: tuple[ColouredText, ...]
    step: str = ""


def lines_of(text: str) -> list[Line]:
    """The text's lines, numbered from 1."""
    return [
        Line(number, tuple(_coloured_texts(line)), step_beginning_in(line))
        for number, line in enumerate(text.splitlines(), 1)
    ]


def step_lines(text: str) -> dict[str, int]:
    """The first line of each step."""
    first_lines: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if step := step_beginning_in(line):
            first_lines.setdefault(step, number)
    return first_lines


def _coloured_texts(line: str) -> Iterator[ColouredText]:
    position = 0
    for match in _COLOURED.finditer(line):
        if match.start() > position:
            yield ColouredText(line[position : match.start()])
        yield ColouredText(match.group(), match.lastgroup or "")
        position = match.end()
    if position < len(line):
        yield ColouredText(line[position:])
