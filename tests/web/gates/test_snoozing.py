"""The menu of the snooze, and what the page is told of moves that can be taken back."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from dialogue.desk.sessions import service
from dialogue.engine.slots.durations import DurationRefused
from dialogue.models import HITLSession
from dialogue.web.gates.operations import parse_snooze, snooze_choices
from tests.support.transfers import NOON
from tests.support.web.pages import HTMX, text_of

MINUTE = timedelta(minutes=1)
FULL = {"accept": "application/json"}


@pytest.mark.parametrize(
    ("text", "now", "minutes"),
    [
        ("45m", NOON, 45),
        (" 1h30m ", NOON, 90),
        ("14:30", NOON, 150),
        ("9:00", NOON, 21 * 60),
        ("12:00", NOON, 24 * 60),
        ("00:05", datetime(2026, 11, 23, 23, 55, tzinfo=UTC), 10),
    ],
)
def test_a_duration_or_the_next_time_of_day_is_read(text, now, minutes, settings):
    settings.TIME_ZONE = "UTC"

    assert parse_snooze(text, now) == minutes * MINUTE


@pytest.mark.parametrize("text", ["", "soon", "25:00", "9:60", "0m", "-5m", "1e3m"])
def test_anything_else_is_no_time(text):
    with pytest.raises(DurationRefused):
        parse_snooze(text, NOON)


def test_the_menu_offers_three_times_and_none_beyond_the_deadline(noon, session):
    choices = snooze_choices(session)

    assert [(each.span, each.beyond) for each in choices] == [("15m", False), ("1h", True), ("09:00", True)]


def test_pressing_snooze_alone_does_nothing_and_the_menu_says_what_is_too_late(noon, browser_of, session, olga):
    page = text_of(browser_of(olga).get(f"/gates/{session.name}/"))
    refused = browser_of(olga).post(f"/gates/{session.name}/snooze/", {}, headers=HTMX)

    assert page.count("after the deadline") == 2
    assert refused.status_code == 422
    session.refresh_from_db()
    assert session.follow_up_at is None


def test_a_typed_time_beyond_the_deadline_is_refused_in_words(browser_of, session, olga):
    refused = browser_of(olga).post(f"/gates/{session.name}/snooze/", {"duration": "2h"}, headers=HTMX)

    assert refused.status_code == 422
    assert "before it would come back" in text_of(refused)
    assert "HX-Trigger" not in refused.headers


def test_the_page_is_told_what_was_done_and_the_line_that_takes_it_back(browser_of, session, olga):
    browser, undo = browser_of(olga), []
    for move, sent in (("snooze", {"duration": "15m"}), ("unsnooze", {}), ("claim", {}), ("release", {})):
        answer = browser.post(f"/gates/{session.name}/{move}/", sent, headers=HTMX)
        undo.append(json.loads(answer.headers["HX-Trigger"])["soni:done"]["undo"])

    name = session.name
    assert undo == [f"unsnooze {name}", f"snooze {name} 15m", f"release {name}", f"claim {name}"]


def test_the_bar_tells_the_line_too(browser_of, session, olga):
    answer = browser_of(olga).post("/command/", {"line": f"claim {session.name}"}, headers=FULL).json()

    assert answer["undo"] == f"release {session.name}"


def test_an_answer_for_several_gates_can_be_checked_without_being_sent(browser_of, open_session, olga):
    gates = [open_session() for _ in range(2)]
    browser, form = browser_of(olga), {"gate": [each.number for each in gates], "key": "k1", "only_check": "1"}

    good = browser.post("/gates/together/", {**form, "action": "approve"})
    wrong = browser.post("/gates/together/", {**form, "action": "reject"})

    assert (good.status_code, wrong.status_code) == (204, 422)
    assert HITLSession.objects.filter(state="open").count() == 2


def test_the_api_ends_a_snooze(browser_of, session, olga):
    service.snooze(session.pk, olga, 5 * MINUTE)

    answer = browser_of(olga).post(f"/api/v1/sessions/{session.name}/unsnooze", {}, content_type="application/json")

    assert answer.status_code == 200, answer.content
    assert answer.json()["follow_up_at"] is None
