"""The command palette finds what a person may open and do, and carries nothing out."""

from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dialogue.desk.access.people import Caller
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer
from dialogue.library.documents.versions import store_documents
from dialogue.models import HITLSession
from tests.support.releases import demo
from tests.support.transfers import Opener
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db
MAX_QUERIES = 60
"""Of one search with previews, however many rows there are."""


def find(browser: Client, query: str) -> dict[str, list[dict[str, Any]]]:
    response = browser.get("/palette/", {"q": query})
    assert response.status_code == 200
    return {group["title"]: group["items"] for group in response.json()["groups"]}


def titles(groups: dict[str, list[dict[str, Any]]], group: str) -> list[str]:
    return [item["title"] for item in groups.get(group, [])]


def test_an_empty_search_offers_the_pages_that_the_person_may_open(browser_of: Browser, olga: Caller, arthur: Caller):
    by_operator, by_author = find(browser_of(olga), ""), find(browser_of(arthur), "")

    assert "Gates" in titles(by_operator, "Pages")
    assert "New assistant" not in titles(by_operator, "Pages")
    assert "New assistant" in titles(by_author, "Pages")
    assert "Gates" not in titles(by_author, "Pages")


def test_every_page_that_is_offered_opens(browser_of: Browser, olga: Caller, arthur: Caller, audrey: Caller):
    for who in (olga, arthur, audrey):
        browser = browser_of(who)
        groups = find(browser, "")
        items = groups["Pages"] + find(browser, "?").get("Help", [])
        answers = {item["href"]: browser.get(item["href"]).status_code for item in items if item["href"]}
        assert set(answers.values()) == {200}, answers


def test_a_number_finds_its_gate_and_what_can_be_done_with_it(browser_of: Browser, olga: Caller, session: HITLSession):
    groups = find(browser_of(olga), session.name)

    assert [item["href"] for item in groups["Gates"]] == [f"/gates/{session.name}/"]
    assert f"claim {session.name}" in [item["line"] for item in groups["Actions"]]
    answer = next(item for item in groups["Actions"] if item["line"] == f"submit {session.name} approve")
    assert answer["title"] == f"Approve {session.name}"
    assert "Send the money" in answer["detail"]
    (refusal,) = [item for item in groups["Actions"] if item["title"] == f"Reject {session.name}: …"]
    assert (refusal["line"], refusal["text"]) == ("", f"submit {session.name} reject ")
    (ready,) = [item for item in find(browser_of(olga), f"{refusal['text']}unknown")["Actions"] if item["line"]]
    assert ready["title"] == f"Reject {session.name}: unknown"
    assert "DE89370400440532013000" not in str(groups), "the account is sensitive"
    assert f"release {session.name}" not in [item["line"] for item in groups["Actions"]], "she has not claimed it"


def test_a_number_without_a_gate_says_so(browser_of: Browser, olga: Caller):
    assert browser_of(olga).get("/palette/", {"q": "g999"}).json()["note"] == "There is no gate g999."


def test_a_search_changes_nothing(browser_of: Browser, olga: Caller, session: HITLSession):
    before = HITLSession.objects.filter(pk=session.pk).values().get()

    for query in (session.name, f"claim {session.name}", f"@{session.name} reject no", f"cancel {session.name} x"):
        find(browser_of(olga), query)

    assert HITLSession.objects.filter(pk=session.pk).values().get() == before


def test_the_line_of_a_row_does_what_the_row_says(browser_of: Browser, olga: Caller, session: HITLSession):
    browser = browser_of(olga)
    (item,) = [item for item in find(browser, f"claim {session.name}")["Actions"] if item["line"]]

    answer = browser.post("/command/", {"line": item["line"]}, headers={"accept": "application/json"})

    assert item["title"] == f"Claim {session.name}"
    assert answer.status_code == 200
    assert HITLSession.objects.get(pk=session.pk).assignee_id == olga.user


def test_what_is_offered_with_a_gate_is_what_the_server_then_does(
    browser_of: Browser, olga: Caller, session: HITLSession
):
    browser = browser_of(olga)
    offered = {item["line"] for item in find(browser, session.name)["Actions"] if item["line"]}
    preview = browser.post("/command/preview/", {"line": f"@{session.name} approve"}).json()
    answer = browser.post(
        "/command/", {"line": f"@{session.name} approve"}, headers={"accept": "application/json"}
    ).json()

    assert preview["good"] == answer["good"]
    assert preview["good"] == (f"submit {session.name} approve" in offered)
    if not answer["good"]:
        assert preview["said"] == answer["said"]


def test_a_line_that_would_be_refused_is_not_offered_and_says_why(
    browser_of: Browser, olga: Caller, session: HITLSession
):
    response = browser_of(olga).get("/palette/", {"q": f"release {session.name}"}).json()

    assert not [item for group in response["groups"] for item in group["items"] if item["line"]]
    assert response["note"]


def test_a_gate_of_another_queue_is_not_found(browser_of: Browser, session: HITLSession, arthur: Caller):
    groups = find(browser_of(arthur), session.name)

    assert "Gates" not in groups
    assert not [item for item in groups.get("Actions", []) if item["line"]]


def test_a_decided_gate_is_found_by_its_words_after_those_that_wait(
    browser_of: Browser, olga: Caller, session: HITLSession, open_session: Opener
):
    waiting = open_session()
    service.submit(session.pk, olga, Answer("approve"))

    items = find(browser_of(olga), "approve transfer")["Gates"]

    assert [item["href"] for item in items] == [f"/gates/{waiting.name}/", f"/gates/{session.name}/"]
    assert items[1]["end"] == "Approved"


