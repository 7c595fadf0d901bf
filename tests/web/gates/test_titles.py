"""Titles, and yes and no, are shown in the reader's language, whatever the conversation's was when the gate opened."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from dialogue.desk.access.people import read_person
from dialogue.desk.queue.do_not_disturb import mute_state_of
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.models import Conversation, HITLSession
from dialogue.turns.live.titles import listed_title_for_reader, title_for_reader
from dialogue.turns.live.values_at_stake import summary_line
from tests.support.releases import demo, publish
from tests.support.transfers import SHOWN, Opener
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db

ENGLISH, SPANISH = "Approve transfer", "Aprobar transferencia"


def title_in(language: str, gate: HITLSession) -> str:
    with translation.override(language):
        return title_for_reader(gate)


@pytest.mark.parametrize("stored", [ENGLISH, SPANISH])
def test_list_gate_and_conversation_show_the_title_in_the_readers_language(
    stored: str, browser_of: Browser, open_session: Opener, olga: Caller, sofia: Caller
):
    gate = open_session(title=stored)
    pages = ("/gates/", f"/gates/{gate.name}/", f"/conversations/{gate.conversation_id}/")

    for language, wanted, other in (("en", ENGLISH, SPANISH), ("es", SPANISH, ENGLISH)):
        for address in pages:
            browser = browser_of(sofia if "conversations" in address else olga)
            page = text_of(browser.get(address, HTTP_ACCEPT_LANGUAGE=language))

            assert (wanted in page, other in page) == (True, False), (address, language)


def test_the_notice_of_a_gate_that_is_about_to_expire_is_in_the_readers_language(
    open_session: Opener, olga: Caller, noon: object
):
    gate = open_session(title=SPANISH)
    service.claim(gate.pk, olga)

    with translation.override("en"):
        urgent = mute_state_of(read_person(olga.user)).urgent

    assert [each.title for each in urgent] == [ENGLISH]


def test_the_next_gate_after_a_decision_is_named_in_the_readers_language(
    browser_of: Browser, open_session: Opener, olga: Caller
):
    gate, following = open_session(title=SPANISH), open_session(title=SPANISH)
    service.submit(gate.pk, olga, Answer("approve"))

    page = text_of(browser_of(olga).get(f"/gates/{gate.name}/card/"))

    assert f'<code class="plain-code">{following.name}</code>{ENGLISH}' in page


@pytest.fixture
def named_title(conversation: Conversation) -> Conversation:
    """A conversation whose gates name two values in their title."""
    documents = demo("bank")
    title = "title: {en: Approve transfer, es: Aprobar transferencia}"
    named = 'title: {en: "Approve {amount} from {iban}", es: "Aprobar {amount} de {iban}"}'
    assert title in documents["transfer_money.yaml"]
    documents["transfer_money.yaml"] = documents["transfer_money.yaml"].replace(title, named)
    conversation.release = publish(documents)
    conversation.save()
    return conversation


def test_a_title_keeps_the_values_that_it_names_and_masks_what_is_sensitive(
    named_title: Conversation, open_session: Opener
):
    gate = open_session(title="Aprobar €8,450.00 de •••• 3000")

    assert title_in("en", gate) == "Approve €8,450.00 from •••• 3000"
    assert title_in("es", gate) == gate.title


def test_a_title_that_names_a_value_which_staff_do_not_see_stays_as_it_was_stored(
    named_title: Conversation, open_session: Opener
):
    gate = open_session(title="Aprobar €8,450.00 de •••• 3000", shown=SHOWN[:1])

    assert title_in("en", gate) == gate.title


def test_a_title_that_is_not_the_steps_stays_as_it_was_stored_and_masked(open_session: Opener):
    gate = open_session(title="Pagar DE89370400440532013000")

    with translation.override("en"):
        assert (title_for_reader(gate), listed_title_for_reader(gate)) == (gate.title, "Pagar ••••")


def test_the_question_whether_an_action_happened_is_in_the_readers_language(open_session: Opener):
    gate = open_session(step="send", title="¿Ha ocurrido «send_money»?")

    assert (title_in("en", gate), title_in("es", gate)) == ("Did “send_money” happen?", gate.title)


def test_a_chat_that_a_person_took_over_has_its_flows_title_in_the_readers_language(open_session: Opener):
    gate = open_session(kind="handoff", step="handoff", title="enviar dinero")

    assert (title_in("en", gate), title_in("es", gate)) == ("send money", "enviar dinero")


def test_yes_and_no_are_in_the_readers_language(browser_of: Browser, open_session: Opener, olga: Caller):
    known = {"name": "known", "value": True, "shown": "sí", "source": "action", "turn": 1, "sensitive": False}
    gate = open_session(shown=[known])

    with translation.override("en"):
        assert summary_line(gate) == "Known payee: yes"
    page = text_of(browser_of(olga).get(f"/gates/{gate.name}/card/", HTTP_ACCEPT_LANGUAGE="en"))
    assert ("yes" in page, "sí" in page) == (True, False)


def test_titles_cost_a_list_no_query_a_row(browser_of: Browser, open_session: Opener, olga: Caller):
    browser = browser_of(olga)
    open_session(title=SPANISH)
    browser.get("/gates/")  # reads the release, which stays in memory

    def questions() -> int:
        with CaptureQueriesContext(connection) as asked:
            assert ENGLISH in text_of(browser.get("/gates/"))
        return len(asked)

    with_one = questions()
    for _ in range(5):
        open_session(title=SPANISH)

    assert questions() == with_one
