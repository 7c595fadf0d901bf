"""What a human step's settings become in its session's row, in the commit of the turn that opens it."""

from datetime import timedelta

import pytest
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dialogue.desk.access.people import Caller
from dialogue.desk.forms.action_preview import consequences_of
from dialogue.desk.sessions.decisions import Answer, expire, submit
from dialogue.models import AnswerLink, AuditEntry, HITLSession, Notice, hot_path
from dialogue.sweep import sweep
from dialogue.turns.process.database import in_thread
from dialogue.turns.sessions import current_sessions
from dialogue.turns.worker import drain
from tests.support.releases import demo
from tests.support.transfers import person
from tests.support.turns import TRANSFER, bank, begun, say

pytestmark = pytest.mark.django_db(transaction=True)


def bank_with(setting: str) -> dict[str, str]:
    """The demo bank, whose approval has one setting more."""
    documents = demo("bank")
    documents["transfer_money.yaml"] = documents["transfer_money.yaml"].replace(
        "    group: payments\n", f"    group: payments\n    {setting}\n"
    )
    return documents


async def opened_gate(setting: str) -> HITLSession:
    conversation = await begun(bank_with(setting))
    await say(conversation, TRANSFER, bank())
    await say(conversation, "yes", bank())
    return await HITLSession.objects.select_related("escalates_to").aget(audience="staff")


async def test_a_gate_knows_when_it_escalates_and_to_whom() -> None:
    gate = await opened_gate("escalate: {after: 15m, role: treasury}")

    assert gate.escalates_to is not None and gate.escalates_to.name == "treasury"
    assert gate.escalates_at == gate.opened_at + timedelta(minutes=15)
    assert gate.escalated_at is None


@pytest.mark.parametrize(("setting", "minutes"), [("due: 10m", 10), ("due: 45m", 30), ("", 30)])
async def test_a_gate_is_urgent_by_when_it_is_due_or_expires_whichever_is_first(setting: str, minutes: int) -> None:
    gate = await opened_gate(setting)

    assert gate.expires_at == gate.opened_at + timedelta(minutes=30)
    assert gate.urgent_at == gate.opened_at + timedelta(minutes=minutes)


async def test_the_sweep_escalates_what_is_due() -> None:
    gate = await opened_gate("escalate: {after: 15m, role: treasury}")
    await in_thread(HITLSession.objects.filter(pk=gate.pk).update)(escalates_at=gate.opened_at)

    await sweep()

    await gate.arefresh_from_db()
    assert gate.escalated_at is not None


async def test_whoever_is_asked_outside_has_a_link_and_a_mail_in_the_same_commit() -> None:
    gate = await opened_gate("channels: [daniel@treasury.example, treasury]")

    link = await AnswerLink.objects.select_related("session").aget()
    entry = await AuditEntry.objects.aget(act="link.made")
    assert (link.session.pk, link.email) == (gate.pk, "daniel@treasury.example")
    assert (await Notice.objects.aget()).state == "pending"
    assert (entry.subject, entry.facts) == (gate.name, {"link": link.pk})


async def test_the_sweep_sends_the_mail() -> None:
    await opened_gate("channels: [daniel@treasury.example]")

    swept = await sweep()

    assert (swept.mails, len(mail.outbox)) == (1, 1)


async def test_a_turn_reads_the_sessions_that_are_open_however_many_are_over() -> None:
    conversation = await begun(demo("bank"))

    def plan() -> str:
        with CaptureQueriesContext(connection) as asked:
            hot_path.fetch_all([current_sessions(conversation.pk)])
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {asked.captured_queries[0]['sql']}")
            return str(cursor.fetchall())

    assert "session_current" in await in_thread(plan)()


REFUSAL = {
    "assistant.yaml": "version: 1\nassistant: refunds\n",
    "refund.yaml": """\
flow: refund
description: A refund.
examples: [refund me]
slots:
  why: {type: text, prompt: Why?}
steps:
  - {step: ask, type: collect, slot: why}
  - step: gate
    type: human
    title: Refund
    actions: [{id: approve, style: primary}, {id: decline, reason: required}]
    timeout: 1h
    on_timeout: decline
    next: {approve: paid, decline: refused}
FORM
  - {step: paid, type: say, message: "Paid.", next: end}
  - {step: refused, type: say, message: "Declined: {gate.reason}"}
""",
}
FIELD = "    form: {reason: optional text}"


def _olga() -> Caller:
    return Caller(person("olga", "Olga Petrov", "operators").pk, "api")


@pytest.mark.parametrize("form", ["", FIELD])
@pytest.mark.parametrize(
    "answer",
    [Answer("decline", reason="It was used."), Answer("decline", {"reason": "It was used."})],
    ids=["beside the values", "among the values"],
)
async def test_the_customer_can_be_told_the_reason_of_a_decision(answer: Answer, form: str) -> None:
    documents = {name: text.replace("FORM\n", f"{form}\n" if form else "") for name, text in REFUSAL.items()}
    conversation = await begun(documents)
    await say(conversation, "refund me")
    await say(conversation, "it broke")
    session = await HITLSession.objects.aget(audience="staff")

    await in_thread(lambda: submit(session.pk, _olga(), answer))()
    await drain(conversation.pk)

    last = await conversation.messages.order_by("seq").alast()
    assert last is not None and last.text == "Declined: It was used."


async def test_a_request_that_a_person_lets_expire_has_a_reason_too() -> None:
    conversation = await begun({name: text.replace("FORM\n", "") for name, text in REFUSAL.items()})
    await say(conversation, "refund me")
    await say(conversation, "it broke")
    session = await HITLSession.objects.aget(audience="staff")

    await in_thread(lambda: expire(session.pk, _olga(), reason="We are closed."))()
    await drain(conversation.pk)

    last = await conversation.messages.order_by("seq").alast()
    assert last is not None and last.text == "Declined: We are closed."


FOR_CUSTOMER = {
    "assistant.yaml": "version: 1\nassistant: refunds\nslots:\n  customer: {type: text, default: Ursula Berg}\n",
    "refund.yaml": REFUSAL["refund.yaml"]
    .replace("FORM\n", "    show: [why, customer]\n")
    .replace("Declined: {gate.reason}", "{customer}: declined"),
}


async def test_staff_see_a_slot_of_the_assistant_that_a_request_shows() -> None:
    conversation = await begun(FOR_CUSTOMER)
    await say(conversation, "refund me")
    await say(conversation, "it broke")

    session = await HITLSession.objects.select_related("conversation", "release").aget(audience="staff")

    assert [(entry["name"], entry["shown"]) for entry in session.shown] == [
        ("why", "it broke"),
        ("customer", "Ursula Berg"),
    ]
    consequences = await in_thread(consequences_of)(session)
    assert "Ursula Berg: declined" in consequences["decline"].text
