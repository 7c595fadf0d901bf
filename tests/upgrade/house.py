"""A server with the canteen, and everything that is done with it over HTTP: a verb each, which gives its status."""

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dialogue.conf import soni
from tests.support.processes.server import Server, wait_for

ASSISTANT = "canteen"
PEOPLE = ("ursula", "olga", "oscar", "sofia", "arthur", "audrey", "root")
SECRET_KEY = "a-key-for-recorded-databases-which-a-new-version-finds-unchanged"
ROOT = """
import hashlib
from django.contrib.auth.models import User
from dialogue.models import ApiToken
root = User.objects.create_superuser("root", password=None)
ApiToken.objects.create(user=root, name="test", sha256=hashlib.sha256(b"roots-token").hexdigest())
"""
"""Somebody who sees everything."""
Step = Sequence[Any]
"""A verb and its arguments, such as ["say", "yes"] or ["submit", "olga", "approve"]."""


def token_of(person: str) -> str:
    return f"{person}s-token"


class House(Server):
    """One server on a folder of data, with the canteen's actions beside the usual ones."""

    def __init__(self, data: Path) -> None:
        self.journal = data / "journal"
        self.links: list[str] = []
        super().__init__(
            data,
            SONI_ACTIONS=",".join([*soni.ACTIONS, "tests.upgrade.canteen_actions"]),
            SONI_SECRET_KEY=SECRET_KEY,
            SONI_DEPLOYMENT="embedded",
            DATABASE_URL="",
            NLU_EMBEDDED="off",
            NLU="auto",
            CANTEEN_JOURNAL=str(self.journal),
        )

    def effects(self, conversation: str) -> list[str]:
        """What happened in the world for a conversation since this server has its data."""
        lines = self.journal.read_text().splitlines() if self.journal.exists() else []
        return [line.split()[1] for line in lines if line.split()[0] == conversation]

    def get_page(self, path: str, session: str) -> str:
        """A page as a browser's session is shown it."""
        request = urllib.request.Request(self.url + path, headers={"Cookie": f"soni_session={session}"})
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=30) as answer:
            return str(answer.read().decode())

    def post_form(self, path: str, fields: dict[str, str], session: str = "") -> tuple[int, str]:
        """Send a page's form with a browser's session; the status, and where it leads or what it shows."""
        cookies = f"soni_csrf={'c' * 32}; soni_session={session}"
        request = urllib.request.Request(self.url + path, urllib.parse.urlencode(fields).encode(), method="POST")
        request.add_header("Cookie", cookies)
        request.add_header("X-CSRFToken", "c" * 32)
        try:
            with urllib.request.build_opener(_NoRedirect).open(request, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as answer:
            return answer.code, answer.headers.get("Location", "") or answer.read().decode()


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_args: Any) -> None:
        return None


