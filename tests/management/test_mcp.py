"""The MCP server: what its tools do and refuse, and the SDK's own client over stdio."""

import hashlib
import json
import os
import re
import sys
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from subprocess import run
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from dialogue.desk.access.token_scopes import SCOPES
from dialogue.desk.sessions import service
from dialogue.desk.sessions.receipts import receipt_of
from dialogue.desk.sessions.service import Caller
from dialogue.library.demo.seed import seed_demo
from dialogue.management import mcp_tools
from dialogue.management.mcp_access import ToolRefused
from dialogue.models import ApiToken, AuditEntry, HITLSession
from dialogue.turns import clock

pytestmark = pytest.mark.django_db(transaction=True)

ROOT = Path(__file__).parents[2]
SCENARIO_TITLE = "says hello"
SCENARIO = f"assistant: ../assistants/bank\nscenarios: [{{name: {SCENARIO_TITLE}, turns: [{{user: hello}}]}}]\n"


@pytest.fixture
def token(settings: Any) -> Any:
    """Give this user's token of these scopes to the server; without scopes it is one for the whole account."""

    def give(user: int, *scopes: str, **facts: Any) -> ApiToken:
        text = f"{user} {scopes} {facts}"
        settings.SONI = {**settings.SONI, "MCP_TOKEN": text}
        digest = hashlib.sha256(text.encode()).hexdigest()
        return ApiToken.objects.create(user_id=user, name="helper", sha256=digest, scopes=list(scopes) or None, **facts)

    return give


@pytest.fixture
def author(db: None) -> int:
    seed_demo()
    return User.objects.create_superuser("ada-author").pk


@pytest.fixture
def deciding(settings: Any) -> None:
    settings.SONI = {**settings.SONI, "MCP_DECIDE": True}


def call(tool: Any, *args: Any) -> str:
    return str(async_to_sync(tool)(*args))


def test_drafts_are_checked_with_the_texts_that_the_agent_sends(token: Any, author: int):
    token(author, "flows:read")

    stored = call(mcp_tools.check_flows, "bank")
    broken = call(mcp_tools.check_flows, "bank", {"try.yaml": "flow: try\nsteps: [{id: a, type: nothing}]\n"})

    assert stored.splitlines()[-1].startswith("0 errors")
    assert "error: try.yaml:" in broken


def test_a_draft_is_talked_to_and_its_turn_explained(token: Any, author: int):
    token(author, "flows:test")

    begun = json.loads(call(mcp_tools.begin_draft_chat, "bank"))
    said = json.loads(call(mcp_tools.say_in_draft_chat, begun["conversation"], "send 6000 to Lindqvist Marine"))
    why = json.loads(call(mcp_tools.explain_turn, begun["conversation"], said["turn"]))

    assert said["stack"][0]["flow"] == "transfer_money"
    assert why["turn"] == said["turn"]
    assert "transfer_money" in json.dumps(why["record"])


def test_gates_are_listed_and_read(token: Any, session: HITLSession, olga: Caller):
    token(olga.user, "sessions:read")

    listed = json.loads(call(mcp_tools.list_sessions))
    read = json.loads(call(mcp_tools.read_session, session.name))

    assert [row["name"] for row in listed["sessions"]] == [session.name]
    assert read["version"] == session.version
    assert read["actions"]


def test_deciding_is_off_by_default(token: Any, session: HITLSession, olga: Caller):
    token(olga.user, "sessions:decide")

    with pytest.raises(ToolRefused, match="SONI_MCP_DECIDE"):
        call(mcp_tools.decide_session, session.name, "approve", session.version)

    session.refresh_from_db()
    assert session.decided_at is None


@pytest.mark.usefixtures("deciding")
def test_a_token_for_the_whole_account_does_not_decide(token: Any, session: HITLSession, olga: Caller):
    token(olga.user)

    with pytest.raises(ToolRefused, match="limited to scopes"):
        call(mcp_tools.decide_session, session.name, "approve", session.version)


@pytest.mark.usefixtures("deciding")
def test_a_decision_is_recorded_with_channel_and_token(token: Any, session: HITLSession, olga: Caller):
    token(olga.user, "sessions:decide")

    with pytest.raises(ToolRefused, match="stale_version"):
        call(mcp_tools.decide_session, session.name, "approve", session.version + 1)
    call(mcp_tools.decide_session, session.name, "approve", session.version)

    entry = AuditEntry.objects.get(act="session.submit")
    session.refresh_from_db()
    receipt = receipt_of(session)
    assert (entry.actor_id, entry.facts["through"], entry.facts["token"]) == (olga.user, "mcp", "helper")
    assert receipt is not None
    assert (receipt["payload"]["through"], receipt["payload"]["token"]) == ("mcp", "helper")
    with pytest.raises(ToolRefused, match="already_submitted"):
        call(mcp_tools.decide_session, session.name, "approve", session.version)


@pytest.mark.usefixtures("deciding")
def test_the_claim_of_another_person_holds(token: Any, session: HITLSession, olga: Caller, oscar: Caller):
    token(olga.user, "sessions:decide")
    claimed = service.claim(session.pk, oscar).session

    with pytest.raises(ToolRefused, match="claimed"):
        call(mcp_tools.decide_session, session.name, "approve", claimed.version)


