"""HTTP bodies that no good client sends, to every address that the API describes, while a good client goes on."""

import http.client
import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

from hypothesis import strategies as st

from campaigns.support.busy_bank import BusyBank
from campaigns.support.campaign import Campaign, Tally
from campaigns.support.fuzzing import fuzz_banks

Draw = Callable[..., Any]
"""Gives a value of a strategy."""

GOOD_EVERY = 50
METHODS = ("post", "put", "patch", "delete")

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
_LONG = (b"[" * 50_000, b'"' + b"x" * 70_000 + b'"', b"9" * 5_000)
_RAW = st.sampled_from([b"", b"{", b'{"a": 1, "a": 2}', b"NaN", b"null", b"\xff\xfe", *_LONG])
_OTHER = ("text/plain", "application/xml", "", "application/x-www-form-urlencoded")
_TYPES = st.sampled_from(["application/json"] * 6 + [*_OTHER])
_WHO = st.sampled_from(["racer-0", "racer-0", "racer-1", "sofia", "ursula", "nobody", ""])
_STRANGE = st.sampled_from(["g1", "g0", "g99999999999999999999", "1 OR 1=1", "..", "%00", "bank", "0", "-1", "x" * 300])


@dataclass(frozen=True)
class Call:
    """One address of the description: its method, its path with names in braces, and the names of its body's fields."""

    method: str
    path: str
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Heard:
    status: int
    kind: str
    body: bytes


def _calls(description: dict[str, Any]) -> list[Call]:
    paths = description["paths"].items()
    return [
        Call(method.upper(), path, tuple(_fields(description, operation)))
        for path, operations in paths
        for method, operation in operations.items()
        if method in METHODS
    ]


def _fields(description: dict[str, Any], operation: dict[str, Any]) -> list[str]:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    name = body.get("$ref", "").rpartition("/")[2]
    model = description.get("components", {}).get("schemas", {}).get(name, body)
    return sorted(model.get("properties", {}))


class Fuzz:
    """The bank, the calls that it offers, and something real to call them with."""

    def __init__(self, bank: BusyBank, tally: Tally) -> None:
        self.bank, self.tally = bank, tally
        self.calls = _calls(bank.server.get("/api/v1/openapi.json").body)
        self.gate = bank.open_gate()
        self.chat = bank.server.post("/api/v1/conversations", {"assistant": "bank"}, "ursula").body["id"]
        self.sent, self.numbers = 0, count(1)

    def attempt(self, draw: Draw) -> None:
        call = draw(st.sampled_from(self.calls))
        path = self._filled(draw, call.path)
        body, kind = self._body(draw, call), draw(_TYPES)
        if self.sent % GOOD_EVERY == 0:
            self._good_goes_on()
        self.sent += 1
        heard = self._ask(call.method, path, body, kind, draw(_WHO))
        self._judge(call, heard)
        self.tally.count(str(heard.status))

    def _filled(self, draw: Draw, path: str) -> str:
        real = {"name": self.gate, "conversation_id": self.chat, "assistant": "bank", "place": "0", "number": "1"}
        parts = path.split("/")
        for at, part in enumerate(parts):
            if part.startswith("{"):
                known = real.get(part.strip("{}"), self.gate)
                parts[at] = draw(st.one_of(st.just(known), st.just(known), _STRANGE)).replace(" ", "%20")
        return "/".join(parts)

    def _body(self, draw: Draw, call: Call) -> bytes:
        names = st.sampled_from([*call.fields, "state", "is_superuser", "__proto__"])
        near = st.dictionaries(names, _JSON, max_size=5)
        plain = draw(st.one_of(near, near, near, _JSON, st.none()))
        raw = draw(st.booleans()) and draw(st.booleans())
        return draw(_RAW) if raw else json.dumps(plain).encode("utf-8", "surrogatepass")

    def _ask(self, method: str, path: str, body: bytes, kind: str, who: str) -> Heard:
        line = http.client.HTTPConnection("127.0.0.1", self.bank.server.port, timeout=60)
        headers = {"Content-Type": kind} | ({"Authorization": f"Bearer {who}"} if who else {})
        try:
            line.request(method, path, body, headers)
            answer = line.getresponse()
            return Heard(answer.status, answer.headers.get("Content-Type", ""), answer.read())
        finally:
            line.close()

    def _judge(self, call: Call, heard: Heard) -> None:
        """Never a fault of ours; what is refused says what and why, as data."""
        told = f"{call.method} {call.path}: {heard.status} {heard.body[:300]!r}"
        assert heard.status < 500, told
        if heard.status >= 400 and "json" in heard.kind:
            problem = json.loads(heard.body)
            assert problem.get("code") and problem.get("detail"), told

    def _good_goes_on(self) -> None:
        made = self.bank.server.post("/api/v1/conversations", {"assistant": "bank"}, "ursula").body
        body = {"id": f"good-{next(self.numbers)}", "text": "hello"}
        answer = self.bank.server.post(f"/api/v1/conversations/{made['id']}/messages", body, made["token"])
        assert answer.status == 200 and answer.body["messages"], answer
        self.tally.outcomes["a good message answered"] += 1


def _run(size: int, chance: int, tally: Tally) -> None:
    fuzz_banks(st.data(), _enter, size, chance, tally)


def _enter(bank: BusyBank, tally: Tally) -> Callable[[st.DataObject], None]:
    fuzz = Fuzz(bank, tally)
    return lambda data: fuzz.attempt(data.draw)


CAMPAIGN = Campaign(
    name="bodies",
    passes_when="no answer of 500 and more; what is refused has a code and a sentence; the good client is answered",
    ci=500,
    full=2_000,
    outcomes=("400", "401", "404", "415", "422", "a good message answered"),
    run=_run,
)
