"""Two texts of a flow side by side: their lines, and their steps."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dialogue.library.documents.diff import LineRun, common_runs


@dataclass(frozen=True)
class LinePair:
    """A line of each side with its number, 0 where that side has none; `kind` is same, changed, gone or added."""

    kind: str
    old: str
    old_line: int
    new: str
    new_line: int


def line_pairs(old: str, new: str) -> list[LinePair]:
    """Pair the lines of both texts for a side-by-side view."""
    return list(_pair_lines(old.splitlines(), new.splitlines()))


def _pair_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[LinePair]:
    runs = [LineRun(0, 0, 0), *common_runs(old, new), LineRun(len(old), len(new), 0)]
    for before, run in pairwise(runs):
        yield from _differing_pairs(old, new, before, run)
        for step in range(run.size):
            a, b = run.old + step, run.new + step
            yield LinePair("same", old[a], a + 1, new[b], b + 1)


def _differing_pairs(old: Sequence[str], new: Sequence[str], before: LineRun, after: LineRun) -> Iterator[LinePair]:
    """The lines between two runs that are the same."""
    a, b = before.old + before.size, before.new + before.size
    for step in range(max(after.old - a, after.new - b)):
        has_old, has_new = a + step < after.old, b + step < after.new
        yield LinePair(
            "changed" if has_old and has_new else "gone" if has_old else "added",
            old[a + step] if has_old else "",
            a + step + 1 if has_old else 0,
            new[b + step] if has_new else "",
            b + step + 1 if has_new else 0,
        )


def abridge_pairs(pairs: Sequence[LinePair], around: int = 4) -> list[LinePair | None]:
    """Keep changed pairs with `around` lines of context; None stands for omitted lines."""
    near = {
        index + step for index, pair in enumerate(pairs) if pair.kind != "same" for step in range(-around, around + 1)
    }
    abridged: list[LinePair | None] = []
    for index, pair in enumerate(pairs):
        if index in near:
            abridged.append(pair)
        elif abridged and abridged[-1] is not None:
            abridged.append(None)
    return abridged
