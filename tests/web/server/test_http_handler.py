"""Requests as the ASGI server hands them in: in one thread, bounded in number, and with liveness before everything."""

import asyncio
import json
from threading import Event as Gate
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from django.db import OperationalError, connection

from dialogue.models import Event
from dialogue.turns import runner
from dialogue.turns.accept import open_conversation
from dialogue.turns.live import notify
from dialogue.turns.process import shared_commits
from dialogue.turns.process.crash_points import set_trap
from dialogue.turns.process.database import in_thread
from dialogue.web.api import turn_reply
from dialogue.web.server import http_handler
from dialogue.web.server.http_handler import ConsoleHandler
from tests.support.releases import demo, publish

pytestmark = pytest.mark.django_db(transaction=True)

PATIENCE_SECONDS = 30
"""How long a busy machine may need for what is answered at once."""
TRANSFER = "send 6000 to Lindqvist Marine, DE89370400440532013000"


def request_to(handler: ConsoleHandler, path: str, method: str = "GET", **headers: str) -> ApplicationCommunicator:
    names = {"host": "localhost", "content-type": "application/json", **headers}
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "path": path,
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in names.items()],
    }
    return ApplicationCommunicator(handler, scope)


async def send(request: ApplicationCommunicator, body: dict[str, Any] | None = None) -> None:
    text = json.dumps(body).encode() if body is not None else b""
    await request.send_input({"type": "http.request", "body": text})


async def response(request: ApplicationCommunicator) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of the whole response."""
    start = await request.receive_output(PATIENCE_SECONDS)
    body, more = b"", True
    while more:
        part = await request.receive_output(PATIENCE_SECONDS)
        body, more = body + part.get("body", b""), part.get("more_body", False)
    headers = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    return start["status"], headers, body


def readable_elsewhere(headers: dict[str, str]) -> bool:
    """Whether a page of any other site may read a refusal, and when to come back."""
    names = ("access-control-allow-origin", "access-control-expose-headers", "access-control-allow-credentials")
    return [headers.get(name) for name in names] == ["*", "Retry-After", None]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL shares the wait for the disk itself")
async def test_messages_that_come_at_the_same_moment_share_a_commit(chat):
    handler, let_go, passed = ConsoleHandler(10), Gate(), list[str]()
    rows = [await in_thread(open_conversation)("bank") for _ in range(3)]
    requests = [
        request_to(handler, f"/api/v1/conversations/{row.pk}/messages", "POST", authorization=f"Bearer {token}")
        for row, token in rows
    ]
    set_trap(passed.append)
    try:
        other_work = asyncio.create_task(in_thread(let_go.wait)(30))
        for request in requests:
            await send(request, {"id": "m1", "text": TRANSFER})
        while len(shared_commits._commits._waiting) < len(requests):
            await asyncio.sleep(0.01)
        let_go.set()
        statuses = [(await response(request))[0] for request in requests]
        await other_work
    finally:
        set_trap(None)

    assert statuses == [200, 200, 200]
    assert passed.count("A2") == 3
    assert passed.index("G1") > passed.index("A2")
    assert "G2" in passed


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL shares the wait for the disk itself")
async def test_messages_whose_shared_commit_fails_are_refused_whole_and_may_be_sent_again(chat):
    def fail_before_the_commit(point: str) -> None:
        if point == "G1":
            raise OperationalError("database or disk is full")

    def message_to(path: str, token: str) -> ApplicationCommunicator:
        return request_to(handler, path, "POST", authorization=token, prefer="respond-async")

    handler, let_go = ConsoleHandler(10), Gate()
    rows = [await in_thread(open_conversation)("bank") for _ in range(2)]
    chats = [(f"/api/v1/conversations/{row.pk}/messages", f"Bearer {token}") for row, token in rows]
    requests = [message_to(*each) for each in chats]
    set_trap(fail_before_the_commit)
    try:
        other_work = asyncio.create_task(in_thread(let_go.wait)(30))
        for request in requests:
            await send(request, {"id": "m1", "text": TRANSFER})
        while len(shared_commits._commits._waiting) < len(requests):
            await asyncio.sleep(0.01)
        let_go.set()
        refused = [await response(request) for request in requests]
        await other_work
    finally:
        set_trap(None)
    stored = await sync_to_async(Event.objects.count)()
    again = message_to(*chats[0])
    await send(again, {"id": "m1", "text": TRANSFER})
    status, _headers, body = await response(again)

    assert [(each[0], each[1]["retry-after"], json.loads(each[2])["code"]) for each in refused] == [
        (503, "2", "busy")
    ] * 2
    assert all(readable_elsewhere(each[1]) for each in refused)
    assert stored == 0
    assert (status, json.loads(body)) == (202, {"event": 1})


@pytest.fixture
def chat(transactional_db: None) -> tuple[str, str]:
    """The path of a visitor's messages, and the token."""
    publish(demo("bank"))
    row, token = open_conversation("bank", user_ref="Ursula")
    return f"/api/v1/conversations/{row.pk}/messages", f"Bearer {token}"


