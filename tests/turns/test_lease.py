"""One runner per conversation, by a fencing number."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.db import connections

from dialogue.engine.understanding import NLUContext, Understanding
from dialogue.models import Conversation
from dialogue.turns import lease
from dialogue.turns.accept import Incoming, accept, open_conversation
from dialogue.turns.clock import frozen
from dialogue.turns.worker import Ports, drain
from tests.support.releases import GREETER, publish

pytestmark = pytest.mark.django_db

NINE = datetime(2026, 11, 23, 9, tzinfo=UTC)


@pytest.fixture
def conversation() -> Conversation:
    publish(GREETER)
    return open_conversation("greeter")[0]


def test_a_second_runner_does_not_get_a_held_conversation(conversation: Conversation) -> None:
    lease.claim(conversation.pk, "first")

    assert lease.claim(conversation.pk, "second") is None


def test_a_lease_that_ran_out_goes_to_the_next_who_inherits_it(conversation: Conversation) -> None:
    with frozen(NINE) as clock:
        lease.claim(conversation.pk, "first")
        clock.advance(lease.TERM + timedelta(seconds=1))
        second = lease.claim(conversation.pk, "second")

    assert second is not None and second.inherited and second.epoch == 2


def test_the_leases_of_a_dead_process_end_at_once_and_those_of_others_hold(conversation: Conversation) -> None:
    other = open_conversation("greeter")[0]
    lease.claim(conversation.pk, "dead")
    lease.claim(other.pk, "alive")

    assert lease.end_leases_of(["dead", "unknown"]) == 1

    second = lease.claim(conversation.pk, "second")
    assert second is not None and second.inherited
    assert lease.claim(other.pk, "second") is None


def test_a_runner_that_came_back_from_a_long_pause_is_fenced_out(conversation: Conversation) -> None:
    with frozen(NINE) as clock:
        zombie = lease.claim(conversation.pk, "zombie")
        clock.advance(lease.TERM + timedelta(seconds=1))
        lease.claim(conversation.pk, "second")

    assert zombie is not None and not lease.renew(zombie)
    with pytest.raises(lease.LeaseLost):
        zombie.check()


def test_a_lease_that_was_given_back_is_free_at_once(conversation: Conversation) -> None:
    first = lease.claim(conversation.pk, "first")
    assert first is not None
    lease.release(first)

    second = lease.claim(conversation.pk, "second")

    assert second is not None and not second.inherited


def test_after_a_restart_nobody_waits_for_the_leases_of_the_dead(conversation: Conversation) -> None:
    lease.claim(conversation.pk, "dead")
    lease.end_all()

    second = lease.claim(conversation.pk, "second")

    assert second is not None and second.inherited


class BusyLoop:
    """Understanding that lets nothing else happen on its loop until the conversation's lease was renewed."""

    def __init__(self) -> None:
        self.renewed = False

    async def understand(self, message: str, context: NLUContext) -> Understanding:
        with ThreadPoolExecutor(1) as beside:  # the loop stands still meanwhile
            first = beside.submit(self._lease_until).result()
            deadline = time.monotonic() + 10
            while not self.renewed and time.monotonic() < deadline:
                self.renewed = beside.submit(self._lease_until).result() != first
            beside.submit(connections.close_all).result()
        return Understanding(())

    @staticmethod
    def _lease_until() -> object:
        return Conversation.objects.values_list("lease_until", flat=True).get()


@pytest.mark.django_db(transaction=True)
def test_a_loop_that_is_busy_keeps_its_leases(monkeypatch: pytest.MonkeyPatch, conversation: Conversation) -> None:
    monkeypatch.setattr(lease, "TERM", timedelta(seconds=0.6))
    busy = BusyLoop()
    accept(conversation.pk, Incoming("message", "m1", {"text": "hello"}, text="hello"))

    assert asyncio.run(drain(conversation.pk, ports=Ports(nlu=lambda assistant: busy))) == 1

    assert busy.renewed


class DrivenHeart(lease.Heartbeat):
    """Beats as often as it is given something to hold."""

    def __init__(self, *held: set[lease.Lease]) -> None:
        super().__init__()
        self._coming = list(held)

    def _wait_for_lease(self) -> bool:
        self._held = {each: copy_context() for each in self._coming.pop(0)} if self._coming else {}
        return bool(self._held)


def test_an_exception_while_a_lease_is_renewed_does_not_end_the_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    held = lease.Lease(uuid4(), "here", 1)
    tried: list[lease.Lease] = []

    def renew(each: lease.Lease) -> None:
        tried.append(each)
        raise RuntimeError("the clock is strange")

    monkeypatch.setattr(lease, "renew", renew)

    with ThreadPoolExecutor(1) as beside:
        beside.submit(DrivenHeart({held}, {held}, {held})._renew_all).result()

    assert tried == [held, held]


def test_a_sleep_that_fails_does_not_end_the_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    def sleep(_seconds: float) -> None:
        raise OSError("the sleep is strange")

    heart = lease.Heartbeat()
    heart._held = {lease.Lease(uuid4(), "here", 1): copy_context()}
    monkeypatch.setattr(lease, "TERM", timedelta(seconds=0.03))
    monkeypatch.setattr("dialogue.turns.lease.time.sleep", sleep)

    assert heart._wait_for_lease()


def test_a_thread_that_has_ended_all_the_same_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease.Heartbeat, "_renew_all", lambda self: None)
    heart = lease.Heartbeat()
    with heart.keeping(lease.Lease(uuid4(), "here", 1)):
        first = heart._beating
        assert first is not None
        first.join()

        with heart.keeping(lease.Lease(uuid4(), "here", 2)):
            assert heart._beating is not first


def test_a_lease_is_renewed_when_a_whole_beat_has_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    short, long, new = (lease.Lease(uuid4(), "here", epoch) for epoch in (1, 2, 3))
    renewed: list[lease.Lease] = []
    monkeypatch.setattr(lease, "_renew_or_log", renewed.append)

    with ThreadPoolExecutor(1) as beside:  # it closes its thread's connections at the end
        beside.submit(DrivenHeart({short, long}, {long, new})._renew_all).result()

    assert renewed == [long]
