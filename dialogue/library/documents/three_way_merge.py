"""Three-way merge: the changes of two authors against their common base."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, pairwise

from dialogue.library.documents.diff import common_runs

Lines = tuple[str, ...]


@dataclass(frozen=True)
class Chunk:
    """A run of lines. `kind` is same, mine, theirs (only that side changed), both (alike) or conflict."""

    kind: str
    base: Lines
    mine: Lines
    theirs: Lines
    conflict_index: int = 0
    """Which of the conflicts it is, from 0."""

    @property
    def default_lines(self) -> Lines:
        """The lines that a merge takes without a choice; for a conflict both sides, so that no line is lost."""
        match self.kind:
            case "theirs":
                return self.theirs
            case "conflict":
                return self.mine + self.theirs
            case _:
                return self.mine

    def lines_of(self, side: str) -> Lines:
        """The lines of one side: mine, theirs, or both."""
        return {"mine": self.mine, "theirs": self.theirs}.get(side, self.default_lines)


def merge_chunks(base: str, mine: str, theirs: str) -> list[Chunk]:
    """The chunks of the three texts, in order; every line of each text is in exactly one of them."""
    texts = [text.splitlines(keepends=True) for text in (base, mine, theirs)]
    chunks = _join_same(_classify(*parts) for parts in _align_texts(*texts) if any(parts))
    numbers = count()
    return [replace(chunk, conflict_index=next(numbers)) if chunk.kind == "conflict" else chunk for chunk in chunks]


def _join_same(chunks: Iterator[Chunk]) -> list[Chunk]:
    """Lines that stayed the same, in runs."""
    joined: list[Chunk] = []
    for chunk in chunks:
        same = bool(joined) and chunk.kind == joined[-1].kind == "same"
        lines = joined.pop().base + chunk.base if same else ()
        joined.append(Chunk("same", lines, lines, lines) if same else chunk)
    return joined


def merged_text(chunks: Sequence[Chunk], choices: Sequence[str] = ()) -> str:
    """The text that the choices make; they are those of the conflicts, in order."""
    remaining_choices = iter(choices)
    lines = (
        chunk.lines_of(next(remaining_choices, "both")) if chunk.kind == "conflict" else chunk.default_lines
        for chunk in chunks
    )
    return "".join(_with_line_end(line) for part in lines for line in part)


def _with_line_end(line: str) -> str:
    return line if line.endswith("\n") else line + "\n"


def _classify(base: Lines, mine: Lines, theirs: Lines) -> Chunk:
    if mine == theirs:
        kind = "same" if mine == base else "both"
    elif mine == base:
        kind = "theirs"
    else:
        kind = "mine" if theirs == base else "conflict"
    return Chunk(kind, base, mine, theirs)


def _align_texts(base: list[str], mine: list[str], theirs: list[str]) -> Iterator[tuple[Lines, Lines, Lines]]:
    """What lies between the lines that all three have, and those lines."""
    for (b, m, t), (next_b, next_m, next_t) in pairwise([(-1, -1, -1), *_common_anchors(base, mine, theirs)]):
        yield tuple(base[b + 1 : next_b]), tuple(mine[m + 1 : next_m]), tuple(theirs[t + 1 : next_t])
        if next_b < len(base):
            yield (base[next_b],), (mine[next_m],), (theirs[next_t],)


def _common_anchors(base: list[str], mine: list[str], theirs: list[str]) -> list[tuple[int, int, int]]:
    to_mine, to_theirs = _matching_lines(base, mine), _matching_lines(base, theirs)
    both = [(line, to_mine[line], to_theirs[line]) for line in sorted(to_mine.keys() & to_theirs.keys())]
    return [*both, (len(base), len(mine), len(theirs))]


def _matching_lines(base: list[str], other: list[str]) -> dict[int, int]:
    return {run.old + step: run.new + step for run in common_runs(base, other) for step in range(run.size)}
