"""A server process of `up --workers N` and its link."""

import asyncio
import signal
import socket
from collections.abc import AsyncIterator

import pytest

from dialogue.management.supervised import MAX_LINE_BYTES, SupervisedProcess, received_messages


@pytest.fixture
async def told_to_end() -> AsyncIterator[asyncio.Event]:
    """Set when this process gets SIGTERM."""
    told, loop = asyncio.Event(), asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, told.set)
    yield told
    loop.remove_signal_handler(signal.SIGTERM)


@pytest.mark.parametrize("unread", [b"", b'{"do": "ring"}\n'], ids=["all was read", "something was not read"])
async def test_a_process_ends_when_its_supervisor_is_gone(told_to_end: asyncio.Event, unread: bytes):
    ours, theirs = socket.socketpair()
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        process = SupervisedProcess(1, listening.fileno(), theirs)
        process.attach(asyncio.get_running_loop())
        await asyncio.sleep(0)
        theirs.send(unread)

        ours.close()

        await asyncio.wait_for(told_to_end.wait(), 30)


async def test_what_cannot_be_read_does_not_end_the_link():
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=theirs, limit=MAX_LINE_BYTES)
    _other_reader, sender = await asyncio.open_connection(sock=ours)
    sender.write(b'{"too": "' + b"long" * MAX_LINE_BYTES + b'"}\nno JSON\n{"do": "sweep"}\n{"do": "in the mid')
    sender.close()

    messages = [message async for message in received_messages(reader)]

    assert messages == [{"do": "sweep"}]
    writer.close()
