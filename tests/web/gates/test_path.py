"""The way to a gate: read once for its page, from the turn on that began the flow, and no more than a page can show."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dialogue.desk.access.people import Caller
from dialogue.models import Conversation, Event, HITLSession, Turn
from dialogue.web.gates import page as gate_page_module
from dialogue.web.gates.page import path_steps, turns_of
from tests.support.transfers import NOON
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db
BEGUN = {"stack": [{"change": "started", "frame": "transfer_money-1"}]}


def took(conversation: Conversation, number: int, record: dict[str, Any], at: datetime = NOON) -> Turn:
    """One committed turn."""
    event = Event.objects.create(
        conversation=conversation, number=number, client_id=f"m{number}", kind="message", payload={}, accepted_at=at
    )
    facts = {"state": "waiting", "milliseconds": 1.0, "finished_at": at, "release": conversation.release}
    return Turn.objects.create(conversation=conversation, number=number, event=event, record=record, **facts)


def passed(step: str) -> dict[str, Any]:
    return {"steps": [{"flow": "transfer_money", "step": step, "to": ""}]}


def numbers(session: HITLSession) -> list[int]:
    return [turn.number for turn in turns_of(session)]


def test_the_way_begins_where_the_flow_began(conversation: Conversation, session: HITLSession):
    took(conversation, 1, passed("long_ago"))
    took(conversation, 2, {**BEGUN, **passed("ask_amount")})
    took(conversation, 3, passed("check"))

    assert numbers(session) == [2, 3]
    steps = [place.step for place in path_steps(session, turns_of(session)) if place.kind == "past"]
    assert steps == ["ask_amount", "check"]
    assert all("<time" in place.note for place in path_steps(session, turns_of(session)) if place.kind == "past")


def test_of_a_long_way_the_newest_turns_are_read(
    conversation: Conversation, session: HITLSession, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(gate_page_module, "MAX_TURNS", 3)
    took(conversation, 1, BEGUN)
    for number in range(2, 8):
        took(conversation, number, passed(f"step_{number}"))

    assert numbers(session) == [5, 6, 7]


def test_of_a_decided_gate_the_way_to_it_is_read_and_a_piece_of_what_came_after(
    conversation: Conversation, session: HITLSession, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(gate_page_module, "MAX_TURNS", 2)
    for number in range(1, 9):
        took(conversation, number, passed(f"step_{number}"), NOON + timedelta(minutes=number))
    session.decided_at = NOON + timedelta(minutes=4, seconds=30)

    assert numbers(session) == [3, 4, 5, 6]


def test_a_page_reads_the_turns_once_and_shows_what_a_value_was_and_how_it_came_here(
    conversation: Conversation, session: HITLSession, olga: Caller, browser_of: Browser
):
    took(conversation, 1, {**BEGUN, **passed("ask_amount")})
    change = {"frame": "transfer_money-1", "slot": "amount", "from": "7000.00", "to": "8450.00"}
    took(conversation, 2, {"slots": [change], **passed("check_limit")})

    with CaptureQueriesContext(connection) as queries:
        page = text_of(browser_of(olga).get(f"/gates/{session.name}/"))

    assert "changed in turn 2" in page
    assert 'data-step="check_limit"' in page
    assert len([each for each in queries if 'FROM "dialogue_turn"' in each["sql"] and '"record"' in each["sql"]]) == 1
