"""Django's settings for the two databases: one SQLite file, or a PostgreSQL named by a URL."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from dialogue.conf.environment import SettingRefused
from soni_admin.private_files import make_private_database

# FULL, not NORMAL: what was acknowledged must survive a power cut, and in WAL mode NORMAL may lose the last commits.
SQLITE_START = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL"
SQLITE_WAIT_SECONDS = 20
POSTGRES_START = "-c jit=off"
"""Compiling a query pays off where it runs for seconds; here it made one of 50 ms take a second and a half."""

MISSING_TABLE = re.compile(r'no such table: \w+|relation "\w+" does not exist')
BROKEN_FILE = ("file is not a database", "database disk image is malformed", "unsupported file format")

PLANNED_AFTER = 5
"""How often a connection runs a statement of the hot path before it keeps its plan."""

MAX_CONNECTIONS = 24
"""Of one process. The eight threads that turns use keep theirs; pages, reads and sweeps give theirs back."""


def sqlite_file(path: Path) -> dict[str, Any]:
    """One SQLite file. Transactions take the write lock at once: a lock taken later cannot wait, it fails.

    Connections stay open: opening one, with its two settings, costs as much as half a turn.
    """
    make_private_database(path)
    options = {"init_command": SQLITE_START, "transaction_mode": "IMMEDIATE", "timeout": SQLITE_WAIT_SECONDS}
    return {"ENGINE": "django.db.backends.sqlite3", "NAME": str(path), "CONN_MAX_AGE": None, "OPTIONS": options}


def broken_file_sentence(error: Exception) -> str | None:
    """What to do about a SQLite file that is none, or is damaged; None for any other error."""
    if not any(words in str(error) for words in BROKEN_FILE):
        return None
    from django.conf import settings  # this module is imported by the settings

    file = settings.DATABASES["default"]["NAME"]
    return (
        f"{file} is damaged, or is not a SQLite database ({error}). Stop what uses it, move the file and those beside "
        f"it that begin with its name away, and copy a backup there; without any file the next start makes a new one."
    )


def missing_tables_sentence(error: Exception) -> str | None:
    """What to do where the database has no tables yet, or those of an older version; None for any other error."""
    if not (found := MISSING_TABLE.search(str(error))):
        return None
    return (
        f"A table is missing in the database ({found[0]}). Start the console once, or run the command `migrate`: "
        "both make the tables and bring them up to date."
    )


def database_from(url: str) -> dict[str, Any]:
    """The settings for `postgresql://user:password@host:port/name?option=value`.

    The query's names go to libpq as they are; `?host=/a/folder` is a socket's folder.
    """
    parts = urlsplit(url)
    name = unquote(parts.path.lstrip("/"))
    if parts.scheme not in {"postgresql", "postgres"} or not name:
        raise SettingRefused("DATABASE_URL is not of the form postgresql://user:password@host:port/name.")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": port_of(parts),
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {
            "options": POSTGRES_START,
            "prepare_threshold": PLANNED_AFTER,
            **dict(parse_qsl(parts.query, keep_blank_values=True)),
            "pool": {"min_size": 1, "max_size": MAX_CONNECTIONS, "timeout": 10},
        },
    }


def port_of(parts: SplitResult) -> str:
    try:
        return str(parts.port or "")
    except ValueError as reason:
        raise SettingRefused(f"DATABASE_URL: {reason}.") from reason
