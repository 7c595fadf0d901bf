"""The metric of SGD's own evaluation, by hand."""

import pytest

from bench.nlu.sgd_metric import joint_goal, likeness

CLOSED = frozenset({"type"})


def test_a_frame_that_holds_what_the_reference_holds_counts_one() -> None:
    assert (
        joint_goal({"type": ["Music"], "city": ["NYC", "New York"]}, {"type": "Music", "city": "new york"}, CLOSED) == 1
    )


def test_values_of_a_closed_list_are_right_or_wrong() -> None:
    assert joint_goal({"type": ["Music"]}, {"type": "Musical"}, CLOSED) == 0


def test_other_values_count_as_much_as_their_words_are_alike_in_any_order() -> None:
    assert likeness("March 5th", "5th march") == 1
    assert joint_goal({"date": ["5th of March"]}, {"date": "March 5th"}, CLOSED) == pytest.approx(0.86, abs=0.05)


@pytest.mark.parametrize(("reference", "held"), [({"city": ["NYC"]}, {}), ({}, {"city": "NYC"})])
def test_a_slot_that_only_one_of_them_holds_spoils_the_frame(
    reference: dict[str, list[str]], held: dict[str, str]
) -> None:
    assert joint_goal(reference, held, CLOSED) == 0


def test_two_empty_frames_agree() -> None:
    assert joint_goal({}, {}, CLOSED) == 1
