"""What every test may ask for. Sockets are closed but for this machine's own (see pyproject.toml)."""

import gc
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import SyncToAsync
from django.core.management import call_command
from django.db import connection, connections
from django.test import TransactionTestCase
from django.utils import translation

from dialogue.audit.append_only import AppendOnly
from dialogue.scenarios import temporary_database
from dialogue.turns.process.database import close_connections
from tests.support.database.migrated import copy_migrated
from tests.support.database.tables import read_tables, restore
from tests.support.processes.postgres import PostgresServer, postgres_server

VENDORS = {"sqlite", "postgresql"}
pytest_plugins = ["tests.support.answer_links", "tests.support.transfers", "tests.support.browser.chromium"]
"""Fixtures of the transfer that waits for approval, of the people who are asked about it by mail, and of Chromium."""

LONGEST = ("test_every_page.py", "test_strange_texts.py", "test_accessibility.py", "test_trying.py", "test_studio.py")
"""Files of browser tests, the longest first: of several workers none is left alone with one of them at the end."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Browser tests run last: Playwright leaves an event loop running in the thread that asked for it.

    What is marked as being about the other database is not for this run.
    """
    items.sort(key=_when)
    (other,) = VENDORS - {connection.vendor}
    left_out = [item for item in items if item.get_closest_marker(other)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def _when(item: pytest.Item) -> int:
    """What has a smaller number runs before."""
    if item.get_closest_marker("browser") is None:
        return 0
    return 1 + LONGEST.index(item.path.name) if item.path.name in LONGEST else 1 + len(LONGEST)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported stays: the collector need not look through it meanwhile, nor again and again afterwards."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server of its own for this run of the tests; `postgres.dsn` says how to reach it."""
    with postgres_server() as server:
        yield server


@pytest.fixture(autouse=True)
def english() -> None:
    """A page in another language leaves that language to the thread, and so to the next test."""
    translation.deactivate()


AUDIT = AppendOnly("dialogue_auditentry")


@pytest.fixture(scope="session")
def django_db_keepdb(request: pytest.FixtureRequest, django_db_modify_db_settings: None) -> bool:
    """Whether Django finds the test's database: SQLite's is there already, and migrated."""
    if connection.vendor != "sqlite":
        return bool(request.config.getvalue("reuse_db"))
    file = Path(connection.settings_dict["TEST"]["NAME"])
    if not file.exists():
        copy_migrated(file)
    return True


@pytest.fixture(scope="session", autouse=True)
def throw_away_databases_are_migrated() -> Iterator[None]:
    """Those that scenarios are played in begin as copies."""

    def bring_up_to_date(command: str, **options: Any) -> None:
        copy_migrated(Path(connection.settings_dict["NAME"]))
        call_command(command, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(temporary_database, "call_command", bring_up_to_date)
        yield


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: pytest.FixtureRequest) -> Iterator[None]:
    """Transactional tests empty every table, which the audit's triggers refuse: tests run without them."""
    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        with connection.schema_editor() as editor:
            AUDIT.database_backwards("dialogue", editor)
        tables = read_tables()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda _case: restore(tables))
        yield
    close_connections()  # or PostgreSQL would not let the test database go
    SyncToAsync.single_thread_executor.submit(connections.close_all).result()  # where `aget` and the like ran


@pytest.fixture
def append_only(transactional_db: None) -> Iterator[None]:
    """The audit's triggers, for the tests that are about them."""
    with connection.schema_editor() as editor:
        AUDIT.database_forwards("dialogue", editor)
    yield
    with connection.schema_editor() as editor:
        AUDIT.database_backwards("dialogue", editor)
