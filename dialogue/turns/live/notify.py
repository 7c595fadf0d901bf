"""The doorbell: tells open sockets that something new was committed. It carries nothing and may lose anything.

Sockets live on the loop that serves them; whoever rings from a thread hands the ring over to that loop.
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

_loop: asyncio.AbstractEventLoop | None = None
_away = False
_ringing: set[asyncio.Task[None]] = set()


def attach(loop: asyncio.AbstractEventLoop | None) -> None:
    """Name the loop that serves this process's sockets; None forgets it."""
    global _loop  # noqa: PLW0603 - a process serves from one loop
    _loop = loop


def is_attached() -> bool:
    """Whether a loop of this process serves sockets."""
    return _loop is not None and not _loop.is_closed()


def conversation_group(conversation: UUID) -> str:
    """The group of the sockets that follow one conversation."""
    return f"conversation-{conversation.hex}"


def notify_conversation(conversation: UUID, turn: int = 0) -> None:
    """Something of this conversation was committed: `conversation.ring` to its group.

    `turn` says that it was this turn and nothing else, so that who was told of it already need not look.
    """
    _notify(conversation_group(conversation), {"type": "conversation.ring", "turn": turn})


def notify_turn_started(conversation: UUID) -> None:
    """A turn has begun: `turn.started` to the conversation's group."""
    _notify(conversation_group(conversation), {"type": "turn.started"})


def notify_inbox() -> None:
    """A session changed: `inbox.ring` to the inboxes."""
    _notify(INBOX, {"type": "inbox.ring"})


def ring_presence() -> None:
    """Somebody has opened a session, or closed it: `presence.ring` to the inboxes."""
    _notify(INBOX, {"type": "presence.ring"})


async def join(group: str, channel: str) -> None:
    """Hear the group's rings from now on. While the layer is away a socket hears nothing and looks by itself."""
    layer = get_channel_layer()
    if layer is not None:
        await _log_failure(layer.group_add(group, channel))


async def leave(group: str, channel: str) -> None:
    """Hear them no longer."""
    layer = get_channel_layer()
    if layer is not None:
        await _log_failure(layer.group_discard(group, channel))


async def pass_on(group: str, message: dict[str, Any]) -> None:
    """Tell the group something that nobody misses when it is lost, such as that somebody types."""
    await _group_send(group, message)


@asynccontextmanager
async def listening(group: str) -> AsyncIterator[Callable[[float], Awaitable[None]]]:
    """For a listener without a socket: gives what waits for the next ring, or for so many seconds."""
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
    """What the layer loses, whatever it is made of, the sockets' own looks find."""
    global _away  # noqa: PLW0603 - said once, when it goes and when it comes back
    try:
        await work
    except Exception as error:
        if not _away:
            log.warning("the channel layer is away, pages hear of news later: %s", error)
        _away = True
    else:
        _away = False
