"""The answer to an agent's request over server-sent events."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import AsyncClient

from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.models import AgentRequest, ApiToken, HITLSession
from dialogue.turns import clock
from dialogue.turns.process.database import in_thread
from tests.support.transfers import person

from .conftest import Program, token_of

pytestmark = pytest.mark.django_db(transaction=True)
BODY: dict[str, Any] = {
    "id": "r-1",
    "dialect": "plain",
    "ask": {"question": "May I refund the cover?", "actions": ["approve", "reject"]},
    "source": {"name": "refunds", "thread": "t1"},
    "timeout": "30m",
    "on_timeout": "reject",
}


@pytest.fixture
def token(transactional_db: None) -> str:
    """The token of an agent that has asked."""
    account = person("refunds", "Refunds")
    account.user_permissions.add(Permission.objects.get(codename="ask_agentrequest"))
    token = token_of(Caller(account.pk, "api"))
    assert Program(token).post("/requests", **BODY).status_code == 201
    return token


async def followed(token: str) -> AsyncIterator[tuple[str, Any]]:
    """The kinds of events with their data, until the stream ends."""
    answer: Any = await AsyncClient().get("/api/v1/requests/r-1/events", headers={"Authorization": f"Bearer {token}"})
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/event-stream")
    async with asyncio.timeout(60):
        async for block in answer:
            lines = dict(line.split(": ", 1) for line in block.decode().strip().splitlines())
            if "event" in lines:
                yield lines["event"], json.loads(lines["data"])


async def test_the_answer_is_the_last_event(token: str):
    olga = await in_thread(person)("olga", "Olga Petrov", "operators")
    events = followed(token)
    kind, request = await anext(events)
    assert (kind, request["state"]) == ("request", "waiting")

    session = await HITLSession.objects.aget()
    await in_thread(service.submit)(session.pk, Caller(olga.pk, "page"), Answer("approve", {}))
    others = [event async for event in events]

    kind, request = others[-1]
    assert (kind, request["state"], request["answer"]["action"]) == ("answer", "answered", "approve")
    assert (await AgentRequest.objects.aget()).state == AgentRequest.State.DELIVERED


async def test_the_stream_of_a_decided_request_is_its_answer(token: str):
    assert await in_thread(Program(token).send)("DELETE", "/requests/r-1")

    assert [(kind, request["state"]) async for kind, request in followed(token)] == [("answer", "withdrawn")]


def test_the_request_of_another_account_does_not_exist(token: str):
    stranger = Program(token_of(Caller(person("olga", "Olga Petrov", "operators").pk, "api")))

    assert stranger.get("/requests/r-1/events").status_code == 404
    assert Program().get("/requests/r-1/events").status_code == 401


async def test_a_token_that_is_revoked_while_a_program_follows_gets_no_answer(token: str):
    olga = await in_thread(person)("olga", "Olga Petrov", "operators")
    events = followed(token)
    await anext(events)

    await ApiToken.objects.aupdate(revoked_at=clock.now())
    session = await HITLSession.objects.aget()
    await in_thread(service.submit)(session.pk, Caller(olga.pk, "page"), Answer("approve", {}))

    assert [event async for event in events] == []
    assert (await AgentRequest.objects.aget()).state == AgentRequest.State.WAITING, "it is kept for a valid token"
