"""A refused file leaves a note in the transcript, and the question for it stays open."""

import pytest
from django.test import Client

from dialogue.models import Conversation, Message
from dialogue.web.chat.views import SESSION_KEY
from tests.support.releases import publish
from tests.support.transfers import person
from tests.support.web.pages import text_of
from tests.web.files.test_files import PDF, PNG, claim, folder, upload

__all__ = ["claim", "folder"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

Claim = tuple[Conversation, str]
REFUSAL = "is not a file of an accepted kind"


def notes_of(conversation: Conversation) -> list[str]:
    return [line.text for line in Message.objects.filter(conversation=conversation, role="system")]


def test_staff_read_in_the_transcript_why_a_file_was_not_kept(claim: Claim):
    answer = upload(claim, ("bill.pdf", PNG))

    [note] = notes_of(claim[0])
    assert answer.json()["detail"] == note and REFUSAL in note
    client = Client()
    client.force_login(person("sofia", "Sofia Lindqvist", "supervisors", is_staff=True))
    assert REFUSAL in text_of(client.get(f"/conversations/{claim[0].pk}/"))


def test_a_file_that_nothing_asks_for_is_noted_too(claim: Claim):
    upload(claim, ("bill.pdf", PDF))
    upload(claim, ("a.png", PNG))

    upload(claim, ("more.pdf", PDF))

    assert notes_of(claim[0]) == ["Nothing asks for a file just now, so it was not kept."]


def test_the_numbers_of_the_lines_have_no_gap(claim: Claim):
    upload(claim, ("bill.pdf", PNG))
    upload(claim, ("bill.pdf", PDF))

    numbers = list(claim[0].messages.order_by("seq").values_list("seq", flat=True))
    assert numbers == list(range(1, len(numbers) + 1))
    claim[0].refresh_from_db()
    assert claim[0].last_message == len(numbers)


def test_a_request_without_a_file_leaves_no_note(claim: Claim):
    upload(claim)

    assert notes_of(claim[0]) == []


def test_the_buttons_of_the_question_stay_on_the_page(claim: Claim):
    conversation, token = claim
    last = conversation.messages.order_by("seq").last()
    assert last is not None
    last.buttons = [{"value": "skip", "label": "Without a bill"}]
    last.save()
    upload(claim, ("bill.pdf", PNG))
    client = Client()
    session = client.session
    session[SESSION_KEY] = {"claims": [str(conversation.pk), token]}
    session.save()

    page = text_of(client.get("/chat/claims/"))

    assert "Without a bill" in page and REFUSAL in page


def test_the_chat_shows_the_title_of_the_assistant_in_the_language_of_the_page():
    publish(
        {
            "assistant.yaml": "version: 1\nassistant: town\ntitle: {en: Town library, es: Biblioteca}\n"
            "description: {en: Lends books., es: Presta libros.}\n",
            "hello.yaml": "flow: hello\ndescription: Greets.\nsteps:\n  - {step: hi, type: say, message: Hi}\n",
        }
    )

    page = text_of(Client().get("/chat/town/", headers={"accept-language": "es"}))

    assert "Biblioteca" in page and "Presta libros." in page and "Town library" not in page
