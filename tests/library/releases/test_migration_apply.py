"""Paused conversations move to another release by a map of steps: what is lost is said before, and nothing else is."""

from collections.abc import Mapping

import pytest
from asgiref.sync import async_to_sync
from django.core.management import call_command
from django.test import Client

from dialogue.audit.invariants import count_violations
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, Caller, InputFormat
from dialogue.library.documents.versions import store_documents
from dialogue.library.releases import migration_apply
from dialogue.library.releases.migration_apply import MapRefused, Migration, all_reports
from dialogue.library.releases.releases import publish
from dialogue.models import AuditEntry, Conversation, HITLSession, Release
from dialogue.turns.accept import Incoming, accept, open_conversation
from dialogue.turns.worker import drain
from tests.support.releases import demo
from tests.support.transfers import person

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.journey]

ACCOUNT = "DE89370400440532013000"
BANK = demo("bank")
TRANSFER = BANK["transfer_money.yaml"]


@pytest.fixture
def first(payments: object) -> Release:
    return publish(store_documents(BANK))


def second(changes: Mapping[str, str]) -> Release:
    """The next release: the transfer with these words replaced."""
    text = TRANSFER
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    return publish(store_documents({**BANK, "transfer_money.yaml": text}))


def say(conversation: Conversation, text: str) -> Conversation:
    accept(conversation.pk, Incoming("message", text, {"text": text}, text=text))
    async_to_sync(drain)(conversation.pk)
    return Conversation.objects.get(pk=conversation.pk)


def asked_for_iban() -> Conversation:
    """Ursula has said whom and how much, and is asked for the account."""
    return say(open_conversation("bank", user_ref="Ursula")[0], "send 6000 to Anna Berg")


RENAMED = {"step: ask_iban,": "step: ask_account,"}
ACCOUNT_STEP = {"transfer_money.ask_iban": "ask_account"}


def test_a_conversation_goes_on_at_the_step_that_its_own_became(first: Release):
    conversation = asked_for_iban()
    new = second({**RENAMED, "is on its way to": "has left for"})

    (moved,) = Migration(first, new, ACCOUNT_STEP).carry_out(None).reports
    after = say(conversation, ACCOUNT)

    assert (moved.is_done, moved.lost, moved.refusals) == (True, (), ())
    assert after.release == new
    assert [entry["awaiting"] for entry in after.stack] == ["transfer_money!confirm"]
    assert after.stack[0]["slots"]["beneficiary"]["value"] == "Anna Berg"
    assert AuditEntry.objects.filter(act="conversation.migrated", chain=str(conversation.pk)).count() == 1
    assert [invariant.sentence for invariant, number in count_violations() if number] == []


def test_a_dry_run_says_what_would_be_lost_and_changes_nothing(first: Release):
    conversation = asked_for_iban()
    new = second({"maximum: 50000": "maximum: 500"})

    (report,) = Migration(first, new, {}).dry_run().reports

    assert report.is_possible
    assert report.lost == ("the value of transfer_money.amount",)
    conversation.refresh_from_db()
    assert conversation.release == first
    assert "amount" in conversation.stack[0]["slots"]


def test_what_is_lost_is_asked_for_again(first: Release):
    conversation = asked_for_iban()
    new = second({"maximum: 50000": "maximum: 500"})

    Migration(first, new, {}).carry_out(None)
    after = say(conversation, ACCOUNT)

    assert [entry["awaiting"] for entry in after.stack] == ["transfer_money?amount"]


def test_a_step_that_is_gone_and_not_mapped_keeps_the_conversation_where_it_is(first: Release):
    conversation = asked_for_iban()
    new = second(RENAMED)

    (report,) = Migration(first, new, {}).carry_out(None).reports

    assert not report.is_done
    assert report.refusals == ("transfer_money.ask_iban is gone; map it to a step that is there",)
    assert say(conversation, ACCOUNT).release == first


