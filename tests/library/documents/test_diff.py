"""Lines that two texts have in common."""

from hypothesis import given, settings
from hypothesis import strategies as some

from dialogue.library.documents import diff
from dialogue.library.documents.diff import common_runs
from dialogue.library.documents.side_by_side import line_pairs
from dialogue.library.documents.three_way_merge import merge_chunks, merged_text

LINES = some.lists(some.sampled_from("abcdefgh"), max_size=30)


@settings(max_examples=40, deadline=None)
@given(LINES, LINES, some.booleans())
def test_what_is_found_is_the_same_in_both_texts_and_in_their_order(old: list[str], new: list[str], coarse: bool):
    most, diff.MAX_LINE_PAIRS = diff.MAX_LINE_PAIRS, 4 if coarse else 10_000
    try:
        runs = common_runs(old, new)
    finally:
        diff.MAX_LINE_PAIRS = most

    here, there = 0, 0
    for run in runs:
        assert old[run.old : run.old + run.size] == new[run.new : run.new + run.size]
        assert run.old >= here
        assert run.new >= there
        here, there = run.old + run.size, run.new + run.size


def test_long_texts_of_lines_that_are_all_alike_are_compared_by_what_is_not():
    old = ["blank"] * 3_000 + ["the one"] + ["blank"] * 3_000
    new = ["first", *old[:3_000], "another", *old[3_000:], "last"]

    pairs = line_pairs("\n".join(old), "\n".join(new))

    assert sum(pair.kind == "added" for pair in pairs) >= 3
    assert any(pair.kind == "same" and pair.old == "the one" for pair in pairs)
    assert [pair.new for pair in pairs if pair.new_line] == new


def test_no_line_of_a_very_long_merge_is_lost():
    base = [f"line {number % 7}" for number in range(9_000)]
    mine, theirs = ["mine", *base], [*base, "theirs"]

    text = merged_text(merge_chunks("\n".join(base), "\n".join(mine), "\n".join(theirs)))

    assert text.splitlines() == ["mine", *base, "theirs"]
