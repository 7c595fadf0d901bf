"""A flow's text for reading: its lines cut into coloured pieces, and the lines that its steps begin on."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_PIECE = re.compile(
    r"""(?P<yaml_comment>(?:^|(?<=\s))\#.*$)
      | (?P<yaml_string>"(?:[^"\\]|\\.)*" | '(?:[^']|'')*')
      | (?P<yaml_type>(?<=\btype:\s)[a-z]+)
      | (?P<yaml_key>[A-Za-z_][\w-]*(?=:(?:\s|$)))""",
    re.VERBOSE,
)
_STEP = re.compile(r"(?:^|[\s{,-])step:\s*[\"']?([a-z][a-z0-9_]*)")


@dataclass(frozen=True)
class Piece:
    """A run of characters; `kind` is the class that colours it, or nothing."""

    text: str
    kind: str = ""


@dataclass(frozen=True)
class Line:
    """One line; `step` is the step that begins here."""

    number: int
    pieces: tuple[Piece, ...]
    step: str = ""


def lines_of(text: str) -> list[Line]:
    """The text's lines, numbered from 1."""
    return [Line(number, tuple(_pieces(line)), _step(line)) for number, line in enumerate(text.splitlines(), 1)]


def step_lines(text: str) -> dict[str, int]:
    """The first line of each step."""
    found: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if step := _step(line):
            found.setdefault(step, number)
    return found


def _pieces(line: str) -> Iterator[Piece]:
    end = 0
    for found in _PIECE.finditer(line):
        if found.start() > end:
            yield Piece(line[end : found.start()])
        yield Piece(found.group(), found.lastgroup or "")
        end = found.end()
    if end < len(line):
        yield Piece(line[end:])


def _step(line: str) -> str:
    found = _STEP.search(line)
    return found.group(1) if found else ""
