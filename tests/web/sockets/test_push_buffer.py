"""What a socket is given as it is committed, beside what it reads from the rows: both tell the same."""

import asyncio
from collections import deque

import pytest

from dialogue.turns.accept import open_conversation
from dialogue.turns.live import notify
from dialogue.turns.process.database import in_thread
from dialogue.turns.worker import drain
from dialogue.web.sockets.conversation import ConversationFeed
from dialogue.web.sockets.push_buffer import Cursor, PushedLines, take_pushed
from tests.support.releases import GREETER, publish
from tests.support.web.socket_client import Socket

pytestmark = pytest.mark.django_db(transaction=True)


def line(seq):
    return {"seq": seq, "text": f"Line {seq}"}


@pytest.fixture
def visitor_chat():
    publish(GREETER)
    row, token = open_conversation("greeter", user_ref="Ursula")
    return f"/ws/conversations/{row.pk}/?token={token}", row


@pytest.fixture
def looks(monkeypatch):
    """How often a socket has read the rows."""
    seen: list[int] = []
    outgoing = ConversationFeed.read_rows

    def counted(self, room):
        seen.append(self.cursor)
        return outgoing(self, room)

    monkeypatch.setattr(ConversationFeed, "read_rows", counted)
    return seen


async def exchange(socket, row):
    """Ursula says hello, and the assistant's turn is run: everything that her socket tells of both."""
    notify.attach(asyncio.get_running_loop())
    await socket.say(type="user.message", id="m1", text="say hello")
    own = await socket.hear("message")
    await drain(row.pk)
    return [own, await socket.hear("message"), await socket.hear("turn.finished")]


async def test_a_turn_is_told_as_it_was_committed_and_the_rows_tell_the_same(visitor_chat, looks):
    path, row = visitor_chat
    async with Socket(path) as socket:
        given = await exchange(socket, row)
        looked = len(looks)
    async with Socket(f"{path}&after=0") as late:
        read = [await late.hear("message", "turn.finished") for _ in range(3)]

    assert given == read
    assert read[2]["pending"][0]["kind"] == "collect"
    assert looked == 1  # when it was opened


async def test_who_has_missed_a_line_reads_the_rows(visitor_chat, looks):
    path, row = visitor_chat
    async with Socket(path) as socket:
        await socket.say(type="ping")
        await socket.hear("pong")
        await in_thread(row.messages.create)(seq=1, role="system", text="Nobody rang.", at=row.created_at)
        row.last_message = 1
        await row.asave()
        await socket.say(type="user.message", id="m1", text="say hello")

        assert [(await socket.hear("message"))["seq"] for _ in range(2)] == [1, 2]


def test_what_was_told_meanwhile_is_not_told_again():
    given = deque([PushedLines(0, (line(1),)), PushedLines(1, (line(2),), turn=1), PushedLines(2, (line(3),))])

    found = take_pushed(given, Cursor(2, 1))

    assert found is not None
    ready, place = found
    assert [each.frame["seq"] for each in ready] == [3]
    assert place == Cursor(3, 1)


def test_a_turn_ends_behind_its_lines():
    found = take_pushed(
        deque([PushedLines(4, (line(5), line(6)), turn=3, turn_fields={"state": "idle"})]), Cursor(4, 2)
    )

    assert found is not None
    ready, place = found
    assert [(each.number, each.frame["type"]) for each in ready] == [
        (5, "message"),
        (6, "message"),
        (None, "turn.finished"),
    ]
    assert place == Cursor(6, 3)


@pytest.mark.parametrize(
    "given", [PushedLines(5, (line(6),)), PushedLines(4, (line(5),), turn=4), PushedLines(3, (line(4), line(5)))]
)
def test_where_something_in_between_is_missing_the_rows_are_read(given):
    assert take_pushed(deque([given]), Cursor(4, 2)) is None
