"""Corrections: what a changed slot puts in doubt along the path that a frame has really gone.

A frame is set back to the earliest step that read the slot. What it had done after that is kept in `again`; on the way
forward each of those steps is passed over silently unless what it read has changed.

A flow that comes back to a step of its path begins a new round there: a value that is given now corrects nothing of the
round before, and an approval of that round covers nothing of the new one.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from dialogue.engine.language.compiler import END, Action, AnyStep, Assign, Collect, Confirm, Flow, Human, While
from dialogue.engine.language.exits import exits_of
from dialogue.engine.stack import stack
from dialogue.engine.stack.slot_access import SlotRef, read_hashes
from dialogue.engine.stack.state import Frame, PathStep
from dialogue.engine.stack.turn import Turn


def record_passed(flow: Flow, frame: Frame, passed: PathStep, emptied: Collection[str] = ()) -> None:
    """Append an executed step, which has `emptied` these slots; where it leads back to one of the path, a new round
    begins."""
    frame["path"] = [*(each for each in frame["path"] if each["step"] != passed["step"]), passed]
    before = frame.get("again", {}).pop(passed["step"], None)
    if before is None:
        _ask_again(flow, frame, emptied)
    elif before.get("reads") != passed.get("reads"):
        _set_anew(flow, frame, passed.get("wrote", ()))
    begin_new_round(flow, frame, passed["to"])


def _ask_again(flow: Flow, frame: Frame, emptied: Collection[str]) -> None:
    """A step that was not done before the correction emptied these slots: their questions begin a new round."""
    for name in emptied:
        for step_id in list(frame.get("again", {})):
            if name in _writes(flow.step(step_id)):
                forget_round(flow, frame, step_id)


def _set_anew(flow: Flow, frame: Frame, names: Collection[str]) -> None:
    """A step ran again and wrote these slots: what the flow had set them to after it, it sets them to again."""
    for passed in list(frame["again"].values()):
        if isinstance(flow.step(passed["step"]), Assign) and any(_overwrites(flow, passed, each) for each in names):
            frame["again"].pop(passed["step"])


def frames_reading(turn: Turn, place: SlotRef) -> list[Frame]:
    """The frames that a change of this slot can concern."""
    if place.frame is not None:
        return [place.frame]
    return [each for each in turn.frames if place.name not in turn.flow_of(each).slots]


@dataclass(frozen=True)
class ActionUse:
    """An executed action that read a slot. `final`: it may not be repeated; `effect`: what it did stays."""

    step: Action
    final: bool
    effect: bool


def action_uses(turn: Turn, frame: Frame, name: str) -> list[ActionUse]:
    """The executed actions that read the slot, or something that was computed from it."""
    flow, tainted, used = turn.flow_of(frame), {name}, []
    for passed in frame["path"][_holds_since(flow, frame["path"], name) :]:
        step = flow.step(passed["step"])
        if isinstance(step, Collect) or not tainted & passed.get("reads", {}).keys():
            continue
        tainted |= set(passed.get("wrote", ()))
        if isinstance(step, Action):
            final = not turn.assistant.actions[step.call].idempotent
            used.append(ActionUse(step, final, final or _may_have_effect(turn, frame, step)))
    return [*used, *_doubtful(turn, frame, tainted)]


def _may_have_effect(turn: Turn, frame: Frame, step: Action) -> bool:
    """Whether a repeatable action may have done something that stays.

    No contract says so. A look-up gives results, and runs before the user or staff agree to anything.
    """
    if not step.outputs:
        return True
    chain = stack.chain_of(turn.frames, frame)
    own = list(takewhile(lambda passed: passed["step"] != step.step, frame["path"]))
    before = [(each, each["path"]) for each in chain[: chain.index(frame)]] + [(frame, own)]
    return any(
        isinstance(turn.flow_of(each).step(passed["step"]), Confirm | Human) for each, path in before for passed in path
    )


def _doubtful(turn: Turn, frame: Frame, names: set[str]) -> Iterator[ActionUse]:
    """The action of which nobody knows whether it happened counts as if it had."""
    wait = frame.get("wait")
    step = turn.flow_of(frame).step(wait["step"]) if wait and wait["kind"] == "human" else None
    if wait is not None and isinstance(step, Action) and names & wait.get("reads", {}).keys():
        yield ActionUse(step, final=True, effect=True)


def set_back(turn: Turn, frame: Frame, name: str) -> None:
    """After a slot changed: void what showed the old value, and go back to the earliest step that read it."""
    _set_back(turn, frame, name, lambda passed: name in passed.get("reads", {}))


def set_back_to_question(turn: Turn, frame: Frame, name: str) -> None:
    """After a slot was emptied: go back to where it was asked for, if that comes before what read it."""
    _set_back(turn, frame, name, lambda passed: name in passed.get("reads", {}) or name in passed.get("wrote", ()))
    flow = turn.flow_of(frame)
    for step_id in list(frame.get("again", {})):
        if name in _writes(flow.step(step_id)):
            frame["again"].pop(step_id)


def _set_back(turn: Turn, frame: Frame, name: str, concerns: Callable[[PathStep], bool]) -> None:
    turn.touch(frame)
    _void_wait(turn, frame, name)
    path = frame["path"]
    since = _holds_since(turn.flow_of(frame), path, name)
    place = next((place for place in range(since, len(path)) if concerns(path[place])), None)
    if place is not None or _called_with(turn, frame, name):
        _end_called(turn, frame)
    if place is not None:
        _go_back(frame, place)


def _holds_since(flow: Flow, path: Sequence[PathStep], name: str) -> int:
    """From where on in the path the slot has had its present value: after the flow last put it in place of another."""
    overwrote = (place for place, passed in enumerate(path) if _overwrites(flow, passed, name))
    return max(overwrote, default=-1) + 1


def _overwrites(flow: Flow, passed: PathStep, name: str) -> bool:
    """Whether the step gave the slot a value that has nothing to do with the one before."""
    asked = isinstance(flow.step(passed["step"]), Collect)
    return not asked and name in passed.get("wrote", ()) and name not in passed.get("reads", {})


def _called_with(turn: Turn, frame: Frame, name: str) -> bool:
    above = next((each for each in turn.frames if each.get("caller", {}).get("frame") == frame["id"]), None)
    return above is not None and name in above["caller"]["reads"]


def _end_called(turn: Turn, frame: Frame) -> None:
    """What the frame has called began with values that hold no longer."""
    chain = stack.chain_of(turn.frames, frame)
    called = chain[chain.index(frame) + 1 :]
    for each in called:
        turn.settle_wait(each, "voided")
        turn.record_stack_change("ended", each)
    if called:
        frame["status"] = "paused" if called[-1]["status"] == "paused" else "active"
        turn.frames = stack.remove_frames(turn.frames, called)


def _void_wait(turn: Turn, frame: Frame, name: str) -> None:
    wait = frame.get("wait")
    if wait is None or wait["kind"] == "handoff":
        return
    if wait["kind"] == "change":
        turn.settle_wait(frame, "answered", name)
    elif name in wait.get("reads", {}):
        turn.settle_wait(frame, "voided")


def _go_back(frame: Frame, place: int) -> None:
    doubtful = frame["path"][place:]
    frame["again"] = {each["step"]: each for each in doubtful} | frame.get("again", {})
    frame["path"] = frame["path"][:place]
    frame["step"] = doubtful[0]["step"]
    for each in doubtful:
        frame.get("bound", {}).pop(each["step"], None)


def was_answered(frame: Frame, step: Collect) -> bool:
    """Whether the question was answered before the correction, even if the flow itself has emptied the slot since."""
    passed = frame.get("again", {}).get(step.step)
    return passed is not None and step.slot in passed.get("wrote", ())


def unchanged_result(turn: Turn, frame: Frame, step_id: str) -> PathStep | None:
    """What the step did before the correction, if all that it read is as it was, or was overwritten after it."""
    passed = frame.get("again", {}).get(step_id)
    if passed is None:
        return None
    before = passed.get("reads", {})
    now = read_hashes(turn, frame, before)
    later = _from(frame, step_id)
    left = {name: mark for each in later for name, mark in each.get("left", {}).items()}
    changed = {name for name in before if now[name] not in (before[name], left.get(name))}
    return None if changed - _overwritten(turn.flow_of(frame), later[1:]) else passed


def _from(frame: Frame, step_id: str) -> list[PathStep]:
    """The step and those after it, as they were done before the correction."""
    doubtful = frame.get("again", {})
    return list(doubtful.values())[list(doubtful).index(step_id) :]


def _overwritten(flow: Flow, later: Sequence[PathStep]) -> set[str]:
    """The slots whose present value the flow itself gave them there."""
    return {name for passed in later for name in passed.get("wrote", ()) if _overwrites(flow, passed, name)}


def abandon_arm(turn: Turn, frame: Frame, target: str) -> None:
    """A branch now leads elsewhere: forget what was done, and what was collected, only on the arm that was left."""
    flow = turn.flow_of(frame)
    ahead = steps_ahead(flow, target, passed={frame["step"], *(each["step"] for each in frame["path"])})
    left = [each for each in frame.get("again", {}).values() if each["step"] not in ahead]
    kept = {name for step in ahead for name in _writes(flow.step(step))}
    for passed in left:
        _forget(turn, frame, passed, kept)


def _forget(turn: Turn, frame: Frame, passed: PathStep, kept: set[str]) -> None:
    frame.get("again", {}).pop(passed["step"], None)
    frame.get("results", {}).pop(passed["step"], None)
    for name in passed.get("wrote", ()):
        if name not in kept and frame["slots"].pop(name, None) is not None:
            turn.record.slot_changes.append(
                {"frame": frame["id"], "slot": name, "to": None, "why": "the branch was left"}
            )


def _writes(step: AnyStep) -> list[str]:
    return [step.slot] if isinstance(step, Collect) else []


def begin_new_round(flow: Flow, frame: Frame, target: str) -> None:
    """Forget the last round if the frame returns to a step of its path."""
    place = next((place for place, passed in enumerate(frame["path"]) if passed["step"] == target), None)
    if place is None:
        return
    frame["path"] = frame["path"][:place]
    forget_round(flow, frame, target)


def forget_round(flow: Flow, frame: Frame, target: str) -> None:
    """What was done on the ways from the step back to itself is done with."""
    if not frame.get("again") and not frame.get("bound"):
        return
    for step in _circle(flow, target):
        frame.get("again", {}).pop(step, None)
        frame.get("bound", {}).pop(step, None)


def steps_ahead(flow: Flow, target: str, passed: Collection[str]) -> set[str]:
    """The target and every step that can follow it in this round: without going over one that was `passed`."""
    return {target, *_reachable(flow, target, passed)} if target != END else set()


def _circle(flow: Flow, start: str) -> set[str]:
    """The steps on the ways from a step back to itself, itself included."""
    return {start} | {step for step in _reachable(flow, start) if start in _reachable(flow, step)}


def _reachable(flow: Flow, start: str, passed: Collection[str] = ()) -> set[str]:
    """Every step that can follow, the start itself only by a loop. A loop that was passed is only left."""
    seen: set[str] = set()
    todo = [start]
    while todo:
        for target in _targets_of(flow, flow.step(todo.pop()), passed):
            if target != END and target not in seen:
                seen.add(target)
                todo.append(target)
    return seen


def _targets_of(flow: Flow, step: AnyStep, passed: Collection[str]) -> Iterator[str]:
    if step.step not in passed:
        yield from (step_exit.target for step_exit in exits_of(flow, step))
    elif isinstance(step, While):
        yield flow.next_step(step.step)
