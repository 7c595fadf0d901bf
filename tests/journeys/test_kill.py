"""The server is killed by -9, while a gate waits and while a turn runs; nothing is lost, and the money goes once."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server import Server, wait_for

pytestmark = pytest.mark.journey

TRANSFER = "send 6000 to Lindqvist Marine, DE89370400440532013000"
OLGA = "olgas-token"
URSULA = "ursulas-token"

PEOPLE = f"""
import hashlib
from django.contrib.auth.models import Group, User
from dialogue.models import ApiToken
for name, token in (("olga", "{OLGA}"), ("ursula", "{URSULA}")):
    user = User.objects.get(username=name)
    ApiToken.objects.create(user=user, name="test", sha256=hashlib.sha256(token.encode()).hexdigest())
"""


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[Server]:
    """A new bank with a customer's door and Olga's token."""
    server = Server(
        tmp_path / "data",
        SONI_ACTIONS="tests.journeys.slow_bank,dialogue.library.demo.library_actions",
        SLOW_BANK_LEDGER=str(tmp_path / "effects"),
        SLOW_BANK_SECONDS="1.5",
    )
    server.start()
    server.shell(PEOPLE)
    yield server
    server.kill()


def effects(server: Server) -> list[str]:
    """What happened in the outside world, in order."""
    ledger = server.data.parent / "effects"
    return [line.split()[0] for line in ledger.read_text().splitlines()] if ledger.exists() else []


def opened(server: Server) -> tuple[str, str]:
    """A new conversation with the bank: its path and its token."""
    made = server.post("/api/v1/conversations", {"assistant": "bank"}, URSULA)
    assert made.status == 201, made.body
    return f"/api/v1/conversations/{made.body['id']}", made.body["token"]


def say(server: Server, path: str, token: str, number: int, text: str) -> Any:
    answer = server.post(f"{path}/messages", {"id": f"m{number}", "text": text}, token)
    assert answer.status == 200, answer.body
    return answer.body


def gate(server: Server) -> dict[str, Any]:
    """The one gate that is open, as Olga sees it."""
    listed = server.get("/api/v1/sessions?audience=staff&state=open", OLGA)
    assert len(listed.body["sessions"]) == 1, listed.body
    found: dict[str, Any] = server.get(f"/api/v1/sessions/{listed.body['sessions'][0]['name']}", OLGA).body
    return found


def approve(server: Server) -> None:
    open_gate = gate(server)
    answer = server.post(
        f"/api/v1/sessions/{open_gate['name']}/submit",
        {"action": "approve", "values": {}, "version": open_gate["version"], "idempotency_key": "k1"},
        OLGA,
    )
    assert answer.status == 201, answer.body


def keys(server: Server, path: str, token: str) -> list[str]:
    listed = server.get(f"{path}/messages?after=0", token).body["messages"]
    return [message["key"] for message in listed if message["role"] == "assistant"]


def test_a_gate_outlives_the_process_and_the_money_goes_once(bank: Server) -> None:
    path, token = opened(bank)
    say(bank, path, token, 1, TRANSFER)
    say(bank, path, token, 2, "yes")
    bank.kill()
    bank.start()

    approve(bank)

    wait_for(lambda: "say:done" in keys(bank, path, token))
    assert effects(bank) == ["check_payee", "send_money"]
    assert bank.manage("verify_invariants")


def test_a_turn_that_was_cut_off_is_run_again_after_the_start(bank: Server) -> None:
    path, token = opened(bank)
    answer = bank.post(f"{path}/messages", {"id": "m1", "text": TRANSFER}, token, Prefer="respond-async")
    assert answer.status == 202, answer.body
    wait_for(lambda: effects(bank) == ["check_payee"])
    bank.kill()
    bank.start()

    wait_for(lambda: keys(bank, path, token) == ["confirm:transfer_money"])
    say(bank, path, token, 2, "yes")
    approve(bank)

    wait_for(lambda: "say:done" in keys(bank, path, token))
    assert effects(bank) == ["check_payee", "check_payee", "send_money"]
    assert bank.manage("verify_invariants")
