"""Filters, orders, and the views of the queue that people keep for themselves."""

import pytest

from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Caller
from dialogue.models import SavedView
from tests.support.transfers import Opener
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db


def rows_of(browser: object, address: str) -> list[str]:
    return [row.session.title for row in browser.get(address).context["rows"]]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("flow=cards", ["Card limit"]),
        ("tag=VIP", ["Card limit"]),
        ("priority=1", ["Approve transfer"]),
        ("group=payments&q=transfer", ["Approve transfer"]),
        ("group=nobody", []),
        ("tag=vip&flow=transfer_money", []),
    ],
)
def test_the_queue_is_filtered(asked: str, found: list[str], open_session: Opener, olga: Caller, browser_of: Browser):
    transfer, card = open_session(), open_session(title="Card limit", flow="cards")
    service.set_tags(card.pk, olga, ["vip"])
    service.prioritise(transfer.pk, olga, 1)

    assert rows_of(browser_of(olga), f"/gates/?view=groups&{asked}") == found


@pytest.mark.parametrize(
    ("order", "titles"),
    [
        ("newest", ["Third", "Second", "First"]),
        ("oldest", ["First", "Second", "Third"]),
        ("priority", ["Second", "First", "Third"]),
        ("1 OR 1=1", ["Second", "First", "Third"]),
    ],
)
@pytest.mark.usefixtures("noon")
def test_the_queue_is_sorted(order: str, titles: list[str], open_session: Opener, olga: Caller, browser_of: Browser):
    for title, priority in (("First", 0), ("Second", 2), ("Third", -1)):
        open_session(title=title, priority=priority)

    assert rows_of(browser_of(olga), f"/gates/?order={order}") == titles


def test_the_next_page_keeps_the_filters(open_session: Opener, olga: Caller, browser_of: Browser):
    for _ in range(51):
        open_session(flow="cards")
    open_session()
    browser = browser_of(olga)

    first = browser.get("/gates/?flow=cards&order=newest")
    more = text_of(first).split('class="pager"')[1].split('href="')[1].split('"')[0].replace("&amp;", "&")

    assert "flow=cards" in more
    assert len(rows_of(browser, more)) == 1


def test_a_view_is_saved_listed_shown_and_deleted(open_session: Opener, olga: Caller, browser_of: Browser):
    open_session(), open_session(title="Card limit", flow="cards")
    browser = browser_of(olga)

    saved = browser.post("/gates/views/", {"name": " Cards  only ", "view": "unassigned", "flow": "cards"})
    page = text_of(browser.get("/gates/"))
    shown = text_of(browser.get(saved["Location"]))
    view = SavedView.objects.get()

    assert view.query == {"view": "unassigned", "flow": "cards"}
    assert '<a href="/gates/?view=unassigned&amp;flow=cards">Cards only</a>' in page
    assert 'flow=cards" aria-current="page">Cards only</a>' in shown
    assert rows_of(browser, saved["Location"]) == ["Card limit"]
    assert browser.post(f"/gates/views/{view.pk}/delete/").status_code == 302
    assert not SavedView.objects.exists()


def test_the_same_name_again_replaces_the_view(olga: Caller, browser_of: Browser):
    browser = browser_of(olga)

    for flow in ("cards", "loans"):
        browser.post("/gates/views/", {"name": "Mine", "flow": flow})

    assert SavedView.objects.get().query == {"flow": "loans"}


def test_views_are_ones_own(olga: Caller, oscar: Caller, browser_of: Browser):
    browser_of(olga).post("/gates/views/", {"name": "Hers", "flow": "cards"})
    view = SavedView.objects.get()

    assert "Hers" not in text_of(browser_of(oscar).get("/gates/"))
    assert browser_of(oscar).post(f"/gates/views/{view.pk}/delete/").status_code == 404
    assert SavedView.objects.exists()


def test_a_view_without_a_name_and_one_too_many_are_told(olga: Caller, oscar: Caller, browser_of: Browser):
    browser = browser_of(olga)
    for number in range(20):
        browser.post("/gates/views/", {"name": f"View {number}"})

    nameless = browser_of(oscar).post("/gates/views/", {"name": "  "}, follow=True)
    full = browser.post("/gates/views/", {"name": "One more"}, follow=True)

    assert "A view needs a name." in text_of(nameless)
    assert "You have as many views as there may be. Delete one first." in text_of(full)
    assert SavedView.objects.count() == 20


def test_the_queue_beside_a_gate_keeps_its_filters(open_session: Opener, olga: Caller, browser_of: Browser):
    gate = open_session()
    open_session(title="Card limit", flow="cards")

    assert rows_of(browser_of(olga), f"/gates/{gate.name}/?flow=cards") == ["Card limit"]


def test_the_queue_costs_the_same_queries_with_tags_and_views(
    open_session: Opener, olga: Caller, browser_of: Browser, django_assert_max_num_queries: object
):
    for number in range(30):
        service.set_tags(open_session().pk, olga, [f"tag {number}", "vip"])
    browser = browser_of(olga)
    browser.post("/gates/views/", {"name": "Mine", "tag": "vip"})

    with django_assert_max_num_queries(12):  # type: ignore[operator]
        browser.get("/gates/?tag=vip")
