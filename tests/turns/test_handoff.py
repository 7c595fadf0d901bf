"""A chat that is handed over: why, by when it should be answered, and since when its customer has no answer."""

from datetime import timedelta

import pytest

from dialogue.conf import soni
from dialogue.desk.access.people import Caller, read_person
from dialogue.desk.chats import chats
from dialogue.desk.queue.presence import mark_available
from dialogue.models import Conversation, HITLSession, InboxEvent, Turn
from dialogue.models.sessions.session import FAR_FUTURE
from dialogue.turns.live.serializers import turn_view
from dialogue.turns.process.database import in_thread
from dialogue.turns.worker import drain
from tests.support.releases import GREETER
from tests.support.transfers import person
from tests.support.turns import begun, say

pytestmark = pytest.mark.django_db(transaction=True)

STEP = {
    **GREETER,
    "greet.yaml": GREETER["greet.yaml"].replace(
        "  - {step: ask, type: collect, slot: name}\n",
        "  - {step: person, type: handoff, queue: front, due: 90s, timeout: 1h, on_timeout: done}\n",
    ),
}


@in_thread
def olga() -> Caller:
    return Caller(person("olga", "Olga Petrov", "operators").pk, "page")


async def handed_over(documents: dict[str, str] = GREETER) -> tuple[Conversation, HITLSession]:
    conversation = await begun(documents)
    await say(conversation, "say hello")
    if documents is GREETER:
        await say(conversation, "I want to talk to a person")
    return conversation, await HITLSession.objects.aget(kind="handoff")


async def test_a_chat_knows_since_when_it_waits_and_by_when_it_should_be_answered(settings):
    _conversation, chat = await handed_over()

    assert chat.waits_since == chat.opened_at
    assert chat.due_at == chat.urgent_at == chat.opened_at + soni.ANSWER_WITHIN
    assert (chat.cause, chat.expires_at) == ("", None)


async def test_a_step_says_itself_by_when_it_is_due():
    _conversation, chat = await handed_over(STEP)

    assert (chat.cause, chat.queue) == ("step", "front")
    assert chat.due_at == chat.urgent_at == chat.opened_at + timedelta(seconds=90)
    assert chat.expires_at == chat.opened_at + timedelta(hours=1)


NOBODY = "Nobody is at the desk just now."


@pytest.mark.parametrize("documents", [GREETER, STEP])
async def test_who_asks_for_a_person_is_told_when_nobody_is_there_and_can_leave(documents: dict[str, str]):
    conversation, chat = await handed_over(documents)
    line = await conversation.messages.aget(key="handoff")

    left = await in_thread(chats.leave_chat)(conversation.pk)
    await drain(conversation.pk)

    await chat.arefresh_from_db()
    assert NOBODY in line.text and "you can leave and come back" in line.text
    assert (left, chat.state) == (True, "cancelled")


@pytest.mark.parametrize("facts", [{}, {"test": True}])
async def test_who_asks_while_somebody_is_there_is_not_told_that_nobody_is(facts: dict[str, bool]):
    if not facts:
        await in_thread(lambda caller: mark_available(read_person(caller.user)))(await olga())
    conversation = await begun(GREETER)
    await Conversation.objects.filter(pk=conversation.pk).aupdate(**facts, active_at=conversation.active_at)

    await say(conversation, "say hello")
    await say(conversation, "I want to talk to a person")

    line = await conversation.messages.aget(key="handoff")
    assert "A colleague will go on with you here." in line.text
    assert NOBODY not in line.text


async def test_an_answer_ends_the_wait_and_the_first_line_after_it_begins_another():
    conversation, chat = await handed_over()
    caller = await olga()
    await in_thread(chats.say)(chat.pk, caller, "Good morning.")
    await drain(conversation.pk)
    await chat.arefresh_from_db()
    assert chat.waits_since == FAR_FUTURE

    await say(conversation, "Good morning!")
    await say(conversation, "My card is gone.")

    await chat.arefresh_from_db()
    first = await conversation.events.aget(payload__text="Good morning!")
    assert chat.waits_since == first.accepted_at


async def test_inboxes_look_again_at_every_line_of_such_a_chat():
    conversation, chat = await handed_over()
    await say(conversation, "Is anybody there?")

    kinds = [row.kind async for row in InboxEvent.objects.filter(session=chat).order_by("pk")]
    assert kinds == ["opened", "changed"]


async def test_a_turn_tells_where_it_left_the_conversation_whatever_came_after():
    conversation, _chat = await handed_over()
    await say(conversation, "Is anybody there?")

    turns = [turn async for turn in Turn.objects.filter(conversation=conversation).order_by("number")]
    first, second = [await in_thread(turn_view)(turn, insight=True) for turn in turns[:2]]

    assert [each["kind"] for each in first["pending"]] == ["collect"]
    assert {each["kind"] for each in second["pending"]} == {"collect", "handoff"}
    assert first["stack"][0]["awaiting"] == "greet?name"
    assert second["stack"][0]["awaiting"] == "greet!handoff"
