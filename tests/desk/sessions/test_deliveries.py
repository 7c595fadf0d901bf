"""Decisions on their way to the engine: each kind arrives, and one that is stuck is tried again or given up."""

from datetime import timedelta
from uuid import uuid4

import pytest
from asgiref.sync import async_to_sync

from dialogue.audit.invariants import count_violations
from dialogue.desk.chats import chats
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.models import Conversation, Event, HITLSession, Message
from dialogue.turns import worker
from dialogue.turns.accept import Incoming, accept, open_conversation
from dialogue.turns.worker import drain
from tests.support.releases import demo, publish

pytestmark = pytest.mark.django_db(transaction=True)
TRANSFER = "send 8450 to Lindqvist Marine, DE89370400440532013000"


def turned(conversation: Conversation) -> int:
    return async_to_sync(drain)(conversation.pk)


def written(conversation: Conversation, text: str) -> None:
    accept(conversation.pk, Incoming("message", uuid4().hex, {"text": text}, text=text))
    turned(conversation)


def said(conversation: Conversation) -> list[str]:
    return list(Message.objects.filter(conversation=conversation, role="assistant").values_list("key", flat=True))


@pytest.fixture
def chat(payments) -> Conversation:
    publish(demo("bank"))
    return open_conversation("bank", user_ref="Ursula")[0]


@pytest.fixture
def gate(chat: Conversation) -> HITLSession:
    """A transfer that was confirmed and waits for approval."""
    written(chat, TRANSFER)
    written(chat, "yes")
    return HITLSession.objects.get(audience="staff")


def broken() -> list[str]:
    """The invariants that do not hold."""
    return [invariant.sentence for invariant, count in count_violations() if count]


def test_a_decision_leads_the_flow_on(chat, gate: HITLSession, olga: Caller):
    service.submit(gate.pk, olga, Answer("reject", {"reason": "not plausible"}))

    turned(chat)

    gate.refresh_from_db()
    assert said(chat)[-1] == "say:refused"
    assert (gate.delivery, broken()) == ("applied", [])


def test_an_expiry_leads_the_flow_along_its_own_path(chat, gate: HITLSession):
    HITLSession.objects.filter(pk=gate.pk).update(expires_at=gate.opened_at - timedelta(seconds=1))
    service.expire_due()

    turned(chat)

    gate.refresh_from_db()
    assert said(chat)[-1] == "say:refused"
    assert (gate.state, gate.delivery, broken()) == ("expired", "applied", [])


def test_a_cancelled_gate_cancels_the_flow_that_asked(chat, gate: HITLSession, sofia: Caller):
    service.cancel(gate.pk, sofia, reason="a mistake")

    turned(chat)

    gate.refresh_from_db()
    chat.refresh_from_db()
    assert said(chat)[-1] == "cancelled:transfer_money"
    assert (gate.state, gate.delivery, chat.stack, broken()) == ("cancelled", "applied", [], [])


def test_a_chat_that_was_handed_over_comes_back_to_the_question(chat, olga: Caller):
    written(chat, "send 8450 to Lindqvist Marine")
    written(chat, "I want to talk to a person")
    session = HITLSession.objects.get(kind="handoff")
    chats.say(session.pk, olga, "Good morning, this is Olga.")
    chats.set_slots(session.pk, olga, {"iban": "DE89370400440532013000"})

    chats.hand_back(session.pk, olga)
    turned(chat)

    session.refresh_from_db()
    assert said(chat)[-2:] == ["handoff", "confirm:transfer_money"]
    assert (session.state, session.delivery, broken()) == ("submitted", "applied", [])


def test_a_turn_that_fails_three_times_is_an_incident_that_a_supervisor_retries(
    chat, gate: HITLSession, olga: Caller, sofia: Caller, monkeypatch
):
    async def broken(*_args, **_kwargs):
        raise RuntimeError("the engine is broken")

    monkeypatch.setattr(worker, "BACKOFF", (0.0,))
    with monkeypatch.context() as patch:
        patch.setattr(worker, "run_turn", broken)
        service.submit(gate.pk, olga, Answer("reject", {"reason": "not plausible"}))
        turned(chat)
    gate.refresh_from_db()
    stuck = gate.delivery

    outcome = service.retry_delivery(gate.pk, sofia)
    turned(chat)

    gate.refresh_from_db()
    assert (stuck, outcome.status, gate.delivery) == ("incident", 202, "applied")
    assert said(chat)[-1] == "say:refused"


def test_an_abandoned_delivery_is_never_tried_again(chat, gate: HITLSession, olga: Caller, sofia: Caller):
    service.submit(gate.pk, olga, Answer("reject", {"reason": "not plausible"}))
    HITLSession.objects.filter(pk=gate.pk).update(delivery="incident")
    Event.objects.filter(session=gate).update(state="incident")

    service.abandon_delivery(gate.pk, sofia, reason="settled by telephone")

    assert turned(chat) == 0
    assert HITLSession.objects.get(pk=gate.pk).delivery == "abandoned"


def test_a_message_that_came_before_the_decision_is_answered_before_it(chat, gate: HITLSession, olga: Caller):
    accept(chat.pk, Incoming("message", "early", {"text": "what is my balance"}, text="what is my balance"))
    service.submit(gate.pk, olga, Answer("reject", {"reason": "not plausible"}))

    turns = turned(chat)

    gate.refresh_from_db()
    assert (turns, gate.delivery) == (2, "applied")


def test_a_conversation_goes_on_when_its_stuck_decision_was_given_up(chat, gate: HITLSession, olga, sofia, monkeypatch):
    service.submit(gate.pk, olga, Answer("reject", {"reason": "not plausible"}))
    monkeypatch.setattr(worker, "BACKOFF", (0.0, 0.0))
    with monkeypatch.context() as broken_engine:
        broken_engine.setattr(worker, "run_turn", None)
        turned(chat)
    chat.refresh_from_db()
    assert chat.state == Conversation.State.FAILED

    service.abandon_delivery(gate.pk, sofia)

    chat.refresh_from_db()
    assert chat.state == Conversation.State.IDLE
