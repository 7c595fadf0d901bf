"""One server per SQLite file: a lock beside the database, which the system gives back when the process ends."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection


class AlreadyRunning(Exception):
    """Another process serves this database; the message names it and says what to do."""


@contextmanager
def only_process(url: str = "") -> Iterator[int | None]:
    """Hold the lock of the SQLite database and yield its descriptor; PostgreSQL needs no lock, and None is yielded.

    `url` is where this process serves; a second process names it. The lock is held until every process has ended that
    inherited the descriptor. Raises AlreadyRunning.
    """
    if connection.vendor != "sqlite":
        yield None
        return
    database = Path(str(connection.settings_dict["NAME"]))
    with locked(database.with_name(f"{database.name}.lock"), database, url) as descriptor:
        yield descriptor


@contextmanager
def locked(lock: Path, database: Path, url: str = "") -> Iterator[int]:
    lock.parent.mkdir(parents=True, exist_ok=True)
    with open(lock, "a+", encoding="ascii", opener=_open_private) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise AlreadyRunning(_sentence(lock, database)) from error
        file.truncate(0)
        file.write(f"{os.getpid()} {url}")
        file.flush()
        yield file.fileno()


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _sentence(lock: Path, database: Path) -> str:
    number, _space, url = lock.read_text(encoding="ascii").strip().partition(" ")
    process = f"process {number}" if number else "another process"
    place = f" at {url}" if url else ""
    return (
        f"{process} already serves {database}{place}, and a SQLite database has one server. "
        "Stop that one first, or name another folder with SONI_DATA."
    )
