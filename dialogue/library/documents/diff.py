"""Find the lines that two texts have in common, with bounded work for long and repetitive texts."""

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
    if _equal_pair_count(old, new) <= MAX_LINE_PAIRS:
        return list(_matching_blocks(old, new))
    head = _common_prefix_length(zip(old, new, strict=False))
    tail = _common_prefix_length(zip(reversed(old[head:]), reversed(new[head:]), strict=False))
    inner = _patience_runs(old[head : len(old) - tail], new[head : len(new) - tail])
    runs = [LineRun(0, 0, head), *(LineRun(head + run.old, head + run.new, run.size) for run in inner)]
    return [run for run in (*runs, LineRun(len(old) - tail, len(new) - tail, tail)) if run.size]


def _equal_pair_count(old: Lines, new: Lines) -> int:
    """How many pairs of equal lines there are."""
    old_counts, new_counts = Counter(old), Counter(new)
    return sum(count * new_counts[line] for line, count in old_counts.items())


def _matching_blocks(old: Lines, new: Lines) -> Iterator[LineRun]:
    for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        if block.size:
            yield LineRun(block.a, block.b, block.size)


def _patience_runs(old: Lines, new: Lines) -> Iterator[LineRun]:
    """Between the lines that each text has once, as patience diff does (Bram Cohen), while the work lasts."""
    remaining, old_start, new_start = MAX_LINE_PAIRS, 0, 0
    for old_line, new_line in [*_anchor_lines(old, new), (len(old), len(new))]:
        part, counterpart = old[old_start:old_line], new[new_start:new_line]
        remaining -= (cost := _equal_pair_count(part, counterpart))
        if cost and remaining >= 0:
            yield from (
                LineRun(old_start + run.old, new_start + run.new, run.size)
                for run in _matching_blocks(part, counterpart)
            )
        if old_line < len(old):
            yield LineRun(old_line, new_line, 1)
        old_start, new_start = old_line + 1, new_line + 1


def _anchor_lines(old: Lines, new: Lines) -> list[tuple[int, int]]:
    """The longest series of lines that stand once in each text and in the same order in both."""
    new_indexes = _unique_lines(new)
    pairs = [(index, new_indexes[line]) for line, index in _unique_lines(old).items() if line in new_indexes]
    tails: list[int] = []  # where the series of each length ends in the other text, the lowest place that is known
    ends: list[int] = []
    chains: list[tuple[int, int, int]] = []
    for old_line, new_line in pairs:
        length = bisect_left(tails, new_line)
        if length == len(tails):
            tails.append(new_line)
            ends.append(0)
        tails[length], ends[length] = new_line, len(chains)
        chains.append((old_line, new_line, ends[length - 1] if length else -1))
    return _follow_chain(chains, ends[-1] if ends else -1)


def _follow_chain(chains: list[tuple[int, int, int]], last: int) -> list[tuple[int, int]]:
    anchors = []
    while last >= 0:
        old_line, new_line, last = chains[last]
        anchors.append((old_line, new_line))
    return anchors[::-1]


def _unique_lines(lines: Lines) -> dict[str, int]:
    counts = Counter(lines)
    return {line: index for index, line in enumerate(lines) if counts[line] == 1}


def _common_prefix_length(pairs: Iterator[tuple[str, str]]) -> int:
    """How many pairs are the same before the first that is not."""
    count = 0
    for old_line, new_line in pairs:
        if old_line != new_line:
            break
        count += 1
    return count
