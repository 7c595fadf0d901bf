"""The sweep: what is due, lost or stuck."""

import asyncio
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from dialogue.models import Conversation, Event
from dialogue.sweep import MAX_CONCURRENT_CONVERSATIONS, _drain_all, end_idle, sweep, unattended_conversations
from dialogue.turns import lease
from dialogue.turns.accept import Incoming, accept, open_conversation
from dialogue.turns.clock import now
from dialogue.turns.process.database import in_thread
from dialogue.turns.worker import SERVICE
from tests.support.releases import GREETER, publish

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def conversation() -> Conversation:
    publish(GREETER)
    return open_conversation("greeter")[0]


def said(text: str, client_id: str) -> Incoming:
    return Incoming("message", client_id, {"text": text}, text=text)


async def test_what_a_dead_runner_left_is_run(conversation: Conversation) -> None:
    await in_thread(accept)(conversation.pk, said("say hello", "m1"), claim_for="dead")
    assert await in_thread(unattended_conversations)() == []
    await in_thread(lease.end_all)()

    swept = await sweep()

    assert swept.turns == 1
    assert (await Event.objects.aget()).state == Event.State.DONE


async def test_sweeping_twice_changes_nothing(conversation: Conversation) -> None:
    await in_thread(accept)(conversation.pk, said("say hello", "m1"))
    await sweep()

    assert (await sweep()).turns == 0


async def test_of_many_that_wait_at_most_twenty_run_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    running, most = set(), []

    async def drain(conversation: UUID, **_: object) -> int:
        running.add(conversation)
        most.append(len(running))
        await asyncio.sleep(0)
        running.remove(conversation)
        return 1

    monkeypatch.setattr("dialogue.sweep.drain", drain)

    assert await _drain_all(SERVICE, [uuid4() for _ in range(50)]) == 50
    assert max(most) == MAX_CONCURRENT_CONVERSATIONS == 20


async def test_a_conversation_left_alone_ends_with_everything_that_it_awaited(conversation: Conversation) -> None:
    await in_thread(accept)(conversation.pk, said("say hello", "m1"))
    await sweep()
    await Conversation.objects.aupdate(idle_until=now() - timedelta(seconds=1))

    swept = await sweep()

    await conversation.arefresh_from_db()
    assert swept.ended == 1 and conversation.state == Conversation.State.DONE
    assert not await conversation.sessions.filter(state="open").aexists()


def test_a_failed_conversation_that_is_left_alone_ends_too(conversation: Conversation) -> None:
    Conversation.objects.update(state=Conversation.State.FAILED, idle_until=now() - timedelta(days=1))

    assert end_idle() == 1


def test_no_message_of_a_client_can_keep_a_conversation_from_ending(conversation: Conversation) -> None:
    for number in range(3):
        accept(conversation.pk, said("hello", f"timeout:{number}"))
    Event.objects.update(state=Event.State.DONE)
    Conversation.objects.update(idle_until=now() - timedelta(seconds=1))

    assert end_idle() == 1
