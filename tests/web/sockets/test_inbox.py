"""The socket of the console."""

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.contrib.auth.models import Group, User

from dialogue.desk.access.api_tokens import create_token
from dialogue.desk.access.people import read_person
from dialogue.desk.queue.presence import start_viewing
from dialogue.desk.sessions import service as door
from dialogue.desk.sessions.escalation import escalate_due
from dialogue.models import ApiToken, Attendance, Conversation
from dialogue.turns import clock
from dialogue.turns.live import notify as bell
from dialogue.web.sockets.close_codes import NOT_SIGNED_IN, RIGHT_LOST
from tests.support.transfers import person
from tests.support.web.socket_client import Socket, ring_inbox

pytestmark = pytest.mark.django_db(transaction=True)


async def test_the_inbox_tells_of_a_claim_with_the_row_as_the_page_shows_it(session, olga, oscar, browser_of):
    async with Socket("/ws/inbox/", await sync_to_async(browser_of)(oscar)) as socket:
        await socket.say(type="ping")
        await socket.hear("pong")
        await sync_to_async(door.claim)(session.number, olga)
        await ring_inbox()
        news = await socket.hear("session.claimed")
        counts = await socket.hear("counts")

    assert (news["number"], news["version"]) == (session.number, 2)
    assert f'id="row-g{session.number}"' in news["html"]
    assert "Olga Petrov" in news["html"]
    assert counts["views"]["unassigned"] == 0


async def test_the_inbox_tells_nothing_of_other_peoples_queues(session, olga, browser_of, payments):
    stranger = await sync_to_async(person)("otto", "Otto Klein", "operators")
    async with Socket("/ws/inbox/", await sync_to_async(browser_of)(stranger)) as socket:
        await sync_to_async(door.claim)(session.number, olga)
        await ring_inbox()

        assert await socket.silent()


async def test_the_inbox_tells_nothing_of_what_is_tried_in_the_test_console(session, sofia, oscar, browser_of):
    await sync_to_async(Conversation.objects.filter(pk=session.conversation_id).update)(test=True, channel="test")
    async with Socket("/ws/inbox/", await sync_to_async(browser_of)(oscar)) as socket:
        await sync_to_async(door.claim)(session.number, sofia)
        await ring_inbox()

        assert await socket.silent()


async def test_the_inbox_is_not_for_end_users_and_takes_no_messages(session, olga, ursula, browser_of):
    async with Socket("/ws/inbox/", await sync_to_async(browser_of)(ursula)) as socket:
        assert await socket.closed() == RIGHT_LOST
    async with Socket("/ws/inbox/", await sync_to_async(browser_of)(olga)) as socket:
        await socket.say(type="user.message", id="m1", text="Hello")
        assert (await socket.hear("error"))["code"] == "not_allowed"


async def test_only_who_may_act_from_now_on_is_told_that_a_gate_was_escalated_and_all_see_its_mark(
    open_session, olga, browser_of
):
    treasury = await sync_to_async(Group.objects.create)(name="treasury")
    tom = await sync_to_async(person)("tom", "Tom Adeyemi", "operators", "treasury")
    gate = await sync_to_async(open_session)(escalates_at=clock.now(), escalates_to=treasury)
    await sync_to_async(escalate_due)()

    heard = []
    for who in (olga, tom):
        async with Socket("/ws/inbox/?after=0", await sync_to_async(browser_of)(who)) as socket:
            heard.append(await socket.hear("session.changed"))

    assert [each["number"] for each in heard] == [gate.number, gate.number]
    assert [each.get("escalated", False) for each in heard] == [False, True]
    assert all('<span class="chip warm">Escalated</span>' in each["html"] for each in heard)


async def test_an_inbox_that_comes_back_gets_every_event_once(session, olga, browser_of):
    await sync_to_async(door.claim)(session.number, olga)
    await sync_to_async(door.release)(session.number, olga)
    async with Socket("/ws/inbox/?after=0", await sync_to_async(browser_of)(olga)) as socket:
        kinds = [(await socket.hear("session.claimed", "session.released"))["type"] for _ in range(2)]
        await socket.hear("counts")

        assert kinds == ["session.claimed", "session.released"]
        assert await socket.silent()


async def test_who_opens_a_gate_is_seen_by_colleagues_until_they_leave(session, olga, oscar, browser_of):
    async with Socket("/ws/inbox/", await sync_to_async(browser_of)(oscar)) as colleague:
        async with Socket("/ws/inbox/", await sync_to_async(browser_of)(olga)) as socket:
            await socket.say(type="looking", number=session.number)
            await socket.say(type="ping")
            await socket.hear("pong")
            await ring_presence()
            seen = await colleague.hear("presence")
        await ring_presence()
        gone = await colleague.hear("presence")

    assert seen["people"] == [{"number": session.number, "name": "Olga Petrov"}]
    assert gone["people"] == []


async def test_who_comes_later_is_told_who_looks_already(session, olga, oscar, browser_of):
    await sync_to_async(start_viewing)(await sync_to_async(read_person)(olga.user), session.number)

    async with Socket("/ws/inbox/", await sync_to_async(browser_of)(oscar)) as socket:
        assert (await socket.hear("presence"))["people"] == [{"number": session.number, "name": "Olga Petrov"}]


async def ring_presence() -> None:
    layer = get_channel_layer()
    assert layer is not None
    await layer.group_send(bell.INBOX, {"type": "presence.ring"})


def token_of(account_name: str, **changes: object) -> str:
    row = ApiToken(user=User.objects.get(username=account_name), name="pager", **changes)
    return create_token(row, User.objects.get(username=account_name))


def with_token(token: str) -> Socket:
    socket = Socket("/ws/inbox/")
    socket.line.scope["headers"] = [(b"authorization", f"Bearer {token}".encode())]
    return socket


async def test_a_program_follows_the_inbox_with_a_token_and_gets_no_markup(session, olga, oscar):
    token = await sync_to_async(token_of)("oscar")
    async with with_token(token) as socket:
        await socket.say(type="ping")
        await socket.hear("pong")
        await sync_to_async(door.claim)(session.number, olga)
        await ring_inbox()
        event = await socket.hear("session.claimed")
        await socket.say(type="looking", number=session.number)
        refusal = await socket.hear("error")

    assert (event["number"], event["version"]) == (session.number, 2)
    assert "html" not in event
    assert refusal["code"] == "not_allowed"
    assert not await Attendance.objects.filter(user__username="oscar").aexists()


async def test_a_token_opens_the_inbox_only_while_it_counts(session, oscar, ursula):
    revoked = await sync_to_async(token_of)("oscar")
    async with with_token(revoked) as socket:
        await socket.say(type="ping")
        await socket.hear("pong")
        await ApiToken.objects.aupdate(revoked_at=clock.now())
        await socket.say(type="looking", number=session.number)
        assert await socket.closed() == NOT_SIGNED_IN
    for token, code in (
        (revoked, NOT_SIGNED_IN),
        ("unknown", NOT_SIGNED_IN),
        (await sync_to_async(token_of)("oscar", scopes=["chat"]), RIGHT_LOST),
        (await sync_to_async(token_of)("ursula"), RIGHT_LOST),
    ):
        async with with_token(token) as socket:
            assert await socket.closed() == code
