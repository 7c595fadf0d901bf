"""The page of a conversation says in sentences why the assistant said what it said, beside the lines themselves."""

import re

import pytest
from asgiref.sync import sync_to_async
from django.test import Client

from dialogue.models import Conversation, Event, HITLSession, Message, Release, Turn
from dialogue.turns import clock
from dialogue.turns.accept import Incoming, accept
from dialogue.turns.process.database import in_thread
from dialogue.web.conversations.exchanges import exchanges_of
from dialogue.web.conversations.explanation import Explanation, Reason
from dialogue.web.conversations.step_lines import step_lines
from tests.support.releases import demo
from tests.support.transfers import person
from tests.support.turns import bank, begun, say
from tests.support.web.pages import text_of

pytestmark = pytest.mark.django_db(transaction=True)
IBAN = "DE89370400440532013000"
SAID = ("send money to Lindqvist Marine", "blorp flurb", IBAN, "8450", "yes")


@pytest.fixture
async def talk() -> Conversation:
    """A transfer up to the gate, with one message that was not understood."""
    conversation, ports = await begun(demo("bank")), bank()
    for text in SAID:
        await say(conversation, text, ports)
    return conversation


@in_thread
def browser(username: str, full_name: str, *groups: str) -> Client:
    client = Client()
    client.force_login(person(username, full_name, *groups))
    return client


@in_thread
def reasons_of(talk: Conversation, *, links: bool = True) -> list[list[Reason]]:
    live = talk.assistant.active_release_id or 0
    explanation = Explanation("bank", str, links=links, live_release=live)
    turns = Turn.objects.filter(conversation=talk).select_related("event", "release").order_by("number")
    return [explanation.reasons(turn) for turn in turns]


def sentence(reason: Reason) -> str:
    return f"{reason.head} {reason.text}".strip()


@in_thread
def simulate_actions(talk: Conversation) -> None:
    for turn in Turn.objects.filter(conversation=talk):
        for action in turn.record.get("actions", ()):
            action["simulated"] = True
        turn.save(update_fields=["record"])


async def test_an_action_that_a_test_simulated_is_not_said_to_have_run(talk: Conversation):
    await simulate_actions(talk)

    sentences = [sentence(reason) for reasons in await reasons_of(talk) for reason in reasons]

    assert "Simulated: check payee" in sentences and "Ran: check payee" not in sentences


async def test_each_turn_says_what_was_understood_by_which_reader_and_what_was_asked(talk: Conversation):
    begun_turn, unclear, told, amount, agreed = await reasons_of(talk)

    understood, asked = map(sentence, begun_turn)
    assert re.fullmatch(
        r"Understood: send money, beneficiary Lindqvist Marine – by the learned reader, \d+%", understood
    )
    assert asked == "Asked: IBAN was missing"
    missed, again = map(sentence, unclear)
    assert re.fullmatch(r"Not understood: the nearest example, “.+”, is too far away \(0\.\d\d\)", missed)
    assert again == "Asked again: IBAN was missing"
    assert IBAN not in sentence(told[0]) and "by its form" in sentence(told[0])
    assert sentence(amount[0]).startswith("Understood: amount €8,450.00 – ")
    assert [sentence(reason) for reason in amount][-2:] == ["Ran: check payee", "Asked for a yes or no"]
    assert [reason.head for reason in agreed] == ["Understood:", "Asked staff:"]


async def test_a_reason_links_to_the_line_of_the_step_in_the_release(talk: Conversation):
    lines = demo("bank")["transfer_money.yaml"].splitlines()
    _begun_turn, unclear, *_more = await reasons_of(talk)
    place = unclear[0].place

    assert place is not None
    number = int(place.url.rpartition("#line-")[2])
    assert "ask_iban" in lines[number - 1]
    assert place.words == f"Line {number} of “Send money”"


async def test_after_a_newer_release_the_link_names_the_step_and_without_the_right_there_is_none(talk: Conversation):
    await Conversation.objects.filter(pk=talk.pk).aupdate(release=talk.release_id)
    explanation = Explanation("bank", str, links=True, live_release=talk.release_id + 1)
    [turn] = [row async for row in Turn.objects.select_related("event", "release").filter(number=2)]
    reasons = await in_thread(explanation.reasons)(turn)
    without = await reasons_of(talk, links=False)

    assert reasons[0].place is not None and reasons[0].place.url.endswith("/flows/bank/transfer_money/#step-ask_iban")
    assert without[1][0].place is not None and without[1][0].place.url == ""


