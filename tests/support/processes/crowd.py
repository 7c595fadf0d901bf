"""Clients that write to the bank over HTTP until they are told to stop, and know what was acknowledged."""

import http.client
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.support.processes.server import Answer, Client

Say = Callable[[int], str]


@dataclass
class Line:
    """A conversation and what the server acknowledged of it."""

    path: str
    token: str
    acknowledged: list[str] = field(default_factory=list)


@dataclass
class Crowd:
    """Clients, each in a thread of its own. A request that gets no answer counts for nothing."""

    port: int
    token: str
    say: Say
    lines: list[Line] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    _ended: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def start(self, clients: int) -> None:
        self._threads = [threading.Thread(target=self._live, daemon=True) for _ in range(clients)]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join(timeout=60)

    @property
    def acknowledged(self) -> int:
        """How many messages the server has promised to keep."""
        return sum(len(line.acknowledged) for line in list(self.lines))

    def _live(self) -> None:
        while not self._ended.is_set():
            made = self._ask("POST", "/api/v1/conversations", self.token, {"assistant": "bank"})
            if made is not None and made.status == 201:
                line = Line(f"/api/v1/conversations/{made.body['id']}", made.body["token"])
                self.lines.append(line)
                self._talk(line)
            else:
                self._ended.wait(0.05)

    def _talk(self, line: Line) -> None:
        for number in range(3):
            if self._ended.is_set():
                return
            name = f"m{number}"
            body = {"id": name, "text": self.say(number)}
            sent = self._ask("POST", f"{line.path}/messages", line.token, body, Prefer="respond-async")
            if sent is not None and sent.status in (200, 202):
                line.acknowledged.append(name)

    def _ask(self, method: str, path: str, token: str, body: dict[str, Any], **headers: str) -> Answer | None:
        wire = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        head = {"Content-Type": "application/json", "Authorization": f"Bearer {token}", **headers}
        try:
            wire.request(method, path, json.dumps(body), head)
            answer = wire.getresponse()
            made = Answer(answer.status, json.loads(answer.read() or b"{}"))
        except (OSError, http.client.HTTPException, ValueError):
            return None
        finally:
            wire.close()
        self.answers.append(made.status)
        if made.status >= 500 and made.status != 503:
            self.failures.append(f"{method} {path}: {made.status} {made.body}"[:300])
        return made


def lost(server: Client, lines: list[Line]) -> list[str]:
    """The acknowledged messages that are not in their transcript once, or that no line of the assistant follows."""
    return [f"{line.path}: {each}" for line in lines for each in _lost_of(server, line)]


def _lost_of(server: Client, line: Line) -> list[str]:
    """Several messages may wait for one turn each; each has its answer, so there are as many as messages."""
    said = server.get(f"{line.path}/messages?after=0&limit=100", line.token).body["messages"]
    users = [message for message in said if message["role"] == "user"]
    answers = [message for message in said if message["role"] == "assistant"]
    wrong = [] if len(users) >= len(line.acknowledged) else [f"{len(line.acknowledged)} accepted, {len(users)} kept"]
    if users and (not answers or answers[-1]["seq"] < users[-1]["seq"]):
        wrong.append("the last message has no answer")
    return wrong
