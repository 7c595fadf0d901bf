"""The record in the admin: found, exported and verified by who audits; what was done to it outside is named."""

import csv
import json
from importlib import import_module
from io import StringIO
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.models import AuditEntry, HITLSession
from dialogue.turns import clock
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

pytestmark = [pytest.mark.django_db, pytest.mark.database]
HOME = "/admin/dialogue/auditentry/"


@pytest.fixture
def acts(session: HITLSession, olga: Caller) -> str:
    """Three entries of one conversation's chain; its name."""
    service.claim(session.pk, olga)
    service.add_note(session.pk, olga, "called the customer")
    service.submit(session.pk, olga, Answer("reject", {"reason": "IBAN is wrong"}))
    return str(session.conversation_id)


@pytest.fixture
def auditor(audrey: Caller, browser_of: Browser) -> Client:
    User.objects.filter(pk=audrey.user).update(is_staff=True)
    return browser_of(audrey)


def body_of(response: Any) -> str:
    return b"".join(response.streaming_content).decode()


def test_the_export_holds_what_the_filters_leave(acts: str, auditor: Client):
    everything = body_of(auditor.get(f"{HOME}export/csv/"))
    notes = body_of(auditor.get(f"{HOME}export/csv/", {"act": "session.note"}))
    found = body_of(auditor.get(f"{HOME}export/csv/", {"q": "session.claim"}))

    rows = [list(csv.DictReader(StringIO(text))) for text in (everything, notes, found)]
    assert {row["act"] for row in rows[0]} >= {"session.claim", "session.note", "session.submit"}
    assert [row["act"] for row in rows[1]] == ["session.note"]
    assert [row["act"] for row in rows[2]] == ["session.claim"]
    assert rows[1][0]["chain"] == acts


def test_a_line_of_the_export_is_enough_to_check_its_hash_and_holds_no_personal_text(acts: str, auditor: Client):
    lines = body_of(auditor.get(f"{HOME}export/jsonl/", {"q": acts})).splitlines()

    entries = sorted((json.loads(line) for line in lines), key=lambda each: each["number"])
    assert [each["number"] for each in entries] == [1, 2, 3]
    assert [each["previous_sha256"] for each in entries][1:] == [each["sha256"] for each in entries][:-1]
    assert "called the customer" not in "".join(lines)


def test_a_name_that_looks_like_a_formula_is_text_in_a_spreadsheet(auditor: Client):
    chain.record(CONSOLE, [Act("user.renamed", '=HYPERLINK("http://elsewhere")')], clock.now())

    row = next(csv.DictReader(StringIO(body_of(auditor.get(f"{HOME}export/csv/", {"act": "user.renamed"})))))

    assert row["actor"].startswith("'=")


@pytest.mark.parametrize("place", ["export/csv/", "export/jsonl/", "verify/", "verify/run/"])
def test_only_who_audits_exports_and_verifies(place: str, acts: str, olga: Caller, sofia: Caller, browser_of: Browser):
    User.objects.update(is_staff=True)
    root = User.objects.create_superuser("root")

    assert [browser_of(who).get(HOME + place).status_code for who in (olga, sofia, root)] == [403, 403, 403]
    assert "export/csv" not in text_of(browser_of(sofia).get(HOME))


@pytest.mark.parametrize("place", ["export/xlsx/", "export/csv/?nonsense=1"])
def test_what_is_not_offered_is_not_found(place: str, auditor: Client):
    assert auditor.get(HOME + place).status_code == 404


def test_the_list_offers_both_to_an_auditor_and_what_was_done_is_on_record(acts: str, auditor: Client):
    page = text_of(auditor.get(HOME, {"act": "session.note"}))
    body_of(auditor.get(f"{HOME}export/csv/", {"act": "session.note"}))
    body_of(auditor.get(f"{HOME}verify/run/"))

    assert 'href="/admin/dialogue/auditentry/export/csv/?act=session.note"' in page
    exported = AuditEntry.objects.get(act="audit.exported")
    assert exported.facts == {"format": "csv", "filters": "act=session.note"}
    assert AuditEntry.objects.filter(act="audit.verified", actor="audrey").count() == 1


def test_a_whole_record_is_said_to_be_whole(acts: str, auditor: Client):
    assert auditor.get(f"{HOME}verify/").status_code == 200
    assert (
        body_of(auditor.get(f"{HOME}verify/run/")) == "4 entries in 2 chains checked: all are as they were recorded\n"
    )


def test_a_long_chain_says_how_far_it_is(auditor: Client, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(chain, "_BATCH_ENTRIES", 2)
    monkeypatch.setattr("dialogue.audit.report.ENTRIES_PER_LINE", 2)
    chain.record(CONSOLE, [Act(f"act {number}", "Olga") for number in range(4)], clock.now())

    told = body_of(auditor.get(f"{HOME}verify/run/")).splitlines()

    assert told == [
        "2 entries in 1 chain checked",
        "4 entries in 1 chain checked",
        "5 entries in 1 chain checked: all are as they were recorded",
    ]


ALTERED = "UPDATE dialogue_auditentry SET actor = 'Olga Petrow' WHERE chain = %s AND number = 2"
DROPPED = "DELETE FROM dialogue_auditentry WHERE chain = %s AND number = 2"
LAST_DROPPED = "DELETE FROM dialogue_auditentry WHERE chain = %s AND number = 3"
MOVED = "UPDATE dialogue_auditentry SET number = number + 10 WHERE chain = %s AND number > 1"
SWAPPED = "UPDATE dialogue_auditentry SET number = 15 - number WHERE chain = %s AND number > 9"
"""After MOVED: 12 and 13 come back as 3 and 2, without being the same number for a moment."""


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (ALTERED, "entry 2: was altered"),
        (DROPPED, "entry 3: entry 2 is missing"),
        (LAST_DROPPED, "entry 3: entry 3 is missing"),
        (SWAPPED, "entry 2: does not follow the entry before it"),
    ],
    ids=["one byte altered", "one entry dropped", "the last entry dropped", "two entries swapped"],
)
def test_the_first_broken_entry_is_named_in_the_terminal_and_in_the_admin(
    change: str, told: str, acts: str, auditor: Client
):
    """As somebody with the database's password does it, who has taken the triggers away: tests run without them."""
    without_detail(acts)
    with connection.cursor() as cursor:
        if change == SWAPPED:
            cursor.execute(MOVED, [acts])
        cursor.execute(change, [acts])
    terminal = StringIO()

    with pytest.raises(CommandError, match="1 of 1 chains do not verify"):
        call_command("verify_audit", stdout=terminal)
    admin = body_of(auditor.get(f"{HOME}verify/run/"))

    assert f"chain {acts}, {told}" in terminal.getvalue()
    assert admin.splitlines()[-1] == f"Broken chains: 1 of 2. The first broken entry: chain {acts}, {told}"


def without_detail(name: str) -> None:
    """The personal texts erased, as may be done at any time: they hold the entries by a key of their own."""
    apps.get_model("dialogue", "AuditDetail").objects.filter(entry__chain=name).delete()


def test_chains_that_there_were_before_their_ends_were_kept_are_taken_as_they_are(acts: str):
    heads = apps.get_model("dialogue", "AuditHead").objects
    heads.all().delete()

    import_module("dialogue.migrations.0008_desk_queue").remember_ends(apps, None)

    assert [str(each) for each in chain.verify()] == []
    assert heads.get(chain=acts).number == 3
