"""The chat page, and conversations to read."""

from django.test import Client

from dialogue.models import Conversation
from tests.support.releases import demo, publish
from tests.support.web.pages import text_of


def test_a_visitors_browser_finds_its_chat_again_and_nobody_elses(client, db):
    publish(demo("bank"))
    opened = client.post("/chat/bank/open/", headers={"accept": "application/json"})
    stranger = Client()

    assert opened.status_code == 201
    assert client.get("/chat/bank/").context["conversation"].pk == Conversation.objects.get().pk
    assert stranger.get("/chat/bank/").context["conversation"] is None


def test_looking_at_the_chat_page_opens_no_conversation(client, db):
    publish(demo("bank"))

    assert client.get("/chat/bank/").status_code == 200
    assert not Conversation.objects.exists()


def test_an_operators_chat_is_a_test_and_an_auditor_has_none(browser_of, olga, audrey):
    publish(demo("bank"))

    browser_of(olga).post("/chat/bank/open/", headers={"accept": "application/json"})

    assert Conversation.objects.get().test
    assert browser_of(audrey).get("/chat/bank/").status_code == 404


def test_what_somebody_typed_is_shown_as_text(browser_of, session, olga):
    nasty = "<script>document.title='stolen'</script>"
    session.conversation.messages.create(seq=1, role="user", text=nasty, at=session.opened_at)
    browser = browser_of(olga)

    for page in (f"/gates/{session.name}/", f"/conversations/{session.conversation_id}/"):
        assert nasty not in text_of(browser.get(page))
        assert "&lt;script&gt;" in text_of(browser.get(page))


def test_a_conversation_out_of_scope_does_not_exist(browser_of, own_chat, olga, sofia):
    assert browser_of(olga).get(f"/conversations/{own_chat.pk}/").status_code == 404
    assert browser_of(sofia).get(f"/conversations/{own_chat.pk}/").status_code == 200
