"""No line of a channel waits unseen: the invariant counts what a lost trigger or mark would leave behind."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User

from dialogue.audit.invariants import lines_unseen_by_channels
from dialogue.desk.webhooks.addressing import address_events
from dialogue.desk.webhooks.endpoints import add_endpoint
from dialogue.models import ChannelThread, WebhookDelivery
from tests.channels.conftest import Deliver
from tests.channels.test_telegram import talk
from tests.support.telegram import TelegramDouble, failure, message

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database, pytest.mark.enable_socket]


@pytest.fixture
def thread(deliver: Deliver, telegram: TelegramDouble) -> ChannelThread:
    """A thread with a line that is not sent."""
    telegram.next_answers = [failure(502, "Bad Gateway")]
    talk(deliver, message(1, "I want to order"))
    return ChannelThread.objects.get()


@pytest.mark.parametrize(
    "fault",
    [
        {"latest": 0, "sent": 0},
        {"sent": 9_000},
        {"due_at": datetime(2100, 1, 1, tzinfo=UTC), "sent": 0},
    ],
)
def test_a_line_that_nothing_would_send_is_counted(thread: ChannelThread, fault: dict[str, Any]):
    assert thread.latest > 0
    assert lines_unseen_by_channels() == 0

    ChannelThread.objects.update(**fault)

    assert lines_unseen_by_channels() == 1


def test_webhooks_are_told_of_a_line_that_a_channel_does_not_take(
    deliver: Deliver, telegram: TelegramDouble, sofia: User
):
    add_endpoint("https://8.8.8.8/soni", ["incidents"], sofia)
    telegram.next_answers = [failure(400, "Bad Request: message is too long")]

    talk(deliver, message(1, "I want to order"))
    address_events()

    assert ChannelThread.objects.get().state == "failed"
    assert WebhookDelivery.objects.get().type == "incident.line_undelivered"
