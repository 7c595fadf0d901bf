"""A conversation followed by a program, over server-sent events."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.test import AsyncClient

from dialogue.models import Conversation, Message
from dialogue.turns.accept import open_conversation
from dialogue.turns.live import notify
from dialogue.web.api.event_stream import StreamLimiter
from tests.support.releases import demo, publish

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def followed(transactional_db: None) -> tuple[Conversation, str]:
    """A visitor's chat with three lines, and its token."""
    publish(demo("bank"))
    row, token = open_conversation("bank", user_ref="Ursula")
    add_lines(row, 1, 2, 3)
    return row, token


def add_lines(row: Conversation, *numbers: int) -> None:
    for seq in numbers:
        Message.objects.create(conversation=row, seq=seq, role="assistant", text=f"Line {seq}", at=row.created_at)


async def opened(row: Conversation, token: str, **headers: str) -> Any:
    path = f"/api/v1/conversations/{row.pk}/events"
    return await AsyncClient().get(path, headers={"Authorization": f"Bearer {token}", **headers})


async def heard(stream: AsyncIterator[bytes]) -> dict[str, str]:
    """The next event, by the names of its lines."""
    async with asyncio.timeout(60):
        text = (await anext(stream)).decode()
    return dict(line.split(": ", 1) for line in text.strip().splitlines())


async def test_who_follows_from_the_start_hears_every_line_with_its_number(followed):
    answer = await opened(*followed)
    stream = aiter(answer)

    events = [await heard(stream) for _ in range(3)]

    assert answer["Content-Type"] == "text/event-stream"
    assert [(each["id"], json.loads(each["data"])["text"]) for each in events] == [
        ("1", "Line 1"),
        ("2", "Line 2"),
        ("3", "Line 3"),
    ]


async def test_who_comes_back_hears_what_was_missed_and_then_what_is_new(followed):
    row, token = followed
    stream = aiter(await opened(row, token, **{"Last-Event-ID": "2"}))
    assert (await heard(stream))["id"] == "3"

    following = asyncio.create_task(heard(stream))
    await asyncio.sleep(0)
    await asyncio.to_thread(add_lines, row, 4)
    layer = get_channel_layer()
    assert layer is not None
    while not following.done():
        await layer.group_send(notify.conversation_group(row.pk), {"type": "conversation.ring"})
        await asyncio.sleep(0.05)

    assert (await following)["id"] == "4"


@pytest.mark.parametrize("wrong", ["-1", "x", "1e3", "9" * 30])
async def test_a_number_that_makes_no_sense_is_refused_in_words(followed, wrong):
    answer = await opened(*followed, **{"Last-Event-ID": wrong})

    assert (answer.status_code, json.loads(answer.content)["code"]) == (400, "bad_after")


async def test_somebody_elses_conversation_is_not_found(followed):
    row, _token = followed

    answer = await opened(row, "a-token-of-nobody")

    assert answer.status_code in (401, 404)


async def test_one_caller_has_at_most_so_many_streams_and_room_again_when_one_ends(followed, monkeypatch):
    monkeypatch.setattr("dialogue.web.api.event_stream.stream_limiter", StreamLimiter(max_streams_per_caller=2))
    first, _second, third = [await opened(*followed) for _ in range(3)]

    first.close()
    first.close()  # ending twice frees one place
    fourth, fifth = [await opened(*followed) for _ in range(2)]

    assert [each.status_code for each in (third, fourth, fifth)] == [429, 200, 429]
    assert json.loads(third.content)["code"] == "too_many_streams"


async def test_a_process_has_at_most_so_many_streams_whoever_asks(followed, monkeypatch):
    monkeypatch.setattr("dialogue.web.api.event_stream.stream_limiter", StreamLimiter(max_streams=1))
    other, token = await sync_to_async(open_conversation)("bank", user_ref="Uwe")
    await opened(*followed)

    answer = await opened(other, token)

    assert (answer.status_code, json.loads(answer.content)["code"]) == (503, "busy")
