"""Decisions and expiries: the parked flow moves to the top of the stack and goes on."""

from collections.abc import Mapping
from typing import Any

from dialogue.engine.actions import Failed, Outcome, Succeeded
from dialogue.engine.language.compiler import Action, Human
from dialogue.engine.ports.events import Event
from dialogue.engine.stack import choices, frames
from dialogue.engine.stack.filling import leave_step
from dialogue.engine.stack.handoff import conversation_task_key, hand_back
from dialogue.engine.stack.slot_access import read_hashes
from dialogue.engine.stack.state import Frame, wait_key
from dialogue.engine.stack.timers import announce_timeout
from dialogue.engine.stack.turn import Turn
from dialogue.engine.stack.unknown_outcomes import HAPPENED, TRY_AGAIN
from dialogue.engine.steps.action import continue_after
from dialogue.engine.steps.control import StepRun


def apply_decision(turn: Turn, event: Event) -> None:
    """Apply a decision or an expiry to the flow that waits for it.

    If its pause no longer exists, nothing changes and nothing is said. The host sees this in the outcome, where no
    settled pause has the task's key.
    """
    task = str(event["task"])
    frame = frame_awaiting_staff(turn, task)
    if frame is not None:
        _continue_frame(turn, frame, event)
    elif "handoff" in turn.memory and task == conversation_task_key("handoff", turn.memory["handoff"]["visit"]):
        hand_back(turn, _handoff_handle(event))
    else:
        turn.record.orphaned_task = task


def _continue_frame(turn: Turn, frame: Frame, event: Event) -> None:
    step = turn.flow_of(frame).step(frame["wait"]["step"])
    if isinstance(step, Human):
        _leave_human_step(turn, frame, step, event)
        frames.bring_to_top(turn, frame)
    elif isinstance(step, Action):
        _take_outcome(turn, frame, step, event)
    else:
        hand_back(turn, _handoff_handle(event))
    if event["kind"] == "expiry" and frame in turn.frames:  # a flow that failed has apologised, and is gone
        announce_timeout(turn, frame, step.step)


def _take_outcome(turn: Turn, frame: Frame, step: Action, event: Event) -> None:
    """Go on after staff found out whether the action happened, as if the action had returned that result."""
    handle, values = str(event.get("handle", "")), dict(event.get("values") or {})
    wait = turn.settle_wait(frame, "answered", handle, values)
    turn.record.actions.append(
        {"action": step.call, "step": step.step, "outcome": handle, "by": str(values.get("by", ""))}
    )
    frame["status"] = "active"
    if handle != TRY_AGAIN:
        outcome: Outcome = Succeeded(values) if handle == HAPPENED else Failed(handle)
        continue_after(step, StepRun(turn, frame), outcome, dict(wait.get("reads", {})) if wait else {})
    if frame in turn.frames:
        frames.bring_to_top(turn, frame)


def frame_awaiting_staff(turn: Turn, task: str) -> Frame | None:
    """Return the frame that waits for staff at the pause with this key, or None."""
    for frame in turn.frames:
        wait = frame.get("wait")
        if wait is not None and wait["kind"] in ("human", "handoff") and task == wait_key(frame, wait):
            return frame
    return None


def _handoff_handle(event: Event) -> str:
    return "expired" if event["kind"] == "expiry" else "hand_back"


def _leave_human_step(turn: Turn, frame: Frame, step: Human, event: Event) -> None:
    expired = event["kind"] == "expiry"
    handle = (step.expiry_action or "expired") if expired else str(event.get("handle", ""))
    values = dict(event.get("values") or {})
    frame.setdefault("results", {})[step.step] = {**values, "action": handle}
    _keep_labels(turn, frame, step, values)
    reads = read_hashes(turn, frame, step.bind)
    frame.setdefault("bound", {})[step.step] = reads
    frame["status"] = "active"
    turn.settle_wait(frame, "answered", handle, values)
    chosen = step.expiry_step if expired else step.next.get(handle)
    leave_step(turn, frame, chosen or turn.flow_of(frame).next_step(step.step), reads=reads)


def _keep_labels(turn: Turn, frame: Frame, step: Human, values: Mapping[str, Any]) -> None:
    """Keep the labels of the options from data that the decision chose, so that messages show them."""
    for name, options in choices.form_options(turn, frame, step).items():
        chosen = values.get(name)
        keys = chosen if isinstance(chosen, list) else [chosen]
        labels = {option.value: option.label for option in options if option.value in keys}
        if labels:
            frame.setdefault("result_labels", {})[f"{step.step}.{name}"] = labels
