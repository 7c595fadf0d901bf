"""Wake open sockets through the channel layer when something was committed, as a doorbell does.

A notification has no content and may be lost: sockets read the database, also at intervals. It is sent on the loop that
serves the sockets, so a thread hands it over to that loop.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any
from uuid import UUID

from channels.layers import get_channel_layer

log = logging.getLogger(__name__)

INBOX = "inbox"
"""The group of all open inboxes."""

_loop: asyncio.AbstractEventLoop | None = None
_away = False
_ringing: set[asyncio.Task[None]] = set()


def attach(loop: asyncio.AbstractEventLoop | None) -> None:
    """Send this process's notifications on `loop`; None stops them."""
    global _loop  # noqa: PLW0603 - a process serves from one loop
    _loop = loop


def is_attached() -> bool:
    """Whether this process has a loop that sends notifications."""
    return _loop is not None and not _loop.is_closed()


def conversation_group(conversation: UUID) -> str:
    """Return the group of the sockets that follow one conversation."""
    return f"conversation-{conversation.hex}"


def notify_conversation(conversation: UUID, turn: int = 0) -> None:
    """Send `conversation.ring` to the conversation's group: something of it was committed.

    `turn` says that only this turn was committed; a socket that has its lines already does not read again.
    """
    _notify(conversation_group(conversation), {"type": "conversation.ring", "turn": turn})


def notify_turn_started(conversation: UUID) -> None:
    """Send `turn.started` to the conversation's group."""
    _notify(conversation_group(conversation), {"type": "turn.started"})


def notify_inbox() -> None:
    """Send `inbox.ring` to the inboxes: a session has changed."""
    _notify(INBOX, {"type": "inbox.ring"})


def ring_presence() -> None:
    """Send `presence.ring` to the inboxes: a person has opened or left the page of a session."""
    _notify(INBOX, {"type": "presence.ring"})


async def join(group: str, channel: str) -> None:
    """Add the socket's channel to the group. While the channel layer is away, the socket reads at intervals only."""
    layer = get_channel_layer()
    if layer is not None:
        await _log_failure(layer.group_add(group, channel))


async def leave(group: str, channel: str) -> None:
    """Remove the socket's channel from the group."""
    layer = get_channel_layer()
    if layer is not None:
        await _log_failure(layer.group_discard(group, channel))


async def pass_on(group: str, message: dict[str, Any]) -> None:
    """Send the group a message that may be lost without harm, such as that a person is typing."""
    await _group_send(group, message)


@asynccontextmanager
async def listening(group: str) -> AsyncIterator[Callable[[float], Awaitable[None]]]:
    """Join the group without a socket. Yields `wait(seconds)`, which a notification ends early."""
    layer = get_channel_layer()
    channel = await layer.new_channel() if layer is not None else ""
    await join(group, channel)

    async def wait(seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await (layer.receive(channel) if layer is not None else asyncio.sleep(seconds))

    try:
        yield wait
    finally:
        await leave(group, channel)


def _notify(group: str, message: dict[str, Any]) -> None:
    if _loop is None or _loop.is_closed():
        return
    if _running_here():
        _send_now(group, message)
    else:
        _loop.call_soon_threadsafe(_send_now, group, message)


def _running_here() -> bool:
    try:
        return asyncio.get_running_loop() is _loop
    except RuntimeError:
        return False


def _send_now(group: str, message: dict[str, Any]) -> None:
    task = asyncio.ensure_future(_group_send(group, message))
    _ringing.add(task)
    task.add_done_callback(_ringing.discard)


async def _group_send(group: str, message: dict[str, Any]) -> None:
    layer = get_channel_layer()
    if layer is not None:
        await _log_failure(layer.group_send(group, message))


async def _log_failure(work: Awaitable[Any]) -> None:
    """Await a call of the channel layer, and log its failure; sockets find what was lost when they next read."""
    global _away  # noqa: PLW0603 - logged once for each outage of the layer
    try:
        await work
    except Exception as error:
        if not _away:
            log.warning("the channel layer is away, so pages show news later: %s", error)
        _away = True
    else:
        _away = False
