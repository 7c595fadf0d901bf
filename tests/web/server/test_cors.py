"""Pages of other sites and the API: those of allowed origins reach conversations, and nothing else."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.test import Client

from dialogue.desk.access.allowed_origins import allow_origin, remove_origin
from dialogue.models import AllowedOrigin, Assistant
from dialogue.turns.process import writes
from tests.support.releases import publish

pytestmark = pytest.mark.django_db(transaction=True)
SHOP = {
    "assistant.yaml": "version: 1\nassistant: shop\ntitle: Shop\n",
    "hello.yaml": "flow: hello\ntitle: hello\ndescription: Say hello.\nexamples: [say hello]\n"
    "steps: [{step: done, type: say, message: Hello.}]\n",
}
MARLOW, STRANGER = "https://marlow-boats.example", "https://attacker.example"
CONVERSATIONS = "/api/v1/conversations"


@pytest.fixture(autouse=True)
def marlow() -> AllowedOrigin:
    publish(SHOP)
    return allow_origin(Assistant.objects.get(), MARLOW, User.objects.create_superuser("ada"))


def preflight(client: Client, path: str = CONVERSATIONS, origin: str = MARLOW) -> Any:
    asked = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type",
    }
    return client.options(path, headers=asked)


def opened(client: Client, origin: str) -> Any:
    body = {"assistant": "shop"}
    return client.post(CONVERSATIONS, body, content_type="application/json", headers={"Origin": origin})


def test_a_browser_is_told_what_an_allowed_page_may_send(client: Client):
    response = preflight(client)

    assert response.status_code == 204
    assert response["Access-Control-Allow-Origin"] == MARLOW
    assert response["Access-Control-Allow-Methods"] == "GET, POST"
    assert "Authorization" in response["Access-Control-Allow-Headers"]
    assert "Access-Control-Allow-Credentials" not in response
    assert "Origin" in response["Vary"]


def test_an_allowed_page_opens_a_conversation_and_talks(client: Client):
    response = opened(client, MARLOW)
    assert (response.status_code, response["Access-Control-Allow-Origin"]) == (201, MARLOW)
    facts = response.json()

    answer = client.post(
        f"{CONVERSATIONS}/{facts['id']}/messages",
        {"id": "m1", "text": "say hello"},
        content_type="application/json",
        headers={"Origin": MARLOW, "Authorization": f"Bearer {facts['token']}"},
    )

    assert answer.json()["messages"][0]["text"] == "Hello."
    assert answer["Access-Control-Allow-Origin"] == MARLOW


def test_a_refusal_can_be_read_by_the_page_too(client: Client):
    response = client.post(CONVERSATIONS, {}, content_type="application/json", headers={"Origin": MARLOW})

    assert (response.status_code, response["Access-Control-Allow-Origin"]) == (422, MARLOW)


def test_a_page_can_read_that_the_database_does_not_answer(client: Client, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(writes, "_failing", False)  # remembered no longer than this test

    def away(*_arguments: Any) -> None:
        raise OperationalError("server closed the connection")

    with connection.execute_wrapper(away):
        response = opened(client, MARLOW)

    assert (response.status_code, response.json()["code"]) == (503, "try_again")
    assert (response["Access-Control-Allow-Origin"], response["Retry-After"]) == ("*", "2")
    assert response["Access-Control-Expose-Headers"] == "Retry-After"


@pytest.mark.parametrize(
    "origin", [STRANGER, "null", f"{MARLOW}.attacker.example", "http://marlow-boats.example", "x" * 999]
)
def test_another_page_is_refused_with_what_to_do(client: Client, origin: str):
    response = preflight(client, origin=origin)

    assert response.status_code == 403
    assert "Integrate" in response.content.decode()
    assert "Access-Control-Allow-Origin" not in response
    assert "Access-Control-Allow-Origin" not in opened(client, origin)


def test_an_origin_counts_no_longer_once_it_is_removed(client: Client, marlow: AllowedOrigin):
    remove_origin(marlow, User.objects.get())

    assert preflight(client).status_code == 403


@pytest.mark.parametrize(
    "path", ["/api/v1/sessions", "/api/v1/assistants/shop/check", "/gates/", "/sign-in/", "/embed/shop/"]
)
def test_gates_assistants_and_pages_are_not_opened(client: Client, path: str):
    assert "Access-Control-Allow-Origin" not in preflight(client, path)
    assert "Access-Control-Allow-Origin" not in client.get(path, headers={"Origin": MARLOW})


def test_a_session_of_the_console_does_not_help_an_allowed_page(client: Client):
    client.force_login(User.objects.get())
    forged = Client(enforce_csrf_checks=True)
    forged.cookies = client.cookies

    assert opened(forged, MARLOW).status_code == 403


def test_requests_without_another_origin_cost_no_query(client: Client, django_assert_num_queries: Any):
    for headers in ({}, {"Origin": "http://testserver"}):
        with django_assert_num_queries(0):
            response = client.get("/api/v1/conversations/x/nowhere", headers=headers)
        assert "Access-Control-Allow-Origin" not in response
