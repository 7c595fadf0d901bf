"""`manage.py worker` where it can do nothing, and how it ends."""

import asyncio
import signal
from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import OperationalError
from django.db.migrations.executor import MigrationExecutor

from dialogue.management.commands import worker
from dialogue.turns.process import database, jobs, watchdog
from dialogue.turns.process.database import MigrationsWait, refuse_unmigrated


def test_a_worker_without_a_queue_is_told_what_to_set_or_start_instead():
    with pytest.raises(CommandError, match="set DATABASE_URL and REDIS_URL") as refused:
        call_command("worker")

    assert "`manage.py up` runs everything" in str(refused.value)


@pytest.fixture(autouse=True)
def watched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was asked of the watchdog, which would end the process of the tests."""
    calls: list[str] = []
    monkeypatch.setattr(watchdog, "end_within", lambda: calls.append("end"))
    return calls


@pytest.fixture(autouse=True)
def handlers_kept() -> Iterator[None]:
    before = {which: signal.getsignal(which) for which in (signal.SIGTERM, signal.SIGINT)}
    yield
    for which, handler in before.items():
        signal.signal(which, handler)


@pytest.mark.django_db
def test_a_worker_does_not_start_on_tables_of_an_older_version(monkeypatch):
    monkeypatch.setattr(jobs, "have_workers", lambda: True)
    monkeypatch.setattr(database, "_migrated_aliases", set())
    monkeypatch.setattr(MigrationExecutor, "migration_plan", lambda self, targets: [("dialogue.0042", False)])

    with pytest.raises(CommandError, match="once, then start again"):
        call_command("worker")


@pytest.mark.django_db
def test_tables_that_are_up_to_date_are_not_objected_to():
    try:
        refuse_unmigrated()
    except MigrationsWait as why:
        pytest.fail(str(why))


@pytest.mark.django_db
def test_a_worker_whose_database_is_away_says_so_in_a_line(monkeypatch):
    def fail() -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(jobs, "have_workers", lambda: True)
    monkeypatch.setattr(worker, "refuse_unmigrated", fail)

    with pytest.raises(CommandError, match=r"^The database does not answer: connection refused$"):
        call_command("worker")


@pytest.mark.django_db
@pytest.mark.parametrize("inherited", [signal.default_int_handler, signal.SIG_IGN], ids=["terminal", "background"])
def test_a_worker_that_is_told_to_stop_ends_its_work_in_order(monkeypatch, inherited, watched):
    signal.signal(signal.SIGINT, inherited)
    ended = []

    async def work_for_ever():
        signal.raise_signal(signal.SIGTERM)
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("in order")

    monkeypatch.setattr(jobs, "have_workers", lambda: True)
    monkeypatch.setattr("dialogue.management.worker.work", work_for_ever)

    call_command("worker")

    assert ended == ["in order"]
    assert watched == ["end"]
