"""The queue of gates."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group

from dialogue.desk.sessions import service
from tests.support.transfers import person
from tests.support.web.pages import text_of


def test_the_queue_sorts_by_what_expires_first(browser_of, open_session, olga, noon):
    late = open_session(title="Late", expires_at=noon.at + timedelta(hours=3), urgent_at=noon.at + timedelta(hours=3))
    soon = open_session(
        title="Soon", expires_at=noon.at + timedelta(minutes=3), urgent_at=noon.at + timedelta(minutes=3)
    )

    page = text_of(browser_of(olga).get("/gates/"))

    assert page.index(f"row-{soon.name}") < page.index(f"row-{late.name}")
    assert "3 min" in page
    assert "3 hr" in page


def test_what_is_due_soon_though_it_expires_much_later_is_in_that_view_and_says_when_it_is_past(
    browser_of, open_session, olga, sofia, noon
):
    tomorrow = noon.at + timedelta(days=1)
    facts = {"due_at": noon.at + timedelta(minutes=20), "urgent_at": noon.at + timedelta(minutes=20)}
    due = open_session(title="Due", expires_at=tomorrow, **facts)
    open_session(title="Later", expires_at=tomorrow, urgent_at=tomorrow)
    browser = browser_of(olga)

    service.extend(due.pk, sofia, by=timedelta(days=1))
    before = browser.get("/gates/?view=soon")
    noon.advance(timedelta(minutes=25))
    after = browser.get("/gates/?view=soon")

    assert [[row.session.title for row in page.context["rows"]] for page in (before, after)] == [["Due"], ["Due"]]
    assert ("Due<time" in text_of(before), "Past due" in text_of(before)) == (True, False)
    assert ("Expires<time" in text_of(after), "Past due" in text_of(after)) == (True, True)


@pytest.mark.parametrize(("search", "found"), [("g{number}", 1), ("transfer_money", 1), ("Ursula", 1), ("nothing", 0)])
def test_the_queue_is_searched_by_reference_flow_and_customer(browser_of, session, olga, search, found):
    page = text_of(browser_of(olga).get("/gates/", {"q": search.format(number=session.number)}))

    assert page.count(f'id="row-{session.name}"') == found


def test_a_cursor_that_no_page_gave_out_leads_nowhere(browser_of, session, olga):
    assert browser_of(olga).get("/gates/", {"after": "1 OR 1=1"}).status_code == 404


def test_the_second_page_goes_on_where_the_first_ended(browser_of, open_session, olga):
    for _ in range(51):
        open_session()
    browser = browser_of(olga)

    first = browser.get("/gates/")
    second = browser.get("/gates/", {"after": first.context["page"].next})

    assert len(first.context["rows"]) == 50
    assert len(second.context["rows"]) == 1
    assert second.context["page"].next is None


def test_gates_of_other_queues_are_neither_listed_nor_found(browser_of, session, payments):
    otto = browser_of(person("otto", "Otto Klein", "operators"))

    assert session.title not in text_of(otto.get("/gates/"))
    assert otto.get(f"/gates/{session.name}/").status_code == 404
    assert otto.post(f"/gates/{session.name}/claim/").status_code == 404


def test_a_supervisors_badge_counts_the_gates_of_all_queues_as_the_views_do(browser_of, open_session, sofia):
    of_cards = open_session(group=Group.objects.create(name="cards"))
    claimed = open_session()
    service.claim(claimed.number, sofia)
    browser = browser_of(sofia)

    page = text_of(browser.get("/gates/"))
    following = browser.get(f"/gates/next/?besides={claimed.number}")["Location"]

    assert 'data-view="groups">2</b>' in page
    assert '<b class="count" data-badge="gates"><span data-number>2</span>' in page
    assert following == f"/gates/{of_cards.name}/"


def test_the_views_count_what_they_hold(browser_of, open_session, olga):
    open_session()
    claimed = open_session()
    service.claim(claimed.number, olga)

    page = text_of(browser_of(olga).get("/gates/?view=mine"))

    assert f"row-{claimed.name}" in page
    assert 'data-view="mine">1</b>' in page
    assert 'data-view="unassigned">1</b>' in page