def test_an_undecided_gate_moves_only_when_it_is_mapped(first: Release, olga: Caller):
    conversation = say(asked_for_iban(), ACCOUNT)
    say(conversation, "yes")
    new = second({"step: approval\n": "step: agreement\n", "next: approval}": "next: agreement}"})

    (refused,) = Migration(first, new, {}).carry_out(None).reports
    (moved,) = Migration(first, new, {"transfer_money.approval": "agreement"}).carry_out(None).reports
    gate = HITLSession.objects.get(audience="staff")
    service.submit(gate.pk, olga, Answer("approve", {}, InputFormat.JSON), version=gate.version, key="once")
    async_to_sync(drain)(conversation.pk)

    assert "the gate transfer_money.approval is not decided; map it, or decide it first" in refused.refusals
    assert moved.is_done
    assert (gate.step, gate.release) == ("agreement", new)
    assert conversation.messages.order_by("-seq")[0].key == "say:done"


def test_a_gate_without_one_of_the_answers_takes_no_conversation(first: Release):
    conversation = say(asked_for_iban(), ACCOUNT)
    say(conversation, "yes")
    new = second(
        {
            "{id: reject, label: {en: Reject, es: Rechazar}, reason: required}": "{id: refuse, reason: required}",
            "on_timeout: reject": "on_timeout: refuse",
            "reject: refused": "refuse: refused",
        }
    )

    (report,) = Migration(first, new, {"transfer_money.approval": "approval"}).dry_run().reports

    assert report.refusals == ("transfer_money.approval has no answer reject",)


def test_a_map_of_steps_that_are_not_there_is_refused(first: Release):
    new = second(RENAMED)

    with pytest.raises(MapRefused, match="ask_iben is no step of the old release"):
        Migration(first, new, {"transfer_money.ask_iben": "ask_account"})


def test_the_page_tells_first_and_then_moves(first: Release):
    conversation = asked_for_iban()
    new = second(RENAMED)
    browser = Client()
    browser.force_login(person("arthur", "Arthur Penn", "flow authors"))
    wanted = {"old": "1", "new": "2", "steps": "transfer_money.ask_iban = ask_account"}

    stays = browser.get("/releases/bank/move/", {**wanted, "steps": ""}).content.decode()
    wrong = browser.get("/releases/bank/move/", {**wanted, "steps": "to the left"})
    told = browser.get("/releases/bank/move/", wanted).content.decode()
    done = browser.post("/releases/bank/move/", wanted).content.decode()

    assert "0 of 1 can be moved" in stays
    assert "is gone: choose where it goes" in stays
    assert wrong.status_code == 422
    assert "Move 1 conversation" in told
    assert "1 conversation was moved" in done
    assert Conversation.objects.get(pk=conversation.pk).release == new


def test_the_command_tells_and_with_go_it_moves(first: Release, capsys: pytest.CaptureFixture[str]):
    asked_for_iban()
    second(RENAMED)

    call_command("migrate_conversations", "bank", "1", "2", "--step", "transfer_money.ask_iban=ask_account")
    call_command("migrate_conversations", "bank", "1", "2", "--step", "transfer_money.ask_iban=ask_account", "--go")

    printed = capsys.readouterr().out
    assert "1 of 1 conversations can be moved" in printed
    assert "1 of 1 conversations were moved" in printed


def test_more_than_one_batch_is_moved_until_none_is_left(first: Release, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(migration_apply, "BATCH_SIZE", 2)
    for _ in range(5):
        asked_for_iban()
    new = second(RENAMED)
    moving = Migration(first, new, ACCOUNT_STEP)

    dry = moving.dry_run()
    reports = list(all_reports(lambda after: moving.carry_out(None, after)))

    assert (len(dry.reports), dry.possible_count, dry.last) == (2, 2, dry.reports[-1].conversation)
    assert [report.is_done for report in reports] == [True] * 5
    assert Conversation.objects.filter(release=new).count() == 5


def test_what_cannot_move_keeps_no_later_batch(first: Release, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(migration_apply, "BATCH_SIZE", 1)
    for _ in range(3):
        asked_for_iban()
    moving = Migration(first, second(RENAMED), {})

    reports = list(all_reports(lambda after: moving.carry_out(None, after)))

    assert len({report.conversation for report in reports}) == 3
    assert not any(report.is_done for report in reports)


def test_a_step_goes_to_a_step_of_its_own_flow(first: Release):
    with pytest.raises(MapRefused, match="stays in its flow"):
        Migration(first, second(RENAMED), {"transfer_money.ask_iban": "check_balance.ask"})
