"""The test beside a flow's text: begun with the draft, with what can be tried instead, and again with a new text."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dialogue.desk.access.people import Caller
from dialogue.library.documents.versions import Edit, keep_draft, store_documents
from dialogue.library.releases.releases import publish
from dialogue.models import Assistant, Conversation, Trial
from tests.support.releases import demo
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.journey]

FLOW = "check_balance"
BROKEN = f"flow: {FLOW}\nsteps: nowhere\n"
ACCOUNT = "DE89370400440532013000"


@pytest.fixture
def bank(payments: object) -> Assistant:
    home = store_documents(demo("bank"))
    publish(home)
    return home


@pytest.fixture
def author(bank: Assistant, arthur: Caller, browser_of: Browser) -> Client:
    """Arthur, a flow author, in his browser."""
    return browser_of(arthur)


def begin(author: Client, flow: str = FLOW, **wanted: str) -> dict[str, Any]:
    response = author.post(f"/flows/bank/{flow}/test/", wanted)
    assert response.status_code == 200, text_of(response)
    place: dict[str, Any] = response.json()
    return place


def say(author: Client, place: dict[str, Any], text: str) -> str:
    """One line of the customer's; the parts of the pane afterwards."""
    assert author.post(place["say"], {"text": text}).status_code == 202
    return text_of(author.get(place["panel"]))


def titled(words: str) -> str:
    return re.sub(r"title: .*", f"title: {words} balance", demo("bank")[f"{FLOW}.yaml"], count=1)


def drafted(bank: Assistant, text: str, flow: str = FLOW, author: str = "arthur") -> None:
    """What the author typed into the flow, and did not save."""
    keep_draft(bank, Edit(flow, text, 1), User.objects.filter(username=author).first())


def test_the_pane_is_there_for_who_may_test_and_for_nobody_else(author: Client, browser_of: Browser, olga: Caller):
    mine, hers = [text_of(each.get(f"/flows/bank/{FLOW}/")) for each in (author, browser_of(olga))]

    assert "data-trial" in mine and "say something to the test" in mine
    assert "data-trial" not in hers
    assert browser_of(olga).post(f"/flows/bank/{FLOW}/test/").status_code == 404


def test_the_draft_is_tried_with_simulated_actions(author: Client, bank: Assistant):
    drafted(bank, titled("another"))

    place = begin(author)
    trial = Trial.objects.select_related("conversation__release").get(pk=place["test"])

    assert (place["tried"], place["same"], place["note"]) == ("draft", True, "")
    assert trial.actions == Trial.Actions.SIMULATED
    assert trial.conversation.test


def test_an_author_tries_what_stands_before_them_not_what_another_types(author: Client, bank: Assistant):
    drafted(bank, titled("mine"))
    drafted(bank, titled("theirs"), author="nobody")

    place = begin(author)
    release = Conversation.objects.get(pk=place["test"]).release

    assert "title: mine" in release.documents()[f"{FLOW}.yaml"]
    assert place["same"]


def test_what_is_said_is_answered_in_the_pane_with_its_state_and_its_way(author: Client):
    place = begin(author, "transfer_money")

    parts = say(author, place, "send 60 to Anna Berg")

    assert "<b>send money</b>" in parts
    assert "Save as scenario" in parts and "Open in the test console" in parts
    assert '"now": "ask_iban"' in parts
    assert place["tried"] == "release 1"


def test_a_text_that_makes_no_assistant_is_said_kindly_with_what_can_be_tried(author: Client, bank: Assistant):
    drafted(bank, BROKEN)
    drafted(bank, BROKEN, "transfer_money")

    refused = author.post(f"/flows/bank/{FLOW}/test/")
    offered = text_of(refused)

    assert refused.status_code == 422
    assert "It is kept" in offered
    assert 'data-of="saved"' in offered and 'data-of="1"' in offered
    assert begin(author, of="saved")["tried"] == "release 1"
    assert begin(author, of="1")["tried"] == "release 1"
    assert author.post(f"/flows/bank/{FLOW}/test/", {"of": "77"}).status_code == 404
    assert author.post(f"/flows/bank/{FLOW}/test/", {"of": "x"}).status_code == 404


def test_what_is_broken_in_another_flow_does_not_keep_this_one_from_being_tried(author: Client, bank: Assistant):
    drafted(bank, "flow: transfer_money\nsteps: nowhere\n", "transfer_money")

    offered = text_of(author.post(f"/flows/bank/{FLOW}/test/"))

    assert "Another flow has a draft with problems" in offered
    assert 'data-of="alone"' in offered
    assert begin(author, of="alone")["same"]


def test_what_was_said_is_said_again_with_the_new_text(author: Client, bank: Assistant):
    first = begin(author, "transfer_money")
    say(author, first, "send 60 to Anna Berg")
    text = demo("bank")["transfer_money.yaml"]
    drafted(bank, text.replace("step: ask_iban", "step: ask_account"), "transfer_money")

    second = begin(author, "transfer_money", again=first["test"])
    parts = text_of(author.get(second["panel"]))

    assert second["test"] != first["test"]
    assert "send 60 to Anna Berg" in parts
    assert '"now": "ask_account"' in parts
    assert (second["tried"], second["note"]) == ("draft", "")


def test_it_is_said_again_up_to_where_a_person_decided(author: Client):
    first = begin(author, "transfer_money")
    say(author, first, f"send 6000 to Anna Berg, {ACCOUNT}")
    say(author, first, "yes")
    number = Conversation.objects.get(pk=first["test"]).sessions.get(audience="staff").pk
    author.post(f"/test/bank/{first['test']}/gates/g{number}/", {"action": "approve"})

    second = begin(author, "transfer_money", again=first["test"])
    anew = Conversation.objects.get(pk=second["test"])

    assert second["note"] == "Not all could be said again: go on from here."
    assert anew.last_turn == 2
    assert anew.sessions.filter(audience="staff", state__in=["open", "claimed"]).exists()


def test_any_turn_is_gone_back_to_beside_the_text(author: Client, bank: Assistant):
    first = begin(author, "transfer_money")
    say(author, first, f"send 6000 to Anna Berg, {ACCOUNT}")
    say(author, first, "yes")
    drafted(bank, demo("bank")["transfer_money.yaml"] + "# typed since\n", "transfer_money")

    made = begin(author, "transfer_money", again=first["test"], turn="1")
    refused = author.post("/flows/bank/transfer_money/test/", {"again": first["test"], "turn": "9"})

    anew = Conversation.objects.get(pk=made["test"])
    assert (anew.last_turn, anew.trial.origin_id) == (1, Conversation.objects.get(pk=first["test"]).pk)
    assert not made["same"]
    assert (refused.status_code, refused.json()["detail"][:28]) == (409, "It cannot go on from there: ")


def test_the_words_of_real_people_are_not_said_again(author: Client):
    first = begin(author)
    Trial.objects.filter(pk=first["test"]).update(private=True)

    assert author.post(f"/flows/bank/{FLOW}/test/", {"again": first["test"]}).status_code == 404
    assert author.post(f"/flows/bank/{FLOW}/test/", {"again": "nothing"}).status_code == 404
