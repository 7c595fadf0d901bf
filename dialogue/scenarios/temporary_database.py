"""A database for one run: a SQLite file in a temporary folder, migrated, used and deleted."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connections

from dialogue.turns.process.database import close_connections

FAST_PRAGMAS = "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF"


@contextmanager
def use_temporary_database() -> Iterator[None]:
    """Let every thread of this process work on an empty database; the configured one is not touched.

    For a process of its own, such as a command, while nothing else uses the database.
    """
    with TemporaryDirectory(prefix="scenarios-") as folder:
        settings = _point_to(_sqlite_settings(Path(folder) / "scenarios.sqlite3"))
        try:
            call_command("migrate", verbosity=0, interactive=False)
            yield
        finally:
            _point_to(settings)


def _sqlite_settings(file: Path) -> dict[str, Any]:
    options = {"init_command": FAST_PRAGMAS, "transaction_mode": "IMMEDIATE", "timeout": 20}
    databases = {DEFAULT_DB_ALIAS: {"ENGINE": "django.db.backends.sqlite3", "NAME": str(file), "OPTIONS": options}}
    return dict(connections.configure_settings(databases)[DEFAULT_DB_ALIAS])


def _point_to(settings: dict[str, Any]) -> dict[str, Any]:
    """Connect to other settings from now on; returns those of before."""
    close_connections()
    connections[DEFAULT_DB_ALIAS].close()
    # Every thread's connection holds this very dict, and reads it when it connects again.
    shared = connections.settings[DEFAULT_DB_ALIAS]
    before = dict(shared)
    shared.clear()
    shared.update(settings)
    if before["ENGINE"] != settings["ENGINE"]:
        del connections[DEFAULT_DB_ALIAS]
    return before
