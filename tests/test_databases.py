"""The settings of both databases, and that the migrations run on the database that the suite runs on."""

from pathlib import Path

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import connection

from dialogue.conf.environment import SettingRefused
from soni_admin.databases import database_from, sqlite_file
from tests.support.processes.postgres import postgres_server


def test_a_url_names_the_server_the_user_and_the_database():
    settings = database_from("postgresql://ursula:p%40ss@db.example:5433/soni?sslmode=require")

    assert (settings["USER"], settings["PASSWORD"]) == ("ursula", "p@ss")
    assert (settings["HOST"], settings["PORT"], settings["NAME"]) == ("db.example", "5433", "soni")
    assert settings["OPTIONS"]["sslmode"] == "require"


def test_the_address_may_take_the_start_options_away():
    usual = database_from("postgresql://olga@db/soni")["OPTIONS"]
    bare = database_from("postgresql://olga@db/soni?options=")["OPTIONS"]

    assert usual["options"] == "-c jit=off"
    assert bare["options"] == ""


def test_a_url_may_name_the_folder_of_a_socket():
    settings = database_from("postgresql://soni@/soni?host=%2Frun%2Fpostgresql")

    assert settings["HOST"] == ""
    assert settings["OPTIONS"]["host"] == "/run/postgresql"


NO_DATABASES = ["mysql://soni@db/soni", "postgresql://db.example/", "soni", "postgresql://db:port/soni"]


@pytest.mark.parametrize("url", NO_DATABASES)
def test_a_url_that_names_no_postgresql_database_is_refused(url: str):
    with pytest.raises(SettingRefused, match="DATABASE_URL"):
        database_from(url)


def test_a_sqlite_transaction_takes_the_write_lock_at_its_start(tmp_path: Path):
    options = sqlite_file(tmp_path / "soni.sqlite3")["OPTIONS"]

    assert options["transaction_mode"] == "IMMEDIATE"
    assert "synchronous=FULL" in options["init_command"]


@pytest.mark.django_db(transaction=True)
def test_the_sqlite_file_keeps_a_write_ahead_log():
    with connection.cursor() as cursor:
        mode = cursor.execute("PRAGMA journal_mode").fetchone()

    assert mode == ("wal",)


@pytest.mark.database
@pytest.mark.django_db
def test_every_migration_runs_and_a_row_comes_back():
    User.objects.create_user("olga")

    assert User.objects.get().username == "olga"


@pytest.mark.journey
def test_a_killed_postgresql_comes_back_with_what_it_stored():
    with postgres_server() as server:
        with psycopg.connect(server.dsn) as link:
            link.execute("CREATE TABLE kept AS SELECT 'stored' AS word")
        server.kill()
        server.start()

        with psycopg.connect(server.dsn) as link:
            assert link.execute("SELECT word FROM kept").fetchone() == ("stored",)
