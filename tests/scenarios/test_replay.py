"""A stored conversation against other releases of its assistant."""

import asyncio

import pytest
from django.core.management import CommandError, call_command

from dialogue.library.documents.versions import store_documents
from dialogue.library.releases.releases import publish
from dialogue.models import ActionRun, Checkpoint, Conversation, Event, HITLSession, Message, Release, Turn
from dialogue.scenarios.replay import replay_conversation
from tests.scenarios.conftest import Playing

TRANSFERS = """  - name: two transfers, one refused and one approved
    turns:
      - user: send 6000 to Anna
        commands: [{start_flow: transfer_money}, {set_slot: {beneficiary: Anna, amount: 6000}}]
      - {user: DE89370400440532013000, commands: [{set_slot: {iban: DE89370400440532013000}}]}
      - {choose: "yes"}
      - {user: my balance, commands: [{start_flow: check_balance}]}
      - {operator: {submit: {step: approval, action: reject, values: {reason: no}}, as: Olga}}
      - user: send 7000 to Anna at DE89370400440532013000
        commands:
          - {start_flow: transfer_money}
          - {set_slot: {beneficiary: Anna, amount: 7000, iban: DE89370400440532013000}}
      - {user: yes please, commands: [affirm]}
      - {operator: {submit: {step: approval, action: approve}, as: Olga}}
"""


@pytest.fixture
def conversation(played: Playing) -> Conversation:
    assert played(TRANSFERS).has_passed
    return Conversation.objects.get()


def release_with(conversation: Conversation, **changes: tuple[str, str]) -> Release:
    """The next release of the bank, with a place of some flows written differently."""
    documents = dict(conversation.release.documents())
    for flow, (old, new) in changes.items():
        assert old in documents[f"{flow}.yaml"]
        documents[f"{flow}.yaml"] = documents[f"{flow}.yaml"].replace(old, new)
    actions = ("check_payee", "send_money", "read_balance", "block_card", "replace_card", "order_card")
    return publish(store_documents(documents), actions=actions)


def replayed(conversation: Conversation, release: Release):
    return asyncio.run(replay_conversation(conversation, release))


def test_with_its_own_release_every_turn_goes_as_it_went(conversation):
    found = replayed(conversation, conversation.release)

    assert len(found.turns) == conversation.turns.count() == 9
    assert [(turn.number, str(turn.got), turn.notes) for turn in found.differing_turns] == []
    assert [turn.notes for turn in found.turns if turn.notes] == []


def test_a_higher_limit_shows_the_turns_that_no_longer_wait_for_staff(conversation):
    release = release_with(conversation, transfer_money=("amount > 5000", "amount > 6500"))

    found = replayed(conversation, release)

    first = found.differing_turns[0]
    assert first.number == 3
    assert first.expected.stack == ("transfer_money!human",)
    assert first.got.messages == ("say:done",)
    assert first.got.stack == ()
    assert first.notes == ("send_money was not called with these inputs then; its results are empty here",)
    assert [turn.number for turn in found.differing_turns] == [3, 4, 5]


def test_a_decision_finds_its_step_under_another_name(conversation):
    release = release_with(conversation, transfer_money=("approval", "permission"))

    found = replayed(conversation, release)

    assert [turn.number for turn in found.differing_turns] == [3, 7]
    assert found.turns[7].got.messages == ("say:done",)


def test_a_replay_writes_nothing(conversation):
    tables = (ActionRun, Checkpoint, Conversation, Event, HITLSession, Message, Turn)
    before = [list(table.objects.order_by("pk").values()) for table in tables]

    replayed(conversation, release_with(conversation, transfer_money=("amount > 5000", "amount > 6500")))

    assert [list(table.objects.order_by("pk").values()) for table in tables] == before


def test_an_action_whose_outcome_nobody_knew_is_asked_about_in_a_replay_too(conversation):
    ActionRun.objects.filter(action="send_money").update(state=ActionRun.State.UNKNOWN, error="connection lost")

    found = replayed(conversation, conversation.release)

    last = found.turns[-2]
    assert last.got is not None and "waiting:send" in last.got.messages


def test_a_turn_that_fails_now_is_told_and_the_next_goes_on(conversation, monkeypatch):
    def lost(run: ActionRun) -> None:
        raise ConnectionError(run.action)

    monkeypatch.setattr("dialogue.scenarios.replay._outcome_of", lost)

    found = replayed(conversation, conversation.release)

    failed = [turn for turn in found.turns if turn.got is None]
    assert failed and "ConnectionError" in failed[0].notes[0]
    assert len(found.turns) == 9


def test_its_own_understanding_may_read_the_texts_again(conversation):
    found = asyncio.run(replay_conversation(conversation, conversation.release, understand_again=True))

    asked = found.turns[3]
    assert asked.got is not None
    assert asked.got.messages[:1] == asked.expected.messages[:1]


def test_the_command_lists_the_differing_turns(conversation, capsys):
    release = release_with(conversation, transfer_money=("amount > 5000", "amount > 6500"))

    call_command("conversations", "replay", str(conversation.pk), "--release", str(release.number))

    told = capsys.readouterr().out
    assert "turn 3 (choice)\n  expected: waiting:approval  [transfer_money!human]\n  got:      say:done  []" in told
    assert told.splitlines()[-1] == f"6 of 9 turns as before, with release {release.number}"
    with pytest.raises(CommandError, match="no release 99"):
        call_command("conversations", "replay", str(conversation.pk), "--release", "99")
