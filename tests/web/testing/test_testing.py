"""The test console: trying a draft or a release, answering gates in place, moving the clock, going back."""

import re
from typing import Any

import pytest
from django.test import Client

from dialogue.desk.access.people import Caller
from dialogue.desk.agent_requests.opening import HOME
from dialogue.engine.actions import RegisteredActions, registry
from dialogue.engine.language.compiler import load_assistant
from dialogue.library.documents.folders import SUFFIX
from dialogue.library.documents.versions import Edit, keep_draft, store_documents
from dialogue.models import Assistant, AuditEntry, Conversation, FlowDraft, HITLSession, Message, Release, Trial
from dialogue.turns import clock
from dialogue.turns.accept import open_conversation
from dialogue.turns.actions.test_world import SimulatedActions, actions_of
from dialogue.turns.clock import now
from dialogue.turns.compiled_releases import assistant_of
from tests.support.releases import demo, publish
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.journey]

ACCOUNT = "DE89370400440532013000"


@pytest.fixture
def bank(payments: object) -> None:
    from dialogue.library.releases.releases import publish

    publish(store_documents(demo("bank")))


@pytest.fixture
def author(bank: None, arthur: Caller, browser_of: Browser) -> Client:
    """Arthur, a flow author, in his browser."""
    return browser_of(arthur)


def begin(author: Client, **wanted: str) -> Trial:
    response = author.post("/test/bank/", {"release": "draft", **wanted})
    assert response.status_code == 302, text_of(response)
    return Trial.objects.select_related("conversation__release").latest("conversation__created_at")


def say(author: Client, trial: Trial, text: str) -> str:
    """One line of the customer's; the parts of the page afterwards."""
    assert author.post(f"/test/bank/{trial.pk}/say/", {"text": text}).status_code == 202
    return text_of(author.get(f"/test/bank/{trial.pk}/panel/"))


def waiting(author: Client, **wanted: str) -> Trial:
    """A test that waits for approval."""
    trial = begin(author, **wanted)
    say(author, trial, f"send 6000 to Anna Berg, {ACCOUNT}")
    say(author, trial, "yes")
    return trial


def test_the_draft_is_tried_before_anything_is_published(author: Client):
    draft = re.sub(r"title: .*", "title: new balance", demo("bank")["check_balance.yaml"], count=1)
    keep_draft(Release.objects.get().assistant, Edit("check_balance", draft), None)

    trial = begin(author)

    assert trial.conversation.test
    assert trial.conversation.release.trial
    assert trial.conversation.release.documents()["check_balance" + SUFFIX] == draft
    assert Release.objects.filter(trial=False).count() == 1


def test_a_draft_that_makes_no_assistant_is_said_with_its_line(author: Client):
    keep_draft(Release.objects.get().assistant, Edit("check_balance", "flow: check_balance\nsteps: nowhere\n"), None)

    response = author.post("/test/bank/", {"release": "draft"})

    assert response.status_code == 422
    assert "check_balance.yaml:" in text_of(response)
    assert not Trial.objects.exists()


def test_a_release_is_tried_by_its_number_as_somebody_in_a_language_at_a_time(author: Client):
    trial = begin(author, release="1", customer="Ursula", language="es", at="2030-01-01T09:00", nlu="learned")

    assert trial.conversation.release.number == 1
    assert (trial.conversation.customer, trial.conversation.language) == ("Ursula", "es")
    assert trial.ahead.days > 300


@pytest.mark.parametrize(
    "wrong",
    [
        {"release": "77"},
        {"language": "not a language"},
        {"at": "soon"},
        {"at": "9999-12-31"},
        {"nlu": "guess"},
        {"actions": "x"},
    ],
)
def test_what_cannot_be_taken_is_said_and_nothing_begins(author: Client, wrong: dict[str, str]):
    response = author.post("/test/bank/", {"release": "draft", **wrong})

    assert response.status_code == 422
    assert not Trial.objects.exists()


def test_the_page_follows_the_conversation(author: Client):
    trial = begin(author)

    parts = say(author, trial, "send 60 to Anna Berg")
    response = author.get(f"/test/bank/{trial.pk}/")
    path = response.context["flow_path"]
    slots = {slot.name: slot for slot in response.context["stack_entries"][0].slots}

    assert "Send money" in parts and "send money" in parts
    assert (path.flow, path.current_step, path.passed_steps) == ("transfer_money", "ask_iban", ["ask_beneficiary"])
    assert ("ask_beneficiary", "ask_iban") in path.passed_exits
    assert slots["amount"].kind == "new"
    assert slots["iban"].kind == "awaited"
    assert slots["reference"].kind == "unset"


