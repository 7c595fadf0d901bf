"""Failures: where a flow goes on that cannot, and how a called flow that was cancelled or failed returns.

A step's own `on_error` comes first; its runner takes it. Then, from the failing flow to the flow at the root: the
flow's `on_error`, once a turn, and the `result` of the call that started it. Then the assistant's `on_error`, a flow in
place of the whole chain. Without any of them, or when that flow fails itself, the user hears an apology, and the chain
ends.
"""

from typing import Any, NamedTuple

from dialogue.engine.language.compiler import END, Call
from dialogue.engine.language.steps import CANCELLED, FAILED
from dialogue.engine.stack import frames, stack
from dialogue.engine.stack.filling import leave_step
from dialogue.engine.stack.state import Frame
from dialogue.engine.stack.turn import Turn

ACTION_FAILED = "action_failed"
NOT_ALLOWED = ""
"""A guard has spoken already: no other text is said."""


class CatchingCall(NamedTuple):
    """A frame and the one that it called: at its `step`, or (None) for a need."""

    caller: Frame
    called: Frame
    step: Call | None

    @property
    def takes_result(self) -> bool:
        """Whether the calling step wants to know how the called flow ended."""
        return self.step is not None and self.step.result is not None


def fail_step(turn: Turn, frame: Frame, *, reads: dict[str, str] | None = None, wrote: list[str] | None = None) -> str:
    """Go on after a step that failed and names no step for it. Return the next step of this frame, or ""."""
    target = _own_error_step(turn, frame)
    if not target:
        return end_failed(turn, frame, ACTION_FAILED)
    step = leave_step(turn, frame, target, reads=reads, wrote=wrote)
    return "" if step == END else step


def fail_call(turn: Turn, caller: Frame, step: Call, key: str) -> str:
    """Go on after a call whose flow could not start; `key` is the response that says why. Return the next step."""
    if not step.result:
        return end_failed(turn, caller, key)
    target = frames.leave_call(turn, caller, step, FAILED, {})
    return "" if target == END else target


def end_failed(turn: Turn, frame: Frame, key: str, *, about: str = "", **values: Any) -> str:
    """End a flow that cannot go on. Return "".

    `key` is the response that says so if no caller takes the failure, filled with `values`.
    """
    for catching in callers_of(turn, frame):
        if catching.takes_result:
            return _return_result(turn, catching, FAILED)
        target = _own_error_step(turn, catching.caller) if key == ACTION_FAILED and catching.step else ""
        if target:
            reads = catching.called["caller"]["reads"]
            frames.end_called_flows(turn, catching.caller, "voided")
            leave_step(turn, catching.caller, target, reads=reads)
            return ""
    if key == ACTION_FAILED and _start_error_flow(turn, frame):
        return ""
    if key != NOT_ALLOWED:
        values.setdefault("flow", frames.root_title(turn, frame))
        turn.say(key, about=about, **values)
    frames.end_voided(turn, frame)
    return ""


def cancel_called_flow(turn: Turn, call: CatchingCall) -> None:
    """Cancel a called flow whose caller takes the result, and say so."""
    flow = call.called["flow"]
    turn.say("cancelled", about=flow, flow=turn.flow_title(flow))
    _return_result(turn, call, CANCELLED)


def _return_result(turn: Turn, catching: CatchingCall, result: str) -> str:
    reads = catching.called["caller"]["reads"]
    frames.end_called_flows(turn, catching.caller, "cancelled" if result == CANCELLED else "voided")
    assert catching.step is not None
    frames.leave_call(turn, catching.caller, catching.step, result, reads)
    return ""


def callers_of(turn: Turn, frame: Frame) -> list[CatchingCall]:
    """Return the calls that led to this frame, from the nearest to the first."""
    calls: list[CatchingCall] = []
    while "caller" in frame and (caller := stack.find_frame(turn.frames, frame["caller"]["frame"])) is not None:
        step = None if "need" in frame["caller"] else turn.step_of(caller)
        calls.append(CatchingCall(caller, frame, step if isinstance(step, Call) else None))
        frame = caller
    return calls


def _own_error_step(turn: Turn, frame: Frame) -> str:
    """Return the step of the flow's own `on_error`, or "" without one, or if it was taken in this turn already."""
    target = turn.flow_of(frame).settings.on_error
    # What fails on the way for failures would lead there again and again.
    if target is None or frame.get("error_turn") == turn.memory["turn"]:
        return ""
    frame["error_turn"] = turn.memory["turn"]
    return target


def _start_error_flow(turn: Turn, frame: Frame) -> bool:
    """Put the assistant's flow for failures in the place of this frame's chain. Return whether it has started.

    It runs once at a time: its own failure, or one of another flow above it, leads to the apology.
    """
    root = stack.root_of(turn.frames, frame)
    flow = turn.catalogue.flows.get(turn.settings.on_error or "")
    if flow is None or stack.find_flow(turn.frames, flow.flow) is not None or not frames.may_start(turn, flow):
        return False
    index, was_on_top = turn.frames.index(root), turn.top in stack.chain_of(turn.frames, root)
    turn.settle_wait(frame, "voided")
    frames.drop_chain(turn, frame)
    error_frame = frames.new_flow_frame(turn, flow)
    error_frame["status"] = "active" if was_on_top else "paused"
    turn.frames = [*turn.frames[:index], error_frame, *turn.frames[index:]]
    return True
