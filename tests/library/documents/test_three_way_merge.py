"""Two authors, one text."""

from hypothesis import given, settings
from hypothesis import strategies as some

from dialogue.library.documents.side_by_side import abridge_pairs, line_pairs
from dialogue.library.documents.three_way_merge import merge_chunks, merged_text

BASE = "flow: x\ntitle: X\nsteps:\n  - one\n  - two\n"


def test_changes_in_different_places_are_both_taken():
    chunks = merge_chunks(BASE, BASE.replace("title: X", "title: Mine"), BASE + "  - theirs\n")

    assert merged_text(chunks) == "flow: x\ntitle: Mine\nsteps:\n  - one\n  - two\n  - theirs\n"
    assert "conflict" not in {chunk.kind for chunk in chunks}


def test_of_the_same_line_both_are_kept_until_somebody_chooses():
    chunks = merge_chunks(BASE, BASE.replace("X", "Mine"), BASE.replace("X", "Theirs"))

    assert "title: Mine\ntitle: Theirs\n" in merged_text(chunks)
    assert "title: Theirs\nsteps" in merged_text(chunks, ["theirs"])
    assert "Theirs" not in merged_text(chunks, ["mine"])


LINES = some.lists(some.sampled_from("abcde"), max_size=8).map(lambda words: "".join(f"{word}\n" for word in words))


@settings(max_examples=50, deadline=None)
@given(LINES, LINES, LINES)
def test_no_line_of_either_is_lost(base: str, mine: str, theirs: str):
    chunks = merge_chunks(base, mine, theirs)

    for side, text in (("base", base), ("mine", mine), ("theirs", theirs)):
        assert "".join(line for chunk in chunks for line in getattr(chunk, side)) == text
    assert all(set(chunk.mine) <= set(chunk.default_lines) for chunk in chunks if chunk.kind in ("mine", "conflict"))
    assert all(
        set(chunk.theirs) <= set(chunk.default_lines) for chunk in chunks if chunk.kind in ("theirs", "conflict")
    )


def test_only_what_changed_is_shown_with_some_lines_around_it():
    old = "".join(f"line {number}\n" for number in range(40))

    pairs = abridge_pairs(line_pairs(old, old.replace("line 20\n", "line twenty\n")))

    assert len(pairs) == 10
    assert [pair.new for pair in pairs if pair and pair.kind == "changed"] == ["line twenty"]
