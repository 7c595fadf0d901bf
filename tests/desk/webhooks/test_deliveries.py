"""Deliveries: signed, repeated, in order, one winner; slow, broken and vanished receivers."""

from datetime import timedelta
from itertools import pairwise
from socket import SHUT_RDWR
from threading import Event as Signal
from typing import Any

import pytest
from django.contrib.auth.models import User

from dialogue.desk.webhooks import deliveries, signed_posts
from dialogue.desk.webhooks.addressing import address_events
from dialogue.desk.webhooks.deliveries import MAX_ATTEMPTS, deliver_webhooks, pause_after
from dialogue.desk.webhooks.endpoints import (
    EndpointRefused,
    add_endpoint,
    delete_endpoint,
    pause_endpoint,
    resend_delivery,
    resume_endpoint,
    rotate_secret,
)
from dialogue.desk.webhooks.endpoints import test_endpoint as send_test
from dialogue.models import AuditEntry, WebhookDelivery, WebhookEndpoint
from dialogue.turns import clock
from dialogue.turns.accept import open_conversation
from dialogue.turns.process import crash_points
from tests.support.releases import GREETER, publish
from tests.support.webhooks import Receiver, is_signed

pytestmark = [pytest.mark.django_db, pytest.mark.enable_socket]
State = WebhookDelivery.State


@pytest.fixture(autouse=True)
def noon(hour: clock.FrozenClock) -> clock.FrozenClock:
    return hour


@pytest.fixture
def hook(receiver: Receiver, sofia: User) -> tuple[WebhookEndpoint, str]:
    """An endpoint for conversations, and its secret."""
    publish(GREETER)
    return add_endpoint(receiver.url, ["conversations"], sofia)


def event() -> None:
    """One event, ready to be sent."""
    open_conversation("greeter")
    address_events()


def only() -> WebhookDelivery:
    return WebhookDelivery.objects.get()


def test_a_delivery_arrives_once_and_its_signature_holds(hook, receiver: Receiver):
    event()

    assert (deliver_webhooks(), deliver_webhooks()) == (1, 0)
    (got,) = receiver.got
    assert is_signed(got, hook[1])
    assert not is_signed((got[0], got[1] + b" "), hook[1])
    assert got[0]["webhook-id"] == only().webhook_id
    assert got[0]["webhook-timestamp"] == str(int(clock.now().timestamp()))
    assert (only().state, only().status) == (State.DELIVERED, 204)


def test_a_failure_is_repeated_later_and_later_under_one_id(hook, receiver: Receiver, noon: clock.FrozenClock):
    receiver.status = 500
    receiver.text = b"out of order"
    event()
    waits = []
    for _attempt in range(4):
        assert deliver_webhooks() == 0
        row = only()
        waits.append((row.due_at - clock.now()).total_seconds())
        noon.advance(timedelta(seconds=waits[-1] + 1))
        WebhookEndpoint.objects.update(rests_until=None)
    receiver.status = 200

    assert deliver_webhooks() == 1
    assert len({headers["webhook-id"] for headers, _body in receiver.got}) == 1
    assert all(later > 2 * sooner for sooner, later in pairwise(waits))
    assert (only().answer, only().attempts) == ("out of order", 5)
    assert [attempt["status"] for attempt in only().attempt_log] == [500, 500, 500, 500, 200]
    assert [bool(attempt["error"]) for attempt in only().attempt_log] == [True, True, True, True, False]
    assert WebhookEndpoint.objects.get().failures == 0


def test_all_attempts_take_hours():
    least = sum((pause_after(attempt) for attempt in range(1, MAX_ATTEMPTS)), timedelta()) * 0.8

    assert least > timedelta(hours=8)


def test_an_endpoint_rests_after_a_failure(hook, receiver: Receiver, noon: clock.FrozenClock):
    receiver.status = 500
    event()
    event()
    deliver_webhooks()
    assert deliver_webhooks() == 0
    assert len(receiver.got) == 1, "the second one is not tried while the endpoint rests"

    receiver.status = 200
    noon.advance(timedelta(seconds=10))

    assert deliver_webhooks() == 2


