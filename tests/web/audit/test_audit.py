"""The audit page: acts in words with links, filters, and who reads, exports and verifies what."""

import csv
import json
import re
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.models import AuditDetail, AuditEntry, Conversation, HITLSession
from dialogue.turns import clock
from dialogue.turns.accept import open_conversation
from dialogue.web.audit import words
from tests.support.agents import agent_gate
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

pytestmark = [pytest.mark.django_db, pytest.mark.database]
HOME = "/audit/"


@pytest.fixture
def acts(session: HITLSession, olga: Caller) -> str:
    """Three entries of one conversation's chain; its name."""
    service.claim(session.pk, olga)
    service.add_note(session.pk, olga, "called the customer")
    service.submit(session.pk, olga, Answer("reject", {"reason": "IBAN is wrong"}))
    return str(session.conversation_id)


@pytest.fixture
def auditor(audrey: Caller, browser_of: Browser) -> Client:
    return browser_of(audrey)


def body_of(response: Any) -> str:
    return b"".join(response.streaming_content).decode()


def test_acts_are_sentences_with_links_to_the_gate_and_the_conversation(
    acts: str, session: HITLSession, auditor: Client
):
    chain.record(session.conversation_id, [Act("conversation.cancelled", "Olga Petrov", 7)], clock.now())

    page = text_of(auditor.get(HOME))

    gate = f'<a href="/gates/{session.name}/">{session.name}</a>'
    assert f"<b><bdi>Olga Petrov</bdi></b> claimed {gate}" in page
    assert f"<b><bdi>Olga Petrov</bdi></b> rejected {gate}" in page
    assert f'ended <a href="/conversations/{acts}/"><bdi>the conversation of Ursula</bdi></a>' in page


def test_an_act_that_has_no_sentence_is_shown_by_its_name(auditor: Client):
    chain.record(CONSOLE, [Act("user.{renamed}", "<Olga>", 7)], clock.now())

    assert "<b><bdi>&lt;Olga&gt;</bdi></b>: user.{renamed}" in text_of(auditor.get(HOME))


def test_every_act_that_the_product_records_on_a_gate_has_a_sentence():
    from dialogue.desk.sessions.transitions import TRANSITIONS

    assert {f"session.{name}" for name in TRANSITIONS} <= words._PHRASES.keys()


@pytest.mark.parametrize("act", words._PHRASES)
def test_every_sentence_can_be_written_with_and_without_its_facts(act: str):
    names = ("address", "assistant", "document", "error", "flow", "host", "line", "release", "role", "token", "version")
    nothing = words.LinkedRows({}, {}, {}, frozenset(), {}, {})

    for facts in ({}, {name: f"<{name}>" for name in names}):
        entry = AuditEntry(chain=CONSOLE, number=1, at=clock.now(), act=act, actor="Sofia", facts=facts)
        assert "{" not in words.audit_row(entry, nothing).sentence


def test_a_channel_that_was_connected_is_in_the_list(auditor: Client):
    facts = {"assistant": "shop", "channel": "telegram", "address": "@shop_bot"}
    chain.record(CONSOLE, [Act("channel.added", "Sofia", 7, subject="@shop_bot", facts=facts)], clock.now())

    connected = "<b><bdi>Sofia</bdi></b> connected <bdi>@shop_bot</bdi> to <bdi>shop</bdi>"
    assert connected in text_of(auditor.get(HOME, {"what": "accounts"}))


def test_the_facts_of_an_entry_have_titles_and_values_in_words(acts: str, auditor: Client):
    ends = {"token": "kitchen", "scopes": [], "ends": "2027-01-31T12:00:00+00:00", "weather": True}
    chain.record(CONSOLE, [Act("token.made", "Sofia", 7, facts=ends)], clock.now())
    claimed, token = AuditEntry.objects.get(chain=acts, number=1), AuditEntry.objects.latest("pk")

    on_claim, on_token = (text_of(auditor.get(f"{HOME}{row.pk}/")) for row in (claimed, token))

    assert "<dt>Through</dt><dd><bdi>API</bdi></dd>" in on_claim
    assert "<dt>Version</dt>" in on_claim
    assert "<dt>May do</dt><dd><bdi>–</bdi></dd>" in on_token
    assert "<dt>Ends</dt><dd><bdi>Sunday, 31 January 2027, 12:00:00 (UTC)</bdi></dd>" in on_token
    assert "<dt><code>weather</code></dt><dd><bdi>yes</bdi></dd>" in on_token


