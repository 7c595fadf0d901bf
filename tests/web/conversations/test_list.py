"""The list of conversations: filters, order, last words, saved views and export."""

import csv
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dialogue.audit.chain import CONSOLE
from dialogue.desk.access.people import Caller
from dialogue.models import AuditEntry, Conversation, ConversationView, Message, Release
from dialogue.turns import clock
from dialogue.turns.accept import open_conversation
from tests.support.releases import demo, publish
from tests.support.transfers import Opener
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def standing_clock(noon: object) -> None:
    """Noon of 23 November 2026."""


def conversation(name: str, *, lines: tuple[str, ...] = (), **changes: Any) -> Conversation:
    """A conversation of the bank's, as turns would have left it."""
    row = open_conversation("bank", user_ref=name, vouched=True)[0]
    usual = {"last_turn": 1, "last_message": len(lines), "created_at": NOON, "active_at": NOON}
    Conversation.objects.filter(pk=row.pk).update(**{**usual, **changes})
    for seq, text in enumerate(lines, 1):
        Message.objects.create(conversation=row, seq=seq, ordinal=seq, role="user", text=text, at=NOON)
    row.refresh_from_db()
    return row


@pytest.fixture
def supervisor(sofia: Caller, browser_of: Browser) -> Client:
    publish(demo("bank"))
    return browser_of(sofia)


def names(client: Client, query: str = "") -> list[str]:
    """The customers of the rows, from top to bottom."""
    response = client.get(f"/conversations/?{query}")
    assert response.status_code == 200
    return [row.conversation.customer for row in response.context["rows"]]


def test_a_row_says_in_words_what_it_came_to_and_what_was_last_said(supervisor: Client):
    conversation(
        "Hannah Okafor",
        lines=("send money", "Will it  still go out today?"),
        outcome="staff",
        unclear_turns=2,
        active_at=NOON + timedelta(minutes=8),
    )

    html = text_of(supervisor.get("/conversations/"))

    for words in ("Hannah Okafor", "Will it still go out today?", "Waiting for staff", "2 not understood", "8 min"):
        assert words in html
    assert "transfer_money!human" not in html and "idle" not in html


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["Ada", "Ben", "Cleo"]),
        ("order=oldest", ["Cleo", "Ben", "Ada"]),
        ("order=begun", ["Cleo", "Ben", "Ada"]),
        ("outcome=staff", ["Ada"]),
        ("outcome=staff&unclear=yes", []),
        ("unclear=yes", ["Ben"]),
        ("state=ended", ["Cleo"]),
        ("state=open", ["Ada", "Ben"]),
        ("channel=api", ["Cleo"]),
        ("gate=yes", ["Ada"]),
        ("assistant=bank", ["Ada", "Ben", "Cleo"]),
        ("assistant=nowhere", []),
        ("days=1", ["Ada"]),
        ("days=7", ["Ada", "Ben"]),
        ("since=2026-11-20&until=2026-11-22", ["Ben"]),
        ("until=2026-11-14", ["Cleo"]),
        ("since=tomorrow&outcome=lost&order=sideways", ["Ada", "Ben", "Cleo"]),
        ("q=ben", ["Ben"]),
        ("q=waiting", ["Ada"]),
    ],
)
def test_filters_and_orders_leave_what_they_say(
    supervisor: Client, open_session: Opener, query: str, expected: list[str]
):
    ada = conversation("Ada", outcome="staff", state="waiting", created_at=NOON - timedelta(days=30))
    open_session(conversation=ada)
    days: dict[str, Any] = {"created_at": NOON - timedelta(days=20), "active_at": NOON - timedelta(days=2)}
    conversation("Ben", outcome="finished", unclear_turns=1, **days)
    long_ago = NOON - timedelta(days=9)
    conversation("Cleo", outcome="finished", state="done", channel="api", created_at=long_ago, active_at=long_ago)
    Conversation.objects.exclude(user_ref__in=["Ada", "Ben", "Cleo"]).delete()

    assert names(supervisor, query) == expected


def test_days_are_those_of_the_readers_zone(supervisor: Client, settings):
    settings.TIME_ZONE = "America/New_York"
    conversation("Late", active_at=datetime(2026, 11, 22, 4, 59, tzinfo=UTC))
    conversation("Early", active_at=datetime(2026, 11, 22, 5, 1, tzinfo=UTC))

    assert names(supervisor, "since=2026-11-22&until=2026-11-22") == ["Early"]


