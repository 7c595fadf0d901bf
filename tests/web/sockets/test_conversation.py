"""The sockets, as programs and browsers use them."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from autobahn.exception import Disconnected
from channels.layers import get_channel_layer
from django.contrib.auth.models import User

from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer
from dialogue.models import Conversation, Event, Message
from dialogue.turns.accept import open_conversation
from dialogue.turns.live import notify as bell
from dialogue.web.sockets.close_codes import (
    INTERNAL_ERROR,
    NOT_SIGNED_IN,
    RIGHT_LOST,
    TOO_FAST,
    TOO_LARGE,
    TOO_SLOW,
    UNKNOWN,
)
from dialogue.web.sockets.conversation import ConversationConsumer, ConversationFeed
from dialogue.web.sockets.stream import MAX_UNACKNOWLEDGED, LiveConsumer
from tests.support.releases import demo, publish
from tests.support.web.socket_client import Socket

pytestmark = pytest.mark.django_db(transaction=True)

NOBODY = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def visitor_chat(transactional_db: None) -> tuple[str, Conversation]:
    """A visitor's chat with the bank, and the address of its socket."""
    publish(demo("bank"))
    row, token = open_conversation("bank", user_ref="Ursula")
    return f"/ws/conversations/{row.pk}/?token={token}", row


