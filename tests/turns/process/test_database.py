"""Work for the database from async code: in whose order it is done, and what waits for what."""

import asyncio
from datetime import UTC, datetime
from threading import Event

import pytest
from django.db import connection

from dialogue.turns import clock
from dialogue.turns.process.database import in_background, in_reader, in_thread

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="elsewhere several write at a time")
async def test_where_one_writes_at_a_time_who_came_first_is_first():
    done: list[int] = []

    await asyncio.gather(*(in_thread(done.append)(number) for number in range(50)))

    assert done == list(range(50))


@pytest.mark.parametrize("slow", [in_reader, in_background])
async def test_a_turn_waits_for_nobody_who_looks_or_sweeps(slow):
    let_go = Event()
    waiting = [asyncio.create_task(slow(let_go.wait)(30)) for _ in range(5)]
    await asyncio.sleep(0)

    assert await in_thread(lambda: "committed")() == "committed"

    let_go.set()
    assert all(await asyncio.gather(*waiting))


async def test_work_goes_by_the_clock_of_whoever_asked_for_it():
    with clock.frozen(datetime(2026, 12, 14, 9, 30, tzinfo=UTC)) as frozen:
        assert await in_thread(clock.now)() == frozen.at