async def test_a_message_is_answered_with_its_turn(chat):
    path, token = chat
    request = request_to(ConsoleHandler(10), path, "POST", authorization=token)

    await send(request, {"id": "m1", "text": TRANSFER})
    status, headers, body = await response(request)

    answer = json.loads(body)
    assert (status, [line["key"] for line in answer["messages"]]) == (200, ["confirm:transfer_money"])
    assert headers["content-length"] == str(len(body))
    assert headers["x-frame-options"] == "DENY"  # the middleware saw the response before its body was there


async def test_a_message_whose_answer_is_not_waited_for_is_accepted(chat):
    path, token = chat
    request = request_to(ConsoleHandler(10), path, "POST", authorization=token, prefer="respond-async")

    await send(request, {"id": "m1", "text": TRANSFER})
    status, _headers, body = await response(request)

    assert (status, json.loads(body)) == (202, {"event": 1})


async def test_a_message_of_a_caller_who_hangs_up_is_turned_all_the_same(chat, monkeypatch):
    path, token = chat
    started = asyncio.Event()
    start_turn = turn_reply.start_turn

    def start(*arguments: Any) -> None:
        start_turn(*arguments)
        started.set()

    monkeypatch.setattr(turn_reply, "start_turn", start)
    request = request_to(ConsoleHandler(10), path, "POST", authorization=token)

    await send(request, {"id": "m1", "text": TRANSFER})
    await request.send_input({"type": "http.disconnect"})
    await request.wait(PATIENCE_SECONDS)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await started.wait()
        await runner.wait_for_turns()

    assert await sync_to_async(lambda: Event.objects.get().state)() == Event.State.DONE


async def test_a_request_above_the_bound_is_refused_with_a_time_to_come_back(chat, monkeypatch):
    path, token = chat
    monkeypatch.setattr(turn_reply, "start_turn", lambda *_arguments: None)  # the first message stays in flight
    handler = ConsoleHandler(1)
    first = request_to(handler, path, "POST", authorization=token)
    await send(first, {"id": "m1", "text": TRANSFER})
    while not await sync_to_async(Event.objects.exists)():
        await asyncio.sleep(0.01)

    second = request_to(handler, path, "POST", authorization=token)
    await send(second, {"id": "m2", "text": "hello"})
    status, headers, body = await response(second)
    await first.send_input({"type": "http.disconnect"})
    await first.wait(PATIENCE_SECONDS)
    page = request_to(handler, "/sign-in/")
    await send(page)
    page_status, _headers, _body = await response(page)

    assert (status, headers["retry-after"], headers["content-type"]) == (503, "2", "application/problem+json")
    assert json.loads(body)["code"] == "busy"
    assert readable_elsewhere(headers)
    assert await sync_to_async(Event.objects.count)() == 1  # nothing of the second was stored
    assert page_status == 200  # the place of who hung up is free again


