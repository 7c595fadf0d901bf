"""The product in a process of its own with its people: what the browser tests share. Each test brings its own gate."""

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from tests.support.database.migrated import NAME, copy_migrated
from tests.support.processes.server import Answer, Server

SIGN_IN = """
import hashlib, json
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import Permission, User
from django.contrib.sessions.backends.db import SessionStore
from dialogue.models import ApiToken, Preference
User.objects.get(username="audrey").user_permissions.add(Permission.objects.get(codename="unmask_conversation"))
keys = {}
for user in User.objects.all():
    Preference.objects.update_or_create(user=user, defaults={"skips_gate_tour": True})
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    keys[user.username] = session.session_key
    sha256 = hashlib.sha256(f"token-of-{user.username}".encode()).hexdigest()
    ApiToken.objects.get_or_create(user=user, name="browser tests", sha256=sha256)
print(json.dumps(keys))
"""

ACCOUNT = "DE89370400440532013000"


@dataclass(frozen=True)
class Case:
    """A conversation of Ursula's and the gate that it waits at."""

    conversation: str
    token: str
    gate: str

    @property
    def page(self) -> str:
        return f"/gates/{self.gate}/"

    @property
    def desk(self) -> str:
        """The page of a chat that was handed over."""
        return f"/inbox/{self.gate}/"

    @property
    def story(self) -> str:
        return f"/conversations/{self.conversation}/"


class House:
    """One server with the demo, and everybody signed in."""

    def __init__(self, data: Path) -> None:
        self.server = Server(data)
        self.cookies: dict[str, str] = {}
        self.passwords: dict[str, str] = {}
        self._numbers = count(1)

    @property
    def url(self) -> str:
        return self.server.url

    def open(self) -> None:
        """Start the server and sign everybody in."""
        copy_migrated(self.server.data / NAME)
        self.passwords = _passwords(self.server.start())
        self.sign_in()

    def sign_in(self) -> None:
        """A session for everybody who has an account now."""
        self.cookies = json.loads(self.server.shell(SIGN_IN))

    def conversation(self, assistant: str = "bank", **facts: Any) -> tuple[str, str]:
        """A new conversation of Ursula's, or of a guest of this `user_ref`; its id and its token."""
        who = "" if "user_ref" in facts else token_of("ursula")
        made = self.server.post("/api/v1/conversations", {"assistant": assistant, **facts}, who)
        assert made.status == 201, made.body
        return made.body["id"], made.body["token"]

    def say(self, conversation: str, token: str, text: str) -> Any:
        """One message of the customer's; the answer's body."""
        body = {"id": f"message-{next(self._numbers)}", "text": text}
        answer = self.server.post(f"/api/v1/conversations/{conversation}/messages", body, token)
        assert answer.status == 200, answer.body
        return answer.body

    def transfer(self, beneficiary: str = "Lindqvist Marine", assistant: str = "bank") -> Case:
        """A transfer of 6,000 that waits for a colleague."""
        conversation, token = self.conversation(assistant)
        self.say(conversation, token, f"send 6000 to {beneficiary}, {ACCOUNT}")
        answer = self.say(conversation, token, "yes")
        gates = [session["session"] for session in answer["pending"] if session["audience"] == "staff"]
        assert len(gates) == 1, answer
        return Case(conversation, token, gates[0])

    def chat(self, assistant: str = "bank", first: str = "send 6000 to Lindqvist Marine", **facts: Any) -> Case:
        """A chat in the middle of a flow that waits for a person."""
        conversation, token = self.conversation(assistant, **facts)
        self.say(conversation, token, first)
        answer = self.say(conversation, token, "I want to talk to a person")
        waiting = [session["session"] for session in answer["pending"] if session["kind"] == "handoff"]
        assert len(waiting) == 1, answer
        return Case(conversation, token, waiting[0])

    def decide(
        self, case: Case, action: str, who: str = "oscar", values: Mapping[str, Any] | None = None, reason: str = ""
    ) -> Answer:
        """What a colleague in another place answers."""
        path = f"/api/v1/sessions/{case.gate}"
        seen = self.server.get(path, token_of(who)).body
        sent = dict(values or {}) | ({"reason": reason} if reason else {})
        body = {"action": action, "values": sent, "version": seen["version"], "idempotency_key": f"{case.gate}-{who}"}
        return self.server.post(f"{path}/submit", body, token_of(who))

    def run_out(self) -> None:
        """The time of every open gate is over now; the next sweep finds that."""
        with closing(sqlite3.connect(self.server.data / "soni.sqlite3", timeout=20)) as database, database:
            database.execute(
                "UPDATE dialogue_hitlsession SET expires_at = datetime('now') "
                "WHERE decided_at IS NULL AND audience = 'staff' AND expires_at IS NOT NULL"
            )

    def clear(self) -> None:
        """End every conversation that waits for a colleague."""
        sofia = token_of("sofia")
        for state in ("open", "claimed"):
            listed = self.server.get(f"/api/v1/sessions?audience=staff&state={state}&limit=100", sofia).body
            for conversation in {each["conversation"] for each in listed["sessions"]}:
                self.server.post(f"/api/v1/conversations/{conversation}/cancel", {"reason": "cleared"}, sofia)


def token_of(who: str) -> str:
    return f"token-of-{who}"


def _passwords(printed: str) -> dict[str, str]:
    """What `up` printed of the demo's people: a name, a password and a part a line."""
    words = [line.split() for line in printed.splitlines() if line.startswith("    ")]
    return {line[0]: line[1] for line in words if len(line) > 2}
