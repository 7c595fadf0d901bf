"""Repair: what happens when an answer is none. One counter a task, of misses in a row."""

from dialogue.engine.commands import Affirm, CannotHandle, Clarify, Command, Deny, handler_of
from dialogue.engine.filling import leave
from dialogue.engine.language import Collect, Confirm
from dialogue.engine.prompts import asked_of_user
from dialogue.engine.taking_over import take_over
from dialogue.engine.tasks import OfferTask, PendingTask
from dialogue.engine.turn import Turn

LONGEST_MESSAGE = 4_000
_SILENT = (Affirm, Deny)


def unreadable(text: str) -> str:
    """The key of what is said to a message that needs no understanding, or ""."""
    if not text.strip():
        return "empty_message"
    return "message_too_long" if len(text) > LONGEST_MESSAGE else ""


def apply_commands(turn: Turn, commands: tuple[Command, ...]) -> None:
    """Apply them one after the other, each seeing the effect of the one before."""
    before = asked_of_user(turn)
    for command in commands:
        if "handoff" in turn.memory:
            turn.drop(command, "handed_over")
        elif isinstance(command, Clarify) and len(commands) > 1:
            turn.drop(command, "beside_others")
        else:
            handler_of(command)(turn, command)
    if not turn.heard and not turn.missed:
        _not_understood(turn)
    count_misses(turn, before)


def apply_unreadable(turn: Turn, key: str) -> None:
    """An empty message, or one that is too long: say so, and count it."""
    before = asked_of_user(turn)
    turn.missed = True
    turn.say(key)
    count_misses(turn, before)


def _not_understood(turn: Turn) -> None:
    command = CannotHandle("nothing_applied")
    handler_of(command)(turn, command)


def count_misses(turn: Turn, before: PendingTask | None) -> None:
    """Count a miss at the task that is still awaited; anything else begins anew. At the limit the task is given up."""
    now = asked_of_user(turn)
    if not turn.missed or before is None or now is None or before.key != now.key:
        turn.memory.pop("misses", None)
        return
    misses = turn.memory.get("misses")
    count = misses["count"] + 1 if misses and misses["task"] == now.key else 1
    turn.memory["misses"] = {"task": now.key, "count": count}
    if count >= _limit(turn, now):
        _give_up(turn, now)


def _limit(turn: Turn, task: PendingTask) -> int:
    step = None if isinstance(task, OfferTask) or turn.top is None else turn.step_of(turn.top)
    own = step.max_attempts if isinstance(step, Collect | Confirm) else None
    return own or turn.assistant.settings.max_attempts


def _give_up(turn: Turn, task: PendingTask) -> None:
    """Take the step's way for this, or else hand the chat to a person, with no other word."""
    turn.memory.pop("misses", None)
    frame = turn.top
    step = turn.step_of(frame) if frame is not None and task.frame == frame["id"] else None
    if frame is not None and isinstance(step, Collect) and step.on_failure:
        turn.settle(frame, "answered", "on_failure")
        leave(turn, frame, step.on_failure)
    else:
        take_over(turn, reason="max_attempts", alone=True)
