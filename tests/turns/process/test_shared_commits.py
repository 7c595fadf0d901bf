"""Group commit: writes that wait together share one commit, and each of them stands or falls alone."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from threading import Event as Gate
from threading import Thread
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction

from dialogue.models import TryCounter
from dialogue.turns.process import shared_commits
from dialogue.turns.process.crash_points import set_trap
from dialogue.turns.process.database import in_thread
from dialogue.turns.process.shared_commits import SharedCommitFailed, SharedCommits, in_shared_commit

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL shares the wait for the disk itself"),
]

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def new_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_commits, "_commits", SharedCommits())


@pytest.fixture
def points() -> Iterator[list[str]]:
    """The crash points that the process passes."""
    passed: list[str] = []
    set_trap(passed.append)
    yield passed
    set_trap(None)


@asynccontextmanager
async def busy_database_thread() -> AsyncIterator[None]:
    """The database's thread has other work while the block runs, so that writes gather."""
    let_go = Gate()
    other_work = asyncio.create_task(in_thread(let_go.wait)(30))
    await asyncio.sleep(0)
    try:
        yield
    finally:
        let_go.set()
        await other_work


async def gathered(*writes: "asyncio.Future[None] | asyncio.Task[None]") -> list[BaseException | None]:
    return await asyncio.gather(*writes, return_exceptions=True)


async def write_together(*names: str, may_repeat: bool = False) -> list[BaseException | None]:
    """Write a row of each name, all of them waiting at once."""
    async with busy_database_thread():
        write = in_shared_commit(add_row, may_repeat=may_repeat)
        tasks = [asyncio.create_task(write(name)) for name in names]
        await asyncio.sleep(0)
    return await gathered(*tasks)


def add_row(name: str) -> None:
    """Write a row; "bad" fails after its write, "ruin" breaks the transaction that it is in."""
    with transaction.atomic():
        TryCounter.objects.create(key=name, since=NOON)
        if name == "bad":
            raise ValueError(name)
        if name == "ruin":
            connection.connection.execute("ROLLBACK")  # as SQLite does itself when the disk is full
            raise OperationalError("database or disk is full")


async def stored() -> list[str]:
    return [name async for name in TryCounter.objects.order_by("key").values_list("key", flat=True)]


async def test_writes_that_wait_together_share_one_commit(points: list[str]) -> None:
    assert await write_together("a", "b", "c") == [None, None, None]

    assert points == ["G1", "G2"]
    assert await stored() == ["a", "b", "c"]


async def test_a_write_alone_has_its_own_commit(points: list[str]) -> None:
    await in_shared_commit(add_row)("a")

    assert points == []
    assert await stored() == ["a"]


async def test_nobody_goes_on_before_the_commit() -> None:
    """At the last point before the commit no caller has its answer, and another connection sees nothing."""
    seen: list[int] = []

    def look(point: str) -> None:
        def count() -> None:
            seen.append(TryCounter.objects.count())
            connection.close()

        if point == "G1":
            assert not any(task.done() for task in tasks)
            other = Thread(target=count)
            other.start()
            other.join()

    tasks: list[asyncio.Task[None]] = []
    set_trap(look)
    try:
        async with busy_database_thread():
            tasks += [asyncio.create_task(in_shared_commit(add_row)(name)) for name in ("a", "b")]
            await asyncio.sleep(0)
        await gathered(*tasks)
    finally:
        set_trap(None)

    assert seen == [0]
    assert await stored() == ["a", "b"]


async def test_a_write_that_fails_undoes_only_its_own_changes(points: list[str]) -> None:
    first, failed, last = await write_together("a", "bad", "c")

    assert (first, last) == (None, None)
    assert isinstance(failed, ValueError)
    assert points == ["G1", "G2"]
    assert await stored() == ["a", "c"]


async def test_when_the_shared_commit_fails_what_may_be_repeated_gets_a_commit_of_its_own() -> None:
    first, failed, last = await write_together("a", "ruin", "c", may_repeat=True)

    assert (first, last) == (None, None)
    assert isinstance(failed, OperationalError)
    assert await stored() == ["a", "c"]


async def test_what_may_not_be_repeated_fails_with_the_shared_commit_and_nothing_of_it_is_stored() -> None:
    first, failed, last = await write_together("a", "ruin", "c")

    assert isinstance(first, SharedCommitFailed)
    assert isinstance(failed, OperationalError)
    assert last is None  # it had not run when the transaction broke
    assert await stored() == ["c"]


async def test_when_the_shared_transaction_does_not_begin_each_write_runs_alone_for_the_first_time() -> None:
    refused: list[str] = []

    def refuse_first(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith("BEGIN") and not refused:
            refused.append(sql)
            raise OperationalError("database is locked")
        return execute(sql, params, many, context)

    await in_thread(lambda: connection.execute_wrappers.append(refuse_first))()
    try:
        outcomes = await write_together("a", "b")
    finally:
        await in_thread(lambda: connection.execute_wrappers.remove(refuse_first))()

    assert len(refused) == 1
    assert outcomes == [None, None]
    assert await stored() == ["a", "b"]


async def test_after_a_shared_commit_that_failed_each_write_is_alone_for_a_while(points: list[str]) -> None:
    await write_together("a", "ruin")
    points.clear()

    assert await write_together("b", "c") == [None, None]

    assert points == []
    assert await stored() == ["b", "c"]


async def test_a_write_whose_caller_has_left_is_not_made() -> None:
    async with busy_database_thread():
        left, stays = (asyncio.create_task(in_shared_commit(add_row)(name)) for name in ("a", "b"))
        await asyncio.sleep(0)
        left.cancel()
        await asyncio.sleep(0)
    await gathered(left, stays)

    assert await stored() == ["b"]


async def test_what_follows_the_commit_and_fails_undoes_nothing() -> None:
    def add_and_fail_later(name: str) -> None:
        with transaction.atomic():
            TryCounter.objects.create(key=name, since=NOON)
            transaction.on_commit(lambda: int("no number"))

    async with busy_database_thread():
        tasks = [asyncio.create_task(in_shared_commit(add_and_fail_later)(name)) for name in ("a", "b")]
        await asyncio.sleep(0)

    assert await gathered(*tasks) == [None, None]
    assert await stored() == ["a", "b"]


@pytest.mark.parametrize(("most", "groups"), [(2, 3), (6, 1)])
async def test_only_so_many_share_a_commit(
    points: list[str], monkeypatch: pytest.MonkeyPatch, most: int, groups: int
) -> None:
    monkeypatch.setattr(shared_commits, "MAX_WRITES_IN_COMMIT", most)
    monkeypatch.setattr(shared_commits, "MAX_GATHERING_SECONDS", 60)

    await write_together(*"abcdef")

    assert points == ["G1", "G2"] * groups


async def test_a_transaction_that_has_been_open_for_long_takes_no_further_writes(
    points: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_commits, "MAX_GATHERING_SECONDS", 0)

    await write_together(*"abcd")

    assert points == ["G1", "G2"] * 2
    assert await stored() == ["a", "b", "c", "d"]
