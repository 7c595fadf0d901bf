"""The chained record tells when it was touched, and the database lets nobody touch it."""

from datetime import UTC, datetime

import pytest
from django.db import DatabaseError, connection

from dialogue.audit.append_only import AppendOnly
from dialogue.audit.chain import CONSOLE, Act, CheckProgress, check, record, verify
from dialogue.models import AuditDetail, AuditEntry, AuditHead

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)


@pytest.fixture
def three_acts() -> None:
    acts = [Act(act, "Olga", actor_id=1, detail={"reason": act}) for act in ("claimed", "refused", "approved")]
    record(CONSOLE, acts, NOW)


def broken() -> list[str]:
    return [str(each) for each in verify()]


def test_an_untouched_chain_verifies(three_acts: None) -> None:
    assert broken() == []


def test_an_altered_entry_is_named(three_acts: None) -> None:
    AuditEntry.objects.filter(number=2).update(actor="Oscar")

    assert broken() == ["chain console, entry 2: was altered"]


def test_a_dropped_entry_is_named(three_acts: None) -> None:
    AuditEntry.objects.filter(number=2).delete()

    assert broken() == ["chain console, entry 3: entry 2 is missing"]


def test_the_newest_entry_is_missed_too(three_acts: None) -> None:
    AuditEntry.objects.filter(number=3).delete()

    assert broken() == ["chain console, entry 3: entry 3 is missing"]


def test_a_chain_that_is_gone_altogether_is_missed(three_acts: None) -> None:
    AuditEntry.objects.all().delete()

    assert broken() == ["chain console, entry 1: entry 1 is missing"]


def test_an_entry_that_was_added_behind_the_end_is_named(three_acts: None) -> None:
    end = AuditHead.objects.get()
    record(CONSOLE, [Act("approved again", "Olga")], NOW)
    AuditHead.objects.filter(chain=CONSOLE).update(number=end.number, sha256=end.sha256)

    assert broken() == ["chain console, entry 3: does not match the stored end of the chain"]


def test_what_is_written_while_a_chain_is_checked_breaks_nothing(three_acts: None) -> None:
    steps = check([CONSOLE, CONSOLE])
    first = next(steps)
    record(CONSOLE, [Act("released", "Olga")], NOW)

    assert (first, next(steps)) == (CheckProgress(CONSOLE, 3), CheckProgress(CONSOLE, 4))


def test_swapped_entries_are_named(three_acts: None) -> None:
    second, third = AuditEntry.objects.filter(number__gte=2)
    for entry, number in ((second, 9), (third, 2), (second, 3)):
        AuditEntry.objects.filter(pk=entry.pk).update(number=number)

    assert broken()[0].startswith("chain console, entry 2:")


def test_altered_personal_text_is_named_and_erased_text_is_not(three_acts: None) -> None:
    AuditDetail.objects.filter(entry__number=1).delete()
    assert broken() == []

    AuditDetail.objects.filter(entry__number=3).update(text={"reason": "never"})
    assert broken() == ["chain console, entry 3: its personal text was altered"]


@pytest.mark.parametrize("change", ["UPDATE dialogue_auditentry SET actor='x'", "DELETE FROM dialogue_auditentry"])
def test_the_database_refuses_to_change_the_record(append_only: None, three_acts: None, change: str) -> None:
    with pytest.raises(DatabaseError, match="append-only"), connection.cursor() as cursor:
        cursor.execute(change)


def test_postgresql_refuses_to_change_the_record_too(postgres: object) -> None:
    """The same operation on a real server: a table of its own, one row, and the three ways to change it."""
    import psycopg

    class Editor:
        """As much of a schema editor as the operation needs."""

        def __init__(self, cursor: psycopg.Cursor) -> None:
            self.execute = lambda sql, params=None: cursor.execute(sql)
            self.connection = type("Connection", (), {"vendor": "postgresql"})

    with psycopg.connect(postgres.dsn, autocommit=True) as server, server.cursor() as cursor:  # type: ignore[attr-defined]
        cursor.execute("CREATE TABLE record (act text)")
        cursor.execute("INSERT INTO record VALUES ('approved')")
        AppendOnly("record").database_forwards("dialogue", Editor(cursor))  # type: ignore[arg-type]
        for change in ("UPDATE record SET act = 'x'", "DELETE FROM record", "TRUNCATE record"):
            with pytest.raises(psycopg.Error, match="record is append-only"):
                cursor.execute(change)
