"""What a turn and its conversation came to: for lists and figures."""

from importlib import import_module
from typing import Any

import pytest
from django.apps import apps

from dialogue.models import Conversation, Event, Turn
from dialogue.turns.accept import Incoming, accept
from dialogue.turns.classification import conversation_outcome, turn_reading, waiting_outcome
from dialogue.turns.process.database import in_thread
from dialogue.turns.worker import drain
from tests.support.releases import GREETER, demo
from tests.support.turns import TRANSFER, bank, begun, say

Outcome, Reading = Conversation.Outcome, Turn.Reading


def record(*messages: str, event: str = "message", proposed: Any = (), stack: Any = ()) -> dict[str, Any]:
    path = [{"part": "rules"}] if event == "message" else []
    return {"event": event, "messages": list(messages), "proposed": list(proposed), "stack": list(stack), "path": path}


@pytest.mark.parametrize(
    ("told", "reading"),
    [
        (record("ask:iban", proposed=[{"start_flow": "transfer_money"}]), Reading.UNDERSTOOD),
        (record("ask:iban", proposed=["affirm"]), Reading.UNDERSTOOD),
        (record("cannot_handle", "ask:iban", proposed=[{"cannot_handle": "not understood"}]), Reading.NOT_UNDERSTOOD),
        (record("answer", proposed=[{"cannot_handle": "not understood"}]), Reading.NOT_UNDERSTOOD),
        (record("clarify", proposed=[{"clarify": ["a", "b"]}]), Reading.ASKED_BACK),
        (record("which_option:book", proposed=[{"set_slot": {"book": "x"}}]), Reading.ASKED_BACK),
        (record("resumed", event="timer"), Reading.NONE),
        ({"event": "message", "messages": [], "path": []}, Reading.NONE),
        ({}, Reading.NONE),
    ],
)
def test_a_message_is_understood_asked_back_or_not_understood(told: dict[str, Any], reading: str):
    assert turn_reading(told) == reading


@pytest.mark.parametrize(
    ("kinds", "outcome"),
    [
        ([], Outcome.NONE),
        (["collect"], Outcome.CUSTOMER),
        (["wait"], Outcome.EVENT),
        (["wait", "confirm"], Outcome.CUSTOMER),
        (["human", "collect"], Outcome.STAFF),
        (["human", "handoff"], Outcome.PERSON),
    ],
)
def test_a_conversation_waits_for_who_has_to_act_first(kinds: list[str], outcome: str):
    assert waiting_outcome(kinds) == outcome


ENDED = [{"change": "ended", "flow": "greet"}]


@pytest.mark.parametrize(
    ("before", "told", "ended", "outcome"),
    [
        (Outcome.CUSTOMER, record("done", stack=ENDED), False, Outcome.FINISHED),
        (Outcome.CUSTOMER, record("cancelled:greet", stack=ENDED), False, Outcome.CANCELLED),
        (Outcome.CUSTOMER, record("action_failed", stack=ENDED), False, Outcome.FAILED),
        (Outcome.NONE, record("chitchat"), False, Outcome.NONE),
        (Outcome.FINISHED, record("chitchat"), False, Outcome.FINISHED),
        (Outcome.FAILED, record("chitchat"), False, Outcome.FINISHED),
        (Outcome.CUSTOMER, record("session_ended", event="timeout"), True, Outcome.LEFT),
        (Outcome.FINISHED, record("session_ended", event="timeout"), True, Outcome.FINISHED),
        (Outcome.NONE, record("session_ended", event="timeout"), True, Outcome.NONE),
        (Outcome.STAFF, record(event="cancel"), True, Outcome.CANCELLED),
    ],
)
def test_what_a_conversation_came_to(before: str, told: dict[str, Any], ended: bool, outcome: str):
    assert conversation_outcome(before, told, [], ended=ended) == outcome


@pytest.mark.django_db(transaction=True)
async def test_the_commit_stores_it_turn_by_turn():
    conversation, ports = await begun(demo("bank")), bank()
    outcomes = []
    for text in ("blorp flurb", TRANSFER, "blorp flurb", "yes"):
        await say(conversation, text, ports)
        outcomes.append(conversation.outcome)

    readings = [turn.reading async for turn in Turn.objects.order_by("number")]
    assert outcomes == [Outcome.NONE, Outcome.CUSTOMER, Outcome.CUSTOMER, Outcome.STAFF]
    assert readings == [Reading.NOT_UNDERSTOOD, Reading.UNDERSTOOD, Reading.NOT_UNDERSTOOD, Reading.UNDERSTOOD]
    assert conversation.unclear_turns == 2


@pytest.mark.django_db(transaction=True)
async def test_who_falls_silent_in_the_middle_has_left():
    conversation = await begun(GREETER)
    await say(conversation, "say hello")
    await in_thread(accept)(conversation.pk, Incoming("timeout", "end", {}))
    await drain(conversation.pk)
    await conversation.arefresh_from_db()

    assert (conversation.state, conversation.outcome) == (Conversation.State.DONE, Outcome.LEFT)


@pytest.mark.django_db(transaction=True)
async def test_the_migration_finds_the_same_for_what_was_there_before():
    conversation, ports = await begun(demo("bank")), bank()
    for text in ("blorp flurb", TRANSFER, "yes"):
        await say(conversation, text, ports)
    kept = [turn.reading async for turn in Turn.objects.order_by("number")]
    await Conversation.objects.aupdate(outcome="", unclear_turns=0)
    await Turn.objects.aupdate(reading="")

    migration = import_module("dialogue.migrations.0039_conversation_outcomes")
    await in_thread(migration.set_outcomes)(apps, None)
    await in_thread(migration.set_readings)(apps, None)

    await conversation.arefresh_from_db()
    assert (conversation.outcome, conversation.unclear_turns) == (Outcome.STAFF, 1)
    assert [turn.reading async for turn in Turn.objects.order_by("number")] == kept
    assert await Event.objects.filter(kind="message").acount() == 3
