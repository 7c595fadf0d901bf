"""Events in: what is acknowledged is stored, once, in order."""

from uuid import uuid4

import pytest

from dialogue.models import Conversation, Event, Message
from dialogue.turns.accept import (
    MAX_WAITING_MESSAGES,
    AssistantNotFound,
    ConversationNotFound,
    ConversationOver,
    Incoming,
    SameIdOtherBody,
    TooManyWaiting,
    accept,
    conversation_by_token,
    open_conversation,
)
from tests.support.releases import GREETER, publish

pytestmark = pytest.mark.django_db


@pytest.fixture
def conversation() -> Conversation:
    publish(GREETER)
    return open_conversation("greeter", user_ref="Ursula")[0]


def said(text: str, client_id: str = "c1") -> Incoming:
    return Incoming("message", client_id, {"text": text}, text=text)


def test_an_accepted_message_is_in_the_queue_and_in_the_transcript(conversation: Conversation) -> None:
    accepted = accept(conversation.pk, said("hello"))

    assert Event.objects.get().payload == {"text": "hello"}
    assert (Message.objects.get().seq, accepted.seq, accepted.number) == (1, 1, 1)


def test_the_same_message_again_gets_the_first_answer(conversation: Conversation) -> None:
    first = accept(conversation.pk, said("hello"))

    again = accept(conversation.pk, said("hello"))

    assert (again.event, again.seq, again.repeated) == (first.event, first.seq, True)
    assert Event.objects.count() == Message.objects.count() == 1


def test_the_same_id_with_another_text_is_refused(conversation: Conversation) -> None:
    accept(conversation.pk, said("hello"))

    with pytest.raises(SameIdOtherBody):
        accept(conversation.pk, said("goodbye"))


def test_events_are_numbered_in_the_order_of_acceptance(conversation: Conversation) -> None:
    for number in range(3):
        accept(conversation.pk, said(f"line {number}", f"c{number}"))

    assert list(Event.objects.values_list("number", "payload__text")) == [(1, "line 0"), (2, "line 1"), (3, "line 2")]


def test_the_twenty_first_waiting_message_is_refused_and_nothing_of_it_is_kept(conversation: Conversation) -> None:
    for number in range(MAX_WAITING_MESSAGES):
        accept(conversation.pk, said("hello", f"c{number}"))

    with pytest.raises(TooManyWaiting):
        accept(conversation.pk, said("one more", "late"))
    assert Event.objects.count() == Message.objects.count() == MAX_WAITING_MESSAGES


def test_a_conversation_that_has_ended_takes_no_message(conversation: Conversation) -> None:
    Conversation.objects.update(state=Conversation.State.DONE)

    with pytest.raises(ConversationOver):
        accept(conversation.pk, said("hello"))


def test_an_unknown_conversation_is_not_found() -> None:
    with pytest.raises(ConversationNotFound):
        accept(uuid4(), said("hello"))


def test_what_no_database_stores_is_replaced(conversation: Conversation) -> None:
    accept(conversation.pk, said("a\0b\ud800c"))

    assert Message.objects.get().text == "a�b�c"


def test_the_lease_is_taken_with_the_message_when_nobody_has_it(conversation: Conversation) -> None:
    first = accept(conversation.pk, said("hello", "c1"), claim_for="me")
    second = accept(conversation.pk, said("hello", "c2"), claim_for="other")

    assert first.lease is not None and first.lease.epoch == 1
    assert second.lease is None


def test_an_assistant_that_was_never_published_cannot_be_talked_to() -> None:
    with pytest.raises(AssistantNotFound):
        open_conversation("nobody")


def test_a_conversation_opens_with_its_own_token_only() -> None:
    publish(GREETER)
    conversation, token = open_conversation("greeter")

    assert conversation_by_token(conversation.pk, token) == conversation
    for wrong in ("", "x", token[:-1]):
        with pytest.raises(ConversationNotFound):
            conversation_by_token(conversation.pk, wrong)
