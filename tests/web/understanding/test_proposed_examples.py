"""Who talks with customers proposes what they meant; an author makes it an example of a draft, or refuses it."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from dialogue.desk.access.people import Caller, read_person
from dialogue.desk.maintenance.erasure import erase_conversation
from dialogue.engine.language.compiler import load_assistant
from dialogue.library.documents.versions import store_documents
from dialogue.library.nlu_programs.suggested_examples import (
    SuggestionGone,
    accept_suggestion,
    refuse_suggestion,
    suggest_example,
)
from dialogue.models import AuditEntry, Conversation, Correction, Event, FlowDraft, HITLSession, Message, Turn
from dialogue.turns import clock
from dialogue.web.understanding.examples import titles_of_flows
from tests.support.releases import demo
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db
SAID = "shift some dough to Anna"


@pytest.fixture
def said(conversation: Conversation, session: HITLSession) -> Turn:
    """Ursula's first message, in a conversation with a gate in Olga's queue."""
    store_documents(demo("bank"))
    line = Message.objects.create(conversation=conversation, seq=1, role="user", text=SAID, at=clock.now())
    facts = {"client_id": "m1", "kind": "message", "payload": {}, "message": line, "accepted_at": clock.now()}
    event = Event.objects.create(conversation=conversation, number=1, **facts)
    done = {"state": "waiting", "milliseconds": 1.0, "finished_at": clock.now(), "release": conversation.release}
    return Turn.objects.create(conversation=conversation, number=1, event=event, record={"steps": []}, **done)


@pytest.fixture
def olgas(browser_of: Browser, olga: Caller) -> Client:
    return browser_of(olga)


def propose(browser: Client, turn: Turn, text: str = SAID, flow: str = "transfer_money") -> str:
    address = f"/conversations/{turn.conversation_id}/turns/{turn.number}/example/"
    return text_of(browser.post(address, {"text": text, "flow": flow}))


def decide(browser: Client, act: str) -> str:
    row = Correction.objects.get()
    return browser.post(f"/understanding/bank/examples/{row.pk}/{act}/").get("Location", "")


def acts() -> list[str]:
    return list(AuditEntry.objects.filter(act__startswith="conversation.example").values_list("act", flat=True))


def test_the_lines_to_choose_from_say_what_was_asked_before_and_how_they_were_understood(olgas: Client, said: Turn):
    Message.objects.filter(pk=said.event.message_id or 0).update(seq=2)
    Message.objects.create(
        conversation=said.conversation, seq=1, role="assistant", text="What can I do for you?", at=clock.now()
    )
    Turn.objects.filter(pk=said.pk).update(reading="asked_back", record={"steps": [{"flow": "transfer_money"}]})

    page = text_of(olgas.get(f"/conversations/{said.conversation_id}/misunderstood/"))

    assert "<bdi>What can I do for you?</bdi>" in page
    assert ">asked back</span>" in page
    assert "in “Send money” ·" in page
    assert 'Should have been…<span class="hidden">' in page
    assert "Ursula" in page


def test_an_operator_finds_the_line_from_the_gate_and_proposes_what_was_meant(olgas: Client, said: Turn):
    gate = text_of(olgas.get(f"/gates/{said.conversation.sessions.get().name}/"))
    lines = text_of(olgas.get(f"/conversations/{said.conversation_id}/misunderstood/"))

    answer = propose(olgas, said, "shift some dough to {beneficiary}")

    row = Correction.objects.get()
    assert f"/conversations/{said.conversation_id}/misunderstood/" in gate
    assert SAID in lines
    assert "Proposed as an example of Send money" in answer
    assert (row.text, row.flow, row.by.username) == ("shift some dough to {beneficiary}", "transfer_money", "olga")
    assert not FlowDraft.objects.exists()
    assert acts() == ["conversation.example_proposed"]


def correct_in_row(browser: Client, turn: Turn, **form: str) -> HttpResponse:
    address = f"/conversations/{turn.conversation_id}/turns/{turn.number}/example/"
    return browser.post(address, {"row": "1", "text": SAID, **form}, follow=True)  # type: ignore[return-value]


def test_a_message_is_corrected_in_its_row_and_the_list_says_so(
    olgas: Client, said: Turn, browser_of: Browser, arthur: Caller
):
    proposed = correct_in_row(olgas, said, flow="transfer_money")
    Conversation.objects.filter(pk=said.conversation_id).update(test=True)  # authors see tests
    saved = correct_in_row(browser_of(arthur), said, flow="check_balance")

    assert "Proposed as an example of Send money." in text_of(proposed)
    assert Correction.objects.get().text == SAID
    assert "Saved in your draft as an example of Check the balance." in text_of(saved)
    assert 'href="/flows/bank/check_balance/"' in text_of(saved)
    assert SAID in FlowDraft.objects.get().text


def test_a_correction_that_is_refused_stays_open_in_its_row_with_the_reason(olgas: Client, said: Turn):
    response = correct_in_row(olgas, said, text="shift dough", flow="")

    assert response.status_code == 422
    assert "Choose the flow that was meant." in text_of(response)
    assert 'value="shift dough"' in text_of(response)
    assert '<details class="correction" open>' in text_of(response)
    assert not Correction.objects.exists()


def test_flows_are_chosen_by_their_titles_in_the_readers_language(
    olgas: Client, said: Turn, browser_of: Browser, arthur: Caller
):
    address = f"/conversations/{said.conversation_id}/turns/1/example/"
    english, spanish = text_of(olgas.get(address)), text_of(olgas.get(address, headers={"accept-language": "es"}))
    propose(olgas, said)

    listed = text_of(browser_of(arthur).get("/understanding/bank/"))

    assert '<option value="transfer_money">Send money</option>' in english
    assert '<option value="transfer_money">Enviar dinero</option>' in spanish
    assert "<code>transfer_money</code>" not in listed
    assert "<td>Send money</td>" in listed


def test_two_flows_of_one_title_are_told_apart_by_their_names(conversation: Conversation):
    names = ["transfer_money", "send_money", "a_sketch"]

    titles = titles_of_flows(conversation.assistant, names)

    assert titles == {
        "transfer_money": "Send money (transfer_money)",
        "send_money": "Send money (send_money)",
        "a_sketch": "A sketch",
    }


def test_an_author_makes_it_an_example_of_the_draft(olgas: Client, said: Turn, browser_of: Browser, arthur: Caller):
    propose(olgas, said)
    arthurs = browser_of(arthur)
    listed = text_of(arthurs.get("/understanding/bank/"))

    led = decide(arthurs, "accept")

    draft = FlowDraft.objects.get(flow__name="transfer_money", author=arthur.user)
    assert SAID in listed
    assert SAID in draft.text.splitlines()[int(led.rpartition("-")[2]) - 1]
    assert not Correction.objects.exists()
    assert acts() == ["conversation.example_proposed", "conversation.example"]


def test_what_an_author_refuses_becomes_nothing(olgas: Client, said: Turn, browser_of: Browser, arthur: Caller):
    propose(olgas, said)

    decide(browser_of(arthur), "refuse")

    assert not Correction.objects.exists()
    assert not FlowDraft.objects.exists()
    assert acts()[-1] == "conversation.example_refused"


@pytest.mark.parametrize("second", [accept_suggestion, refuse_suggestion])
def test_of_two_authors_who_decide_at_once_one_has_decided(
    olgas: Client, said: Turn, arthur: Caller, second: Callable[[Correction, User], object]
):
    propose(olgas, said)
    row, author = Correction.objects.select_related("assistant").get(), User.objects.get(pk=arthur.user)
    refuse_suggestion(Correction.objects.get(), author)

    with pytest.raises(SuggestionGone):
        second(row, author)

    assert not FlowDraft.objects.exists()
    assert acts() == ["conversation.example_proposed", "conversation.example_refused"]


@pytest.mark.parametrize(("text", "flow"), [("", "transfer_money"), (SAID, "nothing"), (SAID, "assistant")])
def test_what_cannot_be_proposed_is_said_and_kept_in_the_form(olgas: Client, said: Turn, text: str, flow: str):
    answer = propose(olgas, said, text, flow)

    assert 'role="alert"' in answer
    assert not Correction.objects.exists()


def test_a_second_proposal_for_the_same_words_takes_the_place_of_the_first(olgas: Client, said: Turn):
    propose(olgas, said)
    propose(olgas, said, flow="check_balance")

    assert Correction.objects.get().flow == "check_balance"


def test_sensitive_values_are_neither_listed_nor_proposed(olgas: Client, said: Turn):
    iban, talk = "DE89370400440532013000", said.conversation
    slot = {"value": iban, "shown": iban, "sensitive": True, "source": "user", "turn": 1, "by": ""}
    frame = {"flow": "transfer_money", "frame": "transfer_money-1", "step": "approval", "status": "active"}
    talk.stack = [{**frame, "awaiting": "", "slots": {"iban": slot}}]
    talk.save()
    Message.objects.filter(conversation=talk).update(text=f"send it to {iban}")

    listed = text_of(olgas.get(f"/conversations/{talk.pk}/misunderstood/"))
    asked = text_of(olgas.get(f"/conversations/{talk.pk}/turns/1/example/"))
    propose(olgas, said, f"send it to {iban}")

    assert "send it to ••••" in listed
    assert iban not in listed
    assert iban not in asked
    assert Correction.objects.get().text == "send it to ••••"


def test_only_who_writes_flows_decides(olgas: Client, said: Turn):
    propose(olgas, said)

    assert olgas.post(f"/understanding/bank/examples/{Correction.objects.get().pk}/accept/").status_code == 404


def test_what_was_erased_meanwhile_is_not_proposed(said: Turn, olga: Caller, sofia: Caller):
    erase_conversation(said.conversation_id, read_person(sofia.user), "asked for")

    with pytest.raises(Turn.DoesNotExist):
        suggest_example(said, "transfer_money", SAID, User.objects.get(pk=olga.user))

    assert not Correction.objects.exists()
    assert acts() == []


def test_a_proposal_goes_with_its_conversation(olgas: Client, said: Turn, sofia: Caller):
    propose(olgas, said)

    erase_conversation(said.conversation_id, read_person(sofia.user), "asked for")

    assert not Correction.objects.exists()


def test_an_author_makes_words_a_phrase_for_an_act(olgas: Client, said: Turn, browser_of: Browser, arthur: Caller):
    answer = propose(olgas, said, "pull the plug", "act:cancel")
    arthurs = browser_of(arthur)
    listed = text_of(arthurs.get("/understanding/bank/"))

    led = decide(arthurs, "accept")

    draft = FlowDraft.objects.get(flow__name="assistant", author=arthur.user)
    assistant = load_assistant({**demo("bank"), "assistant.yaml": draft.text})
    assert "Proposed as an example of end what runs" in answer
    assert "end what runs" in listed
    assert assistant.phrases.cancel == ("pull the plug",)
    assert "pull the plug" in draft.text.splitlines()[int(led.rpartition("-")[2]) - 1]
    assert not Correction.objects.exists()


@pytest.mark.parametrize(
    ("text", "meant"), [("yes", "act:cancel"), ("no", "act:yes"), ("pull the plug", "act:nothing")]
)
def test_a_clear_act_and_an_unknown_one_are_refused(olgas: Client, said: Turn, text: str, meant: str):
    answer = propose(olgas, said, text, meant)

    assert 'role="alert"' in answer
    assert not Correction.objects.exists()


def test_a_phrase_that_an_author_refuses_becomes_nothing(
    olgas: Client, said: Turn, browser_of: Browser, arthur: Caller
):
    propose(olgas, said, "pull the plug", "act:cancel")

    decide(browser_of(arthur), "refuse")

    assert not Correction.objects.exists()
    assert not FlowDraft.objects.exists()
