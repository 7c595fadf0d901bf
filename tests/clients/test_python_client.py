"""The Python client: what it sends, when it repeats, and what it raises; with a server of prepared answers."""

import asyncio
from collections.abc import Callable
from itertools import islice
from typing import Any

import httpx
import pytest

from soni_client import (
    AsyncClient,
    Client,
    Conflict,
    InvalidValues,
    NotSignedIn,
    RateLimited,
    ServerFailed,
    StillWaiting,
    Unreachable,
)

ADDRESS = "https://soni.example"
QUESTION = {"question": "May I refund the cover?", "actions": ["approve", "reject"]}
OPTIONS: Any = {
    "id": "refund-1",
    "source": {"name": "refunds", "thread": "t1"},
    "timeout": "30m",
    "on_timeout": "reject",
}
SESSION = {"session": "g1", "state": "open", "action": None, "decided_by": None, "decided_at": None}
WAITING = {"id": "refund-1", "dialect": "plain", "state": "waiting", "answer": None, "sessions": [SESSION]}
ANSWERED = {
    **WAITING,
    "state": "answered",
    "answer": {"action": "approve", "values": {}},
    "sessions": [{**SESSION, "state": "submitted", "decided_by": "Olga Petrov"}],
}
Answerer = Callable[[httpx.Request], httpx.Response]


def problem(status: int, code: str, **more: Any) -> httpx.Response:
    body = {"title": "Refused", "status": status, "code": code, "detail": f"the sentence of {code}", "fields": []}
    return httpx.Response(status, json={**body, **more})


class Prepared:
    """Answers in order, and remembers what was sent; an exception among them is a failure of the network."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def calls(self) -> list[str]:
        return [f"{request.method} {request.url.raw_path.decode()}" for request in self.requests]


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between attempts, which take no time here."""
    seconds: list[float] = []

    async def pause(duration: float) -> None:
        seconds.append(duration)

    monkeypatch.setattr("soni_client.client.time.sleep", seconds.append)
    monkeypatch.setattr("soni_client.async_client.asyncio.sleep", pause)
    return seconds


def client_of(prepared: Prepared, **settings: Any) -> Client:
    return Client(ADDRESS, "a-token", http=httpx.Client(transport=httpx.MockTransport(prepared)), **settings)


def async_client_of(prepared: Prepared, **settings: Any) -> AsyncClient:
    return AsyncClient(ADDRESS, "a-token", http=httpx.AsyncClient(transport=httpx.MockTransport(prepared)), **settings)


def test_ask_opens_the_request_and_waits_until_people_decide():
    prepared = Prepared(
        httpx.Response(201, json=WAITING), httpx.Response(200, json=WAITING), httpx.Response(200, json=ANSWERED)
    )

    answer = client_of(prepared).ask(QUESTION, **OPTIONS)

    waiting = "GET /api/v1/requests/refund-1?wait=30"
    assert prepared.calls == ["POST /api/v1/requests", waiting, waiting]
    assert prepared.requests[0].headers["Authorization"] == "Bearer a-token"
    assert (answer.answer, answer.is_answered, answer.decided_by) == (ANSWERED["answer"], True, ("Olga Petrov",))


def test_the_asynchronous_client_makes_the_same_calls():
    prepared = Prepared(httpx.Response(201, json=WAITING), httpx.Response(200, json=ANSWERED))

    answer = asyncio.run(async_client_of(prepared).ask(QUESTION, **OPTIONS))

    assert prepared.calls == ["POST /api/v1/requests", "GET /api/v1/requests/refund-1?wait=30"]
    assert answer.answer == ANSWERED["answer"]


def test_a_request_that_is_decided_already_is_not_waited_for():
    prepared = Prepared(httpx.Response(200, json=ANSWERED))

    assert client_of(prepared).ask(QUESTION, **OPTIONS).state == "answered"
    assert len(prepared.calls) == 1


def test_patience_ends_the_wait_and_not_the_request():
    prepared = Prepared(httpx.Response(201, json=WAITING), httpx.Response(200, json=WAITING))

    with pytest.raises(StillWaiting) as raised:
        client_of(prepared).ask(QUESTION, **OPTIONS, patience=0)

    assert raised.value.request_id == "refund-1"
    assert prepared.calls[-1] == "GET /api/v1/requests/refund-1"


def test_a_request_without_a_deadline_is_refused_before_anything_is_sent():
    prepared = Prepared()
    options: Any = {key: value for key, value in OPTIONS.items() if key not in ("timeout", "on_timeout")}

    with pytest.raises(TypeError, match="timeout, on_timeout"):
        client_of(prepared).ask(QUESTION, **options)
    assert prepared.calls == []


