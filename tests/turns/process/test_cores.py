"""Which cores a process's threads run on."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from dialogue.turns.process import cores

pytestmark = pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system does not tell of its cores")


@pytest.fixture
def thread() -> Iterator[Callable[..., object]]:
    """Does something in a thread of its own, which ends with the test."""
    with ThreadPoolExecutor(1) as pool:
        yield lambda work: pool.submit(work).result()


def test_a_thread_and_those_that_it_starts_stay_on_one_core(thread):
    thread(cores.stay_on_one)
    mine = thread(lambda: os.sched_getaffinity(0))

    assert len(mine) == 1
    assert thread(_of_a_new_thread) == mine


def test_long_work_runs_on_any_core_whoever_started_it(thread):
    thread(cores.stay_on_one)

    thread(cores.use_any)

    assert thread(lambda: os.sched_getaffinity(0)) == os.sched_getaffinity(0)


def test_one_of_the_cores_that_the_process_was_given_is_chosen(thread, monkeypatch):
    last = max(os.sched_getaffinity(0))
    monkeypatch.setattr(cores, "_any", [last])

    thread(cores.stay_on_one)

    assert thread(lambda: os.sched_getaffinity(0)) == {last}


def test_cores_that_were_taken_away_meanwhile_are_no_fault(thread, monkeypatch):
    monkeypatch.setattr(cores, "_any", [10_000])

    thread(cores.stay_on_one)

    assert thread(lambda: os.sched_getaffinity(0)) == os.sched_getaffinity(0)


def test_where_the_system_does_not_tell_of_cores_nothing_changes(thread, monkeypatch):
    monkeypatch.setattr(cores, "_any", [])

    thread(cores.stay_on_one)

    assert thread(lambda: os.sched_getaffinity(0)) == os.sched_getaffinity(0)


def _of_a_new_thread() -> object:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(os.sched_getaffinity, 0).result()
