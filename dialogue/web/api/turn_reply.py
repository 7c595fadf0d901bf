"""Accept a message and wait for its reply: the process's runner runs the turn, the database holds the reply."""

import asyncio
import time
from typing import Any
from uuid import UUID

from dialogue.models import Conversation, Event, Turn, hot_path
from dialogue.turns import runner
from dialogue.turns.accept import Accepted, Incoming, accept
from dialogue.turns.lease import OWNER
from dialogue.turns.live import notify
from dialogue.turns.live.serializers import message_view, messages_of, pending_view, stack_view
from dialogue.turns.process import jobs
from dialogue.turns.process.database import in_reader
from dialogue.turns.worker import drain, reads_of_turn

MAX_WAIT_SECONDS = 25.0
"""A caller waits so long for a turn; then it gets the event's number and may ask again."""

POLL_SECONDS = 1.0
"""How often a caller reads the database without a notification, which may be lost."""


def accept_event(conversation: UUID, incoming: Incoming) -> Accepted:
    """Store the event, with the conversation's lease when it is free and this process is to run the turn."""
    return accept(conversation, incoming, lease_owner(), reads_of_turn(conversation))


def lease_owner() -> str:
    """The name under which accepting an event takes the conversation's lease; "" when workers run the turns."""
    return "" if _workers_run_turns() else OWNER


async def wait_for_reply(conversation: UUID, accepted: Accepted, *, insight: bool) -> dict[str, Any] | None:
    """`{turn, messages, state, stack, pending}` once the event's turn is committed; None when that takes too long.

    The stack is for who has insight.
    """
    deadline = time.monotonic() + MAX_WAIT_SECONDS
    running = False
    try:
        async with notify.listening(notify.conversation_group(conversation)) as wait:
            start_turn(conversation, accepted)
            running = True
            if not accepted.repeated:
                await wait(POLL_SECONDS)
            while (answer := await in_reader(_reply_of)(accepted, insight=insight)) is None:
                if time.monotonic() >= deadline:
                    return None
                await wait(POLL_SECONDS)
        return answer
    finally:
        if not running:  # the caller hung up at once; its message is stored, and this process has the lease
            start_turn(conversation, accepted)


def start_turn(conversation: UUID, accepted: Accepted) -> None:
    """Run what is due as a task of its own: the turn belongs to no request, and goes on when the caller leaves."""
    if runner.lease_owner():
        runner.wake_conversation(conversation, accepted.lease, accepted.rows)
        return
    if _workers_run_turns():
        return
    runner.keep_task(asyncio.ensure_future(drain(conversation, accepted.lease, rows=accepted.rows)))


def _workers_run_turns() -> bool:
    return jobs.have_workers() and not runner.lease_owner()


def _reply_of(accepted: Accepted, *, insight: bool) -> dict[str, Any] | None:
    (event,) = hot_path.fetch(Event, {"id": accepted.event})
    if event.state == Event.State.DUE:
        return None
    turn = next(iter(hot_path.fetch(Turn, {"event": event.pk})), None)
    if turn is None:
        row = Conversation.objects.get(pk=event.conversation_id)
        # The messages of an event whose turn failed for good: those before the failed action, and the apology.
        lines = row.messages.filter(reply_to=accepted.event, turn__isnull=True).order_by("seq")
        return {
            "turn": None,
            "messages": [message_view(line) for line in lines],
            **_conversation_state(row.pk, row, insight=insight),
        }
    # State and stack are those after the turn, so that a repeated request gets the same; only `pending` is current.
    state = _conversation_state(event.conversation_id, turn, insight=insight)
    return {"turn": turn.number, "messages": messages_of(turn), **state, **_result_for_program(event, turn)}


def _result_for_program(event: Event, turn: Turn) -> dict[str, Any]:
    """`{awaited}` of an event from outside, `{started, reason}` of a flow that the business begins; {} for others."""
    signal, begun = turn.record.get("signal", {}), turn.record.get("outreach", {})
    if event.kind == Event.Kind.SIGNAL:
        starts = {"starts": signal["start"]} if "start" in signal else {}
        return {"awaited": signal.get("awaited"), **starts}
    if event.kind == Event.Kind.START:
        return {"started": begun.get("started"), "reason": begun.get("reason")}
    return {}


def _conversation_state(conversation: UUID, after: Conversation | Turn, *, insight: bool) -> dict[str, Any]:
    """Where the conversation stands, with state and stack as `after` has them."""
    state = {"state": after.state, "pending": pending_view(conversation, insight=insight)}
    return {**state, "stack": stack_view(after.stack)} if insight else state
