"""Lists of sessions, however long they are: the same rows as a plain search, the same few queries, along an index."""

from datetime import timedelta
from random import Random
from uuid import uuid4

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.db.models import Q
from django.test.utils import CaptureQueriesContext

from dialogue.desk.bounded import MOST_COUNTED
from dialogue.desk.people import Person, read_person
from dialogue.desk.queue import Wanted, next_most_urgent, waiting_for
from dialogue.desk.queue import page_of as sessions_page
from dialogue.models import HITLSession
from dialogue.turns import clock
from dialogue.turns.accept import open_conversation
from dialogue.web.queues import TABS, gates_of, page_of
from dialogue.web.tallies import many_words, tallies, tally_of
from tests.transfers import person

MOST_QUERIES = 12
PAGES = [
    "/gates/",
    *(f"/gates/?view={name}" for name in TABS),
    "/inbox/",
    "/conversations/",
    "/api/v1/sessions",
    "/api/v1/sessions?assignee=none&audience=staff",
]


@pytest.fixture
def crowd(open_session, conversation, payments, olga, sofia) -> list[Person]:
    """Seventy sessions of every kind, and people with different rights to them."""
    random, at = Random(7), clock.now()
    cards = Group.objects.create(name="cards")
    users = [User.objects.get(pk=olga.user), person("oscar", "Oscar Lindt", "operators", "cards")]
    chats = [conversation, *(open_conversation("bank", user=user, test=True)[0] for user in users)]
    for _ in range(70):
        hours = timedelta(hours=random.randrange(-2, 9))
        state = random.choice(["open", "open", "open", "claimed", "submitted"])
        held = {"assignee": random.choice(users), "claimed_until": at + random.choice([-1, 1]) * timedelta(minutes=5)}
        open_session(
            conversation=random.choice([chats[0], chats[0], *chats]),
            group=random.choice([payments, payments, cards, None]),
            kind=random.choice(["human", "human", "handoff"]),
            priority=random.randrange(3),
            state=state,
            expires_at=at + hours,
            urgent_at=at + hours,
            follow_up_at=random.choice([None, None, at + timedelta(hours=1), at - timedelta(hours=1)]),
            **({"escalates_to": payments, "escalated_at": at} if random.random() < 0.2 else {}),
            **(held if state == "claimed" else {}),
            **({"decided_at": at, "handle": "approve"} if state == "submitted" else {}),
        )
    otto = person("otto", "Otto Klein", "operators")
    return [read_person(pk) for pk in (*(user.pk for user in users), otto.pk, sofia.user)]


def test_counts_of_many_people_are_those_of_a_plain_search(crowd):
    now = clock.now()

    counted = tallies(crowd)

    for who in crowd:
        views = {name: gates_of(who).filter(tab.holds(who, now)).count() for name, tab in TABS.items() if tab.counted}
        waiting = waiting_for(who)
        badges = {"gates": waiting.filter(kind="human").count(), "inbox": waiting.filter(kind="handoff").count()}
        assert (counted[who].views, counted[who].badges) == (views, badges), who.name


@pytest.mark.parametrize("name", TABS)
def test_pages_of_a_tab_are_those_of_a_plain_search(crowd, name, monkeypatch):
    monkeypatch.setattr("dialogue.web.queues.ROWS", 7)
    tab = TABS[name]
    for who in crowd:
        plain = gates_of(who).filter(tab.holds(who, clock.now())).order_by(*tab.order)

        assert list(_pages(lambda after, who=who: page_of(who, tab, after=after))) == list(plain), who.name


@pytest.mark.parametrize(
    "wanted", [Wanted(), Wanted(state="any", order="newest"), Wanted(audience="user"), Wanted(test=True)]
)
def test_pages_of_the_api_are_those_of_a_plain_search(crowd, wanted):
    for who in crowd:
        rows = list(_pages(lambda after, who=who: sessions_page(who, wanted, cursor=after, limit=7)))
        at_once = sessions_page(who, wanted, limit=200).rows

        assert rows == at_once
        assert len({row.pk for row in rows}) == len(rows)


def _pages(fetch):
    after = ""
    while after is not None:
        found = fetch(after)
        yield from found.rows
        after = found.next


def test_the_next_most_urgent_is_the_first_that_waits(crowd):
    for who in crowd:
        assert next_most_urgent(who) == waiting_for(who).order_by("urgent_at", "-priority", "number").first()


def test_counting_ends_at_a_hundred(open_session, olga):
    first = open_session()
    copies = [_copy(first, visit) for visit in range(2, MOST_COUNTED + 20)]
    HITLSession.objects.bulk_create(copies)

    assert tally_of(read_person(olga.user)).views["groups"] == MOST_COUNTED
    assert [many_words(count) for count in (0, 99, 100)] == ["0", "99", "99+"]


def _copy(session: HITLSession, visit: int) -> HITLSession:
    facts = {field.attname: getattr(session, field.attname) for field in session._meta.concrete_fields}
    return HITLSession(**{**facts, "number": None, "uid": uuid4(), "visit": visit})


@pytest.mark.parametrize("path", PAGES)
def test_a_list_takes_the_same_few_queries_however_long_it_is(open_session, conversation, olga, browser_of, path):
    browser = browser_of(olga)
    few, many = open_session(), 40
    short = _queries(browser, path)
    HITLSession.objects.bulk_create(_copy(few, visit) for visit in range(2, many))

    assert _queries(browser, path) <= max(short, MOST_QUERIES)
    assert _queries(browser, path) <= MOST_QUERIES


def _queries(browser, path):
    with CaptureQueriesContext(connection) as asked:
        assert browser.get(path).status_code == 200
    return len(asked)


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL chooses by what it knows of the rows")
@pytest.mark.parametrize(
    ("condition", "order", "index"),
    [
        (Q(group=1, kind="human", audience="staff"), ("urgent_at", "-priority", "number"), "session_queue"),
        (Q(group__isnull=True, kind="human", audience="staff"), ("urgent_at", "-priority", "number"), "session_queue"),
        (Q(audience="staff", kind="human"), ("urgent_at", "-priority", "number"), "session_urgency"),
        (Q(), ("urgent_at", "-priority", "number"), "session_pending"),
        (Q(group=1, kind="human", audience="staff", follow_up_at__gt="2026-01-01T00:00Z"), ("follow_up_at", "number"), "session_snoozed"),
    ],
)  # fmt: skip
def test_a_part_of_the_queue_lies_in_an_index_in_its_order(db, condition, order, index):
    rows = HITLSession.objects.filter(HITLSession.undecided(), condition).order_by(*order)[:50]

    plan = rows.explain()

    assert index in plan
    assert "TEMP B-TREE" not in plan