@pytest.mark.parametrize(
    ("scopes", "state", "reason"),
    [
        (("chat",), {}, "needs the scope sessions:read, and has: chat"),
        (("sessions:read",), {"ends_at"}, "no longer counts since"),
        (("sessions:read",), {"revoked_at"}, "no longer counts since"),
    ],
)
def test_what_a_token_may_not_do_is_refused_in_words(
    token: Any, olga: Caller, scopes: tuple[str, ...], state: set[str], reason: str
):
    token(olga.user, *scopes, **{name: clock.now() - timedelta(days=1) for name in state})

    with pytest.raises(ToolRefused, match=reason):
        call(mcp_tools.list_sessions)


def test_rights_are_those_of_the_account(token: Any, session: HITLSession):
    token(User.objects.create_user("nina").pk, *SCOPES)

    for tool, *arguments in (
        (mcp_tools.check_flows, "bank"),
        (mcp_tools.run_scenarios, "bank"),
        (mcp_tools.begin_draft_chat, "bank"),
        (mcp_tools.explain_turn, str(session.conversation_id), 1),
        (mcp_tools.read_session, session.name),
    ):
        with pytest.raises(ToolRefused):
            call(tool, *arguments)


def test_a_long_answer_comes_in_pages_that_make_the_whole():
    text = "".join(f"line {number}\n" for number in range(6_000)) + "x" * 50_000

    pages = mcp_tools._pages(text)

    assert "".join(pages) == text
    assert max(map(len, pages)) <= mcp_tools.MAX_PAGE_CHARACTERS
    with pytest.raises(ToolRefused, match="pages"):
        mcp_tools._page_of(text, 99)


def test_without_the_extra_the_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("dialogue.management.commands.mcp.find_spec", lambda _name: None)

    with pytest.raises(CommandError, match=r"soni-admin\[mcp\]"):
        call_command("mcp")


def installation(folder: Path) -> dict[str, str]:
    """A database with the demo, and the environment that docs/mcp.md gives the server."""
    environment = {**os.environ, "SONI_DATA": str(folder), "NLU_EMBEDDED": "off"}
    environment |= {"DJANGO_SETTINGS_MODULE": "soni_admin.settings"}
    seed = (
        "from dialogue.library.demo.seed import seed_demo; seed_demo();"
        "from dialogue.models import Assistant; from dialogue.scenarios.format.stored import replace_document;"
        f"replace_document(Assistant.objects.get(name='bank'), 'claim', {SCENARIO!r});"
        "from django.contrib.auth.models import User; User.objects.create_superuser('maria')"
    )

    def manage(*words: str) -> str:
        command = [sys.executable, "manage.py", *words]
        done = run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    manage("migrate", "--verbosity", "0")
    manage("shell", "--verbosity", "0", "-c", seed)
    creation = re.search(r"python manage.py (api_token create .*)", (ROOT / "docs" / "mcp.md").read_text())
    assert creation
    words = creation[1].replace("AUTHOR", "maria").replace('"coding agent"', "agent").split()
    return {**environment, "SONI_MCP_TOKEN": manage(*words).splitlines()[-1]}


@pytest.mark.journey
@pytest.mark.skipif(find_spec("mcp") is None, reason="the extra mcp is not installed")
def test_the_configuration_of_the_guide_serves_the_sdks_own_client(tmp_path: Path):
    """Both generations of the protocol: 2026-07-28 by discovery, 2025-11-25 by the handshake."""
    from mcp import Client, StdioServerParameters

    guide = (ROOT / "docs" / "mcp.md").read_text()
    entry = json.loads(guide.split("```json\n")[1].split("```")[0])["mcpServers"]["soni"]
    environment = installation(tmp_path)
    server = StdioServerParameters(command=sys.executable, args=entry["args"], env=environment, cwd=str(ROOT))

    async def text_of(client: Any, tool: str, **arguments: Any) -> str:
        return str((await client.call_tool(tool, arguments)).content[0].text)

    async def check_and_talk() -> tuple[set[str], str, str, str, str]:
        async with Client(server) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            checked = await text_of(client, "check_flows", assistant="bank")
            refused = await text_of(client, "list_sessions")
            chat = json.loads(await text_of(client, "begin_draft_chat", assistant="bank"))["conversation"]
            said = await text_of(client, "say_in_draft_chat", conversation=chat, text="send 6000 to Lindqvist Marine")
            played = await text_of(client, "run_scenarios", assistant="bank", scenario=SCENARIO_TITLE)
            return tools, checked, refused, said, played

    async def check_by_handshake() -> str:
        async with Client(server, mode="legacy") as client:
            return await text_of(client, "check_flows", assistant="bank")

    tools, checked, refused, said, played = async_to_sync(check_and_talk)()

    first_cells = "".join(re.findall(r"(?m)^\| (`[^|]*)\|", guide.split("## Tools")[1]))
    assert tools == set(re.findall(r"`(\w+)`", first_cells)) - {"decide_session"}
    assert "0 errors" in checked
    assert "sessions:read" in refused
    assert "transfer_money" in said
    assert json.loads(played)["failed"] == 0, played
    assert json.loads(played)["played"] == 1, played
    assert async_to_sync(check_by_handshake)() == checked
