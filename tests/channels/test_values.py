"""Values of a channel that the database does not store: noted as refused, and acknowledged, so that others follow."""

import json
from datetime import datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dialogue.channels.connections import add_connection
from dialogue.channels.port import Channel, Connection, Delivery, IncomingMessage, Reading, Request, SettingField
from dialogue.models import Assistant, ChannelArrival, Event

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


class Plain(Channel):
    """A channel of a project that gives on what it gets."""

    name = "plain"
    title = "Plain"
    fields = (SettingField("address", "Name"),)

    def verify(self, request: Request, connection: Connection, now: datetime) -> bool:
        return True

    def read(self, request: Request, connection: Connection) -> Reading:
        message = IncomingMessage(**json.loads(request.body))
        return Reading(message, message.id)

    def send(self, delivery: Delivery, connection: Connection) -> str:
        return delivery.uid


NAMES = ("id", "thread", "recipient", "text")


@pytest.mark.parametrize("bad", [{name: f"x{character}"} for character in ("\0", "\ud800") for name in NAMES])
def test_a_message_that_cannot_be_stored_holds_up_no_other(
    client: Client, sofia: User, shop: Assistant, settings: Any, bad: dict[str, str]
):
    settings.SONI = {**getattr(settings, "SONI", {}), "CHANNELS": [f"{__name__}.Plain"]}
    row = add_connection(shop, "plain", {"address": "lobby"}, sofia)
    good = {"id": "1", "thread": "visitor", "recipient": "visitor", "text": "I want to order"}

    def post(body: dict[str, str]) -> Any:
        return client.post(f"/channels/{row.uid}/", json.dumps(body), content_type="application/json")

    for _attempt in range(2):
        assert post({**good, **bad}).status_code == 200
    assert post({**good, "id": "2"}).json() == {"outcome": "accepted"}

    assert ChannelArrival.objects.count() == 2
    assert Event.objects.filter(
        payload={"text": "I want to order"}, conversation__channel_thread__key="visitor"
    ).exists()
