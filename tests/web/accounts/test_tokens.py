"""The page of API tokens: scopes, end dates, last use."""

import re
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from dialogue.models import ApiToken, AuditEntry
from dialogue.turns import clock
from tests.support.transfers import person
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def root(browser_of: Browser) -> Client:
    person("robot", "Robot")
    return browser_of(User.objects.create_superuser("root"))


def created(root: Client, **facts: Any) -> ApiToken:
    root.post("/tokens/new/", {"name": "kitchen", "username": "robot", **facts})
    return ApiToken.objects.get()


def test_a_token_gets_the_chosen_scopes_and_ends_after_ninety_days(root: Client):
    row = created(root, extent="scopes", scopes=["sessions:read", "chat"], ends="90")

    assert set(row.scopes or ()) == {"chat", "sessions:read"}
    assert row.ends_at is not None
    assert timedelta(days=89) < row.ends_at - clock.now() <= timedelta(days=90)
    assert AuditEntry.objects.get(act="token.made").facts["scopes"] == row.scopes


def test_without_a_word_about_the_end_it_is_in_ninety_days(root: Client):
    assert created(root).ends_at is not None


def test_a_token_has_no_end_only_where_that_was_chosen(root: Client):
    assert created(root, ends="never").ends_at is None


def test_the_end_may_be_a_date(root: Client):
    day = (clock.now() + timedelta(days=10)).date()

    row = created(root, extent="account", ends="date", ends_on=day.isoformat())

    assert row.scopes is None
    assert row.ends_at is not None and row.ends_at > clock.now() + timedelta(days=9)


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"extent": "scopes"}, "Choose at least one scope"),
        ({"extent": "scopes", "scopes": ["everything"]}, "everything is not one of the available choices"),
        ({"ends": "date"}, "Choose a date to come"),
        ({"ends": "date", "ends_on": "2020-01-01"}, "Choose a date to come"),
        ({"ends": "date", "ends_on": "soon"}, "Enter a valid date"),
        ({"ends": "1000000"}, "is not one of the available choices"),
    ],
)
def test_what_is_wrong_with_a_new_token_is_said_beside_its_form(root: Client, facts: dict[str, Any], reason: str):
    page = root.post("/tokens/new/", {"name": "kitchen", "username": "robot", **facts})

    assert page.status_code == 422
    assert reason in text_of(page)
    assert not ApiToken.objects.exists()


def test_the_list_says_what_a_token_may_do_when_it_ends_and_when_it_was_used(root: Client):
    user, now = User.objects.get(username="robot"), clock.now()
    tokens: list[dict[str, Any]] = [
        {"scopes": ["sessions:read"], "ends_at": now + timedelta(days=5, hours=1), "last_used_at": now},
        {"scopes": None},
        {"scopes": ["chat"], "ends_at": now - timedelta(days=1)},
    ]
    for number, facts in enumerate(tokens):
        ApiToken.objects.create(user=user, name=f"token {number}", sha256=str(number) * 64, **facts)

    page = re.sub(r"\s+", " ", text_of(root.get("/tokens/")))

    assert "Ends in 5 days" in page
    assert ">Read gates</span>" in page
    assert "all that the account may do" in page
    assert "no end date" in page
    assert "Ended" in page


def test_a_token_is_created_listed_and_revoked_in_the_terminal(root: Client):
    text, listed, revoked = StringIO(), StringIO(), StringIO()

    options = ["--name", "ci", "--scope", "flows:read", "--days", "30", "--as", "root"]
    call_command("api_token", "create", "robot", *options, stdout=text, stderr=StringIO())
    row = ApiToken.objects.get()
    call_command("api_token", "list", stdout=listed)
    call_command("api_token", "revoke", str(row.pk), "--as", "root", stdout=revoked)

    row.refresh_from_db()
    assert len(text.getvalue().strip()) > 40
    assert f"{row.pk}  ci  robot  flows:read  ends on" in listed.getvalue()
    assert row.revoked_at is not None and "is revoked" in revoked.getvalue()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ([], "Write --scope NAME"),
        (["--scope", "chat", "--whole-account"], "Write --scope NAME"),
        (["--scope", "chats"], "There is no scope 'chats'"),
        (["--scope", "chat", "--days", "-1"], "--days is a number"),
    ],
)
def test_the_terminal_says_what_is_wrong(root: Client, options: list[str], reason: str):
    with pytest.raises(CommandError, match=reason):
        call_command("api_token", "create", "robot", "--name", "ci", "--as", "root", *options)


def test_who_creates_a_token_in_the_terminal_has_the_rights_of_its_account(root: Client):
    person("oscar", "Oscar")

    with pytest.raises(CommandError, match="has rights that"):
        call_command("api_token", "create", "root", "--name", "ci", "--whole-account", "--as", "oscar")


def test_the_form_of_a_new_token_is_behind_a_button_in_the_head(root: Client):
    plain, asked_for = root.get("/tokens/"), root.get("/tokens/?new")
    refused = root.post("/tokens/new/", {"name": "", "username": "robot"})

    form, button = 'class="new-panel"', 'href="/tokens/?new"'
    pages = [text_of(page) for page in (plain, asked_for, refused)]
    assert [form in page for page in pages] == [False, True, True]
    assert [button in page for page in pages] == [True, False, False]
