"""Customers and an operator of the shop, who keep their own account of what they were told."""

import http.client
import json
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from campaigns.support.outside import Outside
from campaigns.support.shop import CALL, CLAIM, ENDS, FILE, NOTE, ORDER
from tests.support.processes.server import Answer

CUSTOMERS = 6
MOST_OPEN = 45
PATIENCE = 1.0
"""Seconds that a customer waits for an answer before turning to another conversation."""

SETTLES = timedelta(seconds=1)
"""How old a question must be before the operator believes what the world outside says."""


BOUNDARY = "end-of-part"


class NoServerAnswered(Exception):
    """No server answered before the campaign was over."""


@dataclass
class Talk:
    """One conversation as its customer knows it: what was said, and up to where it was acknowledged."""

    lines: tuple[tuple[str, str], ...]
    conversation: str = ""
    token: str = ""
    place: int = 0
    said: list[tuple[str, str]] = field(default_factory=list)
    read: dict[int, str] = field(default_factory=dict)
    """Every line that was ever read here, by its number."""
    reported: bool = False
    """Whether a server has acknowledged that something was posted."""
    early: bool = False
    """Whether a line was read before what the turn said after its action."""
    over: bool = False


@dataclass
class ShopUsers:
    """Customers and an operator who use the shop while its servers are killed."""

    ports: list[int]
    outside: Outside
    random: Random
    talks: list[Talk] = field(default_factory=list)
    decided: dict[str, str] = field(default_factory=dict)
    receipts: dict[str, str] = field(default_factory=dict)
    """The receipt that staff sent with their decision, by conversation."""
    failures: list[str] = field(default_factory=list)
    closing: bool = False
    _parked: "deque[Talk]" = field(default_factory=deque)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _ended: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def open(self) -> None:
        works = [self._shop] * CUSTOMERS + [self._decide]
        self._threads = [threading.Thread(target=work, daemon=True) for work in works]
        for thread in self._threads:
            thread.start()

    def close(self, within: float) -> bool:
        """Start no new conversations; whether each one came to its end in time."""
        self.closing = True
        until = time.monotonic() + within
        while not all(talk.over for talk in self.talks) and time.monotonic() < until:
            time.sleep(0.1)
        self._ended.set()
        for thread in self._threads:
            thread.join(timeout=10)
        return all(talk.over for talk in self.talks)

    # ---- customers ----

    def _shop(self) -> None:
        while not self._ended.is_set():
            talk = self._next()
            if talk is None:
                time.sleep(0.05)
                continue
            try:
                talk.over = self._go_on(talk)
            except NoServerAnswered:
                return
            if not talk.over:
                self._parked.append(talk)

    def _next(self) -> Talk | None:
        """A conversation that was left waiting, or a new one while there is room."""
        with self._lock:
            waiting = sum(not talk.over for talk in self.talks)
            if self._parked and (self.closing or waiting >= MOST_OPEN or self.random.random() < 0.3):
                return self._parked.popleft()
            if self.closing or waiting >= MOST_OPEN:
                return None
            talk = Talk(self.random.choice((ORDER, ORDER, NOTE, CALL, CLAIM)))
            self.talks.append(talk)
            return talk

    def _go_on(self, talk: Talk) -> bool:
        """Say what is next, as long as there are answers; whether the conversation came to its end."""
        if not talk.conversation:
            made = self.ask("POST", "/api/v1/conversations", "ursula", {"assistant": "shop"}, (201,)).body
            talk.conversation, talk.token = made["id"], made["token"]
        while talk.place < len(talk.lines):
            if len(talk.said) == talk.place:
                self._say(talk)
            answers = [key for _, key in talk.lines[: talk.place + 1]]
            heard = self._hears(talk, {answers[-1]}, answers.count(answers[-1]))
            if heard in ENDS:
                return True
            if not heard:
                return False
            talk.place += 1
        if talk.lines == CALL and not talk.reported:
            if not self._hears(talk, {"say:called"}):
                return False
            self._report(talk)
        return self._hears(talk, set()) in ENDS

    def _say(self, talk: Talk) -> None:
        """Send the line under its one id until a server says that it has it."""
        line = talk.lines[talk.place][0]
        text = line.format(number=self.random.randrange(10**6))
        if line == FILE:
            self._send_file(talk, text)
            return
        body = {"id": f"m{talk.place}", "text": text}
        self.ask("POST", self._path(talk), talk.token, body, (200, 202), Prefer="respond-async")
        talk.said.append((body["id"], text))

    def _send_file(self, talk: Talk, name: str) -> None:
        """Send a file whose content is its name, under its one id, until a server says that it has it."""
        client_id = f"m{talk.place}"
        path = f"/api/v1/conversations/{talk.conversation}/files"
        head = {"Prefer": "respond-async", "Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
        self.ask("POST", path, talk.token, _multipart("id", client_id, name), (200, 202), **head)
        talk.said.append((client_id, name))

    def _report(self, talk: Talk) -> None:
        """Report under one id that something was posted, until a server says that it knows."""
        body = {"id": "posted", "event": "posted", "payload": {"digits": talk.said[-1][1]}}
        path = f"/api/v1/conversations/{talk.conversation}/events"
        self.ask("POST", path, "olga", body, (200, 202), Prefer="respond-async")
        talk.reported = True

    def _hears(self, talk: Talk, wanted: set[str], times: int = 1) -> str:
        """The key of the answer that was waited for, or of the conversation's end; "" when neither comes."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            listed = self.ask("GET", f"{self._path(talk)}?after=0", talk.token, None, (200,)).body["messages"]
            keys = [line["key"] for line in listed if line["role"] == "assistant"]
            self._read(talk, listed)
            talk.early = talk.early or keys[-1:] in (["say:looking"], ["say:charging"])
            found = next((key for key in keys if key in ENDS), "")
            found = found or next((key for key in keys if key in wanted and keys.count(key) >= times), "")
            if found:
                return str(found)
            time.sleep(0.08)
        return ""

    def _read(self, talk: Talk, listed: list[dict[str, Any]]) -> None:
        """What was read once stays as it was."""
        for line in listed:
            text = talk.read.setdefault(line["seq"], line["text"])
            if text != line["text"]:
                self.failures.append(f"{talk.conversation}: line {line['seq']} was {text!r}, now {line['text']!r}")

    @staticmethod
    def _path(talk: Talk) -> str:
        return f"/api/v1/conversations/{talk.conversation}/messages"

    # ---- the operator ----

    def _decide(self) -> None:
        while not self._ended.is_set():
            try:
                for gate in self._gates():
                    self._answer(gate)
            except NoServerAnswered:
                return
            time.sleep(0.15)

    def _gates(self) -> Iterator[dict[str, Any]]:
        for flow in ("order", "claim"):
            path = f"/api/v1/sessions?audience=staff&state=open&flow={flow}&limit=50"
            yield from self.ask("GET", path, "olga", None, (200,)).body["sessions"]

    def _answer(self, gate: dict[str, Any]) -> None:
        if gate["step"] == "check":
            return self._send_receipt(gate)
        action = "approve" if gate["step"] == "approval" else self._found_out(gate)
        if action:
            results = {"reference": "found outside"} if action == "happened" else {}  # the flow's last line names it
            self._submit(gate, action, results)

    def _send_receipt(self, gate: dict[str, Any]) -> None:
        """Send a file for the form, now and then one too many; save a draft that names it, and decide with it."""
        receipt = f"receipt-{gate['name']}.txt"
        if self.random.random() < 0.3:
            self._send_for_form(gate, f"scrap-{gate['name']}.txt")
        values = {"receipt": self._send_for_form(gate, receipt)}
        path = f"/api/v1/sessions/{gate['name']}"
        self.ask("POST", f"{path}/draft", "olga", {"values": values, "action": "accept"}, (200, 409))
        self._submit(gate, "accept", values)
        self.receipts[gate["conversation"]] = receipt

    def _send_for_form(self, gate: dict[str, Any], name: str) -> str:
        """Send a file whose content is its name; its id, once a server says that it has it."""
        head = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
        path = f"/api/v1/sessions/{gate['name']}/files"
        answer = self.ask("POST", path, "olga", _multipart("field", "receipt", name), (201,), **head)
        return str(answer.body["files"][0]["id"])

    def _submit(self, gate: dict[str, Any], action: str, values: dict[str, Any]) -> None:
        body = {"action": action, "values": values, "idempotency_key": f"once-{gate['name']}"}
        sent = self.ask("POST", f"/api/v1/sessions/{gate['name']}/submit", "olga", body, (200, 201, 409))
        if sent.status == 409:
            self.failures.append(f"{gate['name']} was refused to the only operator: {sent.body.get('detail')}")
        self.decided[gate["name"]] = action

    def _found_out(self, gate: dict[str, Any]) -> str:
        """Whether the charge happened, by the account of the world outside."""
        if datetime.now(UTC) - datetime.fromisoformat(gate["opened_at"]) < SETTLES:
            return ""
        done = self.outside.done_at(f"{gate['conversation']}/") - self._repeatable(gate)
        return "happened" if done else "try_again"

    def _repeatable(self, gate: dict[str, Any]) -> int:
        steps = (f"{gate['conversation']}/order-1/{step}/" for step in ("reserve", "pack"))
        return sum(map(self.outside.done_at, steps))

    # ---- the wire ----

    def ask(
        self,
        method: str,
        path: str,
        token: str,
        body: Mapping[str, Any] | bytes | None,
        wanted: tuple[int, ...],
        **head: str,
    ) -> Answer:
        """The first answer with a wanted status, from whichever server lives; asked again until there is one."""
        while not self._ended.is_set():
            text = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
            headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}", **head}
            answer = _once(self.random.choice(self.ports), (method, path, text, headers))
            if answer is not None and answer.status in wanted:
                return answer
            if answer is not None and answer.status not in (429, 500, 502, 503):
                self.failures.append(f"{method} {path}: {answer.status} {answer.body}"[:300])
                time.sleep(0.5)
            time.sleep(0.04)
        raise NoServerAnswered


def _multipart(field: str, value: str, name: str) -> bytes:
    """A form with one field, and a text file whose content is its name."""
    head = "Content-Disposition: form-data; name="
    parts = (f'{head}"{field}"\r\n\r\n{value}', f'{head}"file"; filename="{name}"\r\n\r\n{name}')
    return "".join([*(f"--{BOUNDARY}\r\n{part}\r\n" for part in parts), f"--{BOUNDARY}--\r\n"]).encode()


def _once(port: int, request: tuple[str, str, bytes | None, dict[str, str]]) -> Answer | None:
    wire = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        wire.request(*request)
        answer = wire.getresponse()
        return Answer(answer.status, json.loads(answer.read() or b"{}"))
    except (OSError, http.client.HTTPException, ValueError):
        return None  # whoever was asked has died, or is not born yet
    finally:
        wire.close()
