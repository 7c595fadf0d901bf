"""Statements that are sent together: the same rows, the same errors and the same order as one by one."""

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction

from dialogue.models import Alert, Message, TryCounter, hot_path, statements

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


class NotFound(Exception):
    """A change found no row."""


def add(key: str, tries: int = 0) -> None:
    hot_path.insert([TryCounter(key=key, since=NOON, tries=tries)])


def count_on(key: str) -> None:
    hot_path.update_later(TryCounter, {"key": key}, {"tries": hot_path.Increment()}, missed=NotFound(key))


def stored() -> dict[str, int]:
    return dict(TryCounter.objects.order_by("key").values_list("key", "tries"))


def test_changes_of_a_block_are_made_in_their_order():
    with transaction.atomic(), hot_path.sent_together():
        add("a")
        count_on("a")
        add("b", tries=5)
        hot_path.delete(TryCounter, {"key": "a"})
        add("a", tries=2)
        count_on("a")

    assert stored() == {"a": 3, "b": 5}


def test_a_read_in_the_block_sees_the_changes_before_it():
    with transaction.atomic(), hot_path.sent_together():
        add("a")
        (row,) = hot_path.fetch(TryCounter, {"key": "a"})
        count_on("a")
        [[(again, _)], []] = hot_path.fetch_all(
            [hot_path.Query(TryCounter, {"key": "a"}), hot_path.Query(TryCounter, {"key": "b"})]
        )

    assert (row.tries, again.tries) == (0, 1)


def test_the_orm_in_the_block_sees_the_changes_before_it():
    with transaction.atomic(), hot_path.sent_together():
        add("a", tries=4)

        assert TryCounter.objects.get(key="a").tries == 4
        assert TryCounter.objects.filter(key="a").update(tries=7) == 1
        count_on("a")

    assert stored() == {"a": 8}


def test_a_change_that_finds_no_row_undoes_the_transaction():
    with pytest.raises(NotFound), transaction.atomic(), hot_path.sent_together():
        add("a")
        count_on("b")
        add("c")

    assert stored() == {}


def test_the_databases_error_undoes_the_transaction_and_the_next_one_works():
    with pytest.raises(IntegrityError), transaction.atomic(), hot_path.sent_together():
        add("a")
        add("a")
        add("b")

    assert stored() == {}
    with transaction.atomic(), hot_path.sent_together():
        add("a")
    assert stored() == {"a": 0}


def test_with_another_error_the_changes_that_wait_are_dropped():
    with pytest.raises(ZeroDivisionError), transaction.atomic(), hot_path.sent_together():
        add("a")
        1 / 0  # noqa: B018 - any error of the block's own

    add("b")
    assert stored() == {"b": 0}


def test_a_savepoint_in_the_block_undoes_only_its_own_changes():
    with transaction.atomic(), hot_path.sent_together():
        add("a")
        with pytest.raises(IntegrityError), transaction.atomic():
            TryCounter.objects.create(key="a", since=NOON)
        add("b")

    assert stored() == {"a": 0, "b": 0}


def test_a_transaction_is_sent_with_its_commit_and_what_follows_runs_after_it():
    seen: list[tuple[bool, dict[str, int]]] = []

    with hot_path.one_transaction():
        transaction.on_commit(lambda: seen.append((connection.in_atomic_block, stored())))
        rows = hot_path.fetch(TryCounter, {"key": "a"})
        add("a")
        add("b", tries=2)

    assert rows == []
    assert seen == [(False, {"a": 0, "b": 2})]
    assert connection.get_autocommit()


@pytest.mark.parametrize("fails_by", ["database", "missing row", "own error"])
def test_a_transaction_that_fails_stores_nothing_and_the_next_one_works(fails_by: str):
    followed: list[str] = []

    with suppress(IntegrityError, NotFound, ZeroDivisionError), hot_path.one_transaction():
        transaction.on_commit(lambda: followed.append(fails_by))
        add("a")
        match fails_by:
            case "database":
                add("a")
            case "missing row":
                count_on("b")
            case _:
                1 / 0  # noqa: B018 - any error of the block's own
        add("c")

    assert (stored(), followed) == ({}, [])
    with hot_path.one_transaction():
        add("a")
    assert stored() == {"a": 0}


