"""The customer's start page and chat: greeting, starters, days, other assistants and the way out."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dialogue.library.demo.seed import seed_demo
from dialogue.models import Assistant, Conversation, Event, Message
from dialogue.turns import clock
from dialogue.turns.accept import Incoming, accept
from tests.support.releases import GREETER, demo, publish
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db


@pytest.fixture
def both(ursula: User) -> None:
    publish(demo("bank"))
    publish(demo("library"))
    Assistant.objects.filter(name="bank").update(title="Harbour Bank", description="Transfers, balances and cards.")


def test_an_empty_chat_greets_and_offers_questions_by_title(both: None, ursula: User, browser_of: Browser):
    page = text_of(browser_of(ursula).get("/chat/bank/"))

    assert "Hello, this is Harbour Bank." in page
    assert 'data-starter="I lost my card"><b>block a card</b><small>“I lost my card”</small>' in page
    assert "{card_last4}" not in page


def test_a_chat_that_has_begun_offers_no_questions(own_chat: Conversation, ursula: User, browser_of: Browser):
    accept(own_chat.pk, Incoming(Event.Kind.MESSAGE, "m1", {"text": "hello"}, "hello"))

    assert "data-starter" not in text_of(browser_of(ursula).get("/chat/bank/"))


def test_lines_of_different_days_have_their_day_above_them(own_chat: Conversation, ursula: User, browser_of: Browser):
    for number in range(3):
        accept(own_chat.pk, Incoming(Event.Kind.MESSAGE, f"m{number}", {"text": "hello"}, "hello"))
    first, second, _third = Message.objects.order_by("seq")
    Message.objects.filter(pk=first.pk).update(at=clock.now() - timedelta(days=40))
    Message.objects.filter(pk=second.pk).update(at=clock.now() - timedelta(days=1))

    page = text_of(browser_of(ursula).get("/chat/bank/"))

    assert page.count('class="mark day"') == 3
    assert page.index(">Yesterday</p>") < page.index(">Today</p>")


def test_a_line_is_read_with_its_speaker_first(own_chat: Conversation, ursula: User, browser_of: Browser):
    accept(own_chat.pk, Incoming(Event.Kind.MESSAGE, "m1", {"text": "good evening"}, "good evening"))

    page = text_of(browser_of(ursula).get("/chat/bank/"))

    assert page.index('<span class="hidden">You:</span>') < page.index("good evening")


def test_who_signed_in_finds_a_new_chat_the_other_assistants_and_the_way_out(
    both: None, ursula: User, browser_of: Browser
):
    page = text_of(browser_of(ursula).get("/chat/bank/"))

    assert page.index("New chat") < page.index('href="/chat/library/"') < page.index('action="/sign-out/"')
    assert 'href="/chat/library/"' in page
    assert 'action="/sign-out/"' in page


def test_a_visitor_is_shown_no_other_assistant(both: None, client: Client):
    page = text_of(client.get("/chat/bank/"))

    assert "/chat/library/" not in page
    assert "/sign-out/" not in page


def test_the_start_page_says_what_each_assistant_does(both: None, ursula: User, browser_of: Browser):
    page = text_of(browser_of(ursula).get("/"))

    assert "Who would you like to talk to?" in page
    assert "<b>Harbour Bank</b><small>Transfers, balances and cards.</small>" in page


def test_in_spanish_titles_and_questions_to_begin_with_are_spanish(ursula: User, browser_of: Browser):
    seed_demo()
    client = browser_of(ursula)
    client.cookies["django_language"] = "es"

    start, chat = text_of(client.get("/", follow=True)), text_of(client.get("/chat/bank/"))

    assert "<b>Banco del Puerto</b>" in start and "<b>Biblioteca municipal</b>" in start
    assert "Transferencias, saldos y tarjetas." in start
    assert 'data-starter="bloquear una tarjeta"' in chat and "I lost my card" not in chat
    assert "Biblioteca municipal" in chat and "Town library" not in chat


def test_the_customer_chooses_the_language_of_the_page_and_of_the_answers(
    own_chat: Conversation, ursula: User, browser_of: Browser
):
    client = browser_of(ursula)
    assert 'name="language" value="es" lang="es">Español<' in text_of(client.get("/chat/bank/"))

    page = text_of(client.post("/chat/bank/language/", {"language": "es"}, follow=True))

    own_chat.refresh_from_db()
    assert own_chat.language == "es"
    assert 'lang="es"' in page and 'value="en" lang="en">English<' in page
    assert text_of(client.post("/chat/bank/open/", follow=True)).count('value="en"') == 1
    assert Conversation.objects.latest("created_at").language == "es"


def test_a_language_that_the_assistant_does_not_have_is_not_offered(ursula: User, browser_of: Browser):
    publish(GREETER)
    client = browser_of(ursula)

    assert 'name="language"' not in text_of(client.get("/chat/greeter/"))
    assert 'lang="en"' in text_of(client.post("/chat/greeter/language/", {"language": "es"}, follow=True))


def test_a_visitor_changes_the_language_of_the_own_chat_only(
    own_chat: Conversation, client: Client, browser_of: Browser
):
    client.post("/chat/bank/language/", {"language": "es"})

    own_chat.refresh_from_db()
    assert own_chat.language != "es"