def test_an_endpoint_that_takes_nothing_is_paused_and_loses_nothing(hook, receiver: Receiver, sofia, noon):
    receiver.status = 500
    event()
    for _attempt in range(MAX_ATTEMPTS):
        deliver_webhooks()
        noon.advance(timedelta(hours=5))
    endpoint = WebhookEndpoint.objects.get()
    assert (endpoint.state, endpoint.paused_because) == ("paused", "failing")
    assert AuditEntry.objects.filter(act="webhook.paused", actor="clock").count() == 1
    event()
    assert deliver_webhooks() == 0
    assert len(receiver.got) == MAX_ATTEMPTS

    receiver.status = 200
    assert resume_endpoint(endpoint, sofia)
    assert not resume_endpoint(endpoint, sofia)

    assert deliver_webhooks() == 2


def test_one_delivery_that_is_never_taken_does_not_pause_an_endpoint_that_works(hook, receiver: Receiver, noon):
    event()
    WebhookDelivery.objects.update(attempts=MAX_ATTEMPTS - 1)
    WebhookEndpoint.objects.update(succeeded_at=clock.now() + timedelta(seconds=1))
    receiver.status = 422

    deliver_webhooks()

    assert only().state == State.FAILED
    assert WebhookEndpoint.objects.get().state == "active"


def test_an_address_that_is_gone_is_paused_at_once(hook, receiver: Receiver):
    receiver.status = 410
    event()
    deliver_webhooks()

    assert WebhookEndpoint.objects.get().paused_because == "gone"
    assert only().state == State.PENDING


def test_events_of_one_conversation_arrive_in_their_order(hook, receiver: Receiver, noon: clock.FrozenClock):
    first = open_conversation("greeter")[0]
    first.state = "done"
    first.save()
    other = open_conversation("greeter")[0]
    address_events()
    receiver.status = 500
    deliver_webhooks()
    receiver.status = 200
    WebhookEndpoint.objects.update(rests_until=None)

    assert deliver_webhooks() == 1, "the other conversation does not wait for the first"
    assert receiver.bodies[-1]["data"]["conversation"] == str(other.pk)
    noon.advance(timedelta(seconds=10))
    assert deliver_webhooks() == 2
    assert receiver.types[-2:] == ["conversation.opened", "conversation.ended"]


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_a_failure(hook, receiver: Receiver, status: int):
    receiver.status = status
    event()
    deliver_webhooks()

    assert only().error == f"The address answered {status}. Redirects are not followed."
    assert len(receiver.got) == 1


def test_a_name_that_leads_into_a_private_network_by_now_gets_nothing(hook, receiver: Receiver, monkeypatch):
    event()
    monkeypatch.setattr(signed_posts, "is_public", lambda _address: False)
    deliver_webhooks()

    assert receiver.got == []
    assert "not in the public network" in only().error


def test_a_slow_answer_is_cut_however_it_drips(hook, receiver: Receiver, monkeypatch):
    monkeypatch.setattr(signed_posts, "MAX_SECONDS", 0.3)
    done = Signal()

    def drip(handler: Any) -> None:
        for _byte in range(600):
            if done.wait(0.05):
                return
            try:
                handler.wfile.write(b"x")
                handler.wfile.flush()
            except OSError:
                return

    receiver.before_answer = drip
    event()
    assert deliver_webhooks() == 0
    done.set()

    assert only().error
    assert only().state == State.PENDING


def test_a_closed_connection_is_a_failure(hook, receiver: Receiver):
    receiver.before_answer = lambda handler: handler.connection.shutdown(SHUT_RDWR)
    event()

    assert deliver_webhooks() == 0
    assert only().error and only().status is None


def test_of_a_huge_answer_the_beginning_is_kept(hook, receiver: Receiver):
    receiver.status, receiver.text = 200, "é\0".encode() * 500_000
    event()

    assert deliver_webhooks() == 1
    assert only().answer.startswith("é\ufffd")
    assert len(only().answer) == deliveries.MAX_ANSWER_CHARACTERS


def test_while_a_secret_rotates_both_sign(hook, receiver: Receiver, sofia, noon: clock.FrozenClock):
    endpoint, old = hook
    new = rotate_secret(endpoint, sofia)
    event()
    deliver_webhooks()
    noon.advance(timedelta(hours=25))
    event()
    deliver_webhooks()

    assert [(is_signed(got, old), is_signed(got, new)) for got in receiver.got] == [(True, True), (False, True)]


def test_a_secret_that_is_replaced_while_a_delivery_is_sent_still_counts(hook, receiver: Receiver, sofia):
    endpoint, old = hook
    receiver.before_answer = lambda _handler: None
    event()
    real = signed_posts.send_post

    def rotating(post: Any) -> Any:
        rotate_secret(endpoint, sofia)
        return real(post)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deliveries, "send_post", rotating)
        assert deliver_webhooks() == 1
    assert is_signed(receiver.got[0], old)


