"""Two texts of a flow side by side: their lines, and their steps."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher


@dataclass(frozen=True)
class Pair:
    """A line of each side with its number, 0 where that side has none; `kind` is same, changed, gone or added."""

    kind: str
    old: str
    old_line: int
    new: str
    new_line: int


def pairs_of(old: str, new: str) -> list[Pair]:
    """The lines of both texts beside each other."""
    return list(_pairs(old.splitlines(), new.splitlines()))


def _pairs(old: Sequence[str], new: Sequence[str]) -> Iterator[Pair]:
    for tag, a, a_end, b, b_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for step in range(max(a_end - a, b_end - b)):
            left, right = a + step < a_end, b + step < b_end
            kind = "same" if tag == "equal" else "changed" if left and right else "gone" if left else "added"
            yield Pair(
                kind,
                old[a + step] if left else "",
                a + step + 1 if left else 0,
                new[b + step] if right else "",
                b + step + 1 if right else 0,
            )


def shortened(pairs: Sequence[Pair], around: int = 4) -> list[Pair | None]:
    """Only what changed with some lines around it; None stands for lines that are left out."""
    near = {
        place + step for place, pair in enumerate(pairs) if pair.kind != "same" for step in range(-around, around + 1)
    }
    kept: list[Pair | None] = []
    for place, pair in enumerate(pairs):
        if place in near:
            kept.append(pair)
        elif kept and kept[-1] is not None:
            kept.append(None)
    return kept
