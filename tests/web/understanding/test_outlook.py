"""What the page of understanding shows first: how much is understood, what was not, and what to do next."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dialogue.models import Assistant, Conversation, Turn
from dialogue.turns import clock
from dialogue.turns.accept import Incoming, accept, open_conversation
from tests.support.releases import demo, publish
from tests.support.transfers import Opener, person
from tests.support.web.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def bank() -> Assistant:
    return publish(demo("bank")).assistant


def signed_in(name: str, group: str) -> Client:
    client = Client()
    client.force_login(person(name, name.title(), group))
    return client


def message(text: str, reading: str, **facts: Any) -> Conversation:
    """A conversation with one typed message that was read like this."""
    row = open_conversation("bank", user_ref="Mia", vouched=True)[0]
    Conversation.objects.filter(pk=row.pk).update(
        unclear_turns=int(reading in ("not_understood", "asked_back")), **facts
    )
    accept(row.pk, Incoming("message", f"message-{text}", {"text": text}, text=text))
    event = row.events.get()
    Turn.objects.create(
        conversation=row,
        number=1,
        event=event,
        release=row.release,
        record={"path": []},
        reading=reading,
        state="idle",
        milliseconds=1,
        finished_at=clock.now() - timedelta(minutes=1),
    )
    return row


def test_the_page_says_first_how_many_messages_of_customers_were_understood(bank: Assistant):
    for number, reading in enumerate(("understood", "understood", "asked_back", "not_understood", "corrected")):
        message(f"hello {number}", reading)
    message("of a test", "not_understood", test=True)

    html = text_of(signed_in("arthur", "flow authors").get("/understanding/bank/"))

    assert "<b>40%</b>2 of 5 messages of customers in the last 30 days were understood at once." in html
    assert "The others: 1 led to a question back, 1 not understood, 1 corrected by staff." in html


def test_an_author_corrects_the_messages_of_tests_and_never_reads_customers(bank: Assistant):
    message("words of a customer", "not_understood")
    tried = message("words of a test", "asked_back", test=True)

    html = text_of(signed_in("arthur", "flow authors").get("/understanding/bank/"))

    assert "words of a test" in html and "words of a customer" not in html
    assert f'href="/conversations/{tried.pk}/turns/1/example/"' in html
    assert 'href="#missed">Say what was meant by 1 message.' in html


def test_sensitive_values_of_messages_are_masked_for_everybody(
    bank: Assistant, open_session: Opener, admin_client: Client
):
    open_session(conversation=message("it is DE89370400440532013000 please", "not_understood"))

    html = text_of(admin_client.get("/understanding/bank/"))

    assert "it is" in html and "please" in html and "DE89370400440532013000" not in html


def test_settings_of_the_language_model_come_last_and_are_folded(bank: Assistant):
    html = text_of(signed_in("arthur", "flow authors").get("/understanding/bank/"))

    parts = ["What to do next", 'id="flows"', 'id="measure"', 'id="model"', "Try a language model"]
    assert [html.index(part) for part in parts] == sorted(html.index(part) for part in parts)
    assert '<details class="block model-settings" id="model">' in html
    assert "nearest" not in html and "learned</option>" not in html


def test_without_a_release_the_next_step_is_to_publish(bank: Assistant):
    Assistant.objects.update(active_release=None)

    html = text_of(signed_in("arthur", "flow authors").get("/understanding/bank/"))

    assert 'href="/releases/bank/">Publish a release' in html


def test_the_page_costs_the_same_however_many_messages_were_missed(bank: Assistant):
    arthur = signed_in("arthur", "flow authors")
    message("first", "not_understood", test=True)
    arthur.get("/understanding/bank/")
    counts, html = [], ""
    for number in range(15):
        message(f"more {number}", "not_understood", test=True)
        if number in (0, 14):
            with CaptureQueriesContext(connection) as queries:
                html = text_of(arthur.get("/understanding/bank/"))
            counts.append(len(queries))

    assert counts[0] == counts[1]
    assert html.count("Should have been…") == 10


def test_the_overview_says_for_each_assistant_what_was_understood(bank: Assistant):
    message("hello", "understood")
    message("blah", "not_understood")

    html = text_of(signed_in("arthur", "flow authors").get("/understanding/"))

    assert "<b>50%</b>" in html and "1 of 2 messages" in html and "1 not understood" in html


def test_the_assistant_with_most_to_correct_comes_first(bank: Assistant):
    Assistant.objects.create(name="airport")
    arthur = signed_in("arthur", "flow authors")

    sorted_by_name = text_of(arthur.get("/understanding/"))
    message("words of a customer", "not_understood")
    sorted_by_work = text_of(arthur.get("/understanding/"))

    addresses = [f'href="/understanding/{name}/"' for name in ("airport", "bank")]
    assert sorted_by_name.index(addresses[0]) < sorted_by_name.index(addresses[1])
    assert sorted_by_work.index(addresses[0]) > sorted_by_work.index(addresses[1])


def test_an_author_is_told_whom_to_ask_for_customers_messages_and_can_add_examples(bank: Assistant):
    message("words of a customer", "not_understood")

    html = text_of(signed_in("arthur", "flow authors").get("/understanding/bank/"))

    assert "A supervisor finds these messages under Conversations, and can propose them as examples." in html
    assert 'href="/flows/bank/check_balance/#field=/examples"' in html
