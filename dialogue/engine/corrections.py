"""Corrections: what a changed slot puts in doubt along the path that a frame has really gone.

A frame is set back to the earliest step that read the slot. What it had done after that is kept in `again`; on the way
forward each of those steps is passed over silently unless what it read has changed.
"""

from collections.abc import Callable, Iterator

from dialogue.engine import stack
from dialogue.engine.language import (
    END,
    Action,
    AnyStep,
    Assign,
    Branch,
    Call,
    Collect,
    Confirm,
    Flow,
    Handoff,
    Human,
    Link,
    Say,
    While,
)
from dialogue.engine.slot_access import Place, reads_of
from dialogue.engine.state import Frame, Passed
from dialogue.engine.turn import Turn


def record_passed(frame: Frame, passed: Passed) -> None:
    """Append an executed step; a step of a loop stands in the path once, where it was last."""
    frame["path"] = [*(each for each in frame["path"] if each["step"] != passed["step"]), passed]
    frame.get("again", {}).pop(passed["step"], None)


def frames_reading(turn: Turn, place: Place) -> list[Frame]:
    """The frames that a change of this slot can concern."""
    if place.frame is not None:
        return [place.frame]
    return [each for each in turn.frames if place.name not in turn.flow_of(each).slots]


def actions_that_used(turn: Turn, frame: Frame, name: str) -> list[Action]:
    """The executed actions that read the slot, or something that was computed from it."""
    flow, tainted, used = turn.flow_of(frame), {name}, []
    for passed in frame["path"]:
        step = flow.step(passed["step"])
        if isinstance(step, Collect) or not tainted & passed.get("reads", {}).keys():
            continue
        tainted |= set(passed.get("wrote", ()))
        if isinstance(step, Action):
            used.append(step)
    return used


def set_back(turn: Turn, frame: Frame, name: str) -> None:
    """After a slot changed: void what showed the old value, and go back to the earliest step that read it."""
    _set_back(turn, frame, name, lambda passed: name in passed.get("reads", {}))


def set_back_to_question(turn: Turn, frame: Frame, name: str) -> None:
    """After a slot was emptied: go back to where it was asked for, if that comes before what read it."""
    _set_back(turn, frame, name, lambda passed: name in passed.get("reads", {}) or name in passed.get("wrote", ()))


def _set_back(turn: Turn, frame: Frame, name: str, concerns: Callable[[Passed], bool]) -> None:
    turn.touch(frame)
    _void_wait(turn, frame, name)
    place = next((place for place, passed in enumerate(frame["path"]) if concerns(passed)), None)
    if place is not None or _called_with(turn, frame, name):
        _end_called(turn, frame)
    if place is not None:
        _go_back(frame, place)


def _called_with(turn: Turn, frame: Frame, name: str) -> bool:
    above = next((each for each in turn.frames if each.get("caller", {}).get("frame") == frame["id"]), None)
    return above is not None and name in above["caller"]["reads"]


def _end_called(turn: Turn, frame: Frame) -> None:
    """What the frame has called began with values that hold no longer."""
    chain = stack.chain_of(turn.frames, frame)
    called = chain[chain.index(frame) + 1 :]
    for each in called:
        turn.settle(each, "voided")
        turn.note_stack("ended", each)
    if called:
        frame["status"] = "paused" if called[-1]["status"] == "paused" else "active"
        turn.frames = stack.without(turn.frames, called)


def _void_wait(turn: Turn, frame: Frame, name: str) -> None:
    wait = frame.get("wait")
    if wait is None or wait["kind"] == "handoff":
        return
    if wait["kind"] == "change":
        turn.settle(frame, "answered", name)
    elif name in wait.get("reads", {}):
        turn.settle(frame, "voided")


def _go_back(frame: Frame, place: int) -> None:
    doubtful = frame["path"][place:]
    frame["again"] = {**frame.get("again", {}), **{each["step"]: each for each in doubtful}}
    frame["path"] = frame["path"][:place]
    frame["step"] = doubtful[0]["step"]


def still_stands(turn: Turn, frame: Frame, step_id: str) -> Passed | None:
    """What the step did before the correction, if all that it read is as it was."""
    passed = frame.get("again", {}).get(step_id)
    if passed is None or reads_of(turn, frame, passed.get("reads", {})) != passed.get("reads", {}):
        return None
    return passed


def leave_arm(turn: Turn, frame: Frame, target: str) -> None:
    """A branch now leads elsewhere: forget what was done, and what was collected, only on the arm that was left."""
    flow = turn.flow_of(frame)
    ahead = {target, *_reachable(flow, target)} if target != END else set()
    left = [each for each in frame.get("again", {}).values() if each["step"] not in ahead]
    kept = {name for step in ahead for name in _writes(flow.step(step))}
    for passed in left:
        _forget(turn, frame, passed, kept)


def _forget(turn: Turn, frame: Frame, passed: Passed, kept: set[str]) -> None:
    frame.get("again", {}).pop(passed["step"], None)
    frame.get("results", {}).pop(passed["step"], None)
    for name in passed.get("wrote", ()):
        if name not in kept and frame["slots"].pop(name, None) is not None:
            turn.slot_changes.append({"frame": frame["id"], "slot": name, "to": None, "why": "the branch was left"})


def _writes(step: AnyStep) -> list[str]:
    return [step.slot] if isinstance(step, Collect) else []


def _reachable(flow: Flow, start: str) -> set[str]:
    """Every step that can follow, the start itself only by a loop."""
    seen: set[str] = set()
    todo = [start]
    while todo:
        for target in exits_of(flow, flow.step(todo.pop())):
            if target != END and target not in seen:
                seen.add(target)
                todo.append(target)
    return seen


def exits_of(flow: Flow, step: AnyStep) -> Iterator[str]:
    """Where a step may lead, END included."""
    following = flow.after(step.step)
    match step:
        case Link():
            yield END
        case Branch():
            yield from (each.next for each in step.cases)
            yield step.otherwise or following
        case While():
            yield from (step.do[0].step, following)
        case Human():
            yield from (step.next.get(each.id, following) for each in step.actions)
            yield step.expiry_step or following
        case Confirm():
            yield from (step.on_confirm or following, step.on_deny or END)
        case Collect(on_failure=other) | Action(on_error=other) | Handoff(on_timeout=other):
            yield from (following, other or END)
        case Say() | Assign() | Call():
            yield following
