"""The frame of other sites and its script: who may show it, what it loads, and that it keeps nothing."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from dialogue.desk.access.allowed_origins import MAX_REFUSED_ORIGINS, allow_origin, remove_origin
from dialogue.models import AllowedOrigin, Assistant, RefusedOrigin
from tests.support.releases import publish
from tests.support.web.pages import text_of

pytestmark = pytest.mark.django_db
SHOP = {
    "assistant.yaml": "version: 1\nassistant: shop\ntitle: Marlow\ndescription: Boats & sails.\n",
    "hello.yaml": "flow: hello\ntitle: hello\ndescription: Say hello.\nexamples: [say hello]\n"
    "steps: [{step: done, type: say, message: Hello}]\n",
}
MARLOW, ATTACKER = "https://marlow-boats.example", "https://attacker.example"


@pytest.fixture
def shop() -> Assistant:
    publish(SHOP)
    return Assistant.objects.get()


@pytest.fixture
def ada() -> User:
    return User.objects.create_superuser("ada")


@pytest.fixture
def marlow(shop: Assistant, ada: User) -> AllowedOrigin:
    return allow_origin(shop, MARLOW, ada)


def ancestors(response: Any) -> str:
    policy = dict(part.split(" ", 1) for part in response["Content-Security-Policy"].split("; "))
    return str(policy["frame-ancestors"])


def test_an_allowed_page_alone_may_show_it(client: Client, shop: Assistant, marlow: AllowedOrigin, ada: User):
    allow_origin(shop, "https://other.example", ada)

    response = client.get("/embed/shop/", {"origin": MARLOW})

    assert response.status_code == 200
    assert ancestors(response) == MARLOW
    assert "X-Frame-Options" not in response
    assert "Boats &amp; sails." in text_of(response)
    assert 'data-origin="https://marlow-boats.example"' in response.content.decode()


def test_without_an_origin_every_allowed_page_may_show_it_and_none_talks_with_it(
    client: Client, shop: Assistant, marlow: AllowedOrigin, ada: User
):
    allow_origin(shop, "https://other.example", ada)

    response = client.get("/embed/shop/")

    assert ancestors(response) == "https://marlow-boats.example https://other.example"
    assert 'data-origin=""' in response.content.decode()


def test_nobody_may_show_it_before_an_origin_is_allowed(client: Client, shop: Assistant):
    assert ancestors(client.get("/embed/shop/")) == "'none'"


STRANGERS = (
    *(ATTACKER, "https://marlow-boats.example.attacker.example", "http://marlow-boats.example", "null", "*", "'"),
    *(f"{MARLOW}/shop", f"{MARLOW}:8443", f"{MARLOW}; script-src *", "x" * 9000),
)


@pytest.mark.parametrize("origin", STRANGERS)
def test_another_page_is_refused_with_what_to_do(client: Client, marlow: AllowedOrigin, origin: str):
    response = client.get("/embed/shop/", {"origin": origin})

    assert response.status_code == 403
    assert "Integrate" in response.content.decode()
    assert response["Content-Type"].startswith("text/plain")
    assert ancestors(response) == MARLOW


def test_the_test_page_of_this_server_may_show_it(client: Client, shop: Assistant, settings: Any):
    settings.SONI = {**getattr(settings, "SONI", {}), "PUBLIC_URL": "https://soni.example/console"}

    for origin in ("http://testserver", "https://soni.example"):
        assert ancestors(client.get("/embed/shop/", {"origin": origin})) == origin
    assert client.get("/embed/shop/", {"origin": "https://testserver"}).status_code == 403


def test_a_refused_page_is_noted_for_whoever_forgot_to_allow_it(client: Client, shop: Assistant, ada: User):
    for _twice in range(2):
        client.get("/embed/shop/", {"origin": MARLOW})
    client.get("/embed/shop/", {"origin": "no origin at all"})

    [row] = RefusedOrigin.objects.all()
    assert (row.origin, row.count) == (MARLOW, 1)
    allow_origin(shop, MARLOW, ada)
    assert not RefusedOrigin.objects.exists()


def test_strangers_fill_no_table(client: Client, shop: Assistant):
    for number in range(MAX_REFUSED_ORIGINS + 5):
        client.get("/embed/shop/", {"origin": f"https://stranger{number}.example"})
    assert RefusedOrigin.objects.count() == MAX_REFUSED_ORIGINS

    RefusedOrigin.objects.update(at=timezone.now() - timedelta(days=8))
    client.get("/embed/shop/", {"origin": MARLOW})
    assert [row.origin for row in RefusedOrigin.objects.all()] == [MARLOW]


def test_an_origin_counts_no_longer_once_it_is_removed(client: Client, marlow: AllowedOrigin, ada: User):
    remove_origin(marlow, ada)

    assert client.get("/embed/shop/", {"origin": MARLOW}).status_code == 403


def test_when_an_origin_was_seen_is_stored_to_the_minute(client: Client, marlow: AllowedOrigin):
    client.get("/embed/shop/", {"origin": MARLOW})
    marlow.refresh_from_db()
    first = marlow.seen_at
    client.get("/embed/shop/", {"origin": MARLOW})
    marlow.refresh_from_db()

    assert first is not None
    assert marlow.seen_at == first


def test_it_sets_no_cookie_and_knows_nobody(client: Client, marlow: AllowedOrigin, ada: User):
    client.force_login(ada)

    response = client.get("/embed/shop/", {"origin": MARLOW})

    assert not response.cookies
    assert "ada" not in response.content.decode()
    assert "csrf" not in response.content.decode()


def test_nothing_inline_runs_and_nothing_is_sent_elsewhere(client: Client, marlow: AllowedOrigin):
    response = client.get("/embed/shop/", {"origin": MARLOW})

    policy = response["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert "connect-src 'self'" in policy
    assert " style=" not in response.content.decode()


@pytest.mark.parametrize(("asked", "words"), [("es", "Escriba un mensaje"), ("en", "Write a message"), ("xx", "Write")])
def test_it_speaks_the_language_of_the_site(client: Client, marlow: AllowedOrigin, asked: str, words: str):
    response = client.get("/embed/shop/", {"origin": MARLOW, "language": asked})

    assert words in response.content.decode()


def test_an_unknown_or_unpublished_assistant_is_not_found(client: Client):
    Assistant.objects.create(name="draft", title="Draft")

    assert client.get("/embed/draft/").status_code == client.get("/embed/nobody/").status_code == 404


def test_the_script_is_the_same_for_everybody_and_is_asked_for_once_an_hour(client: Client):
    response = client.get("/embed/widget.js")

    assert response["Content-Type"] == "text/javascript; charset=utf-8"
    assert response["Cache-Control"] == "public, max-age=3600"
    assert not response.cookies
    again = client.get("/embed/widget.js", headers={"If-None-Match": response["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
