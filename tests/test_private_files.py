"""What lies in the data folder is for the account that serves; and what is wrong there is said in a sentence."""

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.core.mail import EmailMessage

from soni_admin.checks import key_that_others_read
from soni_admin.databases import sqlite_file
from soni_admin.private_files import EmailBackend, make_private_folder

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_data_folder_is_closed_to_other_accounts(tmp_path: Path):
    make_private_folder(tmp_path / "new" / "data")

    assert mode(tmp_path / "new" / "data") == 0o700


def test_a_data_folder_of_an_earlier_version_is_closed(tmp_path: Path):
    (tmp_path / "secret_key").touch()
    tmp_path.chmod(0o755)

    make_private_folder(tmp_path)

    assert mode(tmp_path) == 0o700


def test_a_folder_that_is_not_ours_stays_as_it_is(tmp_path: Path):
    tmp_path.chmod(0o755)

    make_private_folder(tmp_path)

    assert mode(tmp_path) == 0o755


def test_the_database_and_its_log_are_for_their_owner_only(tmp_path: Path):
    file = tmp_path / "soni.sqlite3"
    name = sqlite_file(file)["NAME"]

    with closing(sqlite3.connect(name)) as connection:
        connection.executescript("PRAGMA journal_mode=WAL; CREATE TABLE some (number INTEGER)")

        assert [mode(path) for path in sorted(tmp_path.iterdir())] == [0o600] * 3


def test_the_database_of_an_earlier_version_is_closed(tmp_path: Path):
    file = tmp_path / "soni.sqlite3"
    file.touch(mode=0o644)

    sqlite_file(file)

    assert mode(file) == 0o600


def test_mails_that_are_files_are_for_their_owner_only(tmp_path: Path):
    backend = EmailBackend(file_path=tmp_path / "mail")

    assert backend.send_messages([EmailMessage("A gate", "Its link", "soni@localhost", ["olga@example.org"])]) == 1

    assert mode(tmp_path / "mail") == 0o700
    assert [mode(path) for path in (tmp_path / "mail").iterdir()] == [0o600]


def test_a_key_that_others_can_read_is_warned_of(tmp_path: Path, settings):
    settings.KEY_FILE = tmp_path / "secret_key"
    settings.KEY_FILE.touch(mode=0o644)

    (finding,) = key_that_others_read()

    assert str(tmp_path / "secret_key") in finding.msg
    assert "chmod 600" in str(finding.hint)
    assert not finding.is_serious()


def test_a_key_for_its_owner_only_is_not_warned_of(tmp_path: Path, settings):
    settings.KEY_FILE = tmp_path / "secret_key"
    settings.KEY_FILE.touch(mode=0o600)

    assert list(key_that_others_read()) == []


PRODUCT = {
    "DJANGO_SETTINGS_MODULE": "soni_admin.settings",
    "DATABASE_URL": "",
    "SONI_DEPLOYMENT": "embedded",
    "SONI_SECRET_KEY": "",
}
"""What a process of the tests has otherwise."""


def refusal(data: Path, *command: str, **environment: str) -> str:
    """What a command that ends with 1 says, all of it."""
    done = subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env={**os.environ, **PRODUCT, "SONI_DATA": str(data), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1, done.stderr
    return done.stdout + done.stderr


def test_an_empty_key_stops_a_command_with_one_sentence(tmp_path: Path):
    (tmp_path / "secret_key").touch()

    said = refusal(tmp_path, "migrate")

    assert said.startswith(f"{tmp_path}/secret_key is empty.")
    assert "Traceback" not in said


def test_a_setting_that_cannot_be_read_stops_a_command_with_one_sentence(tmp_path: Path):
    assert refusal(tmp_path, "migrate", SONI_PORT="eight") == "SONI_PORT is 'eight': write a whole number.\n"


def test_a_broken_database_stops_a_command_with_what_to_do(tmp_path: Path):
    (tmp_path / "soni.sqlite3").write_bytes(b"this is no database" * 500)

    said = refusal(tmp_path, "up", "--port", "1")

    assert "soni.sqlite3 is damaged, or is not a SQLite database (file is not a database)" in said
    assert "copy a backup there" in said
    assert "Traceback" not in said


def test_a_database_without_tables_stops_a_command_with_what_to_do(tmp_path: Path):
    said = refusal(tmp_path, "load_flows", "dialogue/library/demo/assistants/bank")

    assert "A table is missing in the database (no such table: dialogue_assistant). Start the console once" in said
    assert "Traceback" not in said
