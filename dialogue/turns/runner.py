"""The process's runner: starts a conversation's turns as tasks of their own, wherever the event came in.

A turn belongs to no socket and no request: those may end while it runs.
"""

import asyncio
import logging
from uuid import UUID

from dialogue.turns import bell
from dialogue.turns.lease import OWNER, Lease
from dialogue.turns.run import drain

log = logging.getLogger(__name__)

AT_ONCE = 20
"""How many conversations that were woken by others (a decision, a deadline, the sweep) run at a time."""

_loop: asyncio.AbstractEventLoop | None = None
_draining: set[asyncio.Task[int]] = set()
_waiting: set[UUID] = set()
_room = asyncio.Semaphore(AT_ONCE)


def attach(loop: asyncio.AbstractEventLoop | None) -> None:
    """Let this process run turns on `loop`; None ends that."""
    global _loop, _room  # noqa: PLW0603 - a process runs turns on one loop
    _loop = loop
    _room = asyncio.Semaphore(AT_ONCE)
    bell.attach(loop)


def owner() -> str:
    """The name for `accept(claim_for=…)`: ours where this process runs turns, else nobody's."""
    return OWNER if _loop is not None else ""


def wake(conversation: UUID, lease: Lease | None = None) -> None:
    """Run what is due in `conversation`, from any thread or task. Without an attached loop the sweep will find it."""
    if _loop is not None and not _loop.is_closed():
        _loop.call_soon_threadsafe(_start, conversation, lease)


async def settled() -> None:
    """Wait until no turn is running in this process."""
    while _draining:
        await asyncio.gather(*_draining, return_exceptions=True)


def _start(conversation: UUID, lease: Lease | None) -> None:
    if lease is None and conversation in _waiting:
        return
    task = asyncio.ensure_future(drain(conversation, lease) if lease else _when_there_is_room(conversation))
    _draining.add(task)
    task.add_done_callback(_ended)


async def _when_there_is_room(conversation: UUID) -> int:
    """Conversations that somebody else woke wait for their turn here; they hold no lease meanwhile."""
    _waiting.add(conversation)
    try:
        async with _room:
            _waiting.discard(conversation)
            return await drain(conversation)
    finally:
        _waiting.discard(conversation)


def _ended(task: "asyncio.Task[int]") -> None:
    _draining.discard(task)
    if not task.cancelled() and task.exception() is not None:
        log.error("a drain ended early; the sweep will take it up", exc_info=task.exception())
