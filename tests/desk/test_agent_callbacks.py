"""Answers posted to the addresses that agents named: signed, repeated, given up, never sent into a private network."""

import base64
import hashlib
import hmac
import json
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest

from dialogue.audit.invariants import count_violations
from dialogue.desk.agent_requests import callbacks
from dialogue.desk.agent_requests.callbacks import CallbackFailed, CallbackRefused, check_address, secret_of
from dialogue.desk.agent_requests.deliveries import deliver_answers
from dialogue.desk.sessions import incidents, service
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.desk.webhooks import signed_posts
from dialogue.models import AgentRequest, HITLSession
from dialogue.turns import clock
from tests.support.agents import agent_gate
from tests.support.transfers import person

pytestmark = [pytest.mark.django_db, pytest.mark.enable_socket]
NOON = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)


class Receiver:
    """A program that takes callbacks; it answers with `status`."""

    def __init__(self) -> None:
        self.status = 204
        self.got: list[tuple[dict[str, str], bytes]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(receiver.status)
                self.send_header("Location", "http://127.0.0.1:1/")
                self.end_headers()

            def log_message(self, *_args: Any) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://localhost:{self.server.server_port}/hook?a=1"


@pytest.fixture(autouse=True)
def hour() -> Iterator[clock.FrozenClock]:
    with clock.frozen(NOON) as standing:
        yield standing


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    receiver = Receiver()
    monkeypatch.setattr(signed_posts, "SCHEMES", ("https", "http"))
    monkeypatch.setattr(signed_posts, "is_public", lambda _address: True)
    thread = Thread(target=receiver.server.serve_forever, args=(0.05,))
    thread.start()
    yield receiver
    receiver.server.shutdown()
    thread.join()
    receiver.server.server_close()


@pytest.fixture
def olga() -> Caller:
    return Caller(person("olga", "Olga Petrov", "operators").pk, "page")


@pytest.fixture
def sofia() -> Caller:
    return Caller(person("sofia", "Sofia Berg", "supervisors").pk, "page")


def test_an_answer_is_posted_once_with_a_signature_that_the_receiver_can_check(receiver: Receiver, olga: Caller):
    gate = agent_gate(callback=receiver.url)
    assert deliver_answers() == 0, "nothing is decided yet"
    service.submit(gate.pk, olga, Answer("approve"))

    assert deliver_answers() == 1
    assert deliver_answers() == 0

    ((headers, body),) = receiver.got
    request = AgentRequest.objects.get()
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret_of(request.by_id).removeprefix("whsec_"))
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert json.loads(body)["answer"] == {"decisions": [{"type": "approve"}]}
    gate.refresh_from_db()
    assert (gate.delivery, request.state) == (HITLSession.Delivery.APPLIED, AgentRequest.State.DELIVERED)
    assert [each for each in count_violations() if each[1] and each[0].number in (7, 11)] == []


def test_three_failures_make_an_incident_that_a_supervisor_sends_again(
    receiver: Receiver, olga: Caller, sofia: Caller, hour: clock.FrozenClock
):
    gate = agent_gate(callback=receiver.url)
    service.submit(gate.pk, olga, Answer("approve"))
    receiver.status = 500
    deliveries = []
    for pause in (0, 31, 301):
        hour.advance(timedelta(seconds=pause))
        deliver_answers()
        gate.refresh_from_db()
        deliveries.append(gate.delivery)
    hour.advance(timedelta(hours=1))
    assert deliver_answers() == 0

    assert deliveries == ["pending", "pending", "incident"]
    assert len(receiver.got) == 3
    assert len({headers["webhook-id"] for headers, _body in receiver.got}) == 1
    receiver.status = 200
    incidents.retry_delivery(gate.pk, sofia)
    assert deliver_answers() == 1
    gate.refresh_from_db()
    assert gate.delivery == HITLSession.Delivery.APPLIED


def test_an_incident_may_be_abandoned(receiver: Receiver, olga: Caller, sofia: Caller, hour: clock.FrozenClock):
    gate = agent_gate(callback=receiver.url)
    service.submit(gate.pk, olga, Answer("approve"))
    receiver.status = 500
    for _attempt in range(3):
        deliver_answers()
        hour.advance(timedelta(minutes=6))

    incidents.abandon_delivery(gate.pk, sofia)

    gate.refresh_from_db()
    assert gate.delivery == HITLSession.Delivery.ABANDONED
    assert deliver_answers() == 0