class Counted:
    """A method, and how often it was called."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method
        self.times = 0

    def made(self) -> Callable[..., Any]:
        def called(*args: Any) -> Any:
            self.times += 1
            return self.method(*args)

        return called


def add_lines(conversation: Conversation, number: int) -> None:
    """Lines of the assistant, as a committed turn would have written them."""
    first = conversation.last_message + 1
    at = conversation.created_at
    Message.objects.bulk_create(
        Message(conversation=conversation, seq=seq, role="assistant", key="say:done", text=f"Line {seq}", at=at)
        for seq in range(first, first + number)
    )
    conversation.last_message += number
    conversation.save(update_fields=["last_message"])


async def test_what_ursula_writes_is_accepted_after_it_is_stored(visitor_chat):
    path, row = visitor_chat
    async with Socket(path) as socket:
        await socket.say(type="user.message", id="m1", text="Hello")

        assert await socket.hear("accepted") == {"type": "accepted", "id": "m1", "seq": 1}
        line = await socket.hear("message")

    assert (line["seq"], line["role"], line["text"]) == (1, "user", "Hello")
    assert await Event.objects.filter(conversation=row, client_id="m1").acount() == 1


async def test_the_same_message_again_gets_the_first_answer_and_is_stored_once(visitor_chat):
    path, row = visitor_chat
    async with Socket(path) as socket:
        for _ in range(2):
            await socket.say(type="user.message", id="m1", text="Hello")
            assert (await socket.hear("accepted"))["seq"] == 1

    assert await row.messages.acount() == 1


async def test_the_same_id_with_another_text_is_refused_and_changes_nothing(visitor_chat):
    path, row = visitor_chat
    async with Socket(path) as socket:
        await socket.say(type="user.message", id="m1", text="Hello")
        await socket.hear("accepted")
        await socket.say(type="user.message", id="m1", text="Goodbye")
        refused = await socket.hear("error")

    assert (refused["code"], refused["ref"]) == ("same_id_other_body", "m1")
    assert "another text" in refused["detail"]
    assert await row.messages.acount() == 1


async def test_more_than_twenty_waiting_messages_are_refused_until_some_are_answered(visitor_chat):
    path, _row = visitor_chat
    async with Socket(path) as socket:
        for number in range(21):
            await socket.say(type="user.message", id=str(number), text="Hello")
        refused = await socket.hear("error")

    assert (refused["code"], refused["ref"]) == ("rate_limited", "20")
    assert "20 messages wait" in refused["detail"]


async def test_an_ended_conversation_takes_no_more(visitor_chat):
    path, row = visitor_chat
    await Conversation.objects.filter(pk=row.pk).aupdate(state="done")
    async with Socket(path) as socket:
        await socket.say(type="user.message", id="m1", text="Hello")

        assert (await socket.hear("error"))["code"] == "conversation_over"


async def test_a_button_is_shown_in_the_transcript_by_its_label(visitor_chat):
    path, row = visitor_chat
    await sync_to_async(add_lines)(row, 1)
    await Message.objects.aupdate(buttons=[{"value": "yes", "label": "Yes, please"}])
    async with Socket(f"{path}&after=1") as socket:
        await socket.say(type="user.choice", id="m1", value="yes")
        line = await socket.hear("message")

    assert line["text"] == "Yes, please"
    assert (await Event.objects.aget(client_id="m1")).payload == {"value": "yes"}


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("not json", "not_json", "not JSON"),
        ("", "not_json", "not JSON"),
        ("[" * 60_000, "not_json", "not JSON"),
        ("[]", "not_an_object", "one JSON object"),
        ("null", "not_an_object", "one JSON object"),
        ('{"type": "rm"}', "unknown_type", "Known types: user.message"),
        ('{"type": "user.message", "text": "Hi"}', "bad_frame", "id is missing"),
    ],
)
async def test_a_bad_frame_is_answered_and_the_socket_stays(visitor_chat, text, code, told):
    path, row = visitor_chat
    async with Socket(path) as socket:
        await socket.line.send_input({"type": "websocket.receive", "text": text})
        refused = await socket.hear("error")
        await socket.say(type="ping")

        assert (await socket.hear())["type"] == "pong"

    assert refused["code"] == code
    assert told in refused["detail"]
    assert refused["ref"]
    assert not await row.messages.aexists()


async def test_a_binary_frame_is_answered_and_the_socket_stays(visitor_chat):
    path, _row = visitor_chat
    async with Socket(path) as socket:
        await socket.line.send_to(bytes_data=b"\x00\xff")
        assert (await socket.hear())["code"] == "binary_frame"
        await socket.say(type="ping")
        assert (await socket.hear())["type"] == "pong"


async def test_a_frame_over_64_kib_is_told_the_limit_and_closes_the_socket(visitor_chat):
    path, row = visitor_chat
    async with Socket(path) as socket:
        await socket.line.send_to(text_data="x" * (64 * 1024 + 1))

        assert "64 KiB" in (await socket.hear("error"))["detail"]
        assert await socket.closed() == TOO_LARGE

    assert not await row.messages.aexists()


async def test_a_thousand_frames_at_once_close_the_socket(visitor_chat):
    path, _row = visitor_chat
    async with Socket(path) as socket:
        for _ in range(1000):
            await socket.line.send_to(text_data="{")

        assert await socket.closed() == TOO_FAST
        assert await socket.silent()  # frames that were on their way meanwhile are answered to nobody


@pytest.mark.parametrize("after", ["-1", "1e12", "x", "1000000000000", "", "9" * 400, "٣"])
async def test_an_after_that_makes_no_sense_is_objected_to_and_everything_is_sent(visitor_chat, after):
    path, row = visitor_chat
    await sync_to_async(add_lines)(row, 2)
    async with Socket(f"{path}&after={after}") as socket:
        objection = await socket.hear()

        assert (objection["type"], objection["code"]) == ("error", "bad_after")
        assert "from 0 to 2" in objection["detail"]
        assert [(await socket.hear("message"))["seq"] for _ in range(2)] == [1, 2]


async def test_who_comes_back_gets_what_was_missed_once_and_in_order(visitor_chat):
    path, row = visitor_chat
    await sync_to_async(add_lines)(row, 5)
    async with Socket(f"{path}&after=2") as socket:
        assert [(await socket.hear("message"))["seq"] for _ in range(3)] == [3, 4, 5]
        assert await socket.silent()


async def test_a_ring_brings_what_is_new_and_a_lost_ring_the_heartbeat(visitor_chat, monkeypatch):
    monkeypatch.setattr(LiveConsumer, "heartbeat", 0.05)
    path, row = visitor_chat
    async with Socket(path) as socket:
        await sync_to_async(add_lines)(row, 1)
        layer = get_channel_layer()
        assert layer is not None
        await layer.group_send(bell.conversation_group(row.pk), {"type": "conversation.ring"})
        assert (await socket.hear("message"))["seq"] == 1

        await sync_to_async(add_lines)(row, 1)
        assert (await socket.hear("message"))["seq"] == 2


async def test_a_socket_that_has_told_everything_reads_only_its_conversation_again(visitor_chat, monkeypatch):
    monkeypatch.setattr(LiveConsumer, "heartbeat", 0.02)
    looks, beats = Counted(ConversationFeed.read_rows), Counted(ConversationConsumer.check)
    monkeypatch.setattr(ConversationFeed, "read_rows", looks.made())
    monkeypatch.setattr(ConversationConsumer, "check", beats.made())
    async with Socket(visitor_chat[0]):
        while beats.times < 3:
            await asyncio.sleep(0.01)

    assert looks.times == 1


async def test_a_slow_reader_gets_two_hundred_and_the_rest_when_it_acknowledges(visitor_chat):
    path, row = visitor_chat
    await sync_to_async(add_lines)(row, MAX_UNACKNOWLEDGED + 10)
    async with Socket(f"{path}&after=0") as socket:
        seen = [(await socket.hear("message"))["seq"] for _ in range(MAX_UNACKNOWLEDGED)]
        assert await socket.silent()
        await socket.say(type="ack", seq=seen[-1])

        assert [(await socket.hear("message"))["seq"] for _ in range(10)][-1] == MAX_UNACKNOWLEDGED + 10


async def test_a_reader_that_never_acknowledges_is_closed_as_too_slow(visitor_chat, monkeypatch):
    monkeypatch.setattr(LiveConsumer, "heartbeat", 0.05)
    monkeypatch.setattr("dialogue.web.sockets.stream.STALL_SECONDS", 0.1)
    path, row = visitor_chat
    await sync_to_async(add_lines)(row, MAX_UNACKNOWLEDGED + 1)
    async with Socket(path) as socket:
        assert await socket.closed() == TOO_SLOW


async def test_nobody_learns_whether_a_conversation_of_somebody_else_exists(visitor_chat, browser_of, ursula):
    _path, row = visitor_chat
    strangers = await sync_to_async(browser_of)(ursula)
    for path in (
        f"/ws/conversations/{row.pk}/",
        f"/ws/conversations/{NOBODY}/",
        f"/ws/conversations/{row.pk}/?token=wrong",
        f"/ws/conversations/{NOBODY}/?token=wrong",
        "/ws/nowhere/",
    ):
        async with Socket(path, strangers) as socket:
            assert await socket.closed() == UNKNOWN


async def test_without_a_sign_in_there_is_no_socket(visitor_chat):
    _path, row = visitor_chat
    for path in (f"/ws/conversations/{row.pk}/", "/ws/inbox/"):
        async with Socket(path) as socket:
            assert await socket.closed() == NOT_SIGNED_IN


async def test_olga_may_read_a_chat_of_her_queue_and_not_write_into_it(session, olga, browser_of):
    path = f"/ws/conversations/{session.conversation_id}/"
    async with Socket(path, await sync_to_async(browser_of)(olga)) as socket:
        await socket.say(type="user.message", id="m1", text="I am Ursula")
        refused = await socket.hear("error")

    assert (refused["code"], refused["ref"]) == ("not_allowed", "m1")
    assert not await session.conversation.messages.aexists()


async def test_lines_that_come_to_the_page_of_a_decided_gate_are_masked_as_its_card_is(session, olga, browser_of):
    text = "Sent to DE89370400440532013000"
    await sync_to_async(service.submit)(session.pk, olga, Answer("approve"))
    line = {"seq": 1, "role": "assistant", "key": "say:done", "text": text, "at": session.opened_at}
    await Message.objects.acreate(conversation=session.conversation, **line)
    path, browser = f"/ws/conversations/{session.conversation_id}/", await sync_to_async(browser_of)(olga)

    heard = []
    for address in (path, f"{path}?gate={session.number}"):
        async with Socket(address, browser) as socket:
            heard.append((await socket.hear("message"))["text"])

    assert heard == [text, "Sent to •••• 3000"]


async def test_a_frame_after_the_sign_out_closes_the_socket_and_stores_nothing(own_chat, ursula, browser_of):
    browser = await sync_to_async(browser_of)(ursula)
    async with Socket(f"/ws/conversations/{own_chat.pk}/", browser) as socket:
        await socket.say(type="ping")
        await socket.hear("pong")
        await sync_to_async(browser.logout)()
        await socket.say(type="user.message", id="m1", text="Hello")

        assert await socket.closed() == NOT_SIGNED_IN

    assert not await own_chat.messages.aexists()


async def test_the_socket_of_a_disabled_account_closes_by_itself(own_chat, ursula, browser_of, monkeypatch):
    monkeypatch.setattr(LiveConsumer, "heartbeat", 0.05)
    async with Socket(f"/ws/conversations/{own_chat.pk}/", await sync_to_async(browser_of)(ursula)) as socket:
        await socket.say(type="ping")
        await socket.hear("pong")
        await User.objects.filter(pk=ursula.pk).aupdate(is_active=False)

        assert await socket.closed() in (NOT_SIGNED_IN, RIGHT_LOST)


async def test_a_right_that_was_taken_away_closes_the_socket(session, olga, browser_of, monkeypatch):
    monkeypatch.setattr(LiveConsumer, "heartbeat", 0.05)
    path = f"/ws/conversations/{session.conversation_id}/"
    async with Socket(path, await sync_to_async(browser_of)(olga)) as socket:
        await socket.say(type="ping")
        await socket.hear("pong")
        await (await User.objects.aget(pk=olga.user)).groups.aclear()

        assert await socket.closed() == RIGHT_LOST


async def test_the_database_being_away_is_said_and_the_socket_stays(visitor_chat, monkeypatch):
    from django.db import OperationalError

    path, _row = visitor_chat
    async with Socket(path) as socket:
        await socket.say(type="ping")
        await socket.hear("pong")

        def gone(*_: object, **__: object) -> None:
            raise OperationalError("the server closed the connection unexpectedly")

        with monkeypatch.context() as away:
            away.setattr(ConversationFeed, "_accept", gone)
            await socket.say(type="user.message", id="m1", text="Hello")
            assert (await socket.hear("error"))["code"] == "try_again"
        await socket.say(type="user.message", id="m1", text="Hello")

        assert (await socket.hear("accepted"))["id"] == "m1"


async def test_a_socket_that_opens_while_the_database_is_away_is_closed_so_that_its_page_comes_back(
    visitor_chat, monkeypatch
):
    from django.db import OperationalError

    path, row = visitor_chat
    await sync_to_async(add_lines)(row, 1)

    def gone(*_: object) -> None:
        raise OperationalError("the server closed the connection unexpectedly")

    with monkeypatch.context() as away:
        away.setattr(ConversationFeed, "authorize", gone)
        async with Socket(f"{path}&after=0") as socket:
            assert (await socket.hear("error"))["code"] == "try_again"
            assert await socket.closed() == INTERNAL_ERROR

    async with Socket(f"{path}&after=0") as socket:
        assert (await socket.hear("message"))["seq"] == 1


async def test_a_fault_of_ours_closes_the_socket_and_who_comes_back_misses_nothing(visitor_chat, monkeypatch):
    path, row = visitor_chat
    await sync_to_async(add_lines)(row, 1)

    def broken(*_: object) -> None:
        raise KeyError("nobody thought of this")

    with monkeypatch.context() as fault:
        fault.setattr(ConversationFeed, "read_rows", broken)
        async with Socket(f"{path}&after=0") as socket:
            assert await socket.closed() == INTERNAL_ERROR

    async with Socket(f"{path}&after=0") as socket:
        assert (await socket.hear("message"))["seq"] == 1


async def test_what_was_stored_has_its_turn_even_when_the_client_cannot_be_told(visitor_chat, monkeypatch):
    path, row = visitor_chat
    woken = []
    monkeypatch.setattr("dialogue.turns.runner.wake_conversation", lambda conversation, *_: woken.append(conversation))

    async def torn(*_: object) -> None:
        raise ConnectionResetError("the browser has gone")

    async with Socket(path) as socket:
        await socket.say(type="ping")
        await socket.hear("pong")
        monkeypatch.setattr(ConversationConsumer, "send_frame", torn)
        await socket.say(type="user.message", id="m1", text="Hello")

        assert await socket.closed() == INTERNAL_ERROR

    assert woken == [row.pk]


async def test_a_client_that_hangs_up_while_it_is_sent_to_is_one_quiet_line(visitor_chat, monkeypatch, caplog):
    path, row = visitor_chat
    woken = []
    monkeypatch.setattr("dialogue.turns.runner.wake_conversation", lambda conversation, *_: woken.append(conversation))
    caplog.set_level("INFO", logger="dialogue")

    async def gone(*_: object) -> None:
        raise Disconnected("Attempt to send on a closed protocol")  # as Daphne does when the close is on its way

    async with Socket(path) as socket:
        await socket.say(type="ping")
        await socket.hear("pong")
        monkeypatch.setattr(ConversationConsumer, "send_frame", gone)
        await socket.say(type="user.message", id="m1", text="Hello")
        await socket.say(type="ping")
        assert await socket.silent()

    lines = [(record.levelname, record.exc_info) for record in caplog.records if "sockets" in record.name]
    assert lines == [("INFO", None)]
    assert woken == [row.pk]
