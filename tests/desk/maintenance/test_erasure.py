"""An erased conversation is nowhere: canaries are looked for in every table, and in the database's files."""

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import async_to_sync
from django.core.management import CommandError, call_command
from django.db import connection

from dialogue.audit import chain
from dialogue.audit.invariants import count_violations
from dialogue.desk.access.people import read_person
from dialogue.desk.maintenance.erasure import erase_conversation, vacuum_database
from dialogue.desk.sessions import service
from dialogue.desk.sessions.drafts import DraftText
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.models import (
    AuditEntry,
    Conversation,
    Draft,
    Event,
    HITLSession,
    NLUAnswer,
    NLUProgram,
    NLURun,
    ScenarioDocument,
)
from dialogue.turns import clock, lease
from dialogue.turns.accept import ConversationNotFound, ConversationOver, Incoming, accept, open_conversation
from dialogue.turns.answer_links import invite_people
from dialogue.turns.worker import drain
from tests.support.releases import demo, publish

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

CANARY = "Quetzalcoatlus"
IBAN = "MT84MALT011000012345MTLCAST001S"
"""Malta's example. It ends in a letter, so that its last characters stand in no time and no number."""


@pytest.fixture
def chat(payments: Any, olga: Caller) -> Conversation:
    """A transfer that was drafted, refused, mailed about and decided, with the canary wherever people may type."""
    publish(demo("bank"))
    row = open_conversation("bank", user_ref=f"{CANARY} user", metadata={"note": f"{CANARY} meta"})[0]
    for text in (f"send 8450 to {CANARY} Marine, {IBAN}", "yes"):
        accept(row.pk, Incoming("message", uuid4().hex, {"text": text}, text=text))
        async_to_sync(drain)(row.pk)
    gate = HITLSession.objects.get(audience="staff")
    gate.channels = [{"email": f"{CANARY.lower()}@bank.example"}]
    gate.save()
    invite_people(gate, clock.now())
    service.save_draft(gate.pk, olga, DraftText({"reason": f"{CANARY} draft"}, "reject"))
    with pytest.raises(service.Refused):
        service.submit(gate.pk, olga, Answer("fly", {"reason": f"{CANARY} refused"}))
    NLUAnswer.objects.create(key="k", conversation=row, commands=[{"set_slot": {"name": CANARY}}], at=clock.now())
    learned(row, f'{{"demos": ["send 8450 to {CANARY} Marine, {IBAN}"]}}')
    ScenarioDocument.objects.create(
        assistant=row.assistant, name="recorded", text=CANARY, origin=row, saved_at=clock.now()
    )
    service.submit(gate.pk, olga, Answer("reject", {"reason": f"{CANARY} reason"}))
    async_to_sync(drain)(row.pk)
    return row


def learned(row: Conversation, artefact: str) -> NLUProgram:
    facts = {"sha256": "a", "signature": "s", "dspy": "3", "model": "m", "optimizer": "o", "data": "d"}
    number = NLUProgram.objects.count() + 1
    return NLUProgram.objects.create(
        assistant=row.assistant, number=number, artefact=artefact, made_at=clock.now(), **facts
    )


