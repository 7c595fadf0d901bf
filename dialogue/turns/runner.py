"""The process's runner: starts a conversation's turns as tasks of their own, wherever the event came in.

A turn belongs to no socket and no request: those may end while it runs.
"""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any
from uuid import UUID

from dialogue.turns.lease import OWNER, Lease, heartbeat
from dialogue.turns.live import notify
from dialogue.turns.process.turn_limiter import TurnLimiter
from dialogue.turns.worker import drain, give_back

log = logging.getLogger(__name__)

_loop: asyncio.AbstractEventLoop | None = None
_closing = False
_background: "asyncio.Task[Any] | None" = None
_draining: set[asyncio.Task[int]] = set()
_waiting: set[UUID] = set()
_turnstile = TurnLimiter()


def attach_loop(loop: asyncio.AbstractEventLoop | None) -> None:
    """Let this process run turns on `loop`; None ends that."""
    global _loop, _closing, _background, _turnstile  # noqa: PLW0603 - a process runs turns on one loop
    _loop = loop
    _closing, _background = False, None
    _turnstile = TurnLimiter()
    notify.attach(loop)


def look_after(work: Coroutine[Any, Any, Any]) -> None:
    """Do `work`, which is the sweep or a worker's, on the attached loop until the process is about to end."""
    global _background  # noqa: PLW0603 - the loop keeps only a weak reference to a task
    if _loop is None:
        raise RuntimeError("attach a loop first")
    _background = _loop.create_task(work)


async def stop_taking_turns() -> None:
    """Take up nothing new, because the process is about to end; what a caller waits for is still run."""
    global _closing  # noqa: PLW0603 - a process ends once
    _closing = True
    if _background is not None:
        _background.cancel()


def lease_owner() -> str:
    """The name for `accept(claim_for=…)`: ours where this process runs turns, else nobody's."""
    return OWNER if _loop is not None else ""


def wake_conversation(conversation: UUID, lease: Lease | None = None) -> None:
    """Run what is due in `conversation`, from any thread or task. Without an attached loop the sweep will find it."""
    if _loop is not None and not _loop.is_closed():
        _loop.call_soon_threadsafe(_start_turns, conversation, lease)


async def wait_for_turns() -> None:
    """Wait until no turn is running in this process."""
    while _draining:
        await asyncio.wait(_draining)


def _start_turns(conversation: UUID, lease: Lease | None) -> None:
    if lease is None and (conversation in _waiting or _closing):
        return
    keep_task(asyncio.ensure_future(_with_lease(lease) if lease else _drain_limited(conversation)))


def keep_task(task: "asyncio.Task[int]") -> None:
    """Have this task of draining waited for before the process ends."""
    _draining.add(task)
    task.add_done_callback(_forget_task)


async def _with_lease(lease: Lease) -> int:
    """A message's turn; its lease was taken when it was accepted, and holds while it waits."""
    with heartbeat.keeping(lease):
        try:
            async with _turnstile.slot():
                return await drain(lease.conversation, lease)
        except asyncio.CancelledError:
            await give_back(lease)
            raise


async def _drain_limited(conversation: UUID) -> int:
    """What somebody else woke (a decision, a deadline, the sweep) holds no lease while it waits."""
    _waiting.add(conversation)
    try:
        async with _turnstile.slot():
            _waiting.discard(conversation)
            return await drain(conversation)
    finally:
        _waiting.discard(conversation)


def _forget_task(task: "asyncio.Task[int]") -> None:
    _draining.discard(task)
    if not task.cancelled() and task.exception() is not None:
        log.error("a drain ended early; the sweep will take it up", exc_info=task.exception())
