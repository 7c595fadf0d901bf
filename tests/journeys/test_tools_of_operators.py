"""Programs beside the pages: one follows the inbox with a token, and an assistant decides through MCP's own client."""

import json
import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from dialogue.web.sockets.close_codes import NOT_SIGNED_IN, RIGHT_LOST
from soni_client import Client
from tests.support.database.migrated import NAME, copy_migrated
from tests.support.processes.server import ROOT, Server

pytestmark = pytest.mark.journey

ACCOUNTS = """
from hashlib import sha256
from django.contrib.auth.models import Group, User
from dialogue.models import ApiToken

refunds, olga = User.objects.create_user("refunds"), User.objects.create_user("olga-of-tools", first_name="Olga")
refunds.groups.add(Group.objects.get(name="agent programs"))
olga.groups.add(Group.objects.get(name="operators"))
for user, token, scopes in (
    (refunds, "agent-token", ["requests"]),
    (olga, "staff-token", None),
    (olga, "reading-token", ["sessions:read"]),
    (olga, "deciding-token", ["sessions:read", "sessions:decide"]),
    (olga, "chat-token", ["chat"]),
):
    ApiToken.objects.create(user=user, name=token, scopes=scopes, sha256=sha256(token.encode()).hexdigest())
"""
QUESTION = {"question": "May I refund the cover?", "actions": ["approve", "reject"]}
OPTIONS: Any = {"source": {"name": "refunds", "thread": "t1"}, "timeout": "30m", "on_timeout": "reject"}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("tools") / "data", NLU_EMBEDDED="off")
    server.data.mkdir()
    copy_migrated(server.data / NAME)
    server.start()
    server.shell(ACCOUNTS)
    yield server
    server.kill()


@pytest.fixture
def agent(desk: Server) -> Iterator[Client]:
    with Client(desk.url, "agent-token") as client:
        yield client


@pytest.fixture
def olga(desk: Server) -> Iterator[Client]:
    with Client(desk.url, "staff-token") as client:
        yield client


def asked(agent: Client, request: str) -> str:
    """The session in which people decide about a new request."""
    return str(agent.requests.create(QUESTION, id=request, **OPTIONS)["sessions"][0]["session"])


def inbox(desk: Server, token: str, after: int | None = None) -> connect:
    url = f"{desk.url.replace('http', 'ws')}/ws/inbox/" + (f"?after={after}" if after is not None else "")
    return connect(url, additional_headers={"Authorization": f"Bearer {token}"} if token else {})


async def heard(socket: ClientConnection, kind: str, session: str) -> dict[str, Any]:
    """The next frame of this kind about the session."""
    while True:
        frame: dict[str, Any] = json.loads(await socket.recv())
        if frame["type"] == kind and f"g{frame['number']}" == session:
            return frame


async def test_a_program_follows_the_inbox_with_a_token_and_misses_nothing_in_a_break(
    desk: Server, agent: Client, olga: Client
):
    async with inbox(desk, "reading-token") as socket:
        await socket.send(json.dumps({"type": "ping"}))
        while json.loads(await socket.recv())["type"] != "pong":
            pass
        first = asked(agent, "followed")
        opened = await heard(socket, "session.opened", first)
    second = asked(agent, "in-the-break")
    olga.sessions.decide(first, "approve")
    async with inbox(desk, "reading-token", opened["event"]) as socket:
        missed = [await heard(socket, "session.opened", second), await heard(socket, "session.submitted", first)]

    assert "html" not in opened
    assert [frame["event"] > opened["event"] for frame in missed] == [True, True]


@pytest.mark.parametrize(
    ("token", "code"), [("", NOT_SIGNED_IN), ("unknown", NOT_SIGNED_IN), ("chat-token", RIGHT_LOST)]
)
async def test_without_the_scope_the_inbox_closes_with_its_code(desk: Server, token: str, code: int):
    with pytest.raises(ConnectionClosed) as closed:
        async with inbox(desk, token) as socket:
            while True:  # a frame says why, and then it closes
                await socket.recv()

    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == code


def mcp_server(desk: Server, token: str, decides: str) -> Any:
    """The server that an assistant starts, as docs/mcp.md says, with the token and `SONI_MCP_DECIDE`."""
    from mcp import StdioServerParameters

    environment = {**os.environ, "SONI_DATA": str(desk.data), "NLU_EMBEDDED": "off", "SONI_MCP_TOKEN": token}
    environment |= {"DJANGO_SETTINGS_MODULE": "soni_admin.settings", "SONI_MCP_DECIDE": decides}
    return StdioServerParameters(command=sys.executable, args=["manage.py", "mcp"], env=environment, cwd=str(ROOT))


@pytest.mark.skipif(find_spec("mcp") is None, reason="the extra mcp is not installed")
async def test_an_assistant_lists_reads_and_decides_and_the_receipt_names_it(desk: Server, agent: Client, olga: Client):
    from mcp import Client as McpClient

    session = asked(agent, "through-mcp")
    async with McpClient(mcp_server(desk, "deciding-token", "true")) as assistant:
        listed = await answered(assistant, "list_sessions")
        read = await answered(assistant, "read_session", session=session)
        decision = {"session": session, "action": "approve", "version": read["version"]}
        await answered(assistant, "decide_session", **decision)
        again = await assistant.call_tool("decide_session", decision)

    payload: Any = olga.sessions.receipt(session)["payload"]
    assert session in [row["name"] for row in listed["sessions"]]
    assert [action["id"] for action in read["actions"]] == ["approve", "reject"]
    assert again.is_error
    assert agent.requests.get("through-mcp")["answer"]["action"] == "approve"
    assert (payload["through"], payload["token"], payload["decided_by"]) == ("mcp", "deciding-token", "Olga")


@pytest.mark.skipif(find_spec("mcp") is None, reason="the extra mcp is not installed")
@pytest.mark.parametrize(("token", "decides"), [("reading-token", "true"), ("deciding-token", "false")])
async def test_without_the_scope_or_the_setting_an_assistant_decides_nothing(
    desk: Server, agent: Client, token: str, decides: str
):
    from mcp import Client as McpClient
    from mcp.shared.exceptions import MCPError

    request = f"kept-from-{token}"
    session = asked(agent, request)
    async with McpClient(mcp_server(desk, token, decides)) as assistant:
        offered = {tool.name for tool in (await assistant.list_tools()).tools}
        version = (await answered(assistant, "read_session", session=session))["version"]
        decision = {"session": session, "action": "approve", "version": version}
        try:
            refused = (await assistant.call_tool("decide_session", decision)).is_error
        except MCPError:
            refused = True

    assert refused
    assert ("decide_session" in offered) == (decides == "true")
    assert agent.requests.get(request)["state"] == "waiting"


async def answered(assistant: Any, tool: str, **arguments: Any) -> Any:
    """What a tool answers, read from its JSON."""
    result = await assistant.call_tool(tool, arguments)
    assert not result.is_error, result
    return json.loads(result.content[0].text)