def test_pages_follow_one_another_without_gap_or_repetition(supervisor: Client):
    for number in range(120):
        conversation(f"C{number:03}", active_at=NOON - timedelta(minutes=number), outcome="finished")

    found, url = [], "/conversations/?outcome=finished"
    while url:
        context = supervisor.get(url).context
        found += [row.conversation.customer for row in context["rows"]]
        url = f"/conversations/?{context['next']}" if context["next"] else ""

    assert found == [f"C{number:03}" for number in range(120)]


def test_the_foot_of_the_list_says_which_rows_a_page_has_and_of_how_many(supervisor: Client, monkeypatch):
    for number in range(103):
        conversation(f"C{number:03}", active_at=NOON - timedelta(minutes=number))

    first = supervisor.get("/conversations/?tests=")
    second = supervisor.get(f"/conversations/?{first.context['next']}")
    last = supervisor.get(f"/conversations/?{second.context['next']}")
    one_page = supervisor.get("/conversations/?q=C10")
    monkeypatch.setattr("dialogue.web.conversations.listing.MAX_TOTAL", 60)
    long_list = supervisor.get("/conversations/")

    assert [foot(page) for page in (first, second, last)] == ["1–50 of 103", "51–100 of 103", "101–103 of 103"]
    assert foot(one_page) == "3 conversations"
    assert foot(long_list) == "1–50 of more than 60"


def foot(page: Any) -> str:
    """The place of the page in its list, as the foot says it."""
    found = re.search(r'<footer class="list-pages">\s*<span>(.*?)</span>', text_of(page), re.DOTALL)
    assert found
    return " ".join(found[1].split())


def test_a_list_that_is_longer_than_a_page_asks_for_its_total_in_no_query_of_its_own(supervisor: Client):
    asked = []
    for number in range(51):
        conversation(f"C{number:03}")
        if number in (40, 50):
            with CaptureQueriesContext(connection) as queries:
                supervisor.get("/conversations/")
            asked.append(len(queries))

    assert asked[0] == asked[1]


def test_the_number_of_queries_does_not_grow_with_the_rows(supervisor: Client):
    conversation("First", lines=("hello",))
    supervisor.get("/conversations/")
    counts = []
    for number in range(40):
        conversation(f"C{number}", lines=("hello", "send money"))
        if number in (0, 39):
            with CaptureQueriesContext(connection) as asked:
                supervisor.get("/conversations/?outcome=")
            counts.append(len(asked))

    assert counts[0] == counts[1] <= 12


@pytest.mark.parametrize("query", ["outcome='staff'", "assistant_id=1", "unclear_turns > 0"])
def test_each_indexed_filter_has_its_index_in_the_order_of_the_list(db: None, query: str):
    """Without one, the database would sort all rows for every page."""
    sql = f"SELECT id FROM dialogue_conversation WHERE {query} ORDER BY active_at DESC, id DESC LIMIT 50"
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL plans small tables without their indexes")
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        plan = " ".join(str(row[-1]) for row in cursor.fetchall())

    assert "USING" in plan and "INDEX conversation_" in plan and "TEMP B-TREE" not in plan


def test_a_row_tells_talks_that_end_alike_apart_by_their_first_words_and_their_id(supervisor: Client):
    first = conversation("Ben", lines=("send 100 to Anna", "yes"))
    conversation("Ben", lines=("block my card", "yes"))

    page = text_of(supervisor.get("/conversations/"))
    (found,) = supervisor.get(f"/conversations/?q={str(first.pk)[:8]}").context["rows"]

    assert "<bdi>send 100 to Anna</bdi>" in page and "<bdi>block my card</bdi>" in page
    assert page.count("<bdi>… yes</bdi>") == 2
    assert f"<code>{str(first.pk)[:8]}</code>" in page
    assert found.conversation == first


def test_sensitive_values_are_masked_in_the_last_words_for_everybody(
    supervisor: Client, open_session: Opener, browser_of: Browser
):
    row = conversation("Ursula", lines=("it is DE89370400440532013000 please",))
    open_session(conversation=row)

    page, file = (
        text_of(supervisor.get("/conversations/")),
        supervisor.get("/conversations/export/").getvalue().decode(),
    )

    assert "it is" in page and "DE89370400440532013000" not in page
    assert "it is" in file and "DE89370400440532013000" not in file


