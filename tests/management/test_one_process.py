"""A SQLite database is served by one process, and the second is told so in a sentence."""

from pathlib import Path

import pytest

from dialogue.management.one_process import AlreadyRunning, locked


def test_the_second_process_is_told_who_is_first(tmp_path: Path):
    database = tmp_path / "soni.sqlite3"
    lock = tmp_path / "soni.sqlite3.lock"

    told = r"process \d+ already serves .*soni\.sqlite3 at http://localhost:8000/, and"
    with (
        locked(lock, database, "http://localhost:8000/"),
        pytest.raises(AlreadyRunning, match=told),
        locked(lock, database),
    ):
        pass


def test_the_lock_goes_with_its_holder(tmp_path: Path):
    lock = tmp_path / "soni.sqlite3.lock"

    with locked(lock, tmp_path / "soni.sqlite3"):
        pass

    with locked(lock, tmp_path / "soni.sqlite3"):
        assert lock.exists()
