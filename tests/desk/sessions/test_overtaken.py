"""A decision and a correction in the same moment: the pause that was decided is gone, and nobody did anything wrong."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import Group, User

from dialogue.audit.invariants import count_violations
from dialogue.desk.access.people import read_person
from dialogue.desk.forms.overtaking import overtaking_of
from dialogue.desk.queue import statistics
from dialogue.desk.sessions import serializers, service
from dialogue.desk.sessions.incidents import QuestionAskedSince, incidents_of, retry_turn
from dialogue.desk.sessions.service import Answer, Caller, Refused
from dialogue.engine import graph
from dialogue.models import ActionRun, AuditEntry, Conversation, Event, HITLSession, InboxEvent, Message
from dialogue.turns import worker
from dialogue.turns.accept import Incoming, accept, open_conversation
from dialogue.turns.process.database import in_thread
from dialogue.turns.worker import drain
from tests.support.releases import demo, publish

pytestmark = pytest.mark.django_db(transaction=True)
TRANSFER = "send 8450 to Lindqvist Marine, DE89370400440532013000"
CORRECTION = "change the amount to 777"
APPROVED = Answer("approve", {})


def turned(conversation: Conversation) -> int:
    return async_to_sync(drain)(conversation.pk)


def write(conversation: Conversation, text: str) -> None:
    accept(conversation.pk, Incoming("message", uuid4().hex, {"text": text}, text=text))


def said(conversation: Conversation) -> list[str]:
    return list(Message.objects.filter(conversation=conversation, role="assistant").values_list("key", flat=True))


def broken() -> list[str]:
    return [invariant.sentence for invariant, count in count_violations() if count]


@pytest.fixture
def chat(payments) -> Conversation:
    publish(demo("bank"))
    conversation = open_conversation("bank", user_ref="Ursula")[0]
    for text in (TRANSFER, "yes"):
        write(conversation, text)
        turned(conversation)
    return conversation


@pytest.fixture
def gate(chat: Conversation) -> HITLSession:
    """A transfer of 8,450 that was confirmed and waits for approval."""
    return HITLSession.objects.get(audience="staff")


@pytest.fixture
def boss(sofia: Caller, payments: Group) -> Caller:
    """Sofia, who may also decide what waits for payments."""
    User.objects.get(pk=sofia.user).groups.add(payments, Group.objects.get(name="operators"))
    return sofia


Race = Callable[[str, Callable[[], Any]], None]


def queued(chat: Conversation, monkeypatch: pytest.MonkeyPatch) -> Race:
    """The message was accepted and its turn has not begun when the decision comes."""

    def race(text: str, decide: Callable[[], Any]) -> None:
        write(chat, text)
        decide()
        turned(chat)

    return race


def running(chat: Conversation, monkeypatch: pytest.MonkeyPatch) -> Race:
    """The decision comes while the message is being understood."""

    def race(text: str, decide: Callable[[], Any]) -> None:
        real, decisions = graph.run_turn, [decide]

        async def decided_meanwhile(*args: Any, **kwargs: Any) -> Any:
            while decisions:
                await in_thread(decisions.pop())()
            return await real(*args, **kwargs)

        write(chat, text)
        with monkeypatch.context() as patch:
            patch.setattr(worker, "run_turn", decided_meanwhile)
            turned(chat)

    return race


@pytest.fixture(params=[queued, running], ids=["queued", "running"])
def race(request: pytest.FixtureRequest, chat: Conversation, monkeypatch: pytest.MonkeyPatch) -> Race:
    made: Race = request.param(chat, monkeypatch)
    return made


def approve(gate: HITLSession, caller: Caller) -> Callable[[], Any]:
    return lambda: service.submit(gate.pk, caller, APPROVED)


def test_a_decision_that_a_correction_overtakes_ends_without_a_turn_and_without_an_incident(
    chat: Conversation, gate: HITLSession, olga: Caller, race: Race
):
    before = said(chat)

    race(CORRECTION, approve(gate, olga))

    gate.refresh_from_db()
    chat.refresh_from_db()
    event = Event.objects.get(session=gate)
    assert (gate.state, gate.delivery) == ("submitted", "overtaken")
    assert (event.state, hasattr(event, "turn")) == ("done", False)
    assert chat.state == "waiting"
    assert said(chat)[len(before) :] == ["corrected:amount", "confirm:transfer_money"]
    assert broken() == []


def test_the_operator_is_told_what_was_changed_and_as_what_it_is_asked_again(
    chat: Conversation, gate: HITLSession, olga: Caller, race: Race
):
    race(CORRECTION, approve(gate, olga))
    gate.refresh_from_db()
    early = overtaking_of(gate)
    write(chat, "yes")
    turned(chat)

    again = HITLSession.objects.get(audience="staff", state="open")
    late = overtaking_of(gate)
    card = serializers.session_details(gate, read_person(olga.user))
    assert early is not None and early.text == (
        "The customer changed the amount meanwhile, so this decision was not carried out."
    )
    assert late is not None and late.text == (
        "The customer changed the amount meanwhile, so this decision was not carried out. "
        f"It is asked again as {again.name}."
    )
    assert card["overtaken"] == {"changed": ["amount"], "next": again.name, "text": late.text}


def test_whoever_comes_later_hears_that_the_decision_was_overtaken(
    chat: Conversation, gate: HITLSession, olga: Caller, race: Race
):
    race(CORRECTION, approve(gate, olga))

    with pytest.raises(Refused) as refused:
        service.submit(gate.pk, olga, APPROVED)

    assert refused.value.status == 409
    assert "The customer changed the amount meanwhile" in refused.value.detail


def test_the_audit_the_inbox_and_the_figures_name_it(chat: Conversation, gate: HITLSession, olga: Caller, race: Race):
    race(CORRECTION, approve(gate, olga))

    entry = AuditEntry.objects.get(act="session.overtaken")
    (figure,) = statistics.statistics_of(read_person(olga.user), timedelta(days=1))
    assert (entry.subject, entry.facts) == (gate.name, {"how": "voided", "changed": ["amount"], "next": ""})
    assert InboxEvent.objects.filter(session=gate, kind="overtaken").count() == 1
    assert (figure.decided, figure.overtaken) == (1, 1)


def test_the_payment_goes_out_once_with_the_values_that_were_approved(
    chat: Conversation, gate: HITLSession, olga: Caller, race: Race
):
    race(CORRECTION, approve(gate, olga))
    write(chat, "yes")
    turned(chat)
    service.submit(HITLSession.objects.get(audience="staff", state="open").pk, olga, APPROVED)
    turned(chat)

    sent = [run.inputs["amount"] for run in chat.action_runs.filter(action="send_money")]
    assert sent == ["777.00"]
    assert said(chat)[-1] == "say:done"
    assert broken() == []


DECISIONS: dict[str, Callable[[int, Caller], Any]] = {
    "submitted": lambda number, sofia: service.submit(number, sofia, Answer("reject", {"reason": "a mistake"})),
    "cancelled": lambda number, sofia: service.cancel(number, sofia, reason="a mistake"),
    "expired": lambda number, sofia: service.expire(number, sofia, reason="a mistake"),
}


@pytest.mark.parametrize("state", DECISIONS)
def test_a_rejection_a_cancellation_and_an_expiry_are_overtaken_alike(
    chat: Conversation, gate: HITLSession, boss: Caller, race: Race, state: str
):
    race(CORRECTION, lambda: DECISIONS[state](gate.pk, boss))

    gate.refresh_from_db()
    assert (gate.state, gate.delivery, gate.reason) == (state, "overtaken", "a mistake")
    assert broken() == []


def test_a_decision_is_overtaken_by_the_end_of_the_conversation(
    chat: Conversation, gate: HITLSession, olga: Caller, race: Race
):
    race("forget about it, cancel the transfer", approve(gate, olga))

    gate.refresh_from_db()
    overtaking = overtaking_of(gate)
    assert gate.delivery == "overtaken"
    assert overtaking is not None
    assert overtaking.text == "The customer withdrew the request meanwhile, so this decision was not carried out."
    assert broken() == []


def test_a_message_that_changes_nothing_lets_the_decision_through(
    chat: Conversation, gate: HITLSession, olga: Caller, race: Race
):
    race("hello", approve(gate, olga))
    turned(chat)

    gate.refresh_from_db()
    assert gate.delivery == "applied"
    assert said(chat)[-1] == "say:done"
    assert broken() == []


def test_a_stuck_decision_that_the_customer_corrects_away_is_no_incident_any_more(
    chat: Conversation, gate: HITLSession, olga: Caller, monkeypatch: pytest.MonkeyPatch
):
    async def fails(*_args: Any, **_kwargs: Any) -> None:
        raise RuntimeError("the engine is broken")

    monkeypatch.setattr(worker, "BACKOFF", (0.0,))
    with monkeypatch.context() as patch:
        patch.setattr(worker, "run_turn", fails)
        service.submit(gate.pk, olga, APPROVED)
        turned(chat)
    write(chat, CORRECTION)
    turned(chat)

    gate.refresh_from_db()
    assert gate.delivery == "overtaken"
    assert not Event.objects.filter(state="incident").exists()
    assert broken() == []


def test_a_stuck_decision_that_has_called_an_action_stays_an_incident_when_the_customer_corrects_it(
    chat: Conversation, gate: HITLSession, olga: Caller, monkeypatch: pytest.MonkeyPatch
):
    real = graph.run_turn

    async def fails_at_its_end(*args: Any, **kwargs: Any) -> None:
        await real(*args, **kwargs)
        raise RuntimeError("the engine is broken")

    monkeypatch.setattr(worker, "BACKOFF", (0.0,))
    with monkeypatch.context() as patch:
        patch.setattr(worker, "run_turn", fails_at_its_end)
        service.submit(gate.pk, olga, APPROVED)
        turned(chat)
    assert [action.state for action in ActionRun.objects.filter(intended_at__gte=gate.opened_at)] == ["succeeded"]

    write(chat, CORRECTION)
    turned(chat)

    gate.refresh_from_db()
    assert (gate.delivery, Event.objects.get(session=gate).state) == ("incident", "incident")
    assert not AuditEntry.objects.filter(act="session.overtaken").exists()
    assert broken() == []


def test_what_a_stuck_decision_said_before_it_was_corrected_away_breaks_no_promise(
    chat: Conversation, gate: HITLSession, olga: Caller, monkeypatch: pytest.MonkeyPatch
):
    async def fails(*_args: Any, **_kwargs: Any) -> None:
        raise RuntimeError("the engine is broken")

    monkeypatch.setattr(worker, "BACKOFF", (0.0,))
    with monkeypatch.context() as patch:
        patch.setattr(worker, "run_turn", fails)
        service.submit(gate.pk, olga, APPROVED)
        turned(chat)
    chat.refresh_from_db()
    line = {"conversation": chat, "reply_to": Event.objects.get(session=gate), "ordinal": 7, "role": "assistant"}
    Message.objects.create(**line, seq=chat.last_message + 1, key="say:wait", text="One moment.", at=gate.opened_at)
    Conversation.objects.filter(pk=chat.pk).update(last_message=chat.last_message + 1)
    write(chat, CORRECTION)
    turned(chat)

    gate.refresh_from_db()
    assert gate.delivery == "overtaken"
    assert broken() == []


def test_a_failed_yes_is_not_run_again_as_the_answer_to_a_question_that_came_after_it(
    payments, sofia: Caller, monkeypatch: pytest.MonkeyPatch
):
    async def fails(*_args: Any, **_kwargs: Any) -> None:
        raise RuntimeError("the engine is broken")

    publish(demo("bank"))
    chat = open_conversation("bank", user_ref="Ursula")[0]
    write(chat, TRANSFER)
    turned(chat)
    monkeypatch.setattr(worker, "BACKOFF", (0.0,))
    with monkeypatch.context() as patch:
        patch.setattr(worker, "run_turn", fails)
        write(chat, "yes")
        turned(chat)
    stuck = incidents_of(chat).get()
    assert not vars(stuck)["outdated"]
    write(chat, CORRECTION)
    turned(chat)

    assert vars(incidents_of(chat).get())["outdated"]
    with pytest.raises(QuestionAskedSince):
        retry_turn(chat.pk, stuck.number, read_person(sofia.user))
    turned(chat)
    assert said(chat)[-1] == "confirm:transfer_money"
    assert incidents_of(chat).get().state == "incident"