def test_the_export_has_the_rows_of_the_filters_and_is_on_record(supervisor: Client):
    conversation("=HYPERLINK(1)", lines=("hello",), outcome="finished", unclear_turns=1)
    conversation("Ben", outcome="left")

    response = supervisor.get("/conversations/export/?outcome=finished")
    (row,) = csv.DictReader(response.getvalue().decode().splitlines())

    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert (row["customer"], row["outcome"], row["not_understood"]) == ("'=HYPERLINK(1)", "finished", "1")
    entry = AuditEntry.objects.get(chain=CONSOLE, act="conversations.exported")
    assert (entry.actor, entry.facts) == ("Sofia Ruiz", {"filters": "outcome=finished"})


def test_an_operator_exports_nothing(supervisor: Client, olga: Caller, browser_of: Browser):
    operator = browser_of(olga)

    assert operator.get("/conversations/export/").status_code == 404
    assert "conversations/export" not in text_of(operator.get("/conversations/"))


def test_a_view_is_kept_by_name_for_its_owner_only(supervisor: Client, olga: Caller, browser_of: Browser):
    conversation("Ben", outcome="left")
    supervisor.post("/conversations/views/", {"name": " Left  early ", "outcome": "left", "days": "7", "nonsense": "1"})
    supervisor.post("/conversations/views/", {"name": "Left early", "outcome": "left"})

    view = ConversationView.objects.get()
    assert (view.name, view.query) == ("Left early", {"outcome": "left"})
    assert 'href="?outcome=left" aria-current="page">Left early' in text_of(
        supervisor.get("/conversations/?outcome=left")
    )
    assert "Left early" not in text_of(browser_of(olga).get("/conversations/"))
    assert browser_of(olga).post(f"/conversations/views/{view.pk}/delete/").status_code == 404
    assert supervisor.post(f"/conversations/views/{view.pk}/delete/").status_code == 302
    assert not ConversationView.objects.exists()


def test_a_view_needs_a_name_and_there_are_not_more_than_twenty(supervisor: Client, sofia: Caller):
    nameless = supervisor.post("/conversations/views/", {"name": " ", "outcome": "left"}, follow=True)
    assert "A view needs a name." in text_of(nameless)
    owner = User.objects.get(pk=sofia.user)
    ConversationView.objects.bulk_create(
        ConversationView(owner=owner, name=f"v{number}", made_at=clock.now()) for number in range(20)
    )
    full = supervisor.post("/conversations/views/", {"name": "one more"}, follow=True)

    assert "Delete one first" in text_of(full)
    assert ConversationView.objects.count() == 20


def test_filters_that_leave_nothing_offer_the_way_back(supervisor: Client):
    html = text_of(supervisor.get("/conversations/?outcome=failed"))

    assert "No conversation fits these filters" in html and "Clear filters" in html


TESTED: dict[str, Any] = {"test": True, "channel": "test", "outcome": "finished"}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["Ada"]),
        ("outcome=finished", ["Ada"]),
        ("tests=only", ["Tess"]),
        ("tests=too", ["Tess", "Ada"]),
        ("tests=nonsense", ["Ada"]),
        ("channel=test", ["Tess"]),
        ("q=tess", []),
        ("q=tess&tests=too", ["Tess"]),
    ],
)
def test_tests_of_authors_stand_among_the_rows_only_where_they_are_asked_for(
    supervisor: Client, query: str, expected: list[str]
):
    conversation("Ada", outcome="finished")
    conversation("Tess", active_at=NOON + timedelta(minutes=1), **TESTED)

    assert names(supervisor, query) == expected


def test_a_search_for_an_id_finds_a_test(supervisor: Client):
    row = conversation("Tess", **TESTED)

    assert names(supervisor, f"q={row.pk}") == ["Tess"]


