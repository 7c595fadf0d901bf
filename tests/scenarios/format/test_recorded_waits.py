"""A conversation that waited, with a flow that the business began, becomes a scenario, and a fork goes the same way."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from asgiref.sync import async_to_sync

from dialogue.audit.invariants import count_violations
from dialogue.models import Conversation
from dialogue.scenarios.forks import fork_conversation
from dialogue.scenarios.format.recording import record_scenario
from dialogue.sweep import sweep
from dialogue.turns import clock
from dialogue.turns.accept import Incoming
from dialogue.turns.process.database import in_thread
from dialogue.turns.waiting.outreach import begin
from dialogue.turns.worker import drain
from tests.support.turns import say
from tests.support.waiting import asked_for_sheets, report

pytestmark = pytest.mark.django_db(transaction=True)


@in_thread
def _begin(conversation: Conversation, incoming: Incoming) -> None:
    begin(Conversation.objects.get(pk=conversation.pk), incoming, None, "")


async def waited() -> Conversation:
    """A conversation with a reminder, an event, a message of the business, and a flow that it began."""
    with clock.frozen(datetime(2026, 11, 23, 9, 0, tzinfo=UTC)) as hour:
        conversation = await asked_for_sheets()
        hour.advance(timedelta(hours=1))
        await sweep()
        await report(conversation, parcel="P1")
        await _begin(conversation, Incoming("notify", "n1", {"text": "We close at five.", "by": "Shop"}))
        await _begin(
            conversation, Incoming("start", "s1", {"flow": "feedback", "slots": {"order": "W-1"}, "by": "Shop"})
        )
        await drain(conversation.pk)
        await say(conversation, "5")
    return conversation


def test_each_event_is_a_turn_of_the_scenario() -> None:
    conversation = async_to_sync(waited)()

    recorded = json.loads(record_scenario(conversation, "as it was", "../parcels"))

    turns = recorded["scenarios"][0]["turns"]
    shown = [{name: part for name, part in turn.items() if name not in ("expect", "commands")} for turn in turns]
    assert shown == [
        {"user": "order paper"},
        {"clock": "+1h1s"},
        {"event": {"name": "parcel_received", "payload": {"parcel": "P1"}}},
        {"notify": "We close at five."},
        {"start": {"flow": "feedback", "slots": {"order": "W-1"}}},
        {"user": "5"},
    ]


def test_a_fork_goes_the_same_way_and_breaks_no_invariant() -> None:
    conversation = async_to_sync(waited)()
    conversation.refresh_from_db()

    forked, _token = fork_conversation(conversation, conversation.last_turn, None)

    forked.refresh_from_db()
    assert [entry["awaiting"] for entry in forked.stack] == [entry["awaiting"] for entry in conversation.stack]
    assert [found for found in count_violations() if found[1]] == []
