"""Which lines two texts have in common, found in bounded work however long the texts and however alike their lines."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

Lines = Sequence[str]

MAX_LINE_PAIRS = 1_000_000
"""Pairs of equal lines that are looked at one by one; a flow of 200 steps has some ten thousand."""


@dataclass(frozen=True)
class LineRun:
    """`size` lines that are the same, from line `old` of the one text and line `new` of the other, from 0."""

    old: int
    new: int
    size: int


def common_runs(old: Lines, new: Lines) -> list[LineRun]:
    """The runs of lines that both texts have, in order. Of very long texts fewer may be found than there are."""
    if _work(old, new) <= MAX_LINE_PAIRS:
        return list(_closely(old, new))
    head = _alike(zip(old, new, strict=False))
    tail = _alike(zip(reversed(old[head:]), reversed(new[head:]), strict=False))
    inner = _coarsely(old[head : len(old) - tail], new[head : len(new) - tail])
    runs = [LineRun(0, 0, head), *(LineRun(head + run.old, head + run.new, run.size) for run in inner)]
    return [run for run in (*runs, LineRun(len(old) - tail, len(new) - tail, tail)) if run.size]


def _work(old: Lines, new: Lines) -> int:
    """How many pairs of equal lines there are."""
    here, there = Counter(old), Counter(new)
    return sum(count * there[line] for line, count in here.items())


def _closely(old: Lines, new: Lines) -> Iterator[LineRun]:
    for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        if block.size:
            yield LineRun(block.a, block.b, block.size)


def _coarsely(old: Lines, new: Lines) -> Iterator[LineRun]:
    """Between the lines that each text has once, as patience diff does (Bram Cohen), while the work lasts."""
    left, start, other = MAX_LINE_PAIRS, 0, 0
    for here, there in [*_anchors(old, new), (len(old), len(new))]:
        part, counterpart = old[start:here], new[other:there]
        left -= (cost := _work(part, counterpart))
        if cost and left >= 0:
            yield from (LineRun(start + run.old, other + run.new, run.size) for run in _closely(part, counterpart))
        if here < len(old):
            yield LineRun(here, there, 1)
        start, other = here + 1, there + 1


def _anchors(old: Lines, new: Lines) -> list[tuple[int, int]]:
    """The longest series of lines that stand once in each text and in the same order in both."""
    places = _once(new)
    pairs = [(place, places[line]) for line, place in _once(old).items() if line in places]
    tails: list[int] = []  # where the series of each length ends in the other text, the lowest place that is known
    ends: list[int] = []
    chains: list[tuple[int, int, int]] = []
    for here, there in pairs:
        length = bisect_left(tails, there)
        if length == len(tails):
            tails.append(there)
            ends.append(0)
        tails[length], ends[length] = there, len(chains)
        chains.append((here, there, ends[length - 1] if length else -1))
    return _chain(chains, ends[-1] if ends else -1)


def _chain(chains: list[tuple[int, int, int]], last: int) -> list[tuple[int, int]]:
    found = []
    while last >= 0:
        here, there, last = chains[last]
        found.append((here, there))
    return found[::-1]


def _once(lines: Lines) -> dict[str, int]:
    counts = Counter(lines)
    return {line: place for place, line in enumerate(lines) if counts[line] == 1}


def _alike(pairs: Iterator[tuple[str, str]]) -> int:
    """How many pairs are the same before the first that is not."""
    count = 0
    for one, other in pairs:
        if one != other:
            break
        count += 1
    return count
