"""The last calls of the API on the page Integrate: what is kept of them, and who sees it."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dialogue.desk.access.api_tokens import create_token
from dialogue.models import ApiToken, Assistant
from dialogue.web.shared.call_log import MAX_CALLS, ApiCall, count_calls, forget_calls, last_calls, note_call
from tests.support.transfers import person
from tests.support.web.pages import text_of

pytestmark = pytest.mark.django_db
PAGE = "/integrate/bank/"


@pytest.fixture(autouse=True)
def no_calls() -> Iterator[None]:
    forget_calls()
    yield
    forget_calls()


@pytest.fixture
def author(client: Client) -> User:
    Assistant.objects.create(name="bank", title="Harbour Bank")
    account = person("arthur", "Arthur Kohl", "flow authors")
    client.force_login(account)
    return account


def note(route: str, status: int, code: str) -> None:
    note_call(ApiCall(datetime.now(UTC), "GET", route, status, code, "", 10))


def test_calls_are_shown_with_route_code_and_the_name_of_the_token(client: Client, author: User):
    token = create_token(ApiToken(user=author, name="web server"), author)
    headers = {"Authorization": f"Bearer {token}"}
    Client().get("/api/v1/sessions/g4711", headers=headers)
    body = {"assistant": "secret words"}
    Client().post("/api/v1/conversations", body, content_type="application/json", headers=headers)

    page = text_of(client.get(PAGE))

    assert "GET /api/v1/sessions/&lt;name&gt;" in page
    assert "not_found" in page
    assert "web server" in page
    assert not any(text in page for text in ("g4711", "secret words", token))


def test_a_refusal_says_why_unless_its_words_quote_the_request(client: Client, author: User):
    token = create_token(ApiToken(user=author, name="web server", scopes=["flows:read"]), author)
    body = {"assistant": "secret words"}
    headers = {"Authorization": f"Bearer {token}"}
    Client().post("/api/v1/conversations", body, content_type="application/json", headers=headers)
    Client().post("/api/v1/conversations", {"assistant": "bank", "other": "x"}, content_type="application/json")

    page = text_of(client.get(PAGE, {"calls": "errors"}))

    assert "has: flows:read." in page
    assert [call.detail for call in last_calls(1)] == [""]


def test_errors_alone_are_shown_on_request(client: Client, author: User):
    note("api/v1/good", 200, "")
    note("api/v1/bad", 422, "invalid_values")

    page = text_of(client.get(PAGE, {"calls": "errors"}))

    assert "api/v1/bad" in page
    assert "api/v1/good" not in page
    assert count_calls() == (2, 1)


def test_only_the_newest_are_kept():
    for number in range(MAX_CALLS + 10):
        note(f"api/{number}", 200, "")

    assert count_calls() == (MAX_CALLS, 0)
    assert [call.route for call in last_calls(2)] == [f"api/{MAX_CALLS + 9}", f"api/{MAX_CALLS + 8}"]


def test_people_who_do_not_publish_see_no_calls(client: Client, author: User):
    client.force_login(person("olga", "Olga Petrov", "operators"))

    assert "Last calls" not in text_of(client.get(PAGE))


def test_the_open_page_fetches_the_newest_calls_alone(client: Client, author: User):
    page = text_of(client.get(PAGE))
    note("api/v1/bad", 422, "invalid_values")

    rows = text_of(client.get(PAGE, {"calls": "errors"}, headers={"hx-target": "call-rows"}))

    assert 'hx-trigger="every 5s"' in page
    assert "api/v1/bad" in rows
    assert "<html" not in rows