def test_the_choice_of_tests_keeps_the_other_filters_and_the_export_follows_it(supervisor: Client):
    conversation("Ada", outcome="finished")
    conversation("Tess", **TESTED)

    html = text_of(supervisor.get("/conversations/?outcome=finished"))
    exports = {
        tests: supervisor.get(f"/conversations/export/?tests={tests}").getvalue().decode() for tests in ("", "only")
    }

    tabs = re.findall(r'href="\?(outcome=finished[^"]*)"( aria-current="true")?>\s*(Customers|Tests|All)\b', html)
    assert tabs == [
        ("outcome=finished", ' aria-current="true"', "Customers"),
        ("outcome=finished&amp;tests=only", "", "Tests"),
        ("outcome=finished&amp;tests=too", "", "All"),
    ]
    assert {tests: ("Ada" in rows, "Tess" in rows) for tests, rows in exports.items()} == {
        "": (True, False),
        "only": (False, True),
    }


def test_a_view_saved_before_opens_as_it_did_with_the_channel_of_tests(supervisor: Client, sofia: Caller):
    conversation("Tess", **TESTED)
    owner = User.objects.get(pk=sofia.user)
    ConversationView.objects.create(owner=owner, name="My tests", query={"channel": "test"}, made_at=clock.now())

    html = text_of(supervisor.get("/conversations/?channel=test"))

    assert 'aria-current="page">My tests' in html and "Tess" in html


def test_an_operator_who_sees_no_tests_is_not_asked_about_them(olga: Caller, browser_of: Browser):
    publish(demo("bank"))

    assert "tests=only" not in text_of(browser_of(olga).get("/conversations/"))


def test_an_author_without_customers_is_shown_the_way_to_the_tests(arthur: Caller, browser_of: Browser):
    publish(demo("bank"))
    conversation("Tess", **TESTED)
    author = browser_of(arthur)

    html = text_of(author.get("/conversations/"))

    assert "No customer has written yet" in html and 'href="?tests=only">Show the tests' in html
    assert names(author, "tests=only") == ["Tess"]


def test_a_test_of_the_draft_says_so_instead_of_a_release(supervisor: Client):
    row = conversation("Tess", **TESTED)
    draft = Release.objects.create(assistant=row.assistant, number=0, trial=True, sha256="0" * 64, engine_version="1")
    Conversation.objects.filter(pk=row.pk).update(release=draft)

    html = text_of(supervisor.get(f"/conversations/{row.pk}/"))

    assert "draft" in html and "release 0" not in html


@pytest.mark.parametrize(
    ("gate", "words"),
    [
        ({"state": "submitted", "handle": "approve"}, "Approved"),
        ({"state": "submitted", "handle": "reject"}, "Rejected"),
        ({"state": "expired", "handle": "reject"}, "Expired"),
        ({"state": "cancelled"}, "Finished"),
    ],
)
def test_where_a_gate_decided_the_outcome_is_its_decision(
    supervisor: Client, open_session: Opener, gate: dict[str, str], words: str
):
    decided = conversation("Ada", lines=("send money",), outcome="finished")
    open_session(conversation=decided, decided_at=NOON, **gate)
    waiting = conversation("Ben", lines=("send money",), outcome="staff")
    open_session(conversation=waiting, decided_at=NOON, **gate)

    rows = {row.conversation.customer: row.outcome for row in supervisor.get("/conversations/?q=").context["rows"]}

    assert (rows["Ada"], rows["Ben"]) == (words, "Waiting for staff")


def test_the_second_line_is_what_was_said_last_by_anybody(supervisor: Client):
    row = conversation("Ada", lines=("send 100 to Anna", "yes"))
    Message.objects.create(conversation=row, seq=3, ordinal=3, role="assistant", text="Done. It is sent.", at=NOON)

    page = text_of(supervisor.get("/conversations/"))
    file = supervisor.get("/conversations/export/").getvalue().decode()

    assert "<bdi>… Bot: Done. It is sent.</bdi>" in page and "… yes" not in page
    assert file.splitlines()[1].endswith(",yes")


def test_a_gate_that_a_supervisor_withdrew_is_the_outcome(supervisor: Client, open_session: Opener, sofia: Caller):
    row = conversation("Ada", lines=("send money",), outcome="cancelled")
    open_session(conversation=row, state="cancelled", decided_at=NOON, decided_by_id=sofia.user)

    (shown,) = supervisor.get("/conversations/?q=Ada").context["rows"]

    assert (shown.outcome, shown.conversation_outcome) == ("Withdrawn", "Cancelled")
