"""Work for the database from async code: its order, what waits for what, and the cores that its threads run on."""

import asyncio
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Event

import pytest
from django.db import connection

from dialogue.turns import clock
from dialogue.turns.process import database
from dialogue.turns.process.database import in_background, in_reader, in_thread

asks_database = pytest.mark.django_db(transaction=True)
tells_cores = pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system does not tell of its cores")


@asks_database
@pytest.mark.skipif(connection.vendor != "sqlite", reason="elsewhere several write at a time")
async def test_where_one_writes_at_a_time_who_came_first_is_first():
    done: list[int] = []

    await asyncio.gather(*(in_thread(done.append)(number) for number in range(50)))

    assert done == list(range(50))


@asks_database
@pytest.mark.parametrize("slow", [in_reader, in_background])
async def test_a_turn_waits_for_nobody_who_looks_or_sweeps(slow):
    let_go = Event()
    waiting = [asyncio.create_task(slow(let_go.wait)(30)) for _ in range(5)]
    await asyncio.sleep(0)

    assert await in_thread(lambda: "committed")() == "committed"

    let_go.set()
    assert all(await asyncio.gather(*waiting))


@asks_database
async def test_work_goes_by_the_clock_of_whoever_asked_for_it():
    with clock.frozen(datetime(2026, 12, 14, 9, 30, tzinfo=UTC)) as frozen:
        assert await in_thread(clock.now)() == frozen.at


@pytest.fixture
def thread() -> Iterator[Callable[..., object]]:
    """Does something in a thread of its own, which ends with the test."""
    with ThreadPoolExecutor(1) as pool:
        yield lambda work: pool.submit(work).result()


@tells_cores
def test_a_thread_and_those_that_it_starts_stay_on_one_core(thread):
    thread(database.pin_to_one_core)
    mine = thread(lambda: os.sched_getaffinity(0))

    assert len(mine) == 1
    assert thread(_of_a_new_thread) == mine


@tells_cores
def test_long_work_runs_on_any_core_whoever_started_it(thread):
    thread(database.pin_to_one_core)

    thread(database.allow_any_core)

    assert thread(lambda: os.sched_getaffinity(0)) == os.sched_getaffinity(0)


@tells_cores
def test_one_of_the_cores_that_the_process_was_given_is_chosen(thread, monkeypatch):
    last = max(os.sched_getaffinity(0))
    monkeypatch.setattr(database, "_cores", [last])

    thread(database.pin_to_one_core)

    assert thread(lambda: os.sched_getaffinity(0)) == {last}


@tells_cores
def test_cores_that_were_taken_away_meanwhile_are_no_fault(thread, monkeypatch):
    monkeypatch.setattr(database, "_cores", [10_000])

    thread(database.pin_to_one_core)

    assert thread(lambda: os.sched_getaffinity(0)) == os.sched_getaffinity(0)


@tells_cores
def test_where_the_system_does_not_tell_of_cores_nothing_changes(thread, monkeypatch):
    monkeypatch.setattr(database, "_cores", [])

    thread(database.pin_to_one_core)

    assert thread(lambda: os.sched_getaffinity(0)) == os.sched_getaffinity(0)


def _of_a_new_thread() -> object:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(os.sched_getaffinity, 0).result()