def test_a_token_for_the_whole_account_is_called_so(auditor: Client):
    chain.record(CONSOLE, [Act("token.made", "Sofia", 7, facts={"token": "kitchen", "scopes": None})], clock.now())

    page = text_of(auditor.get(f"{HOME}{AuditEntry.objects.latest('pk').pk}/"))

    assert "<dt>May do</dt><dd><bdi>all that the account may do</bdi></dd>" in page


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ({"what": "gates"}, [1, 2, 3]),
        ({"what": "accounts"}, []),
        ({"act": "session.note"}, [2]),
        ({"q": "claimed"}, [1]),
        ({"q": "rejected"}, [3]),
        ({"who": "people", "q": "olga"}, [1, 2, 3]),
        ({"who": "system"}, []),
        ({"when": "today", "what": "gates"}, [1, 2, 3]),
    ],
)
def test_filters_and_search_leave_what_fits(
    query: dict[str, str], numbers: list[int], acts: str, auditor: Client, monkeypatch: pytest.MonkeyPatch
):
    AuditEntry.objects.exclude(chain=acts).filter(actor_id__isnull=True).exists()

    page = auditor.get(HOME, query)

    entries = [row.entry for row in page.context["rows"]]
    assert sorted(entry.number for entry in entries if entry.chain == acts) == numbers


@pytest.mark.parametrize("query", [{"what": "nonsense"}, {"when": "x"}, {"after": "nonsense"}])
def test_what_is_not_offered_is_not_found(query: dict[str, str], auditor: Client):
    assert auditor.get(HOME, query).status_code == 404


def test_an_operator_reads_the_own_acts_only(acts: str, oscar: Caller, olga: Caller, browser_of: Browser):
    entry = AuditEntry.objects.get(chain=acts, number=1)

    own, other = browser_of(olga), browser_of(oscar)

    assert "You see your own acts." in text_of(own.get(HOME))
    assert len(own.get(HOME).context["rows"]) == 3
    assert own.get(f"{HOME}{entry.pk}/").status_code == 200
    assert len(other.get(HOME).context["rows"]) == 0
    assert other.get(f"{HOME}{entry.pk}/").status_code == 404


def test_personal_text_is_shown_with_the_entry_and_masked_for_an_auditor(
    acts: str, session: HITLSession, auditor: Client, sofia: Caller, browser_of: Browser
):
    chain.record(
        session.conversation_id,
        [Act("session.note", "Olga", None, session.name, detail={"text": "to DE89370400440532013000"})],
        clock.now(),
    )
    entry = AuditEntry.objects.latest("pk")

    assert "called the customer" in text_of(auditor.get(f"{HOME}{AuditEntry.objects.get(chain=acts, number=2).pk}/"))
    assert "DE89370400440532013000" not in text_of(auditor.get(f"{HOME}{entry.pk}/"))


def test_personal_text_is_called_erased_only_where_there_was_some(session: HITLSession, auditor: Client):
    noted = Act("session.note", "Olga", None, session.name, detail={"text": "called the customer"})
    chain.record(session.conversation_id, [noted, Act("session.seen_in_full", "Olga", 7, session.name)], clock.now())
    AuditDetail.objects.all().delete()
    erased, never = AuditEntry.objects.order_by("pk")[:2]

    on_erased, on_never = (text_of(auditor.get(f"{HOME}{row.pk}/")) for row in (erased, never))

    assert "It was erased." in on_erased
    assert "Personal text" not in on_never


def test_a_kind_of_act_is_a_sentence_without_gaps():
    gap = re.compile(r"[{}…“”()]| {2}| (of|to|in|by|for|on|from)$")

    assert [words.act_text(act) for act in words._PHRASES if gap.search(words.act_text(act))] == []


def test_an_answer_without_reason_and_values_says_so(session: HITLSession, olga: Caller, auditor: Client):
    service.submit(session.pk, olga, Answer("approve", {}))
    entry = AuditEntry.objects.get(act="session.submit")

    assert "No text was written, and no field filled in." in text_of(auditor.get(f"{HOME}{entry.pk}/"))