def test_earlier_tests_are_listed_by_what_was_written_first_without_the_account(author: Client):
    trial = begin(author)
    say(author, trial, f"send 60 to Anna Berg, {ACCOUNT}")
    Assistant.objects.create(name="shop", title="Shop")

    for page in (author.get("/test/"), author.get("/test/bank/?new")):
        assert "send 60 to Anna Berg" in text_of(page)
        assert ACCOUNT not in text_of(page)


def test_a_gate_is_answered_in_place_and_the_flow_goes_on(author: Client):
    trial = waiting(author)
    gate = HITLSession.objects.get(audience="staff")

    refused = author.post(f"/test/bank/{trial.pk}/gates/g{gate.pk}/", {"action": "reject"})
    decided = author.post(f"/test/bank/{trial.pk}/gates/g{gate.pk}/", {"action": "approve"})

    assert refused.status_code == 422
    assert 'role="alert"' in text_of(refused)
    assert decided.status_code == 201
    assert "is on its way" in text_of(decided)


def test_a_line_for_a_gate_is_the_operators_and_the_flow_goes_on(author: Client):
    trial, other = waiting(author), begin(author)
    gate = HITLSession.objects.get(audience="staff")
    line = {"text": f"@{gate.name}.0 9000"}

    elsewhere = author.post(f"/test/bank/{other.pk}/say/", line)
    answered = author.post(f"/test/bank/{trial.pk}/say/", line)
    wrong = author.post(f"/test/bank/{trial.pk}/say/", {"text": f"@{gate.name}.0 much"})

    assert (elsewhere.status_code, wrong.status_code) == (404, 422)
    assert (answered.status_code, answered.json()) == (200, {"said": f"{gate.name}.0 is answered."})
    assert not trial.conversation.messages.filter(text__startswith="@").exists()
    assert "@g1 is my code" in say(author, trial, "@@g1 is my code")


def test_a_gate_of_another_conversation_is_not_answered_here(author: Client):
    trial, other = waiting(author), begin(author)
    gate = HITLSession.objects.get(audience="staff", conversation=trial.pk)

    response = author.post(f"/test/bank/{other.pk}/gates/g{gate.pk}/", {"action": "approve"})

    assert response.status_code == 404
    gate.refresh_from_db()
    assert gate.state == HITLSession.State.OPEN


def test_moving_the_clock_past_a_deadline_lets_the_gate_expire(author: Client):
    trial = waiting(author)

    response = author.post(f"/test/bank/{trial.pk}/clock/", {"by": "31m"})

    assert HITLSession.objects.get(audience="staff").state == HITLSession.State.EXPIRED
    assert "was not approved" in text_of(response)


def test_a_span_that_is_none_is_said_at_its_field(author: Client):
    trial = begin(author)

    response = author.post(f"/test/bank/{trial.pk}/clock/", {"by": "yesterday"})

    assert response.status_code == 422
    assert "is not a duration" in text_of(response)


def test_an_action_is_stubbed_by_hand(author: Client):
    trial = begin(author)

    author.post(
        f"/test/bank/{trial.pk}/stubs/", {"stubs": "send_money:\n  - {raises: closed}\n", "actions": "simulated"}
    )
    say(author, trial, f"send 60 to Anna Berg, {ACCOUNT}")

    assert "I cannot reach our payment system" in say(author, trial, "yes")


def test_a_simulated_action_says_so_and_its_result_can_be_set(author: Client):
    trial = begin(author)
    say(author, trial, f"send 60 to Anna Berg, {ACCOUNT}")

    panel = say(author, trial, "yes")

    assert "send_money simulated" in panel
    assert "succeeded, simulated" in panel
    assert 'data-stub-example="send_money:' in panel
    assert "{&quot;returns&quot;: {&quot;reference&quot;: &quot;reference-1&quot;}}" in panel


