"""Lists of sessions, however long they are: the same rows as a plain search, the same few queries, along an index."""

from datetime import timedelta
from random import Random
from uuid import uuid4

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.db.models import Q
from django.test.utils import CaptureQueriesContext

from dialogue.desk.access.people import Caller, Person, every_session, read_person, visible_sessions
from dialogue.desk.queue.bounded import MAX_COUNT
from dialogue.desk.queue.keyset import keyset_page_of_parts
from dialogue.desk.queue.queue import (
    ORDERS,
    SessionFilter,
    next_most_urgent,
    sessions_page,
    split_by_state,
    visible_parts,
    waiting_for,
)
from dialogue.models import HITLSession, Preference
from dialogue.turns import clock
from dialogue.turns.accept import open_conversation
from dialogue.web.gates.counts import count_text, counts_by_person, counts_of
from dialogue.web.gates.queue import TABS, indexed_parts, queue_page, visible_gates
from dialogue.web.shared.scope import conversation_parts, every_conversation, visible_conversations
from tests.support.transfers import person, unsaved
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.database

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
def crowd(conversation, payments, olga, sofia) -> list[Person]:
    """Seventy sessions of every kind, and people with different rights to them."""
    random, at = Random(7), clock.now()
    cards = Group.objects.create(name="cards")
    users = [User.objects.get(pk=olga.user), person("oscar", "Oscar Lindt", "operators", "cards")]
    chats = [conversation, *(open_conversation("bank", user=user, test=True)[0] for user in users)]
    sessions = []
    for visit in range(1, 71):
        hours = timedelta(hours=random.randrange(-2, 9))
        state = random.choice(["open", "open", "open", "claimed", "submitted"])
        held = {"assignee": random.choice(users), "claimed_until": at + random.choice([-1, 1]) * timedelta(minutes=5)}
        session = unsaved(
            visit=visit,
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
        sessions.append(session)
    HITLSession.objects.bulk_create(sessions)
    otto = person("otto", "Otto Klein", "operators")
    return [read_person(pk) for pk in (*(user.pk for user in users), otto.pk, sofia.user)]


def test_counts_of_many_people_are_those_of_a_plain_search(crowd):
    now = clock.now()

    counted = counts_by_person(crowd)

    for who in crowd:
        views = {
            name: visible_gates(who).filter(tab.holds(who, now)).count() for name, tab in TABS.items() if tab.counted
        }
        waiting = waiting_for(who)
        badges = {"gates": waiting.filter(kind="human").count(), "inbox": waiting.filter(kind="handoff").count()}
        assert (counted[who].views, counted[who].badges) == (views, badges), who.name


@pytest.mark.parametrize("name", TABS)
def test_pages_of_a_tab_are_those_of_a_plain_search(crowd, name, monkeypatch):
    monkeypatch.setattr("dialogue.web.gates.queue.PAGE_ROWS", 7)
    tab = TABS[name]
    for who in crowd:
        plain = visible_gates(who).filter(tab.holds(who, clock.now())).order_by(*tab.order)

        assert list(_pages(lambda after, who=who: queue_page(who, tab, after=after))) == list(plain), who.name


@pytest.mark.parametrize(
    "wanted",
    [
        SessionFilter(),
        SessionFilter(state="any", order="newest"),
        SessionFilter(audience="user"),
        SessionFilter(test=True),
    ],
)
def test_pages_of_the_api_are_those_of_a_plain_search(crowd, wanted):
    for who in crowd:
        rows = list(_pages(lambda after, who=who: sessions_page(who, wanted, cursor=after, limit=7)))
        at_once = sessions_page(who, wanted, limit=200).rows

        assert rows == at_once
        assert len({row.pk for row in rows}) == len(rows)


@pytest.mark.parametrize(
    ("state", "found"),
    [
        ("any", Q()),
        ("final", Q(decided_at__isnull=False)),
        ("open, submitted", Q(state__in=["open", "submitted"])),
        ("expired", Q(state="expired")),
    ],
)
@pytest.mark.parametrize("order", ["urgency", "priority"])
def test_what_waits_and_what_is_over_are_sorted_together(crowd, state, found, order):
    for who in crowd:
        wanted = SessionFilter(state=state, order=order)
        rows = list(_pages(lambda after, who=who, wanted=wanted: sessions_page(who, wanted, cursor=after, limit=25)))

        plain = visible_sessions(who).filter(found, conversation__test=False)
        assert rows == list(plain.order_by(*ORDERS[order])), who.name


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
    copies = [_copy(first, visit) for visit in range(2, MAX_COUNT + 20)]
    HITLSession.objects.bulk_create(copies)

    assert counts_of(read_person(olga.user)).views["groups"] == MAX_COUNT
    assert [count_text(count) for count in (0, 99, 100)] == ["0", "99", "99+"]


def _copy(session: HITLSession, visit: int) -> HITLSession:
    facts = {field.attname: getattr(session, field.attname) for field in session._meta.concrete_fields}
    return HITLSession(**{**facts, "number": None, "uid": uuid4(), "visit": visit})


@pytest.mark.parametrize("path", PAGES)
def test_a_list_takes_the_same_few_queries_however_long_it_is(open_session, conversation, olga, browser_of, path):
    Preference.objects.create(user_id=olga.user, skips_gate_tour=True)
    browser = browser_of(olga)
    few, many = open_session(), 40
    short = _queries(browser, path)
    HITLSession.objects.bulk_create(_copy(few, visit) for visit in range(2, many))

    assert _queries(browser, path) <= short + 2  # what the rows have, such as tags, is read for all of them together
    assert _queries(browser, path) <= MOST_QUERIES


def _queries(browser, path):
    with CaptureQueriesContext(connection) as asked:
        assert browser.get(path).status_code == 200
    return len(asked)


@pytest.mark.parametrize("order", ["urgency", "newest", "oldest", "priority"])
@pytest.mark.parametrize("asked", [{"q": "transfer"}, {"flow": "transfer_money"}, {"q": "nowhere to be found"}])
def test_who_looks_further_down_finds_all_that_a_plain_search_finds(crowd, monkeypatch, order, asked):
    monkeypatch.setattr("dialogue.desk.queue.keyset.MAX_SCANNED_ROWS", 3)
    who = crowd[0]

    found = list(_pages(lambda after: sessions_page(who, SessionFilter(**asked, order=order), cursor=after, limit=4)))
    monkeypatch.setattr("dialogue.desk.queue.keyset.MAX_SCANNED_ROWS", 1000)
    plain = sessions_page(who, SessionFilter(**asked, order=order), limit=200).rows

    assert found == plain
    assert bool(found) == ("nowhere" not in str(asked))


def test_a_page_on_which_nothing_was_found_leads_further_down(crowd, olga, browser_of, monkeypatch):
    monkeypatch.setattr("dialogue.desk.queue.keyset.MAX_SCANNED_ROWS", 1)

    for path in ("/gates/?q=nowhere", "/conversations/?q=nowhere"):
        page = text_of(browser_of(olga).get(path))
        assert "Look further down" in page, path


@pytest.mark.parametrize("group", ["payments", "cards", "nobody"])
def test_the_sessions_of_one_group_are_those_of_a_plain_search(crowd, group):
    for who in crowd:
        found = list(
            _pages(lambda after, who=who: sessions_page(who, SessionFilter(group=group), cursor=after, limit=5))
        )
        plain = visible_sessions(who).filter(HITLSession.undecided(), group__name=group, conversation__test=False)

        assert found == list(plain.order_by("urgent_at", "-priority", "number")), who.name


def test_the_conversations_of_a_list_are_those_that_one_may_see_each_once(crowd):
    order = ("-active_at", "-id")
    for who in crowd:
        parts = conversation_parts(who)
        found = _pages(
            lambda at, parts=parts: keyset_page_of_parts(every_conversation(), parts, order, cursor=at, limit=1)
        )

        assert list(found) == list(visible_conversations(who).order_by(*order)), who.name


along_index = pytest.mark.sqlite  # PostgreSQL chooses by what it knows of the rows
OWN_TESTS = "conversation_test"
INDEXES = {
    "groups": "session_queue",
    "soon": "session_queue",
    "snoozed": "session_snoozed",
    "done": "session_done_in_queue",
}


@along_index
@pytest.mark.parametrize(("name", "index"), INDEXES.items())
def test_each_part_of_a_tab_lies_in_an_index_in_its_order(olga, name, index):
    who, tab = read_person(olga.user), TABS[name]
    rows = every_session().filter(tab.holds(who, clock.now())).order_by(*tab.order)
    *parts, tests = [rows.filter(part)[:51].explain() for part in indexed_parts(who, tab)]

    assert OWN_TESTS in tests
    queues = [part for part in parts if "session_escalated" not in part]
    assert len(queues) == 1 + len(who.groups)
    assert all(index in part and "TEMP B-TREE" not in part for part in queues), queues


@along_index
@pytest.mark.parametrize("audience", ["", "staff"])
def test_each_part_of_the_apis_list_lies_in_an_index_in_its_order(olga, audience):
    who = read_person(olga.user)
    rows = every_session().filter(HITLSession.undecided()).order_by("urgent_at", "-priority", "number")
    *parts, tests = [rows.filter(part)[:51].explain() for part in visible_parts(who, audience)]

    assert OWN_TESTS in tests
    assert all("session_queue" in part or "session_escalated" in part for part in parts), parts
    assert not any("TEMP B-TREE" in part for part in parts)


@along_index
def test_what_is_over_lies_in_an_index_in_its_order_too(olga, sofia):
    indexes = {olga.user: ("session_ended_in_queue", "session_escalated", OWN_TESTS), sofia.user: ("session_ended",)}
    for account, found in indexes.items():
        parts = split_by_state(visible_parts(read_person(account)), "final")
        plans = [every_session().filter(part).order_by(*ORDERS["urgency"])[:51].explain() for part in parts]

        assert all(any(index in plan for index in found) for plan in plans), plans
        assert not any("TEMP B-TREE" in plan for plan in plans if OWN_TESTS not in plan), plans


@along_index
@pytest.mark.parametrize(("audience", "index"), [("", "session_pending"), ("staff", "session_urgency")])
def test_who_sees_every_session_is_listed_along_an_index_too(sofia, audience, index):
    who = read_person(sofia.user)
    rows = every_session().filter(HITLSession.undecided()).order_by("urgent_at", "-priority", "number")

    plans = [rows.filter(part)[:51].explain() for part in visible_parts(who, audience)]

    assert all(index in plan and "TEMP B-TREE" not in plan for plan in plans), plans


@along_index
def test_what_is_counted_is_found_by_an_index(olga, monkeypatch):
    statements: list[str] = []

    def looked_at(wanted):
        statements.extend(_plans(wanted))
        return dict.fromkeys(wanted, 0)

    monkeypatch.setattr("dialogue.web.gates.counts.bounded_counts", looked_at)

    counts_of(read_person(olga.user))

    found = ("session_queue", "session_escalated", "session_snoozed", OWN_TESTS)
    assert len(statements) > 15
    assert all(any(index in plan for index in found) for plan in statements), statements


def _plans(wanted):
    return [part.order_by()[:MAX_COUNT].explain() for parts in wanted.values() for part in parts]


def test_an_answer_with_rows_only_counts_no_tabs(olga: Caller, browser_of: Browser):
    client = browser_of(olga)
    client.get("/gates/?q=nowhere")

    with CaptureQueriesContext(connection) as queries:
        client.get("/gates/?q=nowhere", headers={"HX-Request": "true", "HX-Target": "queue-list"})

    assert not [query["sql"] for query in queries if "COUNT(*)" in query["sql"]]
