"""Customers correct the amount while operators decide, and the server is ended by TERM and by -9: what is paid out is
what was approved, and nothing is an incident."""

import http.client
import json
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from campaigns.support.busy_bank import BusyBank, busy_bank
from campaigns.support.campaign import Campaign, Tally
from tests.support.processes.server import Answer, wait_for

CUSTOMERS, OPERATORS = 12, 3
MAX_CORRECTIONS = 3
TERM_SECONDS = 10.0
"""Within which a process that was told to end has ended."""

LIFE_SECONDS = 4.0, 8.0
"""How long a server lives, at least and at most."""

MAX_AGE_SECONDS = 1.5
RACE_SECONDS = 180.0
"""Within which a decision meets a correction, on a slow machine too."""

REST_SECONDS = 120.0
SETTLED = timedelta(seconds=1)
"""How old a question about an action must be before an operator believes the books."""

ENDS = frozenset({"say:done", "say:refused", "say:later"})

DECIDED = """
import json
from dialogue.models import ActionRun, Event, HITLSession
gates = HITLSession.objects.filter(audience="staff", step="approval")
amounts = {
    f"{gate.conversation_id}": [shown["value"] for shown in gate.shown if shown["name"] == "amount"][0]
    for gate in gates.filter(handle="approve", delivery="applied")
}
print(json.dumps({
    "approved": amounts,
    "deliveries": {each: gates.filter(delivery=each).count() for each in ("applied", "overtaken", "incident")},
    "incidents": Event.objects.filter(state="incident").count(),
    "due": Event.objects.filter(state="due").count(),
}))
"""
"""What each conversation's approved gate showed, and what became of all decisions."""


class NoAnswer(Exception):
    """No server answered before the campaign was over."""


@dataclass
class People:
    """The bank's people: each keeps an account of what was acknowledged."""

    bank: BusyBank
    random: Random
    closing: bool = False
    acknowledged: dict[str, int] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    over: set[str] = field(default_factory=set)
    decided: list[str] = field(default_factory=list)
    ages: dict[str, float] = field(default_factory=dict)
    """How old a gate has to be, in seconds, before somebody decides it; so customers find time to correct."""
    failures: list[str] = field(default_factory=list)
    _ended: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def open(self) -> None:
        works = [self._shop] * CUSTOMERS + [self._decide] * OPERATORS
        self._threads = [threading.Thread(target=work, args=(place,), daemon=True) for place, work in enumerate(works)]
        for thread in self._threads:
            thread.start()

    def close(self) -> bool:
        """Let no conversation begin any more; whether all came to their end in time."""
        self.closing = True
        until = time.monotonic() + REST_SECONDS
        while len(self.over) < len(self.tokens) and time.monotonic() < until:
            time.sleep(0.1)
        self._ended.set()
        for thread in self._threads:
            thread.join(timeout=40)
        return len(self.over) == len(self.tokens)

    def saw_race(self) -> bool:
        """Whether a decision was overtaken by now."""
        gates = (self.ask("GET", f"/api/v1/sessions/{name}", "sofia", None, (200,)) for name in list(self.decided))
        return any(gate.body["delivery"] == "overtaken" for gate in gates)

    # ---- customers ----

    def _shop(self, _place: int) -> None:
        try:
            while not self.closing:
                self._transfer()
        except NoAnswer:
            return

    def _transfer(self) -> None:
        made = self.ask("POST", "/api/v1/conversations", "ursula", {"assistant": "bank"}, (201,)).body
        chat, path = made["id"], f"/api/v1/conversations/{made['id']}/messages"
        self.acknowledged[chat], self.tokens[chat] = 0, made["token"]
        self._say(chat, f"send {self._amount()} to Lindqvist Marine, DE89370400440532013000")
        seen, corrections = 0, 0
        while True:
            listed = self.ask("GET", f"{path}?after={seen}&limit=100", made["token"], None, (200,)).body["messages"]
            keys = [line["key"] for line in listed if line["role"] == "assistant"]
            seen = listed[-1]["seq"] if listed else seen
            if "error" in keys:
                self.failures.append(f"{chat} was told of an error")
            if ENDS & set(keys):
                self.over.add(chat)
                return
            if "confirm:transfer_money" in keys:
                self._say(chat, "yes")
            elif any(key.startswith("waiting:") for key in keys) and corrections < MAX_CORRECTIONS:
                corrections += 1
                self._correct(chat)
            time.sleep(0.05)

    def _correct(self, chat: str) -> None:
        """At some moment of the operator's; what is said before keeps the correction waiting for its turn."""
        if self.random.random() < 0.6:
            time.sleep(self.random.uniform(0.0, 0.3))
            for _ in range(self.random.randrange(4)):
                self._say(chat, "hello")
            self._say(chat, f"change the amount to {self._amount()}")

    def _amount(self) -> int:
        return self.random.randrange(5001, 50000)

    def _say(self, chat: str, text: str) -> None:
        """Send it under one id until a server says that it has it."""
        body = {"id": f"m{self.acknowledged[chat]}", "text": text}
        path = f"/api/v1/conversations/{chat}/messages"
        self.ask("POST", path, self.tokens[chat], body, (200, 202), Prefer="respond-async")
        self.acknowledged[chat] += 1

    # ---- operators ----

    def _decide(self, place: int) -> None:
        who = f"racer-{place - CUSTOMERS}"
        path = "/api/v1/sessions?audience=staff&state=open&limit=50"
        try:
            while not self._ended.is_set():
                for gate in self.ask("GET", path, who, None, (200,)).body["sessions"]:
                    self._answer(gate, who)
                time.sleep(self.random.uniform(0.05, 0.2))
        except NoAnswer:
            return

    def _answer(self, gate: dict[str, Any], who: str) -> None:
        body = self._approval(gate) if gate["step"] == "approval" else self._finding(gate)
        if body is not None:
            body = {"values": {}, "version": gate["version"], "idempotency_key": f"{who}-{gate['name']}", **body}
            path = f"/api/v1/sessions/{gate['name']}/submit"
            sent = self.ask("POST", path, who, body, (200, 201, 403, 409, 410))
            if sent.status == 201:
                self.decided.append(gate["name"])

    def _approval(self, gate: dict[str, Any]) -> dict[str, Any] | None:
        age = datetime.now(UTC) - datetime.fromisoformat(gate["opened_at"])
        if age.total_seconds() < self.ages.setdefault(gate["name"], self.random.uniform(0.0, MAX_AGE_SECONDS)):
            return None
        if self.random.random() < 0.1:
            return {"action": "reject", "reason": "not plausible"}
        return {"action": "approve"}

    def _finding(self, gate: dict[str, Any]) -> dict[str, Any] | None:
        """Whether the money went out, by the books of the world outside."""
        if datetime.now(UTC) - datetime.fromisoformat(gate["opened_at"]) < SETTLED:
            return None
        if any(chat == gate["conversation"] for chat, _amount in self.paid()):
            return {"action": "happened", "values": {"reference": "TR-1"}}
        return {"action": "try_again"}

    def paid(self) -> Iterator[tuple[str, str]]:
        """Each payment that left the house: its conversation and its amount."""
        for line in self.bank.effects.read_text().splitlines() if self.bank.effects.exists() else []:
            name, key, *facts = line.split()
            if name == "send_money" and facts:
                yield key.partition("/")[0], facts[0]

    # ---- the wire ----

    def ask(
        self, method: str, path: str, token: str, body: dict[str, Any] | None, wanted: tuple[int, ...], **head: str
    ) -> Answer:
        """The first answer with a wanted status; asked again while the server is away, busy or about to end."""
        while not self._ended.is_set():
            answer = self._once(method, path, token, body, head)
            if answer is not None and answer.status in wanted:
                return answer
            if answer is not None and answer.status not in (429, 503):
                self.failures.append(f"{method} {path}: {answer.status} {answer.body}"[:300])
                time.sleep(0.5)
            time.sleep(0.05)
        raise NoAnswer

    def _once(
        self, method: str, path: str, token: str, body: dict[str, Any] | None, head: dict[str, str]
    ) -> Answer | None:
        wire = http.client.HTTPConnection("127.0.0.1", self.bank.server.port, timeout=10)
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}", **head}
        try:
            wire.request(method, path, json.dumps(body) if body is not None else None, headers)
            answer = wire.getresponse()
            return Answer(answer.status, json.loads(answer.read() or b"{}"))
        except (OSError, http.client.HTTPException, ValueError):
            return None
        finally:
            wire.close()


