"""Statements that are made once: what they write and read is what the ORM writes and reads."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import F

from dialogue.models import Checkpoint, Conversation, Event, HITLSession, Message, hot_path
from soni_admin.databases import PLANNED_AFTER
from tests.support.releases import GREETER, publish

pytestmark = [pytest.mark.django_db, pytest.mark.database]

NOON = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)


@pytest.fixture
def conversation() -> Conversation:
    release = publish(GREETER)
    facts = {"colour": "grün", "n": [1, None, True]}
    return Conversation.objects.create(assistant=release.assistant, release=release, metadata=facts, active_at=NOON)


def event(conversation: Conversation, number: int, **changes: Any) -> Event:
    facts = {"kind": "message", "client_id": f"m{number}", "payload": {"text": "hi"}, "accepted_at": NOON, **changes}
    return Event(conversation=conversation, number=number, **facts)


def same(left: Any, right: Any) -> bool:
    return all(getattr(left, field.attname) == getattr(right, field.attname) for field in left._meta.concrete_fields)


def test_a_row_that_was_inserted_is_the_row_that_the_orm_finds(conversation):
    row = event(conversation, 1, understanding={"commands": ["affirm"]}, done_at=NOON)

    hot_path.insert([row], returning_keys=True)

    assert row.pk and not row._state.adding
    assert same(Event.objects.get(pk=row.pk), row)


def test_many_rows_are_inserted_in_their_order(conversation):
    lines = [Message(conversation=conversation, seq=seq, role="user", text=f"{seq} – ñ", at=NOON) for seq in (1, 2, 3)]

    hot_path.insert(lines)

    assert [line.text for line in Message.objects.order_by("seq")] == ["1 – ñ", "2 – ñ", "3 – ñ"]


@pytest.mark.parametrize("model", [Conversation, Event, HITLSession, Checkpoint, Message])
def test_every_column_of_a_model_is_written_and_read(model):
    table = hot_path._table_of(model, "any")

    assert {each.field for each in table.columns} == set(model._meta.concrete_fields)


def test_what_is_fetched_is_what_the_orm_finds(conversation):
    (found,) = hot_path.fetch(Conversation, {"id": conversation.pk}, hot_path.for_update())

    assert same(found, Conversation.objects.get(pk=conversation.pk))
    assert hot_path.fetch(Conversation, {"id": conversation.pk, "epoch": 7}) == []


def test_bytes_come_back_as_they_were(conversation):
    row = Checkpoint(thread_id="t", checkpoint_id="c", number=1, kind="msgpack", blob=b"\x00\xff", metadata={"a": 1})
    hot_path.insert([row])

    (found,) = hot_path.fetch(Checkpoint, {"thread_id": "t"})

    assert bytes(found.blob) == b"\x00\xff"
    assert found.metadata == {"a": 1}


def test_an_update_says_how_many_rows_it_changed(conversation):
    changes = {"epoch": hot_path.Increment(2), "stack": [{"flow": "greet"}], "idle_until": NOON, "user_ref": "Ursula"}

    assert hot_path.update(Conversation, {"id": conversation.pk, "epoch": 0}, changes) == 1
    assert hot_path.update(Conversation, {"id": conversation.pk, "epoch": 0}, changes) == 0

    row = Conversation.objects.get()
    assert (row.epoch, row.stack, row.idle_until, row.user_ref) == (2, [{"flow": "greet"}], NOON, "Ursula")


def test_whether_another_row_is_there(conversation):
    rows = [event(conversation, 1), event(conversation, 2)]
    hot_path.insert(rows, returning_keys=True)
    due = {"conversation": conversation.pk, "state": "due"}

    assert hot_path.exists(Event, due, excluding=rows[0].pk)
    Event.objects.filter(pk=rows[1].pk).update(state="done", attempts=F("attempts") + 1)
    assert not hot_path.exists(Event, due, excluding=rows[0].pk)


def test_who_counts_queries_hears_of_each(conversation, django_assert_num_queries):
    with django_assert_num_queries(2):
        hot_path.fetch(Conversation, {"id": conversation.pk})
        hot_path.update(Conversation, {"id": conversation.pk}, {"epoch": 3})


def test_what_the_database_refuses_is_refused_as_by_the_orm(conversation):
    hot_path.insert([event(conversation, 1)])

    with pytest.raises(IntegrityError), transaction.atomic():
        hot_path.insert([event(conversation, 1)])


@pytest.mark.postgresql
def test_postgresql_plans_a_statement_once_and_keeps_the_plan(conversation):
    for _ in range(PLANNED_AFTER + 1):
        hot_path.fetch(Conversation, {"id": conversation.pk}, "LIMIT 1")

    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%dialogue_conversation%'")
        assert cursor.fetchone()[0] > 0
