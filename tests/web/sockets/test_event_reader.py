"""What many open inboxes cost: one reading of what is new, one rendering of each row."""

import asyncio

import pytest
from asgiref.sync import sync_to_async

from dialogue.desk.access.people import read_person
from dialogue.desk.sessions import service as door
from dialogue.web.gates.rows import render_row
from dialogue.web.sockets import event_reader as event_reader_module
from dialogue.web.sockets.event_reader import EventReader
from tests.support.transfers import person
from tests.support.web.socket_client import Socket, ring_inbox

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def renderings(monkeypatch):
    """Counts the rows that the newsroom renders."""
    seen, render = [], render_row

    def counted(session, viewer):
        seen.append((session.number, viewer))
        return render(session, viewer)

    monkeypatch.setattr(event_reader_module, "render_row", counted)
    return seen


async def test_ten_open_inboxes_render_a_row_once_for_its_holder_and_once_for_all_others(
    session, olga, oscar, browser_of, renderings
):
    browsers = [await sync_to_async(browser_of)(who) for who in (olga, oscar)]
    sockets = [Socket("/ws/inbox/", browsers[place % 2]) for place in range(10)]
    await asyncio.gather(*(socket.__aenter__() for socket in sockets))
    for socket in sockets:
        await socket.say(type="ping")
        await socket.hear("pong")

    await sync_to_async(door.claim)(session.number, olga)
    await ring_inbox()
    rows = [(await socket.hear("session.claimed"))["html"] for socket in sockets]

    assert len(renderings) == 2
    assert len(set(rows)) == 2
    assert ["Olga Petrov" in row for row in rows] == [False, True] * 5
    await asyncio.gather(*(socket.__aexit__() for socket in sockets))


async def test_an_inbox_that_is_far_behind_reads_for_itself_and_misses_nothing(session, olga, oscar, browser_of):
    async with Socket("/ws/inbox/", await sync_to_async(browser_of)(oscar)) as quick:
        await quick.say(type="ping")
        await quick.hear("pong")
        await sync_to_async(door.claim)(session.number, olga)
        await ring_inbox()
        await quick.hear("session.claimed")
        async with Socket("/ws/inbox/?after=0", await sync_to_async(browser_of)(oscar)) as late:
            assert (await late.hear())["type"] == "session.claimed"
            await sync_to_async(door.release)(session.number, olga)
            await ring_inbox()

            assert (await late.hear("session.released"))["version"] == 3
            assert (await quick.hear("session.released"))["version"] == 3


async def test_more_news_than_are_kept_at_hand_are_told_all_the_same(session, olga, browser_of, monkeypatch):
    monkeypatch.setattr(event_reader_module, "MAX_EVENTS", 3)
    async with Socket("/ws/inbox/", await sync_to_async(browser_of)(olga)) as socket:
        await socket.say(type="ping")
        await socket.hear("pong")
        for _ in range(3):
            await sync_to_async(door.claim)(session.number, olga)
            await sync_to_async(door.release)(session.number, olga)
        await ring_inbox()

        told = [(await socket.hear("session.claimed", "session.released"))["version"] for _ in range(6)]

    assert told == [2, 3, 4, 5, 6, 7]


async def test_what_was_read_a_while_ago_is_no_longer_at_hand(session, olga):
    seconds = [0.0]
    room = EventReader("en", seconds=lambda: seconds[0])
    reader = await sync_to_async(lambda: read_person(olga.user))()
    first = await room.after(0, reader, 10)
    await sync_to_async(door.claim)(session.number, olga)
    fresh = await room.after(0, reader, 10)
    seconds[0] = 60.0

    assert first is not None and first.events == []
    assert fresh is not None and len(fresh.events) == 1
    assert await room.after(0, reader, 10) is None


async def test_gates_of_other_queues_are_passed_over(session, olga, payments):
    room = EventReader("en")
    stranger = await sync_to_async(person)("otto", "Otto Klein", "operators")
    reader = await sync_to_async(lambda: read_person(stranger.pk))()
    await room.after(0, reader, 10)
    await sync_to_async(door.claim)(session.number, olga)

    edition = await room.after(0, reader, 10)

    assert edition is not None
    assert edition.events == []
    assert edition.reached > 0
