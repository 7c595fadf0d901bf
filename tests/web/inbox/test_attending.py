"""The two sides of a chat that a person has: who answers, who types, who has read."""

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer

from dialogue.desk.chats import chats
from dialogue.desk.sessions import service
from dialogue.models import ReadMark
from dialogue.turns.accept import open_conversation
from dialogue.turns.live import notify
from tests.support.releases import demo, publish
from tests.support.web.socket_client import Socket

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def handed(open_session):
    """A visitor's chat that waits for a person, with three lines, and the address of the visitor's socket."""
    publish(demo("bank"))
    row, token = open_conversation("bank", user_ref="Ursula")
    row.messages.bulk_create(
        row.messages.model(conversation=row, seq=seq, role="assistant", text=f"Line {seq}", at=row.created_at)
        for seq in (1, 2, 3)
    )
    row.last_message = 3
    row.save()
    session = open_session(
        conversation=row, kind="handoff", step="handoff", frame="conversation", schema={}, actions=[], on_timeout=""
    )
    return f"/ws/conversations/{row.pk}/?after=3&token={token}", session


async def ring(session):
    layer = get_channel_layer()
    assert layer is not None
    await layer.group_send(notify.conversation_group(session.conversation_id), {"type": "conversation.ring"})


def staff_path(session):
    return f"/ws/conversations/{session.conversation_id}/?after=3"


async def test_who_waits_is_told_that_nobody_is_there_and_then_who_came(handed, olga):
    path, session = handed
    async with Socket(path) as ursula:
        person = await ursula.hear("person")
        assert (person["session"], person["state"], person["by"]) == (session.name, "waiting", None)
        assert person["desk"] is False

        await sync_to_async(service.claim)(session.number, olga)
        await ring(session)

        here = await ursula.hear("person")
        assert (here["state"], here["by"], here["desk"]) == ("here", "Olga Petrov", True)


async def test_an_operator_at_the_desk_is_hope(handed, olga, browser_of):
    path, _session = handed
    async with Socket("/ws/inbox/", await sync_to_async(browser_of)(olga)) as desk:
        await desk.say(type="ping")
        await desk.hear("pong")
        async with Socket(path) as ursula:
            assert (await ursula.hear("person"))["desk"] is True


async def test_who_left_is_told_that_the_bot_has_the_chat_again(handed):
    path, session = handed
    async with Socket(path) as ursula:
        await ursula.hear("person")
        await sync_to_async(chats.leave_chat)(session.conversation_id)
        await ring(session)

        assert await ursula.hear("person") == {"type": "person", "session": None}


async def test_each_side_sees_the_other_typing_and_nobody_sees_themselves(handed, olga, browser_of):
    path, session = handed
    await sync_to_async(service.claim)(session.number, olga)
    async with Socket(path) as ursula, Socket(staff_path(session), await sync_to_async(browser_of)(olga)) as desk:
        await ursula.hear("read")
        await desk.hear("read")

        await ursula.say(type="typing")
        assert await desk.hear("typing") == {"type": "typing", "role": "user", "by": None}
        await desk.say(type="typing")
        assert await ursula.hear("typing") == {"type": "typing", "role": "operator", "by": "Olga Petrov"}

        assert await ursula.silent()
        assert await desk.silent()


async def test_who_does_not_have_the_chat_types_for_nobody(handed, olga, oscar, browser_of):
    _path, session = handed
    await sync_to_async(service.claim)(session.number, olga)
    async with Socket(staff_path(session), await sync_to_async(browser_of)(oscar)) as desk:
        await desk.hear("read")

        await desk.say(type="typing")

        assert (await desk.hear("error"))["code"] == "not_allowed"


async def test_read_marks_go_both_ways(handed, olga, browser_of):
    path, session = handed
    await sync_to_async(service.claim)(session.number, olga)
    async with Socket(path) as ursula, Socket(staff_path(session), await sync_to_async(browser_of)(olga)) as desk:
        assert await ursula.hear("read") == {"type": "read", "customer": 0, "staff": 0}
        await desk.hear("read")

        await ursula.say(type="ack", seq=2)
        await ursula.say(type="ping")
        await ursula.hear("pong")
        await ring(session)
        assert (await desk.hear("read"))["customer"] == 2
        await desk.say(type="ack", seq=99)
        await desk.say(type="ping")
        await desk.hear("pong")
        await ring(session)

        told = await ursula.hear("read")
        while told["staff"] == 0:
            told = await ursula.hear("read")
        assert told == {"type": "read", "customer": 2, "staff": 3}


async def test_who_only_looks_on_leaves_no_mark(handed, olga, oscar, browser_of):
    _path, session = handed
    await sync_to_async(service.claim)(session.number, olga)
    async with Socket(staff_path(session), await sync_to_async(browser_of)(oscar)) as desk:
        await desk.hear("read")
        await desk.say(type="ack", seq=3)
        await desk.say(type="ping")
        await desk.hear("pong")

    assert not await ReadMark.objects.aexists()


async def test_a_chat_that_the_bot_has_keeps_no_marks(open_session):
    session = await sync_to_async(open_session)()
    row, token = await sync_to_async(open_conversation)("bank", user_ref="Ursula")
    async with Socket(f"/ws/conversations/{row.pk}/?token={token}") as ursula:
        await ursula.say(type="ack", seq=1)
        await ursula.say(type="typing")
        await ursula.say(type="ping")

        assert (await ursula.hear())["type"] == "pong"
    assert session.kind == "human"
    assert not await ReadMark.objects.aexists()