def test_an_entry_has_its_kind_of_act_in_words_and_says_what_its_gate_is_about(
    acts: str, session: HITLSession, auditor: Client
):
    HITLSession.objects.filter(pk=session.pk).update(summary="€8,450.00 · Lindqvist Marine AB")
    entry = AuditEntry.objects.get(chain=acts, act="session.submit")

    page, rows = text_of(auditor.get(f"{HOME}{entry.pk}/")), text_of(auditor.get(HOME))

    assert words.act_text("session.seen_in_full") == "Saw a gate with its sensitive values"
    assert words.act_text("flow_saved") == "Saved a flow"
    assert "<bdi>Answered a gate</bdi>" in page
    assert f'href="/audit/?act={entry.act}">All entries of this kind' in page
    assert "€8,450.00 · Lindqvist Marine AB</bdi>" in page
    assert "€8,450.00 · Lindqvist Marine AB</bdi>" in rows


def test_an_answer_with_several_values_is_written_in_words(session: HITLSession, auditor: Client):
    values = {"daily_limit": None, "reason": "Not a known payee", "days": [3, 4]}
    chain.record(
        session.conversation_id,
        [Act("session.submit", "Olga", None, session.name, detail={"values": values})],
        clock.now(),
    )

    page = text_of(auditor.get(f"{HOME}{AuditEntry.objects.latest('pk').pk}/"))

    # PostgreSQL orders the keys of an object in its own way.
    assert all(text in page for text in ("daily limit: –", "reason: Not a known payee", "days: 3, 4"))


def test_guests_are_told_apart_by_the_id_of_their_conversation(session: HITLSession, auditor: Client):
    guests = [open_conversation("bank")[0] for _ in range(2)]
    for guest in guests:
        chain.record(guest.pk, [Act("conversation.cancelled", "Olga", None)], clock.now())

    page = text_of(auditor.get(HOME))

    for guest in guests:
        assert f"the conversation of Guest ({str(guest.pk)[:8]})" in page


def test_a_turn_is_named_in_the_language_of_the_reader(session: HITLSession, auditor: Client):
    chain.record(session.conversation_id, [Act("turn", "engine", None, "turn 3")], clock.now())

    page = auditor.get(HOME, headers={"accept-language": "es"}).content.decode()

    assert "ejecutó <bdi>el turno 3</bdi>" in page


def test_only_an_auditor_exports_and_verifies(acts: str, olga: Caller, sofia: Caller, browser_of: Browser):
    root = User.objects.create_superuser("root")

    for who in (olga, sofia, root):
        browser = browser_of(who)
        places = ("export/csv/", "export/jsonl/", "verify/", "verify/run/")
        assert [browser.get(HOME + place).status_code for place in places] == [404] * 4
        assert "export/csv" not in text_of(browser.get(HOME))


def test_the_export_marks_what_belongs_to_a_test(acts: str, auditor: Client):
    Conversation.objects.filter(pk=acts).update(test=True, channel="test")

    rows = list(csv.DictReader(StringIO(body_of(auditor.get(f"{HOME}export/csv/")))))
    entries = [json.loads(line) for line in body_of(auditor.get(f"{HOME}export/jsonl/")).splitlines()]

    assert {(row["chain"] == acts, row["test"]) for row in rows} == {(True, "test"), (False, "")}
    assert {entry["test"] for entry in entries if entry["chain"] == acts} == {"test"}


def test_a_search_for_a_gate_finds_the_entries_of_that_gate_only(acts: str, session: HITLSession, auditor: Client):
    other = Act("session.seen_in_full", "Olga Petrov", 7, f"{session.name}0")
    chain.record(CONSOLE, [other], clock.now())

    for sought in (session.name, f"@{session.name.upper()}"):
        rows = auditor.get(HOME, {"q": sought}).context["rows"]
        assert {row.entry.subject for row in rows} == {session.name}


def test_the_export_holds_what_the_filters_leave_and_is_on_record(acts: str, auditor: Client):
    page = text_of(auditor.get(HOME, {"act": "session.note"}))
    rows = list(csv.DictReader(StringIO(body_of(auditor.get(f"{HOME}export/csv/", {"act": "session.note"})))))

    assert 'href="/audit/export/csv/?act=session.note"' in page
    assert [(row["act"], row["chain"]) for row in rows] == [("session.note", acts)]
    exported = AuditEntry.objects.get(act="audit.exported")
    assert exported.facts == {"format": "csv", "filters": "act=session.note"}
    assert auditor.get(f"{HOME}export/xlsx/").status_code == 404


