"""The same text means the same wherever it is typed, and the same JSON wherever it is sent: page, bar, link and API."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from dialogue.desk.maintenance import outbox
from dialogue.desk.sessions.service import Caller
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.values import form_schema
from dialogue.models import HITLSession
from tests.desk.forms.test_forms import SLOTS
from tests.support.answer_links import Asker, newest_token
from tests.support.transfers import ACTIONS, Opener
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db

REFUSED = "refused"
ANSWERS_JSON = {"accept": "application/json"}

TYPED: list[tuple[str, Any, Any]] = [
    ("agreed", " YES ", True), ("agreed", "n", False), ("agreed", "On", True), ("agreed", "0", False),
    ("agreed", "perhaps", REFUSED), ("agreed", "2", REFUSED),
    ("limit", " 9000 ", 9000), ("limit", "0", 0), ("limit", "-0", 0), ("limit", "10000", 10_000),
    ("limit", "10001", REFUSED), ("limit", "1_000", REFUSED), ("limit", "1.5", REFUSED), ("limit", "0x10", REFUSED),
    ("limit", "١٢", REFUSED), ("limit", "4" * 400, REFUSED),
    ("rate", "1.5", 1.5), ("rate", "1,5", REFUSED), ("rate", "nan", REFUSED), ("rate", "1e400", REFUSED),
    ("sum", "8450", "8450.00"), ("sum", "12.345", REFUSED),
    ("day", "2026-12-14", "2026-12-14"), ("day", "28/02/2025", REFUSED), ("day", "2025-02-30", REFUSED),
    ("branch", "MAIN", "central"), ("branch", "central Branch", "central"), ("branch", "south", REFUSED),
    ("names", '["a", "b"]', ["a", "b"]), ("names", "[]", []), ("names", '{"a": 1}', REFUSED), ("names", "a", REFUSED),
    ("word", "  hello ", "hello"), ("word", "x" * 11, REFUSED),
    ("maybe", "", None), ("maybe", "7", 7), ("agreed", "", REFUSED),
]  # fmt: skip
SENT: list[tuple[str, Any, Any]] = [
    ("agreed", False, False), ("agreed", "yes", REFUSED), ("agreed", 1, REFUSED), ("limit", 0, 0),
    ("limit", True, REFUSED), ("limit", "9000", REFUSED), ("day", 0, REFUSED), ("day", "2026-12-14", "2026-12-14"),
    ("names", [], []), ("names", "a", REFUSED), ("box", {"width": 3}, {"width": 3}), ("box", [], REFUSED),
    ("branch", "main", REFUSED), ("word", 7, REFUSED), ("maybe", None, None), ("agreed", None, REFUSED),
]  # fmt: skip

Channel = Callable[[HITLSession, str, Any], int]


@pytest.fixture
def asks(open_session: Opener) -> Callable[[str], HITLSession]:
    """A gate with this one field and one action, so that an answer is all that it waits for."""

    def opened(name: str) -> HITLSession:
        return open_session(schema=form_schema({name: Slot.model_validate(SLOTS[name])}), actions=ACTIONS[:1])

    return opened


@pytest.fixture
def channels(olga: Caller, browser_of: Browser, ask: Asker) -> dict[str, Channel]:
    """Each way of sending one value, as its status."""
    browser = browser_of(olga)

    def page(gate: HITLSession, name: str, text: Any) -> int:
        form = {"action": "approve", "version": gate.version, "key": "k", f"value.{name}": text}
        return browser.post(f"/gates/{gate.name}/submit/", form).status_code

    def bar(gate: HITLSession, _name: str, text: Any) -> int:
        answered = browser.post("/command/", {"line": f"@{gate.name}.0 {text}"}, headers=ANSWERS_JSON)
        if answered.status_code != 200 or HITLSession.objects.get(pk=gate.pk).state == "submitted":
            return answered.status_code
        return browser.post("/command/", {"line": f"submit {gate.name} approve"}, headers=ANSWERS_JSON).status_code

    def link(gate: HITLSession, name: str, text: Any) -> int:
        ask(gate)
        outbox.deliver_due()
        form = {"action": "approve", "version": gate.version, "key": "k", f"value.{name}": text}
        return Client().post(f"/answer/{newest_token()}/", form).status_code

    def submit(gate: HITLSession, name: str, value: Any) -> int:
        body = json.dumps({"action": "approve", "values": {name: value}})
        return browser.post(f"/api/v1/sessions/{gate.name}/submit", body, "application/json").status_code

    def put(gate: HITLSession, _name: str, value: Any) -> int:
        path = f"/api/v1/sessions/{gate.name}/gates/0"
        return browser.put(path, json.dumps({"value": value}), "application/json").status_code

    return {"page": page, "bar": bar, "link": link, "submit": submit, "put": put}


def outcome(gate: HITLSession, status: int) -> Any:
    """What was stored; REFUSED when it was told to be wrong and nothing has changed."""
    gate.refresh_from_db()
    if (status, gate.state, gate.values) == (422, "open", {}):
        return REFUSED
    return list(gate.values.values()) if (status < 400, gate.state) == (True, "submitted") else (status, gate.state)


Table = list[tuple[str, Any, Any]]


def different(table: Table, send: Channel, asks: Callable[[str], HITLSession]) -> list[tuple[str, Any, Any]]:
    """The lines of the table that came out otherwise: field, what was sent, what became of it."""
    found = []
    for name, given, stored in table:
        became = _became(name, given, send, asks)
        if became != (REFUSED if stored is REFUSED else [stored]):
            found.append((name, given, became))
    return found


def _became(name: str, given: Any, send: Channel, asks: Callable[[str], HITLSession]) -> Any:
    """What comes of one line, which the next knows nothing of: pages need not list the gates of all before it."""
    with transaction.atomic():
        gate = asks(name)
        became = outcome(gate, send(gate, name, given))
        transaction.set_rollback(True)
    return became


@pytest.mark.parametrize("channel", ["page", "bar", "link"])
def test_a_text_means_the_same_wherever_it_is_typed(channel: str, asks: Any, channels: dict[str, Channel]):
    assert different(TYPED, channels[channel], asks) == []


@pytest.mark.parametrize("channel", ["submit", "put"])
def test_a_json_value_means_the_same_wherever_it_is_sent(channel: str, asks: Any, channels: dict[str, Channel]):
    assert different(SENT, channels[channel], asks) == []
