"""Copies made while the service runs are whole: what the operations guide tells to do, done."""

import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.journeys.banking import PEOPLE, TRANSFER, approve, keys, opened, say
from tests.support.processes.cluster import cluster
from tests.support.processes.postgres import server_user
from tests.support.processes.server import Server, wait_for

pytestmark = pytest.mark.journey


def test_a_copy_of_the_sqlite_file_made_meanwhile_goes_on_elsewhere(tmp_path: Path) -> None:
    server = Server(tmp_path / "data")
    server.start()
    server.shell(PEOPLE)
    path, token = opened(server)
    say(server, path, token, 1, TRANSFER)
    say(server, path, token, 2, "yes")

    restored = Server(tmp_path / "restored")
    restored.data.mkdir()
    with (
        closing(sqlite3.connect(server.data / "soni.sqlite3")) as source,
        closing(sqlite3.connect(restored.data / "soni.sqlite3")) as copy,
    ):
        source.backup(copy)
    server.kill()

    restored.start()
    approve(restored)
    wait_for(lambda: "say:done" in keys(restored, path, token))
    assert restored.manage("verify_invariants")
    assert restored.manage("verify_audit")
    restored.kill()


def test_a_dump_of_postgresql_made_meanwhile_is_whole(tmp_path: Path) -> None:
    with cluster(tmp_path) as running:
        running.shell(PEOPLE)
        path, token = opened(running)
        say(running, path, token, 1, TRANSFER)
        say(running, path, token, 2, "yes")

        postgres = running.postgres
        dump = subprocess.run(
            [postgres.programs / "pg_dump", "--format=custom", postgres.dsn],
            check=True,
            stdout=subprocess.PIPE,
            user=server_user(),
            cwd=postgres.folder,
        )
        restored = postgres.create_database("restored")
        subprocess.run(
            [postgres.programs / "pg_restore", "--dbname", restored, "--exit-on-error"],
            check=True,
            input=dump.stdout,
            user=server_user(),
            cwd=postgres.folder,
        )

        running.kill()
        running.use(restored)
        for member in running.members:
            member.start()
        running.wait_until_ready()
        approve(running)
        wait_for(lambda: "say:done" in keys(running, path, token))
        assert running.manage("verify_invariants")
        assert running.manage("verify_audit")
