"""A conversation becomes a scenario of the assistant, and is played again in a process and a database of its own."""

from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import Permission, User
from django.test import Client

from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, Caller, InputFormat
from dialogue.library.documents.versions import store_documents
from dialogue.library.releases.test_conversations import ConversationOptions, draft_documents, open_test_conversation
from dialogue.models import Assistant, AuditEntry, Conversation, HITLSession, Scenario, ScenarioDocument, ScenarioRun
from dialogue.scenarios.format.stored import NameTaken, record_conversation
from dialogue.scenarios.runs import open_run, play_run
from dialogue.turns.accept import Incoming, accept
from dialogue.turns.worker import drain
from tests.support.releases import demo
from tests.support.transfers import person

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.journey]

ACCOUNT = "DE89370400440532013000"


@pytest.fixture
def bank(payments: object) -> Assistant:
    return store_documents(demo("bank"))


@pytest.fixture
def arthur(bank: Assistant) -> User:
    return person("arthur", "Arthur Penn", "flow authors")


def say(conversation: Conversation, text: str) -> None:
    accept(conversation.pk, Incoming("message", text, {"text": text}, text=text))
    async_to_sync(drain)(conversation.pk)


@pytest.fixture
def decided(bank: Assistant, arthur: User) -> Conversation:
    """A test in which Arthur sends money, and refuses it as the operator would."""
    conversation = open_test_conversation(bank, ConversationOptions(customer="Ursula"), arthur)
    say(conversation, f"send 6000 to Anna Berg, {ACCOUNT}")
    say(conversation, "yes")
    gate = HITLSession.objects.get(audience="staff")
    answer = Answer("reject", {"reason": "No such company"}, InputFormat.TYPED, "No such company")
    service.submit(gate.pk, Caller(arthur.pk, "page"), answer, key="once")
    async_to_sync(drain)(conversation.pk)
    return Conversation.objects.get(pk=conversation.pk)


def test_a_saved_conversation_with_its_human_answer_is_played_again_as_it_was(decided: Conversation, arthur: User):
    document = record_conversation(decided, "Refused transfer", arthur)
    run = open_run(decided.assistant, draft_documents(decided.assistant), arthur)

    play_run(run, draft_documents(decided.assistant))

    run.refresh_from_db()
    (scenario,) = Scenario.objects.all()
    assert (run.state, run.done, run.failed, run.error) == (ScenarioRun.State.DONE, 1, 0, "")
    assert scenario.passed, scenario.result
    assert scenario.gates == 1
    assert ["transfer_money", "refused"] in scenario.result["reach"]["steps"]
    assert document.name == "refused_transfer"
    assert document.origin is None


def test_a_name_is_taken_once(decided: Conversation, arthur: User):
    record_conversation(decided, "Refused transfer", arthur)

    with pytest.raises(NameTaken):
        record_conversation(decided, "refused transfer!", arthur)


def test_a_run_that_cannot_begin_says_why(decided: Conversation, arthur: User):
    record_conversation(decided, "Refused transfer", arthur)
    broken = {**draft_documents(decided.assistant), "check_balance.yaml": "flow: check_balance\nsteps: nowhere\n"}
    run = open_run(decided.assistant, broken, arthur)

    play_run(run, broken)

    run.refresh_from_db()
    assert run.state == ScenarioRun.State.BROKEN
    assert "check_balance.yaml:2" in run.error


def test_who_may_see_a_real_conversation_promotes_it_and_that_is_on_record(decided: Conversation, arthur: User):
    Conversation.objects.filter(pk=decided.pk).update(test=False)
    decided.trial.delete()
    arthur.user_permissions.add(Permission.objects.get(codename="view_every_conversation"))
    browser = Client()
    browser.force_login(arthur)

    response: Any = browser.post(f"/test/bank/{decided.pk}/scenario/", {"name": "What Ursula said"})

    assert response.status_code == 302
    assert ScenarioDocument.objects.get(name="what_ursula_said").origin == decided
    assert AuditEntry.objects.filter(act="conversation.promoted").exists()
