"""What PostgreSQL is sent at once: values arrive as they are, an error is that of its statement, plans are kept."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from django.db import DataError, IntegrityError, connection, transaction

from dialogue.models import Event, Message, exchange, hot_path
from dialogue.models.statements import Statement, change, execute, this_database

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database, pytest.mark.postgresql]

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(exchange, "MAX_PLANS", 10_000)  # tests before this one may have filled the connection
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE note (id integer PRIMARY KEY, text varchar(20))")
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE note")


def run(sql: str, *values: Any) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = execute(sql, values, this_database()).fetchall()
    return rows


def plans() -> int:
    return int(run("SELECT count(*) FROM pg_prepared_statements")[0][0])


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("text", "grün – ñ $1 %"),
        ("text", ""),
        ("text", None),
        ("bigint", -(2**62)),
        ("boolean", False),
        ("uuid", UUID(int=7)),
        ("timestamptz", NOON),
        ("bytea", b"\x00\xff'"),
        ("double precision", 12.25),
    ],
)
def test_a_value_comes_back_as_it_was_sent(kind: str, value: Any):
    assert run(f"SELECT %s::{kind}", value) == [(value,)]


def test_a_member_of_an_enumeration_is_sent_as_its_value():
    assert run("SELECT %s::text, %s::text", Event.State.DUE, Message.Role.USER) == [("due", "user")]


def test_a_text_with_a_nul_is_refused_and_not_cut_off():
    with pytest.raises(DataError, match="NUL"):
        run("SELECT %s::text", "before\0after")


def test_a_large_text_arrives_whole():
    text = "ñ" * 3_000_000

    assert run("SELECT %s::text, %s::text", text, "end") == [(text, "end")]


def test_the_first_error_of_an_exchange_is_raised_and_the_connection_goes_on(table: None):
    with pytest.raises(IntegrityError, match="Key \\(id\\)=\\(1\\) already exists"), hot_path.one_transaction():
        for number in (1, 1, "no number"):
            change(Statement("INSERT INTO note (id) VALUES (%s)", (number,)))

    assert run("SELECT count(*) FROM note") == [(0,)]


def test_a_transaction_begins_with_the_isolation_of_the_connection():
    from psycopg import IsolationLevel

    connection.ensure_connection()
    connection.connection.isolation_level = IsolationLevel.REPEATABLE_READ
    try:
        with transaction.atomic():
            assert run("SHOW transaction_isolation") == [("repeatable read",)]
    finally:
        connection.connection.isolation_level = None


def test_plans_that_no_longer_fit_are_made_again(table: None):
    for _ in range(10):
        run("SELECT text FROM note")
    assert plans() > 0
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE note ALTER text TYPE varchar(40)")
    with pytest.raises(Exception, match="cached plan"):
        run("SELECT text FROM note")

    assert run("SELECT text FROM note") == []


def test_plans_that_somebody_dropped_are_made_again(table: None):
    for _ in range(10):
        run("SELECT text FROM note")
    with connection.cursor() as cursor:
        cursor.execute("DEALLOCATE ALL")
    with pytest.raises(Exception, match="does not exist"):
        run("SELECT text FROM note")

    assert run("SELECT text FROM note") == []


def test_a_connection_whose_answers_were_not_all_fetched_is_not_used_again(monkeypatch: pytest.MonkeyPatch):
    connection.ensure_connection()
    broken = connection.connection

    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(type(broken), "wait", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run("SELECT 1")
    monkeypatch.undo()

    assert broken.closed
    connection.close()
    assert run("SELECT 2") == [(2,)]
