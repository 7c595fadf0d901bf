"""Moving conversations to another release: the table of steps, the dry run, and what became of it meanwhile."""

from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dialogue.desk.access.people import Caller
from dialogue.library.documents.versions import store_documents
from dialogue.library.releases.releases import publish
from dialogue.models import Conversation, Release
from dialogue.turns.accept import Incoming, accept, open_conversation
from dialogue.turns.worker import drain
from dialogue.web.releases.step_table import step_rows
from tests.support.releases import demo
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.journey]

BANK = demo("bank")
RENAMED = BANK["transfer_money.yaml"].replace("step: approval\n", "step: agreement\n")
RENAMED = RENAMED.replace("next: approval}", "next: agreement}")


@pytest.fixture
def first(payments: object) -> Release:
    return publish(store_documents(BANK))


@pytest.fixture
def author(first: Release, arthur: Caller, browser_of: Browser) -> Client:
    """Arthur, a flow author, in his browser."""
    return browser_of(arthur)


@pytest.fixture
def waiting(first: Release) -> Conversation:
    """A conversation that waits for approval; in release 2 the gate has another name."""
    conversation, _token = open_conversation("bank", user_ref="Ursula")
    for text in ("send 6000 to Anna Berg, DE89370400440532013000", "yes"):
        accept(conversation.pk, Incoming("message", text, {"text": text}, text=text))
        async_to_sync(drain)(conversation.pk)
    publish(store_documents({**BANK, "transfer_money.yaml": RENAMED}))
    return conversation


def test_the_table_says_where_conversations_wait_and_what_becomes_of_each_step(author: Client, waiting: Conversation):
    page = author.get("/releases/bank/move/", {"old": 1, "new": 2})

    (row,) = page.context["rows"]
    assert (row.flow, row.step, row.waits, row.kind, row.is_gate) == ("transfer_money", "approval", 1, "gone", True)
    assert (row.chosen, "agreement" in dict(row.choices)) == ("", True)
    assert "Stays until it is decided" in text_of(page)


def test_a_step_chosen_in_the_table_is_used_by_the_dry_run_and_by_the_move(author: Client, waiting: Conversation):
    chosen: dict[str, Any] = {"old": 1, "new": 2, "to:transfer_money.approval": "agreement"}

    page = author.get("/releases/bank/move/", chosen)

    assert page.context["rows"][0].chosen == "agreement"
    assert page.context["steps"] == "transfer_money.approval = agreement"
    assert "is not decided" not in text_of(page)


def test_without_a_choice_the_dry_run_says_why_the_conversation_stays(author: Client, waiting: Conversation):
    page = author.get("/releases/bank/move/", {"old": 1, "new": 2})

    reasons = dict(page.context["reasons"])
    assert list(reasons) == ["The gate “Approve transfer” is not decided: choose where it goes, or decide it first"]
    assert "0 of 1 can be moved" in text_of(page)
    assert "data-move" not in text_of(page)


def test_the_dry_run_says_for_each_step_how_many_move_where_and_why_others_stay(author: Client, waiting: Conversation):
    chosen: dict[str, Any] = {"old": 1, "new": 2}

    (stays,) = author.get("/releases/bank/move/", chosen).context["outcomes"]
    page = author.get("/releases/bank/move/", {**chosen, "to:transfer_money.approval": "agreement"})
    (moves,) = page.context["outcomes"]

    assert (stays.moving, stays.staying, len(stays.common_reasons)) == (0, 1, 1)
    assert (moves.moving, moves.staying, moves.reasons) == (1, 0, {})
    assert (moves.flow_title, moves.title, moves.target) == ("Send money", "Approve transfer", "Approve transfer")
    assert "Move 1 conversation from release 1 to release 2?" in text_of(page)
    assert "continues there with its next message" in text_of(page)
    assert [entry["place"] for entry in page.context["each"]] == ["Send money › Approve transfer"]


def test_a_test_conversation_stays_on_the_release_that_it_tries(author: Client, waiting: Conversation):
    Conversation.objects.filter(pk=waiting.pk).update(test=True)

    chosen: dict[str, Any] = {"old": 1, "new": 2, "to:transfer_money.approval": "agreement"}

    page = author.get("/releases/bank/move/", chosen)

    assert "No conversation is open on release 1" in text_of(page)


def test_a_conversation_that_ended_after_the_dry_run_is_not_moved(author: Client, waiting: Conversation):
    chosen: dict[str, Any] = {"old": 1, "new": 2, "to:transfer_money.approval": "agreement"}
    author.get("/releases/bank/move/", chosen)
    Conversation.objects.filter(pk=waiting.pk).update(state="finished", stack=[])

    moved = author.post("/releases/bank/move/", chosen)

    assert "0 conversations were moved" in text_of(moved)
    assert Conversation.objects.get(pk=waiting.pk).release == Release.objects.get(number=1)


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ({"old": "1", "new": "1"}, "Both sides are release 1. Choose two different releases."),
        ({"old": "1", "new": "77"}, "There is no release “77” any more."),
        ({"old": "x", "new": "1"}, "There is no release “x” any more."),
    ],
)
def test_releases_that_cannot_be_a_pair_are_refused_and_nothing_is_moved(
    author: Client, first: Release, chosen: dict[str, str], told: str
):
    looked, moved = author.get("/releases/bank/move/", chosen), author.post("/releases/bank/move/", chosen)

    assert (looked.status_code, moved.status_code) == (422, 422)
    assert told in text_of(looked) and told in text_of(moved)


def test_a_chosen_step_that_the_new_release_lacks_is_refused(author: Client, waiting: Conversation):
    chosen: dict[str, Any] = {"old": 1, "new": 2, "to:transfer_money.approval": "nowhere"}

    response = author.get("/releases/bank/move/", chosen)

    assert response.status_code == 422
    assert "transfer_money.nowhere is no step of the new release" in text_of(response)


def test_the_table_asks_the_database_as_often_for_many_conversations_as_for_few(
    waiting: Conversation, django_assert_num_queries: Any
):
    old, new = Release.objects.get(number=1), Release.objects.get(number=2)
    step_rows(old, new, {})  # from now on both releases are parsed
    with CaptureQueriesContext(connection) as few:
        step_rows(old, new, {})
    for _ in range(5):
        conversation, _token = open_conversation("bank", release=old)
        Conversation.objects.filter(pk=conversation.pk).update(
            stack=[{"flow": "transfer_money", "step": "ask_iban", "awaiting": "transfer_money?ask_iban"}]
        )

    with django_assert_num_queries(len(few)):
        rows = step_rows(old, new, {})

    assert {row.step: row.waits for row in rows} == {"ask_iban": 5, "approval": 1}


def test_after_a_move_the_open_conversations_of_each_release_are_counted_again(author: Client, waiting: Conversation):
    chosen: dict[str, Any] = {"old": 1, "new": 2, "to:transfer_money.approval": "agreement"}

    page = author.post("/releases/bank/move/", chosen)

    assert {choice.release.number: choice.open for choice in page.context["choices"]} == {1: 0, 2: 1}


def test_the_dry_run_gives_its_reasons_in_the_readers_language(author: Client, waiting: Conversation):
    author.post("/language/", {"language": "es", "next": "/"})

    page = text_of(author.get("/releases/bank/move/", {"old": 1, "new": 2}))

    assert "La puerta «Aprobar transferencia» no está decidida" in page
    assert "is not decided" not in page
