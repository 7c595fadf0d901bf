"""One value through every door: the page's form, the command bar, the mail's link and the API take and refuse alike."""

import html
from typing import Any

import pytest
from django.test import Client

from dialogue.desk.forms.forms import InputFormat, read_values
from dialogue.desk.forms.refusals import InvalidValue
from dialogue.desk.maintenance.outbox import deliver_due
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.values import form_schema
from dialogue.models import HITLSession
from tests.support.answer_links import newest_token
from tests.support.web.pages import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.journey]  # a hundred and fifty answers take their time

SLOTS: dict[str, dict[str, Any]] = {
    "agreed": {"type": "boolean"},
    "limit": {"type": "integer", "minimum": 0, "maximum": 10_000},
    "rate": {"type": "number"},
    "sum": {"type": "money"},
    "day": {"type": "date"},
    "branch": {"type": "choice", "options": [{"value": "central", "label": "Central", "synonyms": ["main"]}, "north"]},
    "names": {"type": "list", "items": {"type": "text"}},
    "word": {"type": "text", "max_length": 10},
}
TAKEN = [
    *[("agreed", typed, True) for typed in ("yes", "Y", "TRUE", "on", "1")],
    *[("agreed", typed, False) for typed in ("no", "N", "False", "off", "0")],
    ("limit", "9000", 9000), ("limit", "0", 0), ("limit", " 10000 ", 10_000),
    ("rate", "1.5", 1.5), ("rate", "-2", -2), ("sum", "8450", "8450.00"),
    ("day", "2026-12-14", "2026-12-14"), ("day", "2028-02-29", "2028-02-29"),
    ("branch", "central", "central"), ("branch", "north", "north"),
    ("names", '["a", "b"]', ["a", "b"]), ("names", "[]", []), ("word", "x" * 10, "x" * 10),
]  # fmt: skip
REFUSED = [
    ("agreed", "perhaps"), ("limit", "1_000"), ("limit", "0x10"), ("limit", "١٢"), ("limit", "10001"), ("limit", "-1"),
    ("limit", "1.5"), ("rate", "1,5"), ("rate", "nan"), ("rate", "inf"), ("rate", "1e400"), ("sum", "9" * 1000),
    ("day", "28/02/2025"), ("day", "2025-02-30"), ("day", "0"), ("branch", "south"), ("names", "[1"),
    ("word", "x" * 11),
]  # fmt: skip


@pytest.fixture
def doors(open_session, ask, olga, browser_of):
    """For each door what it does with a typed text: the status class, what is stored, and all that was answered."""

    def through(door: str, name: str, typed: str) -> tuple[bool, Any, str]:
        session = open_session(schema=_form(name))
        told = DOORS[door](session, name, typed, browser_of(olga), ask)
        session.refresh_from_db()
        return session.state == HITLSession.State.SUBMITTED, session.values.get(name), html.unescape(told)

    return through


def by_form(session, name, typed, browser, ask):
    sent = {f"value.{name}": typed, "action": "approve", "version": session.version, "key": "k"}
    return text_of(browser.post(f"/gates/{session.name}/submit/", sent, headers={"hx-request": "true"}))


def by_bar(session, name, typed, browser, ask):
    json = {"accept": "application/json"}
    said = browser.post("/command/", {"line": f"@{session.name}.0 {typed}"}, headers=json).json()["said"]
    browser.post("/command/", {"line": f"submit {session.name} approve"}, headers=json)
    return said


def by_link(session, name, typed, browser, ask):
    ask(session)
    deliver_due()
    mailbox, address = Client(), f"/answer/{newest_token()}/"
    page = mailbox.get(address)
    sent = {f"value.{name}": typed, "action": "approve", "version": page.context["session"].version, "key": "k"}
    return text_of(mailbox.post(address, sent))


DOORS = {"form": by_form, "bar": by_bar, "link": by_link}


@pytest.mark.parametrize("door", DOORS)
def test_what_is_taken_through_one_door_is_taken_through_each(doors, door):
    for name, typed, stored in TAKEN:
        taken, value, told = doors(door, name, typed)
        assert (taken, value) == (True, stored), f"{name} {typed!r}: {told[:500]}"


@pytest.mark.parametrize("door", DOORS)
def test_what_is_refused_at_one_door_is_refused_at_each_in_the_same_words(doors, door, open_session):
    for name, typed in REFUSED:
        with pytest.raises(InvalidValue) as refused:
            read_values(open_session(schema=_form(name)), {name: typed}, InputFormat.TYPED)
        words = refused.value.fields[0].message

        taken, value, told = doors(door, name, typed)

        assert (taken, value) == (False, None), f"{name} {typed!r}"
        assert words in told, f"{name} {typed!r}: {words} is not in {told[:500]}"


def test_what_a_program_sends_is_stored_as_what_a_person_typed(open_session, olga, browser_of):
    for name, _typed, stored in TAKEN:
        status, session = _sent(browser_of(olga), open_session(schema=_form(name)), {name: stored})

        assert (status, session.values) == (201, {name: stored}), name


def test_a_program_that_sends_typed_text_for_a_value_of_another_type_is_refused(open_session, olga, browser_of):
    for name, typed in (("agreed", "yes"), ("limit", "9000"), ("rate", "1.5"), ("names", "[]"), ("branch", "main")):
        status, session = _sent(browser_of(olga), open_session(schema=_form(name)), {name: typed})

        assert (status, session.state) == (422, "open"), name


def _sent(browser: Client, session: HITLSession, values: dict[str, Any]) -> tuple[int, HITLSession]:
    body = {"action": "approve", "values": values, "version": session.version, "idempotency_key": "k"}
    answer = browser.post(f"/api/v1/sessions/{session.name}/submit", body, content_type="application/json")
    session.refresh_from_db()
    return answer.status_code, session


def _form(name: str) -> dict[str, Any]:
    return form_schema({name: Slot.model_validate(SLOTS[name])})
