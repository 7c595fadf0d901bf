"""Shares as whole percentages."""

import pytest

from dialogue.web.shared.percentages import percent_of


@pytest.mark.parametrize(
    ("part", "whole", "percent"),
    [(10, 11, 91), (1, 3, 33), (2, 3, 67), (11, 11, 100), (999, 1000, 99), (1, 1000, 1), (0, 7, 0), (0, 0, 0)],
)
def test_a_share_is_rounded_to_the_nearest_and_only_all_of_them_are_a_hundred(part: int, whole: int, percent: int):
    assert percent_of(part, whole) == percent