def _run(size: int, chance: int, tally: Tally) -> None:
    random = Random(chance)
    with busy_bank(NLU_EMBEDDED="off", SONI_LOG_LEVEL="ERROR") as bank:
        people = People(bank, random)
        people.open()
        for place in range(size):
            time.sleep(random.uniform(*LIFE_SECONDS))
            _end(bank, place, tally)
            bank.server.start()
        wait_for(people.saw_race, within=RACE_SECONDS)
        if not people.close():
            tally.failures.append(f"{len(people.tokens) - len(people.over)} conversations came to no end")
        tally.failures += people.failures
        _compare(bank, people, tally)


def _end(bank: BusyBank, place: int, tally: Tally) -> None:
    """TERM and -9 in turns."""
    if place % 2:
        bank.server.kill()
        tally.count("killed by -9")
        return
    began = time.monotonic()
    status = bank.server.end(signal.SIGTERM, TERM_SECONDS)  # raises where it takes longer
    tally.time("until the end after TERM", time.monotonic() - began)
    tally.count("ended by TERM")
    if status:
        tally.failures.append(f"after TERM the server ended with {status}")


def _compare(bank: BusyBank, people: People, tally: Tally) -> None:
    """The books of the world outside, of the customers and of the bank."""
    found = json.loads(bank.server.shell(DECIDED).splitlines()[-1])
    paid = list(people.paid())
    approved = found["approved"]
    tally.failures += [
        f"{chat} paid {amount}, and {approved.get(chat)} was approved"
        for chat, amount in paid
        if approved.get(chat) is None or float(approved[chat]) != float(amount)
    ]
    if len({chat for chat, _amount in paid}) != len(paid):
        tally.failures.append("a payment went out twice")
    if found["incidents"] or found["deliveries"]["incident"] or found["due"]:
        tally.failures.append(f"left behind: {found}")
    tally.failures += list(_lost(bank, people))
    tally.failures += bank.broken_promises()
    bank.server.manage("verify_audit")
    tally.outcomes["paid"] += len(paid)
    tally.outcomes["overtaken"] += found["deliveries"]["overtaken"]
    tally.outcomes["messages"] += sum(people.acknowledged.values())


def _lost(bank: BusyBank, people: People) -> Iterator[str]:
    for chat, count in people.acknowledged.items():
        path = f"/api/v1/conversations/{chat}/messages?after=0&limit=100"
        listed = bank.server.get(path, people.tokens[chat]).body["messages"]
        said = sum(line["role"] == "user" for line in listed)
        if said != count:
            yield f"{chat}: {count} messages were acknowledged, {said} are there"


CAMPAIGN = Campaign(
    name="corrections",
    passes_when="what is paid is what was approved last, once; no incident, no error told, nothing lost, TERM ends it",
    ci=2,
    full=20,
    outcomes=("ended by TERM", "killed by -9", "paid", "overtaken"),
    run=_run,
    promises=TERM_SECONDS,
)
