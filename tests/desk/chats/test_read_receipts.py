"""Read marks, and whether anybody is at the desk."""

from datetime import timedelta

import pytest

from dialogue.desk.access.people import read_caller
from dialogue.desk.chats.read_receipts import ReadMarks, mark_read, read_marks_of
from dialogue.desk.queue.presence import mark_available
from dialogue.desk.sessions.service import Caller
from dialogue.models import Attendance, Conversation, ReadMark
from dialogue.turns.availability import AWAY_AFTER, is_desk_staffed
from tests.support.transfers import person

pytestmark = pytest.mark.django_db


@pytest.fixture
def talk(conversation: Conversation) -> Conversation:
    Conversation.objects.filter(pk=conversation.pk).update(last_message=5)
    return conversation


def test_a_mark_moves_forward_and_never_back(talk: Conversation, olga: Caller):
    assert mark_read(talk, None, 3)
    assert mark_read(talk, olga.user, 2)

    assert not mark_read(talk, None, 2)
    assert mark_read(talk, None, 4)

    assert read_marks_of(talk) == ReadMarks(customer=4, staff=2)
    assert ReadMark.objects.count() == 2


def test_nobody_has_read_what_was_not_written(talk: Conversation):
    mark_read(talk, None, 10**9)

    assert read_marks_of(talk) == ReadMarks(customer=5)


def test_nothing_read_is_no_mark(talk: Conversation):
    assert not mark_read(talk, None, 0)
    assert read_marks_of(talk) == ReadMarks()


def test_of_several_operators_the_furthest_counts(talk: Conversation, olga: Caller, oscar: Caller):
    mark_read(talk, olga.user, 4)
    mark_read(talk, oscar.user, 2)

    assert read_marks_of(talk).staff == 4


def test_an_operator_is_there_while_their_console_listens(noon, olga: Caller):
    assert not is_desk_staffed()
    marked = mark_available(read_caller(olga))
    assert is_desk_staffed()

    noon.advance(AWAY_AFTER - timedelta(seconds=1))
    assert is_desk_staffed()
    noon.advance(timedelta(seconds=2))
    assert not is_desk_staffed()
    mark_available(read_caller(olga), marked)
    assert is_desk_staffed()


def test_a_mark_is_not_renewed_at_every_look(noon, olga: Caller):
    marked = mark_available(read_caller(olga))
    noon.advance(timedelta(seconds=20))

    assert mark_available(read_caller(olga), marked) == marked
    assert Attendance.objects.get().seen_at == marked


def test_who_takes_no_chats_is_no_help_to_who_waits(payments: object):
    for name, groups in (("audrey", ["auditors"]), ("arthur", ["flow authors"]), ("ursula", [])):
        mark_available(read_caller(Caller(person(name, name.title(), *groups).pk, "page")))

    assert not is_desk_staffed()


def test_who_was_disabled_is_not_there(olga: Caller):
    user = person("olga", "Olga Petrov", "operators", "payments")
    mark_available(read_caller(olga))
    user.is_active = False
    user.save()

    assert not is_desk_staffed()
