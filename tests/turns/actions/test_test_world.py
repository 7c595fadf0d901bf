"""A test conversation: simulated actions, another understanding, a clock that is moved."""

from datetime import timedelta

import pytest
from asgiref.sync import async_to_sync

from dialogue.engine.actions import registry
from dialogue.engine.slots.models import Slot
from dialogue.models import ActionRun, Conversation, DemoPayment, HITLSession, Trial
from dialogue.turns import clock
from dialogue.turns.accept import Incoming, accept, open_conversation
from dialogue.turns.actions.test_world import example_of, move_clock, now_in
from dialogue.turns.worker import drain
from tests.support.releases import demo, publish

pytestmark = pytest.mark.django_db(transaction=True)

ACCOUNT = "DE89370400440532013000"


@pytest.fixture
def trial() -> Trial:
    publish(demo("bank"))
    return Trial.objects.create(conversation=open_conversation("bank", test=True)[0])


def say(trial: Trial, text: str) -> Conversation:
    accept(trial.conversation.pk, Incoming("message", text, {"text": text}, text=text))
    async_to_sync(drain)(trial.conversation.pk)
    return Conversation.objects.get(pk=trial.pk)


def test_a_test_calls_no_real_action_and_gets_what_the_contract_promises(trial: Trial):
    say(trial, f"send 60 to Anna Berg, {ACCOUNT}")
    say(trial, "yes")

    runs = ActionRun.objects.filter(conversation=trial.pk)
    assert runs.count() > 0
    assert all(run.state == ActionRun.State.SUCCEEDED for run in runs)
    assert not DemoPayment.objects.exists()


def test_an_action_that_is_stubbed_by_hand_gives_what_was_written(trial: Trial):
    trial.stubs = {"send_money": [{"when": {"amount": "60"}, "raises": "the bank is closed"}]}
    trial.save()

    say(trial, f"send 60 to Anna Berg, {ACCOUNT}")
    say(trial, "yes")

    assert ActionRun.objects.get(action="send_money").error == "the bank is closed"


def test_a_test_with_real_actions_pays_and_still_hears_what_is_stubbed(trial: Trial):
    trial.actions = Trial.Actions.REAL
    trial.stubs = {"check_payee": [{"returns": {"known": True}}]}
    trial.save()

    say(trial, f"send 60 to Anna Berg, {ACCOUNT}")
    say(trial, "yes")

    assert DemoPayment.objects.count() == 1


def test_moving_the_clock_brings_every_deadline_nearer(trial: Trial):
    say(trial, f"send 6000 to Anna Berg, {ACCOUNT}")
    say(trial, "yes")
    before = HITLSession.objects.get(audience="staff").expires_at
    assert before is not None

    move_clock(trial, timedelta(hours=1))

    assert HITLSession.objects.get(audience="staff").expires_at == before - timedelta(hours=1)
    assert trial.ahead == timedelta(hours=1)
    assert trial.moves == [{"turn": 2, "seconds": 3600}]


def test_two_who_move_the_clock_are_both_remembered(trial: Trial):
    other = Trial.objects.get(pk=trial.pk)

    move_clock(trial, timedelta(hours=1))
    move_clock(other, timedelta(hours=2))

    assert [each["seconds"] for each in other.moves] == [3600, 7200]
    assert other.ahead == timedelta(hours=3)


def test_a_test_is_understood_in_the_way_that_it_asks_for(trial: Trial):
    trial.nlu = "rules"
    trial.save()

    conversation = say(trial, f"send 60 to Anna Berg, {ACCOUNT}")

    parts = {entry["part"] for entry in conversation.turns.get().record["path"]}
    assert "rules" in parts
    assert "learned" not in parts


def test_the_clock_of_a_test_is_ahead_and_that_of_a_real_conversation_is_not(trial: Trial):
    at = clock.now()
    trial.ahead = timedelta(days=400)

    assert now_in(trial, at) == at + timedelta(days=400)
    assert now_in(None, at) == at


def test_a_simulated_list_of_records_has_entries_that_differ():
    fields = {"code": {"type": "text"}, "state": {"type": "choice", "options": ["new", "used"]}}
    slot = Slot.model_validate({"type": "list", "items": {"type": "object", "fields": fields}})

    assert example_of("books", slot, clock.now()) == [
        {"code": "code-1", "state": "new"},
        {"code": "code-2", "state": "used"},
        {"code": "code-3", "state": "new"},
    ]


def test_an_action_without_python_code_is_simulated_even_where_real_ones_are_called(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(registry, "_functions", {k: v for k, v in registry._functions.items() if k != "send_money"})
    trial.actions = Trial.Actions.REAL
    trial.stubs = {"check_payee": [{"returns": {"known": True}}]}
    trial.save()

    say(trial, f"send 60 to Anna Berg, {ACCOUNT}")
    conversation = say(trial, "yes")

    entries = {entry["action"]: entry for entry in conversation.turns.get(number=2).record["actions"]}
    assert entries["send_money"]["outcome"] == "succeeded"
    assert entries["send_money"]["simulated"] is True
    assert not DemoPayment.objects.exists()