def test_a_process_that_ends_while_it_sends_leaves_the_answer_for_the_next(
    receiver: Receiver, olga: Caller, hour: clock.FrozenClock, monkeypatch: pytest.MonkeyPatch
):
    gate = agent_gate(callback=receiver.url)
    service.submit(gate.pk, olga, Answer("approve"))
    with monkeypatch.context() as patch:
        patch.setattr("dialogue.desk.agent_requests.deliveries.send_callback", lambda _callback: 1 / 0)
        assert deliver_answers() == 0
    assert deliver_answers() == 0, "the lease of the first one still runs"
    hour.advance(timedelta(minutes=3))

    assert deliver_answers() == 1
    assert len(receiver.got) == 1


def test_a_redirect_is_not_followed(receiver: Receiver, olga: Caller):
    gate = agent_gate(callback=receiver.url)
    service.submit(gate.pk, olga, Answer("approve"))
    receiver.status = 302

    deliver_answers()

    assert AgentRequest.objects.get().error == "the address answered 302"


PRIVATE = ["127.0.0.1", "10.0.0.8", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1", "::1",
           "fd00::1", "fe80::1%eth0", "fec0::1", "::ffff:10.0.0.1", "2002:0a00:0001::", "::10.0.0.1",
           "64:ff9b::10.0.0.1", "64:ff9b:1::5db8:d822", "ff0e::1"]  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_in_a_private_network_is_refused(address: str):
    assert not signed_posts.is_public(address)


@pytest.mark.parametrize(
    "host", ["127.1", "0x7f000001", "2130706433", "0177.0.0.1", "10.1", "localhost.", "a.localhost"]
)
def test_a_private_address_in_another_spelling_is_refused_at_once(host: str):
    with pytest.raises(CallbackRefused, match="public"):
        signed_posts.check_address(f"https://{host}/answers")
    assert signed_posts.check_address("https://0x5db8d822/answers").hostname == "0x5db8d822"


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "64:ff9b::5db8:d822"])
def test_an_address_in_the_public_network_is_used(address: str):
    assert signed_posts.is_public(address)


def test_a_name_that_also_stands_for_a_private_address_is_refused(monkeypatch: pytest.MonkeyPatch):
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443)) for address in ("93.184.216.34", "10.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_options: found)

    with pytest.raises(CallbackRefused, match="public"):
        signed_posts.public_addresses("agents.example", 443)


def test_the_connection_goes_to_the_address_that_was_checked(receiver: Receiver, monkeypatch: pytest.MonkeyPatch):
    looked_up = []
    real = socket.getaddrinfo

    def counting(host: Any, *args: Any, **options: Any) -> Any:
        looked_up.append(host)
        return real(host, *args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", counting)
    callbacks.send_callback(callbacks.Callback(receiver.url, "req_1", {}, secret_of(1), 1))

    assert looked_up[0] == "localhost"
    assert "localhost" not in looked_up[1:], "the name is resolved once"


WRONG = [
    "",
    "ftp://x.example/",
    "http://x.example/",
    "https://",
    "https://u:p@x.example/",
    "https://x.example/#a",
    "https://x.example:99999/",
    "https://[::1",
    "https://x.example/\r\nHost: y",
    "https://x.example/" + "a" * 2_000,
    "https://10.0.0.1/",
    "https://[::1]/",
    "https://169.254.169.254/latest/",
    "https://localhost/",
    "https://hooks.localhost./",
]


@pytest.mark.parametrize("url", WRONG)
def test_an_address_of_another_form_or_in_a_private_network_is_refused_at_once(url: str):
    with pytest.raises(CallbackRefused):
        check_address(url)


def test_a_name_that_leads_nowhere_is_a_failure(monkeypatch: pytest.MonkeyPatch):
    def nowhere(*_args: Any, **_options: Any) -> Any:
        raise socket.gaierror("unknown")

    monkeypatch.setattr(socket, "getaddrinfo", nowhere)
    with pytest.raises(CallbackFailed, match="gaierror"):
        callbacks.send_callback(callbacks.Callback("https://x.example/", "req_1", {}, secret_of(1), 1))
