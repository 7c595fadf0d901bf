"""A project's channel that raises what its port does not name: its sender keeps the message, and people see why."""

import asyncio
import json
from datetime import datetime, timedelta
from typing import Any, ClassVar

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dialogue.channels.connections import add_connection
from dialogue.channels.port import (
    Channel,
    Connection,
    Delivery,
    IncomingMessage,
    Reading,
    Request,
    SendFailed,
    SettingField,
)
from dialogue.channels.sending import deliver_lines
from dialogue.models import Assistant, AuditEntry, ChannelArrival, ChannelConnection, Event
from dialogue.turns import clock
from dialogue.turns.worker import drain
from tests.channels.conftest import only_thread
from tests.support.web.pages import text_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


class Fragile(Channel):
    """A channel of a project that fails where its message says."""

    name = "fragile"
    title = "Fragile"
    fields = (SettingField("address", "Name"),)
    retry_after: ClassVar[timedelta | None] = None
    """For how long it takes no lines; None: it takes them."""

    def verify(self, request: Request, connection: Connection, now: datetime) -> bool:
        return bool(self._of(request, "verify")["id"])

    def read(self, request: Request, connection: Connection) -> Reading:
        body = self._of(request, "read")
        text: Any = 5 if body["fails_in"] == "text" else "I want to order"
        return Reading(IncomingMessage(body["id"], "visitor", "visitor", text=text, answer_to=body["fails_in"]))

    def send(self, delivery: Delivery, connection: Connection) -> str:
        if self.retry_after is not None:
            raise SendFailed("not now", self.retry_after)
        return delivery.uid

    def reply(self, message: IncomingMessage, text: str) -> dict[str, Any] | None:
        return {"said": object()} if message.answer_to == "reply" else None

    def _of(self, request: Request, place: str) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(request.body)
        return {} if body["fails_in"] == place else body


@pytest.fixture
def fragile(shop: Assistant, sofia: User, settings: Any) -> ChannelConnection:
    settings.SONI = {**getattr(settings, "SONI", {}), "CHANNELS": [f"{__name__}.Fragile"]}
    return add_connection(shop, "fragile", {"address": "lobby"}, sofia)


def post(client: Client, row: ChannelConnection, fails_in: str, ref: str = "1") -> Any:
    body = json.dumps({"id": ref, "fails_in": fails_in})
    return client.post(f"/channels/{row.uid}/", body, content_type="application/json")


@pytest.mark.parametrize(("place", "error"), [("verify", "KeyError"), ("read", "KeyError"), ("text", "AttributeError")])
def test_a_request_that_a_channel_fails_on_is_sent_again_and_staff_see_why(
    client: Client, fragile: ChannelConnection, sofia: User, place: str, error: str
):
    failed = [post(client, fragile, place) for _attempt in range(3)]
    client.force_login(sofia)
    page = text_of(client.get(f"/channels/{fragile.pk}/"))
    kept = post(client, fragile, "")

    assert [(answer.status_code, answer.json()["code"], answer["Retry-After"]) for answer in failed] == [
        (503, "try_again", "60")
    ] * 3
    assert f"a request could not be taken ({error}" in page
    assert AuditEntry.objects.filter(act="channel.failed").count() == 1
    assert (kept.json(), Event.objects.count()) == ({"outcome": "accepted"}, 1)


def test_a_message_whose_answer_fails_is_stored_and_acknowledged(client: Client, fragile: ChannelConnection):
    answers = [post(client, fragile, "reply") for _attempt in range(2)]

    assert [(answer.status_code, answer.json()) for answer in answers] == [(200, {"outcome": "accepted"})] * 2
    assert (ChannelArrival.objects.count(), Event.objects.count()) == (1, 1)


@pytest.mark.parametrize(
    "pause",
    [
        (timedelta.max, timedelta(hours=1)),
        (timedelta(days=-1), timedelta(seconds=1)),
        (timedelta(0), timedelta(seconds=1)),
    ],
    ids=["for ever", "before now", "at once"],
)
def test_a_channel_that_is_wrong_about_its_pause_holds_lines_back_for_a_second_to_an_hour(
    client: Client, fragile: ChannelConnection, hour: clock.FrozenClock, monkeypatch, pause: tuple[timedelta, timedelta]
):
    asked, kept = pause
    post(client, fragile, "")
    asyncio.run(drain(only_thread().conversation_id))
    monkeypatch.setattr(Fragile, "retry_after", asked)
    assert deliver_lines() == 0
    assert only_thread().due_at - clock.now() == kept

    monkeypatch.setattr(Fragile, "retry_after", None)
    hour.advance(kept)

    assert deliver_lines() == 1
