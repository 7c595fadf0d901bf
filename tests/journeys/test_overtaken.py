"""An operator approves while the customer's correction is on its way; over HTTP and sockets, on both databases."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect

from tests.support.database.migrated import NAME, copy_migrated
from tests.support.journeys.banking import OLGA, PEOPLE, TRANSFER, approve, keys, only_gate, opened, say
from tests.support.processes.postgres import postgres_server
from tests.support.processes.server import Server, wait_for

pytestmark = pytest.mark.journey

SIGNED_IN = """
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
olga, session = User.objects.get(username="olga"), SessionStore()
session[SESSION_KEY], session[HASH_SESSION_KEY] = str(olga.pk), olga.get_session_auth_hash()
session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
session.create()
print(session.session_key)
"""
"""Prints the cookie of a browser in which Olga is signed in."""

CORRECTION = "change the amount to 777"


@contextmanager
def served(data: Path, database: str) -> Iterator[Server]:
    server = Server(
        data,
        SONI_ACTIONS="tests.support.journeys.held_nlu,dialogue.library.demo.library_actions",
        SLOW_BANK_LEDGER=str(data.parent / "effects"),
        HELD_NLU=str(data.parent),
        NLU_EMBEDDED="off",
        DATABASE_URL=database,
        SONI_DEPLOYMENT="embedded",
    )
    data.mkdir()
    if not database:
        copy_migrated(data / NAME)
    server.start()
    server.shell(PEOPLE)
    try:
        yield server
    finally:
        server.kill()


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def bank(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("bank") / "data"
    if request.param == "sqlite":
        with served(data, "") as server:
            yield server
    else:
        with postgres_server() as postgres, served(data, postgres.dsn) as server:
            yield server


class Understanding:
    """The understanding of the server's process, held and let go."""

    def __init__(self, folder: Path) -> None:
        self._hold, self._asked = folder / "hold", folder / "asked"

    def hold(self) -> None:
        self._asked.unlink(missing_ok=True)
        self._hold.touch()

    def wait_until_asked(self) -> None:
        wait_for(self._asked.exists)

    def let_go(self) -> None:
        self._hold.unlink(missing_ok=True)


@pytest.fixture
def understanding(bank: Server) -> Iterator[Understanding]:
    made = Understanding(bank.data.parent)
    yield made
    made.let_go()


@pytest.fixture(params=["running", "queued"])
def overtaken(
    request: pytest.FixtureRequest, bank: Server, understanding: Understanding
) -> tuple[str, str, str, dict[str, Any]]:
    """Path and token of a conversation, its gate, and what the operator's socket is told of it."""
    path, token = opened(bank)
    say(bank, path, token, 1, TRANSFER)
    say(bank, path, token, 2, "yes")
    gate, cookie = only_gate(bank), bank.shell(SIGNED_IN).split()[-1]

    async def race() -> dict[str, Any]:
        address = bank.url.replace("http", "ws", 1)
        async with connect(f"{address}/ws/inbox/", additional_headers={"Cookie": f"soni_session={cookie}"}) as inbox:
            understanding.hold()
            if request.param == "queued":
                write(bank, path, token, "m3", "hello")
            write(bank, path, token, "m4", CORRECTION)
            understanding.wait_until_asked()
            await asyncio.to_thread(approve, bank, gate)
            understanding.let_go()
            async with asyncio.timeout(60):
                while True:
                    frame: dict[str, Any] = json.loads(await inbox.recv())
                    if frame["type"] == "session.overtaken":
                        return frame

    return path, token, gate, asyncio.run(race())


def write(bank: Server, path: str, token: str, name: str, text: str) -> None:
    answer = bank.post(f"{path}/messages", {"id": name, "text": text}, token, Prefer="respond-async")
    assert answer.status == 202, answer.body


def test_an_overtaken_decision_is_told_to_the_operator_and_is_no_error_for_the_customer(
    bank: Server, overtaken: tuple[str, str, str, dict[str, Any]]
) -> None:
    path, token, gate, frame = overtaken
    wait_for(lambda: keys(bank, path, token)[-1] == "confirm:transfer_money")
    say(bank, path, token, 5, "yes")

    again = only_gate(bank)
    card = bank.get(f"/api/v1/sessions/{gate}", OLGA).body
    assert frame["text"].startswith("The customer changed the amount meanwhile")
    assert (card["state"], card["delivery"]) == ("submitted", "overtaken")
    assert card["overtaken"]["next"] == again
    assert card["overtaken"]["text"].endswith(f"It is asked again as {again}.")
    assert "error" not in keys(bank, path, token)
    assert sent(bank, path) == 0

    approve(bank, again)

    wait_for(lambda: keys(bank, path, token)[-1] == "say:done")
    assert sent(bank, path) == 1
    assert bank.manage("verify_invariants")
    assert bank.manage("verify_audit")
    assert incidents(bank) == 0


def sent(bank: Server, path: str) -> int:
    """How often money went out for this conversation; the keys of its actions begin with its id."""
    lines = (bank.data.parent / "effects").read_text().splitlines()
    return sum(line.startswith(f"send_money {path.rpartition('/')[2]}/") for line in lines)


def incidents(bank: Server) -> int:
    """What an alarm would count."""
    code = "from dialogue.models import Event; print(Event.objects.filter(state='incident').count())"
    return int(bank.shell(code).split()[-1])
