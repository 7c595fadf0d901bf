"""Inboxes that read by number miss nothing, although transactions may end in another order than they began."""

import threading

import pytest
from django.db import connection, transaction

from dialogue.models import HITLSession, InboxEvent
from dialogue.turns import clock
from dialogue.turns.live.inbox import tell_inboxes
from tests.support.transfers import conversation, open_session, payments, session

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]
__all__ = ["conversation", "open_session", "payments", "session"]


def told(session: HITLSession, kind: str) -> None:
    tell_inboxes([InboxEvent(session=session, kind=kind, version=1, at=clock.now())])


def test_who_came_second_is_numbered_and_seen_second(session: HITLSession) -> None:
    waiting, go_on = threading.Event(), threading.Event()
    seen_meanwhile: list[str] = []

    def first() -> None:
        with transaction.atomic():
            told(session, "claimed")
            waiting.set()
            go_on.wait(10)
        connection.close()

    def second() -> None:
        waiting.wait(10)
        with transaction.atomic():
            told(session, "released")
        connection.close()

    threads = [threading.Thread(target=each) for each in (first, second)]
    for thread in threads:
        thread.start()
    waiting.wait(10)
    threads[1].join(0.3)
    seen_meanwhile += InboxEvent.objects.values_list("kind", flat=True)
    go_on.set()
    for thread in threads:
        thread.join(10)

    assert seen_meanwhile == []
    assert list(InboxEvent.objects.order_by("pk").values_list("kind", flat=True)) == ["claimed", "released"]