def test_the_check_names_its_result_and_is_on_record(acts: str, auditor: Client):
    assert auditor.get(f"{HOME}verify/").status_code == 200
    assert (
        body_of(auditor.get(f"{HOME}verify/run/")) == "4 entries in 2 chains checked: all are as they were recorded\n"
    )
    assert AuditEntry.objects.filter(act="audit.verified", actor="audrey").count() == 1


def test_the_list_is_paged_and_asks_as_often_for_one_row_as_for_many(acts: str, session: HITLSession, auditor: Client):
    with CaptureQueriesContext(
        connection,
    ) as few:
        auditor.get(HOME)
    many = [Act("session.note", "Olga Petrov", 7, session.name) for _number in range(80)]
    chain.record(session.conversation_id, many, clock.now())

    with CaptureQueriesContext(connection) as more:
        page = auditor.get(HOME)

    assert len(more) == len(few)
    assert len(page.context["rows"]) == 50
    assert len(auditor.get(HOME, {"after": page.context["next"]}).context["rows"]) > 30


def test_a_search_for_approvals_finds_no_refusal_and_neither_does_the_filter(acts: str, olga: Caller, auditor: Client):
    approved = agent_gate()
    service.submit(approved.pk, olga, Answer("approve"))
    changed = agent_gate(ref="r-2")
    service.submit(changed.pk, olga, Answer("edit", {"amount": 400.0}))

    def found(query: dict[str, str]) -> list[tuple[str, str]]:
        rows = auditor.get(HOME, query).context["rows"]
        return [(row.entry.subject, row.entry.facts["action"]) for row in rows]

    only_approval, only_change = [(approved.name, "approve")], [(changed.name, "edit")]
    assert found({"q": "approved"}) == found({"answer": "approve"}) == only_approval
    assert found({"q": "answered"}) == found({"answer": "other"}) == only_change
    assert [action for _gate, action in found({"q": "rejected"})] == ["reject"]
    assert [action for _gate, action in found({"answer": "reject"})] == ["reject"]
    exported = csv.DictReader(StringIO(body_of(auditor.get(f"{HOME}export/csv/", {"answer": "approve"}))))
    assert [row["subject"] for row in exported] == [approved.name]


def test_an_entry_of_a_test_conversation_says_so_once(acts: str, session: HITLSession, auditor: Client):
    mark = '<span class="chip">test</span>'
    assert mark not in text_of(auditor.get(HOME))
    Conversation.objects.filter(pk=session.conversation_id).update(test=True, channel="test")

    page = auditor.get(HOME)
    entry = next(row.entry for row in page.context["rows"] if row.entry.chain == acts)

    assert text_of(page).count(mark) == sum(row.entry.chain == acts for row in page.context["rows"])
    assert text_of(auditor.get(f"{HOME}{entry.pk}/")).count(mark) == 1


def test_an_entry_has_its_exact_moment_the_persons_name_and_facts_in_words(auditor: Client):
    arthur = User.objects.create_user("arthur", first_name="Arthur", last_name="Dent")
    at = datetime(2026, 11, 27, 14, 13, 5, tzinfo=UTC)
    looked = Act("conversation.looked", "arthur", arthur.pk, facts={"messages": ["ask:card_last4", "ask:limit"]})
    renamed = Act("user.seen", "Art Dent", arthur.pk)
    chain.record(CONSOLE, [looked, renamed], at)
    entry = AuditEntry.objects.get(act="conversation.looked")

    page, rows = text_of(auditor.get(f"{HOME}{entry.pk}/")), auditor.get(HOME).context["rows"]

    assert "<dt>Lines of the assistant</dt><dd><bdi>ask:card_last4, ask:limit</bdi></dd>" in page
    assert ">Friday, 27 November 2026, 14:13:05 (UTC)</time>" in page
    assert "<bdi>Arthur Dent</bdi>" in page
    assert {row.who for row in rows if row.entry.actor_id == arthur.pk} == {"Arthur Dent", "Art Dent"}
