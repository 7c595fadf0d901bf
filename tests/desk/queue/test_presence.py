"""Who looks at which gate, as colleagues are told it."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dialogue.desk.access.people import Person, read_person
from dialogue.desk.queue import presence
from dialogue.desk.queue.presence import Viewer
from dialogue.desk.sessions.service import Caller
from dialogue.models import HITLSession, Presence
from dialogue.turns.clock import FrozenClock
from tests.support.transfers import person

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def ana(olga: Caller) -> Person:
    return read_person(olga.user)


@pytest.fixture
def ben(oscar: Caller) -> Person:
    return read_person(oscar.user)


def test_colleagues_are_told_who_looks_and_nobody_of_themselves(session: HITLSession, ana: Person, ben: Person):
    assert presence.start_viewing(ana, session.pk) is True

    assert presence.other_viewers(ben) == [Viewer(session.pk, "Olga Petrov")]
    assert presence.other_viewers(ana) == []


def test_looking_on_is_no_news(noon: FrozenClock, session: HITLSession, ana: Person, ben: Person):
    presence.start_viewing(ana, session.pk)
    noon.advance(timedelta(seconds=50))

    assert presence.start_viewing(ana, session.pk) is False
    noon.advance(timedelta(seconds=50))
    assert presence.other_viewers(ben) != []


def test_who_dies_without_a_word_is_gone_after_a_minute(
    noon: FrozenClock, session: HITLSession, ana: Person, ben: Person
):
    presence.start_viewing(ana, session.pk)

    noon.advance(presence.VIEW_LIFETIME)

    assert presence.other_viewers(ben) == []
    presence.stop_viewing(ben, session.pk)
    assert not Presence.objects.exists()


def test_who_leaves_is_gone_at_once(session: HITLSession, ana: Person, ben: Person):
    presence.start_viewing(ana, session.pk)

    presence.stop_viewing(ana, session.pk)

    assert presence.other_viewers(ben) == []


def test_nobody_is_seen_where_one_may_not_look(session: HITLSession, ana: Person):
    otto = read_person(person("otto", "Otto Klein", "operators").pk)
    presence.start_viewing(ana, session.pk)

    assert presence.other_viewers(otto) == []
    assert presence.start_viewing(otto, session.pk) is False
    assert Presence.objects.count() == 1


def test_telling_costs_one_query(session: HITLSession, ana: Person, ben: Person):
    presence.start_viewing(ana, session.pk)

    with CaptureQueriesContext(connection) as queries:
        presence.other_viewers(ben)

    assert len([each for each in queries if "presence" in each["sql"]]) == 1
    assert len(queries) <= 2, "the second is the database's clock"