def test_a_constraint_that_is_checked_at_the_commit_undoes_the_transaction():
    """Django defers the check of foreign keys: the database refuses them with COMMIT."""
    line = Message(conversation_id=uuid4(), seq=1, role="user", text="hi", at=NOON)

    with pytest.raises(IntegrityError), hot_path.one_transaction():
        add("a")
        hot_path.insert([line])

    assert (stored(), Message.objects.count()) == ({}, 0)


def test_a_transaction_within_another_is_committed_with_it():
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        with hot_path.one_transaction():
            add("a")
        assert stored() == {"a": 0}
        1 / 0  # noqa: B018 - any error of the block's own

    with transaction.atomic():
        TryCounter.objects.create(key="b", since=NOON)
        with hot_path.one_transaction():
            add("c")
    assert stored() == {"b": 0, "c": 0}


def test_rows_with_keys_that_were_reserved_are_the_rows_that_the_orm_finds():
    """PostgreSQL gives keys before, with a row that is read; SQLite gives them with the new rows."""
    add("a")
    with hot_path.one_transaction():
        two, none_at_all = hot_path.NewKeys(Alert, 2), hot_path.NewKeys(Alert, 0)
        query = hot_path.Query(TryCounter, {"key": "a"}, hot_path.for_update(), keys=[two, none_at_all])
        [[(_row, _nothing, reserved, none)]] = hot_path.fetch_all([query])
        keys = reserved or [None, None]
        rows = [
            Alert(pk=key, kind="key_refused", subject=f"{n}", first_at=NOON, last_at=NOON) for n, key in enumerate(keys)
        ]
        hot_path.insert(rows, returning_keys=True)

    assert none == []
    assert len(reserved) == (2 if connection.vendor == "postgresql" else 0)
    assert [(row.pk, row.subject) for row in Alert.objects.order_by("pk")] == [(row.pk, row.subject) for row in rows]
    assert Alert.objects.create(kind="key_refused", subject="later", first_at=NOON, last_at=NOON).pk > rows[-1].pk


def test_what_is_read_after_a_transaction_sees_its_changes():
    with hot_path.one_transaction() as ending:
        add("a", tries=4)
        found = hot_path.fetch_after(ending, [hot_path.Query(TryCounter, {"key": "a"})])

    [[(row, _nothing)]] = found()
    assert row.tries == 4


def test_what_is_read_after_a_transaction_within_another_sees_its_changes():
    with transaction.atomic():
        with hot_path.one_transaction() as ending:
            add("a", tries=4)
            found = hot_path.fetch_after(ending, [hot_path.Query(TryCounter, {"key": "a"})])
        [[(row, _nothing)]] = found()

    assert row.tries == 4


def test_changes_are_sent_at_once_when_their_errors_are_needed_now():
    add("a")

    with pytest.raises(IntegrityError), transaction.atomic(), hot_path.sent_together():
        add("a")
        hot_path.send_changes()
        pytest.fail("the key is there already")

    assert stored() == {"a": 0}


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite runs in this process: nothing is sent")
def test_postgresql_is_asked_once_for_what_needs_no_answer_before(monkeypatch: pytest.MonkeyPatch):
    sent: list[int] = []
    send = statements._send_queue

    def count(database: Any, *further: Any) -> Any:
        sent.append(len(statements._queue.statements or []) + len(further))
        return send(database, *further)

    monkeypatch.setattr(statements, "_send_queue", count)
    with transaction.atomic(), hot_path.sent_together():
        add("a")
        count_on("a")
        hot_path.fetch(TryCounter, {"key": "a"})
        add("b")
        count_on("b")

    assert sent == [3, 2]
    assert stored() == {"a": 1, "b": 1}

    sent.clear()
    with hot_path.one_transaction() as ending:
        add("c")
        found = hot_path.fetch_after(ending, [hot_path.Query(TryCounter, {"key": "c"})])
    assert len(found()[0]) == 1
    assert [count for count in sent if count] == [3]  # the change, COMMIT, and what is read behind it
