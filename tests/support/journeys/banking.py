"""A customer and an operator of the bank, over HTTP, with whoever serves it."""

from pathlib import Path
from typing import Any

from tests.support.processes.server import Client

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


def effects(ledger: Path) -> list[str]:
    """What happened in the outside world, in order."""
    return [line.split()[0] for line in ledger.read_text().splitlines()] if ledger.exists() else []


def opened(server: Client) -> tuple[str, str]:
    """A new conversation with the bank: its path and its token."""
    made = server.post("/api/v1/conversations", {"assistant": "bank"}, URSULA)
    assert made.status == 201, made.body
    return f"/api/v1/conversations/{made.body['id']}", made.body["token"]


def say(server: Client, path: str, token: str, number: int, text: str) -> Any:
    answer = server.post(f"{path}/messages", {"id": f"m{number}", "text": text}, token)
    assert answer.status == 200, answer.body
    return answer.body


def only_gate(server: Client) -> str:
    """The name of the one gate that is open."""
    listed = server.get("/api/v1/sessions?audience=staff&state=open", OLGA)
    assert len(listed.body["sessions"]) == 1, listed.body
    return str(listed.body["sessions"][0]["name"])


def approve(server: Client, name: str = "") -> None:
    """Approve this gate, or the only one, as Olga."""
    open_gate = server.get(f"/api/v1/sessions/{name or only_gate(server)}", OLGA).body
    answer = server.post(
        f"/api/v1/sessions/{open_gate['name']}/submit",
        {"action": "approve", "values": {}, "version": open_gate["version"], "idempotency_key": "k1"},
        OLGA,
    )
    assert answer.status == 201, answer.body


def keys(server: Client, path: str, token: str) -> list[str]:
    listed = server.get(f"{path}/messages?after=0", token).body["messages"]
    return [message["key"] for message in listed if message["role"] == "assistant"]