async def test_the_last_quarter_of_the_bound_is_kept_for_conversations_that_exist(chat, monkeypatch):
    path, token = chat
    handler = ConsoleHandler(4)
    monkeypatch.setattr(runner, "wake_conversation", lambda *_: None)  # the turns of the three do not come
    monkeypatch.setattr(runner, "lease_owner", lambda: "somebody")
    held = []
    for number in range(3):
        row, its_token = await sync_to_async(open_conversation)("bank")
        request = request_to(
            handler, f"/api/v1/conversations/{row.pk}/messages", "POST", authorization=f"Bearer {its_token}"
        )
        await send(request, {"id": "m1", "text": "hello"})
        held.append(request)
        while await Event.objects.acount() <= number:
            await asyncio.sleep(0.01)

    opening = request_to(handler, "/api/v1/conversations", "POST")
    await send(opening, {"assistant": "bank"})
    opening_status, _headers, opening_body = await response(opening)
    message = request_to(handler, path, "POST", authorization=token, prefer="respond-async")
    await send(message, {"id": "m1", "text": "hello"})
    message_status, _headers, _body = await response(message)

    for request in held:
        await request.send_input({"type": "http.disconnect"})
        await request.wait(PATIENCE_SECONDS)
    assert (opening_status, json.loads(opening_body)["code"]) == (503, "busy")
    assert message_status == 202


async def test_a_page_above_the_bound_says_so_in_the_readers_language(chat):
    page = request_to(ConsoleHandler(0), "/sign-in/", **{"accept-language": "es"})

    await send(page)
    status, headers, body = await response(page)

    assert (status, headers["retry-after"]) == (503, "2")
    assert not readable_elsewhere(headers)
    assert body.decode() == (
        "El servidor está ocupado y no ha aceptado esta solicitud. Inténtelo de nuevo dentro de un momento."
    )


async def test_liveness_is_answered_above_the_bound_and_for_any_host():
    probe = request_to(ConsoleHandler(0), "/health/live", host="10.0.0.7")

    await send(probe)
    status, headers, body = await response(probe)

    assert (status, json.loads(body), headers["cache-control"]) == (200, {"status": "live"}, "no-store")


async def test_readiness_and_streams_do_not_count(chat):
    path, token = chat
    handler = ConsoleHandler(0)
    ready = request_to(handler, "/health/ready")
    stream = request_to(handler, path.replace("/messages", "/events"), authorization=token)

    await send(ready)
    await send(stream)
    ready_status, _headers, _body = await response(ready)
    start, first = await stream.receive_output(PATIENCE_SECONDS), await stream.receive_output(PATIENCE_SECONDS)
    await stream.send_input({"type": "http.disconnect"})
    await stream.wait(PATIENCE_SECONDS)

    assert (ready_status, start["status"], first["body"]) == (200, 200, b": nothing new\n\n")
    assert not notify._ringing


async def test_a_stream_that_ends_frees_its_place(chat, monkeypatch):
    from dialogue.web.api.event_stream import stream_limiter

    path, token = chat
    stream = request_to(ConsoleHandler(1), path.replace("/messages", "/events"), authorization=token)
    await send(stream)
    await stream.receive_output(PATIENCE_SECONDS)
    open_before = stream_limiter._open.total()

    await stream.send_input({"type": "http.disconnect"})
    await stream.wait(PATIENCE_SECONDS)

    assert (open_before, stream_limiter._open.total()) == (1, 0)


async def test_a_body_beyond_the_limit_is_refused_while_it_streams_in(chat, monkeypatch):
    monkeypatch.setattr(http_handler, "MAX_BODY_BYTES", 100)
    path, token = chat
    request = request_to(ConsoleHandler(10), path.replace("messages", "files"), "POST", authorization=token)

    await request.send_input({"type": "http.request", "body": b"x" * 80, "more_body": True})
    await request.send_input({"type": "http.request", "body": b"x" * 80, "more_body": True})

    status, headers, body = await response(request)
    assert (status, json.loads(body)["code"]) == (413, "too_large")
    assert readable_elsewhere(headers)