def tables_with(canary: str) -> list[str]:
    """Every table in which the canary stands, however it is written."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            texts = [_text_of(value) for row in cursor.fetchall() for value in row]
            if any(canary.lower() in text.lower() for text in texts):
                found.append(table)
    return found


def _text_of(value: object) -> str:
    """A value as text; bytes as they are, since their Python form has digits of its own (`b"\x03000"`)."""
    if isinstance(value, bytes | memoryview):
        return bytes(value).decode("latin-1")
    return str(value)


def files_with(canary: str) -> list[str]:
    database = Path(str(connection.settings_dict["NAME"]))
    files = [path for path in database.parent.glob(f"{database.name}*") if path.is_file()]
    return [path.name for path in files if canary.lower().encode() in path.read_bytes().lower()]


def test_the_canary_stands_in_many_tables_before(chat: Conversation) -> None:
    assert len(tables_with(CANARY)) > 8


def test_erased_text_is_in_no_table(chat: Conversation, sofia: Caller) -> None:
    erased = erase_conversation(chat.pk, read_person(sofia.user), "asked for it")

    assert tables_with(CANARY) == []
    assert tables_with(IBAN) == [] and tables_with(IBAN[-4:]) == []
    assert erased.rows["Message"] > 3 and "Turn" in str(erased)


@pytest.mark.sqlite  # PostgreSQL's files are its own
def test_erased_text_is_in_no_file(chat: Conversation, sofia: Caller) -> None:
    assert files_with(CANARY)

    erase_conversation(chat.pk, read_person(sofia.user), "asked for it")
    vacuum_database()

    assert files_with(CANARY) == []


def test_the_audit_chain_stays_whole_and_says_who_erased_and_why(chat: Conversation, sofia: Caller) -> None:
    erase_conversation(chat.pk, read_person(sofia.user), "asked for it")

    last = AuditEntry.objects.filter(chain=str(chat.pk)).order_by("number").last()
    assert last is not None
    assert (last.act, last.actor, last.detail.text) == ("conversation.erased", "Sofia Ruiz", {"reason": "asked for it"})
    assert list(chain.verify()) == []
    assert [invariant.sentence for invariant, count in count_violations() if count] == []


def test_erasing_twice_is_as_good_as_once(chat: Conversation, sofia: Caller) -> None:
    erase_conversation(chat.pk, read_person(sofia.user), "asked for it")
    erase_conversation(chat.pk, read_person(sofia.user), "again")

    assert [invariant.sentence for invariant, count in count_violations() if count] == []
    assert tables_with(CANARY) == []


def test_an_erased_conversation_takes_nothing_any_more(chat: Conversation, sofia: Caller) -> None:
    erase_conversation(chat.pk, read_person(sofia.user), "asked for it")

    with pytest.raises(ConversationOver):
        accept(chat.pk, Incoming("message", "m9", {"text": "hello?"}, text="hello?"))


def test_a_turn_that_runs_meanwhile_writes_nothing(chat: Conversation, sofia: Caller) -> None:
    held = lease.claim(chat.pk, "another runner")
    erase_conversation(chat.pk, read_person(sofia.user), "asked for it")

    assert held is not None
    assert not lease.renew(held)
    assert not Event.objects.exists()


def test_a_program_that_learned_nothing_from_it_stays(chat: Conversation, sofia: Caller) -> None:
    other = learned(chat, '{"demos": ["block my card"]}')

    erase_conversation(chat.pk, read_person(sofia.user), "asked for it")

    assert list(NLUProgram.objects.all()) == [other]
    assert not Draft.objects.exists()


def test_reports_that_show_its_lines_go_too(chat: Conversation, sofia: Caller) -> None:
    report = {"worst": [{"message": chat.messages.filter(role="user").earliest("seq").text}]}
    measured = learned(chat, "{}")
    NLUProgram.objects.filter(pk=measured.pk).update(scores=report)
    shows: tuple[dict[str, Any], ...] = (report, {"worst": []})
    for shown in shows:
        NLURun.objects.create(
            assistant=chat.assistant,
            kind="evaluation",
            state="done",
            report=shown,
            started_at=clock.now(),
            beat_at=clock.now(),
        )

    erase_conversation(chat.pk, read_person(sofia.user), "asked for")

    assert not NLUProgram.objects.filter(pk=measured.pk).exists()
    assert [run.report for run in NLURun.objects.all()] == [{"worst": []}]


def test_what_is_not_there_cannot_be_erased(sofia: Caller, db: None) -> None:
    with pytest.raises(ConversationNotFound):
        erase_conversation(uuid4(), read_person(sofia.user), "no reason")


def test_the_command_asks_for_the_right(chat: Conversation, sofia: Caller) -> None:
    with pytest.raises(CommandError, match="no right"):
        call_command("erase_conversation", str(chat.pk), "asked", "--as", "sofia")
