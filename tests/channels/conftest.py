"""A bot of Telegram that is connected to an assistant, and the way of its updates to our receiver."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dialogue.channels.connections import add_connection
from dialogue.channels.credentials import secrets_of
from dialogue.models import Assistant, ChannelConnection, ChannelThread
from dialogue.turns import clock
from tests.support.releases import publish
from tests.support.telegram import TOKEN, TelegramDouble, running_telegram
from tests.support.transfers import person

ASSISTANT = {
    "assistant.yaml": "version: 1\nassistant: shop\ntitle: Corner Shop\nactions:\n  order:\n    inputs: {what: text}\n"
    "    outputs: {number: text}\n    idempotent: true\n",
    "order.yaml": "flow: order\ntitle: order\ndescription: Orders something.\nexamples: [I want to order]\nslots:\n"
    "  what: {type: text, prompt: What shall it be?}\n  number: {type: text, required: false}\nsteps:\n"
    "  - {step: ask, type: collect, slot: what}\n"
    '  - {step: sure, type: confirm, message: "Order {what}?"}\n'
    '  - {step: done, type: say, message: "{what} is ordered."}\n',
}
NOON = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
Deliver = Callable[..., Any]


@pytest.fixture
def telegram(settings: Any) -> Iterator[TelegramDouble]:
    with running_telegram() as double:
        settings.SONI = {**getattr(settings, "SONI", {}), "TELEGRAM_URL": double.url}
        yield double


@pytest.fixture
def sofia(db: None) -> User:
    return person("sofia", "Sofia Berg", "supervisors")


@pytest.fixture
def shop(db: None) -> Assistant:
    release = publish(ASSISTANT)
    Assistant.objects.filter(pk=release.assistant_id).update(title="Corner Shop")
    return Assistant.objects.get(pk=release.assistant_id)


@pytest.fixture
def bot(telegram: TelegramDouble, sofia: User, shop: Assistant) -> ChannelConnection:
    return add_connection(shop, "telegram", {"token": TOKEN}, sofia)


@pytest.fixture
def deliver(bot: ChannelConnection, client: Client) -> Deliver:
    """Deliver an update as Telegram does, to the connection's receiver."""

    def deliver_update(update: Any, secret: str = "") -> Any:
        body = update if isinstance(update, bytes) else json.dumps(update).encode()
        headers = {"x-telegram-bot-api-secret-token": secret or secrets_of(bot.salt)[0]}
        return client.post(f"/channels/{bot.uid}/", body, content_type="application/json", headers=headers)

    return deliver_update


@pytest.fixture
def hour() -> Iterator[clock.FrozenClock]:
    with clock.frozen(NOON) as standing:
        yield standing


def only_thread() -> ChannelThread:
    return ChannelThread.objects.select_related("conversation").get()
