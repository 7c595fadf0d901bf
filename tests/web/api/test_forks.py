"""A test conversation that goes on from a turn of another one, over HTTP."""

from typing import Any

import pytest
from asgiref.sync import async_to_sync

from dialogue.desk.access.people import Person
from dialogue.desk.maintenance.erasure import erase_conversation
from dialogue.desk.sessions.service import Caller
from dialogue.models import ActionRun, AuditEntry, Conversation, DemoPayment, Message, ScenarioDocument, Trial
from dialogue.scenarios.forks import ForkFailed
from dialogue.scenarios.format.stored import record_conversation
from dialogue.turns.accept import Incoming, accept
from dialogue.turns.worker import drain
from tests.support.transfers import person
from tests.web.api.conftest import Program, ProgramOf

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.journey]

ACCOUNT = "DE89370400440532013000"


def say(conversation: Conversation, text: str) -> None:
    accept(conversation.pk, Incoming("message", text, {"text": text}, text=text))
    async_to_sync(drain)(conversation.pk)


@pytest.fixture
def transfer(conversation: Conversation, payments: object) -> Conversation:
    """Ursula's transfer, which waits for approval."""
    say(conversation, f"send 6000 to Anna Berg, {ACCOUNT}")
    say(conversation, "yes")
    return conversation


@pytest.fixture
def berta(transfer: Conversation, program_of: ProgramOf) -> Program:
    """A program of somebody who supervises and tests."""
    return program_of(Caller(person("berta", "Berta Lund", "supervisors", "flow authors").pk, "api"))


def test_a_real_conversation_is_forked_as_it_stood_and_nothing_real_is_called(berta: Program, transfer: Conversation):
    calls = ActionRun.objects.filter(conversation=transfer).count()

    forked = berta.post(f"/conversations/{transfer.pk}/fork", turn=1)
    body = forked.json()
    answer = Program(body["token"]).post(f"/conversations/{body['id']}/messages", id="m-1", text="no")

    copy = Trial.objects.select_related("conversation").get(pk=body["id"])
    assert forked.status_code == 201
    assert [entry["awaiting"] for entry in body["stack"]] == ["transfer_money!confirm"]
    assert (copy.private, copy.actions, copy.conversation.test) == (True, "simulated", True)
    assert answer.status_code == 200
    assert ActionRun.objects.filter(conversation=transfer).count() == calls
    assert not DemoPayment.objects.exists()
    assert AuditEntry.objects.filter(act="conversation.forked").exists()


def test_what_a_real_person_said_is_seen_by_who_forked_it_alone(
    berta: Program, transfer: Conversation, program_of: ProgramOf
):
    arthur = program_of(Caller(person("arthur", "Arthur Penn", "flow authors").pk, "api"))

    made = berta.post(f"/conversations/{transfer.pk}/fork", turn=2).json()

    assert berta.get(f"/conversations/{made['id']}").status_code == 200
    assert arthur.get(f"/conversations/{made['id']}").status_code == 404


def test_a_fork_of_a_decided_gate_has_the_decision(berta: Program, transfer: Conversation, oscar: Any, program_of: Any):
    gate = berta.get(f"/conversations/{transfer.pk}").json()["pending"][-1]["session"]
    operator = program_of(oscar)
    version = operator.get(f"/sessions/{gate}").json()["version"]
    operator.post(f"/sessions/{gate}/submit", action="approve", values={}, version=version, idempotency_key="once")
    async_to_sync(drain)(transfer.pk)

    made = berta.post(f"/conversations/{transfer.pk}/fork", turn=3).json()
    lines = berta.get(f"/conversations/{made['id']}/messages").json()["messages"]

    assert lines[-1]["key"] == "say:done"


def test_erasing_a_conversation_erases_the_tests_and_scenarios_that_were_made_of_it(
    berta: Program, transfer: Conversation
):
    made = berta.post(f"/conversations/{transfer.pk}/fork", turn=2).json()
    record_conversation(transfer, "What Ursula said", None)

    erase_conversation(transfer.pk, Person(0, "system", frozenset(), frozenset()), "asked for")

    assert not Message.objects.filter(conversation=made["id"]).exists()
    assert Conversation.objects.get(pk=made["id"]).customer == "Guest"
    assert not ScenarioDocument.objects.exists()


def test_no_worker_is_asked_to_make_the_turns_of_a_fork(
    berta: Program, transfer: Conversation, monkeypatch: pytest.MonkeyPatch
):
    asked: list[object] = []
    monkeypatch.setattr("dialogue.turns.process.jobs.enqueue", asked.append)

    assert berta.post(f"/conversations/{transfer.pk}/fork", turn=2).status_code == 201

    assert asked == []


def test_a_fork_that_fails_half_way_is_on_record(
    berta: Program, transfer: Conversation, monkeypatch: pytest.MonkeyPatch
):
    def fails(*_: object) -> None:
        raise ForkFailed("Turn 1 could not be made once more.")

    monkeypatch.setattr("dialogue.scenarios.forks._repeat_turn", fails)

    assert berta.post(f"/conversations/{transfer.pk}/fork", turn=2).status_code == 409

    assert AuditEntry.objects.filter(act="conversation.forked").exists()


def test_what_is_erased_while_it_is_forked_is_forked_no_further(
    berta: Program, transfer: Conversation, monkeypatch: pytest.MonkeyPatch
):
    def erased(*_: object) -> None:
        erase_conversation(transfer.pk, Person(0, "system", frozenset(), frozenset()), "asked for")

    monkeypatch.setattr("dialogue.scenarios.forks._set_clock_and_release", erased)

    assert berta.post(f"/conversations/{transfer.pk}/fork", turn=2).status_code == 409
    assert not Message.objects.exists()


def test_a_turn_that_never_was_is_refused(berta: Program, transfer: Conversation):
    refused = berta.post(f"/conversations/{transfer.pk}/fork", turn=9)

    assert refused.status_code == 422
    assert refused.json()["fields"][0]["name"] == "turn"


def test_who_does_not_test_does_not_fork(transfer: Conversation, sofia: Any, program_of: ProgramOf):
    assert program_of(sofia).post(f"/conversations/{transfer.pk}/fork", turn=1).status_code == 403
