"""The pages of channels: who connects them, what is never shown again, what came in and went out."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dialogue.channels.connections import add_connection
from dialogue.channels.credentials import unseal
from dialogue.models import (
    Assistant,
    AuditEntry,
    ChannelArrival,
    ChannelConnection,
    ChannelDelivery,
    ChannelThread,
    Message,
)
from dialogue.turns import clock
from dialogue.turns.accept import open_conversation
from tests.channels.conftest import ASSISTANT
from tests.support.releases import publish
from tests.support.telegram import TOKEN, TelegramDouble, running_telegram
from tests.support.transfers import person
from tests.support.web.pages import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.enable_socket]


@pytest.fixture
def sofia(client: Client) -> User:
    account = person("sofia", "Sofia Berg", "supervisors")
    client.force_login(account)
    return account


@pytest.fixture
def shop(db: None) -> Assistant:
    return publish(ASSISTANT).assistant


@pytest.fixture
def mailbox(sofia: User, shop: Assistant) -> ChannelConnection:
    return add_connection(shop, "email", {"address": "help@shop.example"}, sofia)


@pytest.fixture
def telegram(settings: Any) -> Any:
    with running_telegram() as double:
        settings.SONI = {**getattr(settings, "SONI", {}), "TELEGRAM_URL": double.url}
        yield double


def test_the_channels_belong_to_the_administration_in_the_navigation(sofia: User, client: Client):
    page = text_of(client.get("/channels/"))

    assert re.search(r'<a [^>]*href="/webhooks/"[^>]* aria-current="page"', page)


def failed_thread(mailbox: ChannelConnection, error: str = "554 refused") -> ChannelThread:
    """A thread whose first line the mail server refused."""
    now, conversation = clock.now(), open_conversation("shop", user_ref="Ursula", channel="email")[0]
    thread = ChannelThread.objects.create(
        connection=mailbox, conversation=conversation, key="k", recipient="u@x.example", opened_at=now, due_at=now
    )
    Message.objects.create(conversation=conversation, seq=1, role="assistant", text="Hello", at=now)
    ChannelThread.objects.filter(pk=thread.pk).update(state="failed", error=error)
    ChannelDelivery.objects.create(
        connection=mailbox,
        thread=thread,
        conversation=conversation,
        first=1,
        last=1,
        state="failed",
        made_at=now,
        error=error,
    )
    return thread


def test_a_bot_is_connected_and_its_token_is_never_shown(client: Client, sofia: User, shop, telegram: TelegramDouble):
    answer = client.post("/channels/", {"channel": "telegram", "assistant": "shop", "token": TOKEN}, follow=True)

    row = ChannelConnection.objects.get()
    assert unseal(row.sealed) == {"token": TOKEN}
    assert telegram.webhook["url"].endswith(f"/channels/{row.uid}/")
    pages = [answer, client.get("/channels/"), client.get(f"/channels/{row.pk}/")]
    assert all("@harbour_bank_bot" in text_of(page) for page in pages)
    assert not any(TOKEN in text_of(page) or telegram.webhook["secret_token"] in text_of(page) for page in pages)
    assert AuditEntry.objects.get(act="channel.added").facts["address"] == "@harbour_bank_bot"


def test_a_refused_token_comes_back_with_the_reason_and_not_in_the_page(client: Client, sofia: User, shop):
    answer = client.post("/channels/", {"channel": "telegram", "assistant": "shop", "token": "not-a-token"})

    assert answer.status_code == 422
    assert "not a token of a bot" in text_of(answer)
    assert "not-a-token" not in text_of(answer)
    assert not ChannelConnection.objects.exists()


def test_the_secret_of_a_mailbox_is_shown_once_and_replaced(client: Client, sofia: User, shop):
    answer = client.post("/channels/", {"channel": "email", "assistant": "shop", "address": "help@shop.example"})
    row = ChannelConnection.objects.get()
    assert "whsec_" in text_of(answer)
    assert "no-store" in answer["Cache-Control"]
    assert "whsec_" not in text_of(client.get(f"/channels/{row.pk}/"))

    again = text_of(client.post(f"/channels/{row.pk}/secret/"))
    assert "whsec_" in again
    assert row.salt != ChannelConnection.objects.get().salt


@pytest.mark.parametrize(
    "typed", [{}, {"channel": "pigeon"}, {"channel": "email"}, {"channel": "email", "address": "x"}]
)
def test_what_cannot_be_connected_is_refused_in_words(client: Client, sofia: User, shop, typed: dict[str, str]):
    answer = client.post("/channels/", {"assistant": "shop", **typed})

    assert answer.status_code == 422
    assert not ChannelConnection.objects.exists()
    unknown = client.post("/channels/", {"channel": "email", "assistant": "nobody"})
    assert unknown.status_code == 422
    assert 'id="new-assistant-error" role="alert">Choose an assistant.' in text_of(unknown)


def test_a_second_click_changes_nothing_more(client: Client, mailbox: ChannelConnection):
    for change in ("pause", "pause", "resume", "resume"):
        assert client.post(f"/channels/{mailbox.pk}/{change}/").status_code == 302
    assert AuditEntry.objects.filter(act__in=["channel.paused", "channel.resumed"]).count() == 2
    assert client.post(f"/channels/{mailbox.pk}/remove/").status_code == 302
    assert client.post(f"/channels/{mailbox.pk}/remove/").status_code == 404
    assert client.post("/channels/1/explode/").status_code == 404


def test_a_test_says_what_the_channel_says(client: Client, sofia: User, shop, telegram: TelegramDouble):
    client.post("/channels/", {"channel": "telegram", "assistant": "shop", "token": TOKEN})
    row = ChannelConnection.objects.get()
    good = client.post(f"/channels/{row.pk}/test/", follow=True)
    telegram.webhook["url"] = "https://elsewhere.example/"
    elsewhere = client.post(f"/channels/{row.pk}/test/", follow=True)

    assert "sends its messages here" in text_of(good)
    assert "to another address" in text_of(elsewhere)


def test_a_line_that_was_not_taken_is_sent_again_or_skipped(client: Client, mailbox: ChannelConnection):
    thread = failed_thread(mailbox, "<script>alert(1)</script>")
    page = text_of(client.get(f"/channels/{mailbox.pk}/"))
    assert "&lt;script&gt;" in page
    assert "<script>alert" not in page
    assert "Lines could not be sent" in text_of(client.get("/channels/"))
    assert "conversations whose lines could not be sent" in text_of(client.get("/status/"))

    first = client.post(f"/channels/{mailbox.pk}/threads/{thread.pk}/skip/", follow=True)
    second = client.post(f"/channels/{mailbox.pk}/threads/{thread.pk}/resend/", follow=True)
    assert "The line is skipped" in text_of(first)
    assert "goes on already" in text_of(second)
    assert client.post(f"/channels/{mailbox.pk}/threads/{thread.pk}/x/").status_code == 404
    assert client.post(f"/channels/{mailbox.pk + 1}/threads/{thread.pk}/skip/").status_code == 404


def test_the_lists_are_paged_with_a_fixed_number_of_queries(client: Client, mailbox: ChannelConnection):
    def arrive(number: int) -> None:
        fields = {"ref": str(number), "sender": "", "outcome": "ignored", "reason": "<b>a list</b>", "at": clock.now()}
        ChannelArrival.objects.create(connection=mailbox, **fields)

    arrive(0)
    page = f"/channels/{mailbox.pk}/?show=in"
    with CaptureQueriesContext(connection) as few:
        client.get(page)
    for number in range(1, 61):
        arrive(number)
    with CaptureQueriesContext(connection) as many:
        shown = text_of(client.get(page))

    assert len(many) == len(few)
    assert shown.count("&lt;b&gt;a list") == 50
    assert "after=" in shown
    for wrong in ("?show=x", "?after=x"):
        assert client.get(f"/channels/{mailbox.pk}/{wrong}").status_code == 404


def test_the_list_of_connections_is_paged(client: Client, mailbox: ChannelConnection):
    for number in range(60):
        ChannelConnection.objects.create(
            assistant=mailbox.assistant, channel="email", address=f"box{number}@shop.example", made_at=clock.now()
        )

    answer = client.get("/channels/")
    further = client.get("/channels/", {"after": answer.context["next"]})

    assert text_of(answer).count("@shop.example</bdi>") == 50
    assert text_of(further).count("@shop.example</bdi>") == 11
    assert further.context["next"] is None
    assert client.get("/channels/?after=x").status_code == 404


def test_no_assistant_is_chosen_unless_the_address_names_one(client: Client, sofia: User, shop: Assistant):
    assert " selected>" not in text_of(client.get("/channels/?new"))
    assert '<option value="">' in text_of(client.get("/channels/?new"))
    assert '<option value="shop" selected>' in text_of(client.get("/channels/?assistant=shop"))


def test_after_the_servers_key_has_changed_a_mailbox_gets_a_new_secret(
    client: Client, sofia: User, mailbox: ChannelConnection, settings: Any
):
    settings.SECRET_KEY = "another key of this server"
    client.force_login(sofia)

    assert "whsec_" in text_of(client.post(f"/channels/{mailbox.pk}/secret/"))


def test_after_the_servers_key_has_changed_a_bot_asks_for_its_token(
    client: Client, sofia: User, shop: Assistant, telegram: TelegramDouble, settings: Any
):
    bot = add_connection(shop, "telegram", {"token": TOKEN}, sofia)
    settings.SECRET_KEY = "another key of this server"
    client.force_login(sofia)
    refused = client.post(f"/channels/{bot.pk}/secret/")

    assert refused.status_code == 422
    assert "Enter them again" in text_of(refused)
    assert client.post(f"/channels/{bot.pk}/credentials/", {"token": TOKEN}).status_code == 302
    assert client.post(f"/channels/{bot.pk}/secret/").status_code == 200


def test_after_good_credentials_no_page_says_that_they_are_refused(
    client: Client, sofia: User, shop: Assistant, telegram: TelegramDouble
):
    bot = add_connection(shop, "telegram", {"token": TOKEN}, sofia)
    ChannelConnection.objects.update(state="paused", paused_because="refused", paused_at=clock.now(), error="401")
    assert "whose credentials are refused" in text_of(client.get("/status/"))
    changed = text_of(client.post(f"/channels/{bot.pk}/credentials/", {"token": TOKEN}, follow=True))

    assert "still paused: resume it" in changed
    assert "credentials are refused" not in changed
    assert "refuses the credentials" not in changed
    assert "Resume" in changed
    assert "whose credentials are refused" not in text_of(client.get("/status/"))


def test_the_list_of_conversations_knows_the_channel(client: Client, mailbox: ChannelConnection):
    open_conversation("shop", user_ref="Ursula", channel="telegram")
    open_conversation("shop", user_ref="Bert", channel="email")

    listed = text_of(client.get("/conversations/?channel=telegram"))

    assert "Ursula" in listed
    assert "Bert" not in listed
    assert "Telegram" in listed


def test_the_form_of_a_new_channel_is_behind_a_button_and_asks_for_the_channel_first(client: Client, sofia: User):
    plain, asked_for = text_of(client.get("/channels/")), text_of(client.get("/channels/?new"))
    mail = text_of(client.get("/channels/?new=email"))

    assert 'href="?new"' in plain and 'class="new-panel"' not in plain
    assert 'href="?new"' not in asked_for and 'href="?new=email"' in asked_for
    assert 'name="channel" value="email"' in mail
    assert '<a class="btn" href="/channels/#new" data-level>Cancel</a>' in mail
