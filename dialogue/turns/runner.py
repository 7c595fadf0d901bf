"""The runner of this process: starts a conversation's turns as tasks, from whatever thread or task an event came.

A turn does not belong to a socket or a request, which may end while it runs.
"""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any
from uuid import UUID

from dialogue.turns.accept import TurnRows
from dialogue.turns.lease import OWNER, Lease, heartbeat
from dialogue.turns.live import notify
from dialogue.turns.load import new_limiter
from dialogue.turns.worker import drain, give_back

log = logging.getLogger(__name__)

_loop: asyncio.AbstractEventLoop | None = None
_closing = False
_background: "asyncio.Task[Any] | None" = None
_draining: set[asyncio.Task[int]] = set()
_waiting: set[UUID] = set()
_limiter = new_limiter()


def attach_loop(loop: asyncio.AbstractEventLoop | None) -> None:
    """Run this process's turns on `loop`; None ends that."""
    global _loop, _closing, _background, _limiter  # noqa: PLW0603 - a process runs turns on one loop
    _loop = loop
    _closing, _background = False, None
    _limiter = new_limiter()
    notify.attach(loop)


def look_after(work: Coroutine[Any, Any, Any]) -> None:
    """Run `work`, the sweep's or a worker's, on the attached loop. Raises RuntimeError without a loop."""
    global _background  # noqa: PLW0603 - the loop keeps only a weak reference to a task
    if _loop is None:
        raise RuntimeError("the runner has no loop; call attach_loop first")
    _background = _loop.create_task(work)


async def stop_taking_turns() -> None:
    """Start no further turns, because the process is about to end; turns whose lease is taken still run."""
    global _closing  # noqa: PLW0603 - a process ends once
    _closing = True
    if _background is not None:
        _background.cancel()


def lease_owner() -> str:
    """Return the name for `accept(claim_for=…)`: this process's when it runs turns, else \"\"."""
    return OWNER if _loop is not None else ""


def wake_conversation(conversation: UUID, lease: Lease | None = None, rows: TurnRows | None = None) -> None:
    """Run the due events of `conversation`, from any thread. Without an attached loop the sweep runs them later.

    `rows`: what was read for the first turn when its event was accepted with the lease.
    """
    if _loop is not None and not _loop.is_closed():
        _loop.call_soon_threadsafe(_start_turns, conversation, lease, rows)


async def wait_for_turns() -> None:
    """Wait until no turn is running in this process."""
    while _draining:
        await asyncio.wait(_draining)


def _start_turns(conversation: UUID, lease: Lease | None, rows: TurnRows | None = None) -> None:
    if lease is None and (conversation in _waiting or _closing):
        return
    keep_task(asyncio.ensure_future(_with_lease(lease, rows) if lease else _drain_limited(conversation)))


def keep_task(task: "asyncio.Task[int]") -> None:
    """Let the process wait for this task, which runs turns, before it ends."""
    _draining.add(task)
    task.add_done_callback(_forget_task)


async def _with_lease(lease: Lease, rows: TurnRows | None) -> int:
    """Run a message's turn. Its lease was taken when the message was accepted, and is renewed while the turn waits."""
    with heartbeat.keeping(lease):
        try:
            async with _limiter.slot():
                return await drain(lease.conversation, lease, rows=rows)
        except asyncio.CancelledError:
            await give_back(lease)
            raise


async def _drain_limited(conversation: UUID) -> int:
    """Run turns that a decision, a deadline or the sweep has woken; they hold no lease while they wait."""
    _waiting.add(conversation)
    try:
        async with _limiter.slot():
            _waiting.discard(conversation)
            return await drain(conversation)
    finally:
        _waiting.discard(conversation)


def _forget_task(task: "asyncio.Task[int]") -> None:
    _draining.discard(task)
    if not task.cancelled() and task.exception() is not None:
        log.error(
            "the turns of a conversation ended with an error; the sweep will run what is still due",
            exc_info=task.exception(),
        )