def test_stubs_that_are_none_are_said_with_their_line_and_stay_in_the_field(author: Client):
    trial = begin(author)

    response = author.post(f"/test/bank/{trial.pk}/stubs/", {"stubs": "send_money:\n  - {retruns: {}}\n"})

    assert response.status_code == 422
    assert "Line 2" in text_of(response)
    assert "retruns" in text_of(response)
    assert Trial.objects.get().stubs == {}


def test_going_back_makes_a_test_that_goes_on_from_there(author: Client):
    trial = waiting(author)

    response = author.post(f"/test/bank/{trial.pk}/fork/", {"turn": "1"})
    copy = Trial.objects.exclude(pk=trial.pk).select_related("conversation").get()
    parts = say(author, copy, "no")

    assert response["Location"] == f"/test/bank/{copy.pk}/"
    assert (copy.origin_id, copy.origin_turn) == (trial.pk, 1)
    assert copy.conversation.last_turn == 1
    assert "What shall I change" in parts or "change" in parts
    assert Conversation.objects.get(pk=trial.pk).last_turn == 2


def test_a_test_made_of_a_real_conversation_never_acts_for_real(author: Client):
    trial = waiting(author)
    Trial.objects.update(private=True)

    refused = author.post(f"/test/bank/{trial.pk}/stubs/", {"actions": "real", "stubs": ""})
    Trial.objects.update(actions=Trial.Actions.REAL)

    assert refused.status_code == 422
    assert "made of a real conversation" in text_of(refused)
    assert 'value="real"' not in text_of(author.get(f"/test/bank/{trial.pk}/"))
    assistant = assistant_of(Release.objects.get(number=1))
    hands = actions_of(trial.conversation, Trial.objects.get(), RegisteredActions(registry), assistant, now())
    assert isinstance(hands, SimulatedActions)
    assert hands.inner is None


def test_a_turn_that_is_not_there_is_no_place_to_go_back_to(author: Client):
    trial = begin(author)

    response = author.post(f"/test/bank/{trial.pk}/fork/", {"turn": "9"})

    assert response.status_code == 409
    assert "cannot go on from there" in text_of(response)


def test_an_operator_has_no_test_console_and_sees_no_gate_of_a_test(author: Client, olga: Any, browser_of: Any):
    trial = waiting(author)
    operator = browser_of(olga)

    assert operator.get("/test/").status_code == 404
    assert operator.get(f"/test/bank/{trial.pk}/").status_code == 404
    assert "Approve transfer" not in text_of(operator.get("/gates/"))


def test_a_conversation_of_a_real_person_is_no_test(author: Client, conversation: Conversation):
    assert author.get(f"/test/bank/{conversation.pk}/").status_code == 404
    assert author.post(f"/test/bank/{conversation.pk}/fork/", {"turn": "0"}).status_code == 404


def test_one_conversation_is_compared_with_two_releases_and_nothing_is_written(author: Client):
    trial = waiting(author, release="1")
    home = Release.objects.get(number=1).assistant
    draft = demo("bank")["transfer_money.yaml"].replace("amount > 5000", "amount > 9000")
    keep_draft(home, Edit("transfer_money", draft), None)

    response = author.post(f"/test/bank/{trial.pk}/compare/", {"left": "1", "right": "draft"})
    pairs = response.context["pairs"]

    assert [pair.differs for pair in pairs] == [False, True]
    assert (pairs[1].left.stack, pairs[1].right.stack) == (("transfer_money!human",), ())
    assert Conversation.objects.get(pk=trial.pk).last_turn == 2


def test_two_ways_to_understand_are_compared(author: Client):
    trial = waiting(author, release="1")

    response = author.post(f"/test/bank/{trial.pk}/compare/", {"left": "1", "right": "1", "right_nlu": "rules"})

    assert response.status_code == 200
    assert response.context["differing"] >= 1


def test_what_cannot_be_compared_is_said(author: Client):
    trial = begin(author)

    assert author.post(f"/test/bank/{trial.pk}/compare/", {"left": "77"}).status_code == 422


def test_looking_at_the_comparison_plays_and_keeps_nothing(author: Client):
    trial = waiting(author, release="1")
    keep_draft(Release.objects.get().assistant, Edit("check_balance", demo("bank")["check_balance.yaml"] + "#\n"), None)

    response = author.get(f"/test/bank/{trial.pk}/compare/?left=1&right=draft")

    assert (response.status_code, response.context["pairs"]) == (200, None)
    assert Release.objects.count() == 1