@pytest.mark.parametrize(
    ("query", "title", "press"),
    [
        ("dark", "Dark theme", "theme"),
        ("theme", "Dark theme", "theme"),
        ("sign out", "Sign out", "sign-out"),
        ("logout", "Sign out", "sign-out"),
        ("español", "Español", "language-es"),
        ("spanish", "Español", "language-es"),
        ("tour", "Tour of the gate", "tour"),
        ("sound", "Sound for new items", "sound"),
    ],
)
def test_commands_of_the_menu_are_found_by_words(browser_of: Browser, olga: Caller, query: str, title: str, press: str):
    browser = browser_of(olga)

    (item,) = [item for item in find(browser, query)["Actions"] if item["press"]]

    assert (item["title"].casefold(), item["press"]) == (title.casefold(), press)
    assert f'data-command="{press}"' in text_of(browser.get("/gates/"))


def test_commands_are_found_in_the_readers_language_and_not_offered_unasked(browser_of: Browser, olga: Caller):
    browser = browser_of(olga)
    browser.cookies[settings.LANGUAGE_COOKIE_NAME] = "es"

    assert [item["press"] for item in find(browser, "oscuro")["Acciones"]] == ["theme"]
    assert [item["press"] for item in find(browser, "english")["Acciones"]] == ["language-en"]
    assert not [item for item in find(browser, "")["Acciones"] if item["press"]]


def test_who_decides_nothing_is_offered_no_tour(browser_of: Browser, audrey: Caller):
    assert not [item for item in find(browser_of(audrey), "tour").get("Actions", []) if item["press"]]


def test_a_customer_is_found_by_name_and_leads_to_the_conversation(
    browser_of: Browser, audrey: Caller, session: HITLSession
):
    customer = str(session.conversation.customer)

    groups = find(browser_of(audrey), customer.split(maxsplit=1)[0].lower())

    assert [item["href"] for item in groups["Customers"]] == [f"/conversations/{session.conversation_id}/"]


def test_a_flow_and_a_step_are_found_and_the_step_leads_to_its_line(
    browser_of: Browser, arthur: Caller, session: HITLSession
):
    store_documents(demo("bank"))
    browser = browser_of(arthur)
    flows, steps = find(browser, "transfer money")["Flows"], find(browser, "approval")["Flows"]

    assert ("Send money", "transfer_money · Harbour Bank") in [(item["title"], item["detail"]) for item in flows]
    assert "Send money" in [item["title"] for item in find(browser, "send money")["Flows"]]
    (step,) = [item for item in steps if item["title"] == "Send money › Approve transfer"]
    assert step["href"].startswith("/flows/bank/transfer_money/#line-")


def test_pages_of_an_assistant_are_found_by_its_title_and_by_theirs(
    browser_of: Browser, arthur: Caller, olga: Caller, session: HITLSession
):
    store_documents(demo("bank"))
    by_author = find(browser_of(arthur), "releases harbour")["Assistants"]

    assert [(item["title"], item["href"]) for item in by_author] == [("Releases", "/releases/bank/")]
    browser = browser_of(arthur)
    offered = [item["href"] for item in find(browser, "harbour bank")["Assistants"]]
    assert {browser.get(href, follow=True).status_code for href in offered} == {200}
    assert titles(find(browser_of(arthur), "understanding harbour"), "Assistants") == ["Understanding"]
    assert titles(find(browser_of(olga), "understanding harbour"), "Assistants") == []


def test_administration_is_found_by_those_who_may_open_it(browser_of: Browser, audrey: Caller, olga: Caller):
    root = browser_of(User.objects.create_superuser("root"))

    for query, title in (("accounts", "Users"), ("api tokens", "API tokens"), ("audit", "Audit")):
        assert title in titles(find(root, query), "Pages")
        assert root.get(find(root, query)["Pages"][0]["href"]).status_code == 200
    assert "Audit" in titles(find(browser_of(audrey), "audit"), "Pages")
    assert titles(find(browser_of(olga), "api tokens"), "Pages") == []


def test_help_is_found_by_words_and_alone_after_a_question_mark(browser_of: Browser, olga: Caller):
    assert "Keys of this page" in titles(find(browser_of(olga), "shortcuts"), "Help")
    assert set(find(browser_of(olga), "?")) == {"Help"}
    assert set(find(browser_of(olga), "> mute 1h")) == {"Actions"}


@pytest.mark.parametrize(
    "query", ["%", "\0", "'; --", "<script>", "g" * 5000, "@", ">", "g999999999999999999", "🂡", "\\"]
)
def test_any_text_is_a_search(browser_of: Browser, olga: Caller, query: str):
    find(browser_of(olga), query)


def test_a_search_costs_a_bounded_number_of_queries(browser_of: Browser, olga: Caller, session: HITLSession):
    browser = browser_of(olga)
    for query in ("", "approve", session.name, "c"):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            find(browser, query)
        assert len(queries) <= MAX_QUERIES, (query, len(queries))


def test_customers_and_visitors_have_no_palette(browser_of: Browser, ursula: User):
    assert Client().get("/palette/").status_code == 302
    assert browser_of(ursula).get("/palette/").status_code == 404