@dataclass
class Talk:
    """One conversation, as its customer and the staff have it.

    `session` is the browser's session of the author whose test it is; `link` the way in that was mailed outside;
    `gate` the newest gate that was open.
    """

    house: House
    path: str
    token: str
    prefix: str
    session: str = ""
    link: str = ""
    gate: str = ""
    sent: int = 0

    @property
    def id(self) -> str:
        return self.path.rpartition("/")[2]

    def do(self, step: Step) -> Any:
        """Do one step; its status, or what it read."""
        verb, *arguments = step
        return getattr(self, verb)(*arguments)

    # ---- the customer ----

    def say(self, text: str) -> int:
        answer = self.house.post(f"{self.path}/messages", {"id": self._next_id(), "text": text}, self.token)
        return answer.status

    def say_again(self, text: str) -> int:
        """The last message once more, as a client does that got no answer."""
        body = {"id": f"{self.prefix}{self.sent}", "text": text}
        return self.house.post(f"{self.path}/messages", body, self.token).status

    def send(self, text: str) -> int:
        """Write without waiting for the answer."""
        body = {"id": self._next_id(), "text": text}
        return self.house.post(f"{self.path}/messages", body, self.token, Prefer="respond-async").status

    def wait(self) -> int:
        """Until what a start takes up by itself has been said."""
        self.settle(quiet=5.0)
        return 0

    # ---- staff ----

    def submit(self, person: str, action: str, values: dict[str, Any] | None = None, reason: str = "") -> int:
        """Decide the open gate; what was taken has been heard when this returns."""
        gate = self._open_gate(person)
        body = {"action": action, "values": values or {}, "reason": reason, "version": gate["version"]}
        status = self._of_gate(person, gate["name"], "submit", {**body, "idempotency_key": "k1"})
        if status == 201:
            self._heard(gate["name"])
        return status

    def submit_again(self, person: str, action: str, values: dict[str, Any] | None = None, reason: str = "") -> int:
        """The same key and body as before: the first answer comes back, and nothing is done."""
        body = {"action": action, "values": values or {}, "reason": reason, "idempotency_key": "k1"}
        return self._of_gate(person, self.gate, "submit", body)

    def submit_late(self, person: str, action: str) -> int:
        """Decide the newest gate, which may be over."""
        body = {"action": action, "values": {}, "idempotency_key": "late"}
        return self._of_gate(person, self.gate, "submit", body)

    def decide(self, person: str, action: str) -> int:
        """Decide the open gate, and wait for nothing."""
        gate = self._open_gate(person)
        body = {"action": action, "values": {}, "version": gate["version"], "idempotency_key": "k1"}
        return self._of_gate(person, gate["name"], "submit", body)

    def claim(self, person: str) -> int:
        return self._of_gate(person, self._open_gate(person)["name"], "claim", {})

    def keep_draft(self, person: str, values: dict[str, Any], action: str = "") -> int:
        return self._of_gate(person, self._open_gate(person)["name"], "draft", {"values": values, "action": action})

    def read_draft(self, person: str) -> Any:
        draft = self._open_gate(person)["draft"]
        return {name: draft[name] for name in ("values", "action")}

    def read_holder(self, person: str) -> Any:
        return self._open_gate(person)["assignee"]

    def expire(self, person: str, reason: str) -> int:
        gate = self._open_gate(person)["name"]
        return self._of_gate(person, gate, "expire", {"reason": reason}) + self._heard(gate)

    def tell(self, person: str, text: str) -> int:
        before = len(self.lines())
        status = self._of_gate(person, self._open_gate(person)["name"], "say", {"text": text})
        wait_for(lambda: len(self.lines()) > before)
        return status

    def hand_back(self, person: str) -> int:
        gate = self._open_gate(person)["name"]
        return self._of_gate(person, gate, "hand_back", {}) + self._heard(gate)

    def wait_until_escalated(self) -> str:
        wait_for(lambda: "session.escalated" in json.dumps(self._open_gate("root")["history"]))
        return "escalated"

    # ---- outside ----

    def find_link(self) -> int:
        """Read the mail that went out for the gate, and keep its way in."""
        mails = self.house.data / "mail"
        self.link = wait_for(lambda: next((link for link in _links_in(mails) if link not in self.house.links), ""))
        self.house.links.append(self.link)
        return 200

    def answer_link(self, action: str, reason: str = "") -> int:
        fields = {"action": action, "value.reason": reason, "key": "l1"}
        status, _page = self.house.post_form(f"/answer/{self.link}/", fields)
        if status == 200:
            self._heard(self.gate)
        return status

    # ---- the author's test console ----

    def try_line(self, text: str) -> int:
        before = len(self.lines())
        place = f"/test/{ASSISTANT}/{self.id}/say/"
        status, _body = self.house.post_form(place, {"id": self._next_id(), "text": text}, self.session)
        wait_for(lambda: len(self.lines()) > before + 1)
        return status

    def try_gate(self, action: str) -> int:
        before = len(self.lines())
        place = f"/test/{ASSISTANT}/{self.id}/gates/{self.find_gate()}/"
        status, _page = self.house.post_form(place, {"action": action, "key": "t1"}, self.session)
        wait_for(lambda: len(self.lines()) > before)
        return status

    # ---- what is to be read ----

    def lines(self) -> list[dict[str, Any]]:
        """The transcript."""
        answer = self.house.get(f"{self.path}/messages?after=0", self.token)
        return list(answer.body.get("messages", ()))

    def said(self) -> list[list[str]]:
        """Key and text of every line of the assistant."""
        return [[line["key"], line["text"]] for line in self.lines() if line["role"] == "assistant"]

    def standing(self) -> dict[str, Any]:
        """State, stack, and for what it waits."""
        view = self._view()
        pending = [[task["kind"], task["audience"]] for task in view["pending"]]
        return {"state": view["state"], "stack": view["stack"], "pending": pending}

    def find_gate(self) -> str:
        """The gate that is open, or was the last time that one was."""
        gates = [str(task["session"]) for task in self._view()["pending"] if task["audience"] == "staff"]
        self.gate = gates[-1] if gates else self.gate
        return self.gate

    def settle(self, lines: int = 0, quiet: float = 2.0, within: float = 30.0) -> None:
        """Wait until so many lines of the assistant are there, or else until nothing more comes."""
        until = time.monotonic() + within
        last, since = self.said(), time.monotonic()
        while len(last) < lines or (not lines and time.monotonic() - since < quiet):
            if time.monotonic() > until:
                return
            time.sleep(0.1)
            now = self.said()
            if now != last:
                last, since = now, time.monotonic()

    def _next_id(self) -> str:
        self.sent += 1
        return f"{self.prefix}{self.sent}"

    def _of_gate(self, person: str, gate: str, act: str, body: dict[str, Any]) -> int:
        return self.house.post(f"/api/v1/sessions/{gate}/{act}", body, token_of(person)).status

    def _open_gate(self, person: str) -> dict[str, Any]:
        card = self.house.get(f"/api/v1/sessions/{self.find_gate()}", token_of(person))
        return {"version": 1, **card.body, "name": self.gate}

    def _view(self) -> Any:
        return self.house.get(self.path, token_of("root")).body

    def _heard(self, gate: str) -> int:
        """Wait until the conversation went on after the decision; 0."""
        wait_for(lambda: self.house.get(f"/api/v1/sessions/{gate}", token_of("root")).body["delivery"] == "applied")
        return 0


def _links_in(mails: Path) -> list[str]:
    """The tokens in all mails that went out."""
    texts = [mail.read_text().replace("=\n", "") for mail in mails.glob("*")]
    return [text.partition("/answer/")[2].partition("/")[0] for text in texts if "/answer/" in text]