async def test_the_page_has_lines_and_reasons_side_by_side_and_details_folded(talk: Conversation):
    await Conversation.objects.filter(pk=talk.pk).aupdate(language="en")
    client = await browser("sofia", "Sofia Ruiz", "supervisors")
    html = text_of(await sync_to_async(client.get)(f"/conversations/{talk.pk}/"))

    about = html[html.index("About this conversation") :]
    assert "<dt>Language</dt><dd>English</dd>" in about
    assert '<b title="transfer_money">Send money</b>' in about and f">{talk.pk}</code>" in about

    first = html[html.index('id="turn-1"') : html.index('id="turn-2"')]
    assert SAID[0] in first and "by the learned reader" in first and '<details class="record">' in first
    sentences = re.sub(r"<details class=\"record\">.*?</details>", "", html, flags=re.DOTALL)
    assert "cannot_handle" not in sentences.replace('data-key="cannot_handle"', "")
    assert "Waiting for staff" in html and "1 not understood" in html


async def test_an_auditor_reads_masked_values_in_the_sentences_too(talk: Conversation):
    await Turn.objects.filter(number=3).aupdate(record={"path": [{"part": "rules"}], "proposed": [IBAN]})
    client = await browser("audrey", "Audrey Stone", "auditors")
    html = text_of(await sync_to_async(client.get)(f"/conversations/{talk.pk}/"))

    sentences = re.sub(r"<details class=\"record\">.*?</details>", "", html, flags=re.DOTALL)
    assert "Understood:" in sentences and IBAN not in sentences


async def test_where_retention_has_deleted_the_record_the_page_says_so(talk: Conversation):
    await Turn.objects.filter(number=2).aupdate(record={})
    client = await browser("sofia", "Sofia Ruiz", "supervisors")

    html = text_of(await sync_to_async(client.get)(f"/conversations/{talk.pk}/"))

    assert "The record of this turn was deleted" in html


async def test_lines_of_no_turn_and_turns_without_lines_keep_their_places(talk: Conversation):
    turns = [row async for row in Turn.objects.select_related("event").order_by("number")]
    lines = [row async for row in Message.objects.order_by("seq")]
    waiting = Message(seq=99, role="user", text="Hello?")
    silent_left_out = [line for line in lines if line.turn_id != turns[2].pk and line.pk != turns[2].event.message_id]

    exchanges = exchanges_of([*silent_left_out, waiting], turns)

    assert [(each.turn.number if each.turn else None, len(each.lines) > 0) for each in exchanges] == [
        *((1, True), (2, True), (3, False), (4, True), (5, True)),
        (None, True),
    ]


async def test_steps_of_loops_have_lines_and_an_unreadable_text_has_none(talk: Conversation):
    documents = {
        "loop.yaml": "flow: loop\nsteps:\n  - step: each\n    type: for_each\n"
        "    do:\n      - {step: inner, type: say}\n",
        "broken.yaml": "flow: [",
    }
    release = Release(sha256="loops", trial=True, texts=documents)

    lines = await in_thread(step_lines)(release)

    assert lines == {("loop", ""): 1, ("loop", "each"): 3, ("loop", "inner"): 6}


@in_thread
def answer_of_staff(talk: Conversation) -> None:
    """The turn of a decision, as the gate's operation leaves it."""
    gate = HITLSession.objects.get(conversation=talk, audience="staff")
    HITLSession.objects.filter(pk=gate.pk).update(
        handle="reject",
        decided_as="Olga Berg",
        reason=f"{IBAN} is unknown",
        values={"daily_limit": 500, "reason": None},
    )
    gate.refresh_from_db()
    accept(talk.pk, Incoming(Event.Kind.DECISION, "decision", {"session": str(gate.uid)}, session=gate))
    event, last = talk.events.get(client_id="decision"), talk.turns.order_by("number").last()
    assert last is not None
    facts = {"release": last.release, "state": "idle", "milliseconds": 1, "finished_at": clock.now()}
    Turn.objects.create(conversation=talk, number=last.number + 1, event=event, record={"path": []}, **facts)


async def test_the_answer_of_staff_stands_there_with_sensitive_values_masked(talk: Conversation):
    await answer_of_staff(talk)

    *_earlier, [decided] = await reasons_of(talk)

    assert decided.head == "Staff answered"
    assert decided.text == "Olga Berg: Reject, daily limit 500, “•••• is unknown”"