def test_a_secret_of_an_earlier_key_signs_while_that_key_is_a_fallback(hook, receiver: Receiver, settings):
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "a new key of this installation"
    event()
    assert deliver_webhooks() == 1
    assert is_signed(receiver.got[0], hook[1])
    settings.SECRET_KEY_FALLBACKS = []
    event()

    assert deliver_webhooks() == 0
    assert "Replace the secret" in WebhookDelivery.objects.latest("pk").error
    assert len(receiver.got) == 1


def test_an_endpoint_that_is_deleted_while_it_is_sent_to_leaves_nothing(hook, receiver: Receiver, sofia, monkeypatch):
    event()
    real = signed_posts.send_post

    def deleting(post: Any) -> Any:
        assert delete_endpoint(hook[0], sofia)
        return real(post)

    monkeypatch.setattr(deliveries, "send_post", deleting)

    assert deliver_webhooks() in (0, 1)
    assert not WebhookDelivery.objects.exists()
    assert not delete_endpoint(hook[0], sofia)


def test_of_two_workers_one_sends(hook, receiver: Receiver):
    event()
    row = only()

    first, second = deliveries._claim(row), deliveries._claim(row)

    assert first is not None
    assert second is None


@pytest.mark.parametrize(("point", "posts"), [("W1", 0), ("W2", 1)])
def test_a_process_that_ends_is_followed_by_another_attempt_under_the_same_id(
    hook, receiver: Receiver, noon: clock.FrozenClock, point: str, posts: int
):
    class Killed(BaseException):
        pass

    def die(passed: str) -> None:
        if passed == point:
            raise Killed

    event()
    crash_points.set_trap(die)
    try:
        with pytest.raises(Killed):
            deliver_webhooks()
    finally:
        crash_points.set_trap(None)
    assert len(receiver.got) == posts
    assert deliver_webhooks() == 0, "the lease of the first one still runs"
    noon.advance(timedelta(minutes=3))

    assert deliver_webhooks() == 1
    assert {headers["webhook-id"] for headers, _body in receiver.got} == {only().webhook_id}


def test_of_two_people_who_send_it_again_one_wins(hook, receiver: Receiver, sofia):
    event()
    deliver_webhooks()
    row = only()

    assert (resend_delivery(row, sofia), resend_delivery(row, sofia)) == (True, False)
    assert deliver_webhooks() == 1
    assert [headers["webhook-id"] for headers, _body in receiver.got] == [row.webhook_id] * 2
    assert AuditEntry.objects.filter(act="webhook.resent").count() == 1


def test_a_test_reaches_a_paused_endpoint_and_is_tried_once(hook, receiver: Receiver, sofia):
    assert pause_endpoint(hook[0], sofia)
    assert not pause_endpoint(hook[0], sofia)
    event()
    receiver.status = 500
    delivery = send_test(hook[0], sofia)

    deliver_webhooks()

    delivery.refresh_from_db()
    assert (delivery.state, receiver.types) == (State.FAILED, ["webhook.test"])
    assert deliver_webhooks() == 0


@pytest.mark.parametrize("url", ["http://hooks.example/", "https://u:p@hooks.example/", "https://127.0.0.1/", "x", ""])
def test_an_address_that_cannot_be_told_is_refused(sofia, url: str):
    with pytest.raises(EndpointRefused):
        add_endpoint(url, ["messages"], sofia)
    assert not WebhookEndpoint.objects.exists()


def test_an_endpoint_without_events_is_refused(receiver: Receiver, sofia):
    with pytest.raises(EndpointRefused, match="at least one"):
        add_endpoint(receiver.url, ["weather"], sofia)


def test_every_change_is_on_record_without_the_secret(hook, receiver: Receiver, sofia):
    endpoint, secret = hook
    new = rotate_secret(endpoint, sofia)
    pause_endpoint(endpoint, sofia)
    resume_endpoint(endpoint, sofia)
    send_test(endpoint, sofia)
    delete_endpoint(endpoint, sofia)

    entries = AuditEntry.objects.filter(act__startswith="webhook.", actor="sofia").order_by("number")
    assert [entry.act.removeprefix("webhook.") for entry in entries] == [
        "made", "secret_replaced", "paused", "resumed", "tested", "deleted",
    ]  # fmt: skip
    assert not any(text in str([entry.facts for entry in entries]) for text in (secret, new, "/hook"))