@pytest.mark.parametrize(
    ("status", "kind"), [(401, NotSignedIn), (409, Conflict), (422, InvalidValues), (500, ServerFailed)]
)
def test_a_refusal_is_an_error_of_its_kind_with_the_code_and_the_sentence(status: int, kind: type[Any]):
    field = {"name": "ask.question", "rule": "missing", "message": "is missing", "value": ""}
    prepared = Prepared(problem(status, "some_code", fields=[field]))

    with pytest.raises(kind, match="some_code: the sentence of some_code") as raised:
        client_of(prepared).requests.create(QUESTION, **OPTIONS)
    assert (raised.value.status, raised.value.code, raised.value.fields) == (status, "some_code", [field])


def test_a_page_of_a_proxy_is_an_error_too():
    with pytest.raises(ServerFailed, match="http_501"):
        client_of(Prepared(httpx.Response(501, text="<html>"))).sessions.read("g1")


def test_calls_are_repeated_while_the_server_is_away(pauses: list[float]):
    prepared = Prepared(
        httpx.ConnectError("refused"),
        httpx.ReadError("broken"),
        problem(503, "try_again"),
        httpx.Response(429, headers={"Retry-After": "7"}),
        httpx.Response(200, json=ANSWERED),
    )

    assert client_of(prepared).requests.get("refund-1")["state"] == "answered"
    assert pauses == [0.2, 0.4, 0.8, 7.0]


def test_a_server_that_stays_away_is_unreachable():
    with pytest.raises(Unreachable, match="ConnectError"):
        client_of(Prepared(httpx.ConnectError("refused")), retry_seconds=0).requests.get("refund-1")
    with pytest.raises(RateLimited):
        client_of(Prepared(problem(429, "rate_limited")), retry_seconds=0).requests.get("refund-1")


def test_a_conversation_whose_opening_broke_off_is_not_opened_twice():
    prepared = Prepared(httpx.ReadError("broken"))

    with pytest.raises(Unreachable, match="unknown"):
        client_of(prepared).conversations.begin("bank")
    assert len(prepared.calls) == 1


def test_a_name_cannot_lead_to_another_address():
    prepared = Prepared(httpx.Response(200, json=ANSWERED))

    client_of(prepared).requests.get("../sessions/g1?x=1")
    with pytest.raises(ValueError, match="not a name"):
        client_of(prepared).requests.get("..")
    assert prepared.calls == ["GET /api/v1/requests/..%2Fsessions%2Fg1%3Fx%3D1"]


def test_a_message_keeps_its_id_until_its_reply_is_there():
    opened = {"id": "c1", "token": "of-the-chat", "state": "idle"}
    reply = {"turn": 1, "messages": [], "state": "idle", "pending": []}
    prepared = Prepared(
        httpx.Response(201, json=opened), httpx.Response(202, json={"event": 1}), httpx.Response(200, json=reply)
    )

    assert client_of(prepared).conversations.begin("bank").send("hello") == reply
    first, second = prepared.requests[1:]
    assert first.content == second.content
    assert first.headers["Authorization"] == "Bearer of-the-chat"


def test_a_decision_has_one_key_for_all_attempts():
    prepared = Prepared(httpx.ReadError("broken"), httpx.Response(201, json={"session": "g1"}))

    client_of(prepared).sessions.decide("g1", "approve", version=3)
    first, second = prepared.requests
    assert first.content == second.content
    assert b'"idempotency_key"' in first.content


def test_events_continue_after_a_break_from_the_last_one_that_arrived():
    lines = 'id: 4\nevent: message\ndata: {"seq": 4}\n\n: nothing new\n\n'
    more = 'id: 5\nevent: message\ndata: {"seq": 5}\n\n'
    prepared = Prepared(httpx.Response(200, text=lines), httpx.ConnectError("refused"), httpx.Response(200, text=more))

    events = client_of(prepared).conversations.resume("c1", "of-the-chat").events(after=3)
    seen = [(event.kind, event.data["seq"]) for event in islice(events, 2)]
    assert seen == [("message", 4), ("message", 5)]
    assert [request.headers["Last-Event-ID"] for request in prepared.requests] == ["3", "4", "4"]


async def test_the_asynchronous_client_follows_events_too():
    prepared = Prepared(httpx.Response(200, text='id: 4\nevent: message\ndata: {"seq": 4}\n\n'))

    async for event in async_client_of(prepared).conversations.resume("c1", "of-the-chat").events():
        assert (event.kind, event.data, event.id) == ("message", {"seq": 4}, "4")
        break


def test_an_address_that_is_none_is_refused():
    with pytest.raises(ValueError, match="not an address"):
        Client("soni.example")