def correction(author: Client, trial: Trial, **sent: str) -> Any:
    return author.post(f"/conversations/{trial.pk}/turns/1/example/", sent)


def test_what_should_have_been_understood_becomes_an_example_in_the_authors_draft(author: Client, arthur: Caller):
    trial = begin(author)
    panel = say(author, trial, "shift some dough to Anna")
    asked = text_of(author.get(f"/conversations/{trial.pk}/turns/1/example/"))

    answer = correction(author, trial, flow="transfer_money", text="shift some dough to {beneficiary}")

    draft = FlowDraft.objects.get(flow__name="transfer_money", author=arthur.user)
    line = int(answer["Location"].rpartition("-")[2])
    assert f"/conversations/{trial.pk}/turns/1/example/" in panel
    assert 'value="shift some dough to Anna"' in asked
    assert answer["Location"].startswith("/flows/bank/transfer_money/#line-")
    assert "shift some dough to {beneficiary}" in draft.text.splitlines()[line - 1]
    assert AuditEntry.objects.filter(act="conversation.example", chain=str(trial.pk)).count() == 1
    understood = load_assistant({**demo("bank"), "transfer_money.yaml": draft.text}).flows["transfer_money"].examples
    assert "shift some dough to {beneficiary}" in map(str, understood)


@pytest.mark.parametrize(
    "sent", [{"flow": "", "text": "x"}, {"flow": "assistant", "text": "x"}, {"flow": "check_balance", "text": ""}]
)
def test_a_correction_that_cannot_be_taken_is_said_and_the_words_stay(author: Client, sent: dict[str, str]):
    trial = begin(author)
    say(author, trial, "shift some dough")

    answer = correction(author, trial, **sent)

    assert answer.status_code == 422
    assert 'role="alert"' in text_of(answer)
    assert not FlowDraft.objects.exists()


def test_only_words_of_ones_own_conversations_become_examples(author: Client, conversation: Conversation):
    trial = begin(author)

    assert author.get(f"/conversations/{trial.pk}/turns/9/example/").status_code == 404
    assert author.get(f"/conversations/{conversation.pk}/turns/1/example/").status_code == 404


def test_the_chooser_lists_ones_own_last_tests(browser_of, arthur):
    publish(demo("bank"))
    publish(demo("library"))
    browser = browser_of(arthur)
    empty = text_of(browser.get("/test/"))
    own, _token = open_conversation("bank", user_ref="Ada Byron", test=True)
    Trial.objects.create(conversation=own, owner_id=arthur.user)
    other, _token = open_conversation("library", test=True)

    page = text_of(browser.get("/test/"))

    assert "No tests yet" in empty
    assert "As Ada Byron" in page
    assert str(other.pk) not in page


def test_tests_are_told_apart_by_what_was_written_first(browser_of, arthur):
    publish(demo("bank"))
    publish(demo("library"))
    own, _token = open_conversation("bank", user_ref="Ada Byron", test=True)
    Trial.objects.create(conversation=own, owner_id=arthur.user)
    for seq, text in enumerate(("send money to Mia", "yes"), 1):
        Message.objects.create(conversation=own, seq=seq, ordinal=seq, role="user", text=text, at=clock.now())
    browser = browser_of(arthur)

    for address in ("/test/", "/test/bank/?new"):
        assert "send money to Mia" in text_of(browser.get(address))


def test_settings_of_a_new_test_are_folded_until_one_of_them_is_refused(browser_of, arthur):
    publish(demo("bank"))
    browser = browser_of(arthur)

    fresh = text_of(browser.get("/test/bank/?new"))
    refused = text_of(browser.post("/test/bank/", {"release": "draft", "language": "not a language"}))

    assert '<details class="further">' in fresh and '<details class="further" open>' in refused
    assert "Simulated actions change nothing outside the test." in fresh
    assert ">learned<" not in fresh and "from examples and rules, without a language model" in fresh


def test_the_assistant_of_other_systems_agents_has_nothing_to_test(author: Client):
    Assistant.objects.create(name=HOME, title="Other agents")

    assert author.get(f"/test/{HOME}/").status_code == 404
    assert author.post(f"/test/{HOME}/", {}).status_code == 404
    assert HOME not in author.get("/test/").content.decode()
