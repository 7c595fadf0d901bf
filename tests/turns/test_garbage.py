"""A process that runs turns does not look through what it has loaded."""

import gc
from collections.abc import Iterator

import pytest

from dialogue.turns.garbage import settle


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    thresholds = gc.get_threshold()
    yield
    gc.set_threshold(*thresholds)
    gc.unfreeze()


class Ring:
    """An object that only the search for cycles finds."""

    def __init__(self) -> None:
        self.itself = self


def test_what_lives_when_a_process_settles_is_not_looked_through_again():
    settle()

    assert gc.get_freeze_count() > 100_000
    assert gc.get_count()[0] < gc.get_threshold()[0] == 10_000


def test_what_dies_afterwards_is_still_found():
    settle()
    before = sum(isinstance(each, Ring) for each in gc.get_objects())
    for _ in range(20_000):
        Ring()

    assert before == 0
    assert sum(isinstance(each, Ring) for each in gc.get_objects()) < 20_000
