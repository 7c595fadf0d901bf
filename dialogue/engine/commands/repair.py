"""Repair: what happens when a message does not answer the question. Misses in a row are counted per task."""

from dialogue.engine.commands.handlers import apply_command
from dialogue.engine.language.compiler import AnyStep, Collect, Confirm
from dialogue.engine.ports.commands import CannotHandle, Clarify, Command
from dialogue.engine.stack.filling import leave_step
from dialogue.engine.stack.handoff import take_over
from dialogue.engine.stack.pending import user_task_key
from dialogue.engine.stack.turn import Turn

MAX_MESSAGE_CHARACTERS = 4_000


def unreadable_reason(text: str) -> str:
    """Return the response key for a message that is empty or too long for the NLU, or ""."""
    if not text.strip():
        return "empty_message"
    return "message_too_long" if len(text) > MAX_MESSAGE_CHARACTERS else ""


async def apply_commands(turn: Turn, commands: tuple[Command, ...]) -> None:
    """Apply the commands in order; each sees the effects of those before it."""
    previous_key = user_task_key(turn)
    for command in commands:
        if "handoff" in turn.memory:
            turn.drop(command, "handed_over")
        elif isinstance(command, Clarify) and len(commands) > 1:
            turn.drop(command, "beside_others")
        else:
            await apply_command(turn, command)
    if not turn.heard and not turn.missed:
        await apply_command(turn, CannotHandle("nothing_applied"))
    count_misses(turn, previous_key)


def apply_unreadable(turn: Turn, key: str) -> None:
    """Say that the message is empty or too long, and count a miss."""
    previous_key = user_task_key(turn)
    turn.missed = True
    turn.say(key)
    count_misses(turn, previous_key)


def count_misses(turn: Turn, previous_key: str) -> None:
    """Count a miss if the same task is still awaited, or else reset the count. Give the task up at the limit."""
    task_key = user_task_key(turn)
    if not turn.missed or not task_key or previous_key != task_key:
        turn.memory.pop("misses", None)
        return
    misses = turn.memory.get("misses")
    count = misses["count"] + 1 if misses and misses["task"] == task_key else 1
    turn.memory["misses"] = {"task": task_key, "count": count}
    step = _asking_step(turn)
    step_limit = step.max_attempts if isinstance(step, Collect | Confirm) else None
    if count >= (step_limit or turn.settings.max_attempts):
        _give_up(turn)


def _asking_step(turn: Turn) -> AnyStep | None:
    """Return the step of the top frame, if it is the one that asks the user."""
    return None if "offer" in turn.memory or turn.top is None else turn.step_of(turn.top)


def _give_up(turn: Turn) -> None:
    """Take the step's `on_failure` exit, or else hand the chat to a person and say nothing else in this turn."""
    turn.memory.pop("misses", None)
    frame, step = turn.top, _asking_step(turn)
    if frame is not None and isinstance(step, Collect) and step.on_failure:
        turn.settle_wait(frame, "answered", "on_failure")
        leave_step(turn, frame, step.on_failure)
    else:
        take_over(turn, reason="max_attempts", alone=True)
