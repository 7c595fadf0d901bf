"""Corrections: what a changed slot puts in doubt along the path that a frame has really gone.

A frame is set back to the earliest step that read the slot. What it had done after that is kept in `again`; on the way
forward each of those steps is passed over silently unless what it read has changed.

A flow that comes back to a step of its path begins a new round there: a value that is given now corrects nothing of the
round before, and an approval of that round covers nothing of the new one.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from dialogue.engine.language.compiler import (
    END,
    Action,
    AnyStep,
    Assign,
    Collect,
    Confirm,
    Flow,
    ForEach,
    Human,
    Loop,
    Say,
)
from dialogue.engine.language.exits import exits_of
from dialogue.engine.slots.display import redacted_json
from dialogue.engine.stack import stack
from dialogue.engine.stack.loops import rounds
from dialogue.engine.stack.slot_access import SlotRef, read_hashes
from dialogue.engine.stack.state import Caller, Frame, LoopState, PathStep, StoredSlot, Wait
from dialogue.engine.stack.turn import Turn


def append_path_step(flow: Flow, frame: Frame, path_step: PathStep, emptied: Collection[str] = ()) -> None:
    """Append an executed step to the frame's path; `emptied` are slots that it emptied.

    If its target is already on the path, a new round begins there.
    """
    frame["path"] = [*(earlier for earlier in frame["path"] if earlier["step"] != path_step["step"]), path_step]
    before = frame.get("again", {}).pop(path_step["step"], None)
    if before is None:
        _forget_questions_for(flow, frame, emptied)
    elif before.get("reads") != path_step.get("reads"):
        _forget_assignments_to(flow, frame, path_step.get("wrote", ()))
    # The end of a round of `for_each` is not a new round of the flow: the loop keeps what was done in it.
    target = flow.resolve_target(path_step["step"], path_step["to"]) if flow.has_rounds else path_step["to"]
    if not flow.has_rounds or target not in flow.loops_around(path_step["step"]):
        begin_new_round(flow, frame, target)


def _forget_questions_for(flow: Flow, frame: Frame, emptied: Collection[str]) -> None:
    """Ask again for slots that a step emptied which was not run before the correction."""
    for name in emptied:
        for step_id in list(frame.get("again", {})):
            if name in _collected_slots(flow.step(step_id)):
                forget_round(flow, frame, step_id)


def _forget_assignments_to(flow: Flow, frame: Frame, names: Collection[str]) -> None:
    """Run the later assignments to these slots again, because a repeated step has overwritten them."""
    for path_step in list(frame["again"].values()):
        if isinstance(flow.step(path_step["step"]), Assign) and any(
            _overwrites_slot(flow, path_step, name) for name in names
        ):
            frame["again"].pop(path_step["step"])


def frames_reading(turn: Turn, ref: SlotRef) -> list[Frame]:
    """Return the frames that can read this slot."""
    if ref.frame is not None:
        return [ref.frame]
    return [frame for frame in turn.frames if ref.name not in turn.flow_of(frame).slots]


@dataclass(frozen=True)
class ActionUse:
    """An executed action that read a slot.

    `final`: it may not be repeated. `effect`: it may have done something that a repetition does not undo.
    """

    step: Action
    final: bool
    effect: bool


def action_uses(turn: Turn, frame: Frame, name: str) -> list[ActionUse]:
    """Return the executed actions that read the slot, or a value computed from it (taint tracking along the path)."""
    flow, tainted = turn.flow_of(frame), {name}
    path = frame["path"][_value_start(flow, frame["path"], name) :]
    uses = _uses_along(turn, frame, path, tainted, frame.get("rounds", {}))
    return [*uses, *_uses_of_unknown_outcome(turn, frame, tainted)]


def _uses_along(
    turn: Turn, frame: Frame, path: Sequence[PathStep], tainted: set[str], loops: Mapping[str, LoopState]
) -> list[ActionUse]:
    """Return the actions on this path that read a tainted slot, and add to `tainted` what was computed from one.

    `loops` are the rounds of the loops on the path.
    """
    flow, uses = turn.flow_of(frame), list[ActionUse]()
    for path_step in path:
        if path_step["step"] in loops:
            uses += _uses_in_rounds(turn, frame, path_step["step"], loops[path_step["step"]], tainted)
        step = flow.step(path_step["step"])
        if isinstance(step, Collect) or not any(_reads(path_step, name) for name in tainted):
            continue
        tainted |= set(path_step.get("wrote", ()))
        # Nothing is done by an action that only reads, so nothing of it can stay.
        if isinstance(step, Action) and not turn.assistant.actions[step.call].only_reads:
            final = not turn.assistant.actions[step.call].idempotent
            uses.append(ActionUse(step, final, final or _may_have_effect(turn, frame, step, path)))
    return uses


def _uses_in_rounds(turn: Turn, frame: Frame, loop_id: str, state: LoopState, tainted: set[str]) -> Iterator[ActionUse]:
    """Yield the uses in the rounds that were put away. The slots of a round are others than those of the open one."""
    if not any(_names_slot(state["reads"], name) for name in tainted):
        return
    loop = turn.flow_of(frame).loop(loop_id)
    own_names, outside = rounds.own_names(loop), set(tainted)
    for _index, stored in rounds.stored_rounds(state):
        names = outside - own_names
        yield from _uses_along(turn, frame, stored.get("path", []), names, stored.get("rounds", {}))
        tainted |= names - own_names
        # A list of gathered values depends on what any of its rounds read.
        tainted |= {slot for slot, expression in loop.gather.items() if names & expression.names_read}


def action_uses_in_round(turn: Turn, frame: Frame, loop: ForEach, index: int, name: str) -> list[ActionUse]:
    """Return the executed actions that read this slot of one round, or a value computed from it."""
    stored = next(stored for at, stored in rounds.stored_rounds(frame["rounds"][loop.step]) if at == index)
    tainted = {name}
    uses = _uses_along(turn, frame, stored.get("path", []), tainted, stored.get("rounds", {}))
    tainted |= {slot for slot, expression in loop.gather.items() if tainted & expression.names_read}
    path = frame["path"]
    position = next((place for place, path_step in enumerate(path) if path_step["step"] == loop.step), len(path))
    outside = tainted - rounds.own_names(loop)
    uses += _uses_along(turn, frame, path[position + 1 :], outside, frame.get("rounds", {}))
    return uses


def _may_have_effect(turn: Turn, frame: Frame, step: Action, path: Sequence[PathStep]) -> bool:
    """Whether an idempotent action may have done something that stays.

    Contracts without `effect: none` do not say so. An action counts as a mere look-up if it returns results and runs
    before the user or staff agree to anything. `path` is that of the frame, or of the round in which it ran.
    """
    if not step.outputs:
        return True
    chain = stack.chain_of(turn.frames, frame)
    own_steps = [*frame["path"], *path] if path is not frame["path"] else path
    own_steps = list(takewhile(lambda path_step: path_step["step"] != step.step, own_steps))
    # The agreement may have been given in a calling flow.
    callers = chain[: chain.index(frame)]
    paths_before = [*((caller, caller["path"]) for caller in callers), (frame, own_steps)]
    return any(
        isinstance(turn.flow_of(chain_frame).step(path_step["step"]), Confirm | Human)
        for chain_frame, path in paths_before
        for path_step in path
    )


def _uses_of_unknown_outcome(turn: Turn, frame: Frame, names: set[str]) -> Iterator[ActionUse]:
    """Yield the action whose outcome is unknown, as if it had happened."""
    wait = frame.get("wait")
    step = turn.flow_of(frame).step(wait["step"]) if wait and wait["kind"] == "human" else None
    if wait is not None and isinstance(step, Action) and any(_reads(wait, name) for name in names):
        yield ActionUse(step, final=True, effect=True)


def _reads_in_rounds(frame: Frame, path_step: PathStep, name: str) -> bool:
    """Whether a step has read the slot; for a loop, whether one of its rounds has."""
    state = rounds.loop_state(frame, path_step["step"])
    return _reads(path_step, name) or (state is not None and _names_slot(state["reads"], name))


def _reads(reader: PathStep | Wait | Caller, name: str) -> bool:
    """Whether a step, a pause or a call has read the slot, or a field of the record in it."""
    return _names_slot(reader.get("reads") or {}, name)


def _names_slot(names: Collection[str], slot: str) -> bool:
    """Whether the slot, or a field of the record in it, is among the names."""
    return slot in names or any(name.startswith(f"{slot}.") for name in names)


def was_read_otherwise(turn: Turn, frame: Frame, name: str) -> bool:
    """Whether a step on the path, or the open question, has read another entry in this slot than it holds now.

    Messages that name the whole entry show only its label, and an entry with another label is another option.
    """
    flow = turn.flow_of(frame)
    for reader in (*frame["path"], *([frame["wait"]] if "wait" in frame else [])):
        shows_label = isinstance(flow.step(reader["step"]), Say | Confirm)
        hashes = reader.get("reads") or {}
        names = [read for read in hashes if read.startswith(f"{name}.") or (read == name and not shows_label)]
        hashes_now = read_hashes(turn, frame, names)
        if any(hashes[read] != hashes_now[read] for read in names):
            return True
    return False


def set_back(turn: Turn, frame: Frame, name: str) -> None:
    """Void a pause that showed the old value of a changed slot, and go back to the earliest step that read it."""
    _set_back_to_first(turn, frame, name, lambda path_step: _reads_in_rounds(frame, path_step, name))


def set_back_to_question(turn: Turn, frame: Frame, name: str) -> None:
    """Go back to the earliest step that asked for an emptied slot or read it."""

    def concerns(path_step: PathStep) -> bool:
        return _reads_in_rounds(frame, path_step, name) or name in rounds.names_written(frame, path_step)

    _set_back_to_first(turn, frame, name, concerns)
    # An answer before the correction must not pass over the question for the emptied slot.
    flow = turn.flow_of(frame)
    rounds.forget_question(flow, frame, name)
    for step_id in list(frame.get("again", {})):
        if name in _collected_slots(flow.step(step_id)):
            frame["again"].pop(step_id)


def _set_back_to_first(turn: Turn, frame: Frame, name: str, concerns: Callable[[PathStep], bool]) -> None:
    turn.touch(frame)
    _void_wait(turn, frame, name)
    path = frame["path"]
    since = _value_start(turn.flow_of(frame), path, name)
    index = next((index for index in range(since, len(path)) if concerns(path[index])), None)
    if index is not None or _was_called_with(turn, frame, name):
        _end_called_flows(turn, frame)
    if index is not None:
        _go_back_to(turn.flow_of(frame), frame, index)


def _value_start(flow: Flow, path: Sequence[PathStep], name: str) -> int:
    """Return the index in the path from which on the slot has its present value: after its last overwriting."""
    overwrites = (index for index, path_step in enumerate(path) if _overwrites_slot(flow, path_step, name))
    return max(overwrites, default=-1) + 1


def _overwrites_slot(flow: Flow, path_step: PathStep, name: str) -> bool:
    """Whether the step gave the slot a value that does not depend on the value before."""
    is_question = isinstance(flow.step(path_step["step"]), Collect)
    return not is_question and name in path_step.get("wrote", ()) and not _reads(path_step, name)


def _was_called_with(turn: Turn, frame: Frame, name: str) -> bool:
    calls = (called["caller"] for called in turn.frames if "caller" in called)
    call = next((call for call in calls if call["frame"] == frame["id"]), None)
    return call is not None and _reads(call, name)


def _end_called_flows(turn: Turn, frame: Frame) -> None:
    """End the flows that the frame called: they started with values that have changed."""
    chain = stack.chain_of(turn.frames, frame)
    called = chain[chain.index(frame) + 1 :]
    for called_frame in called:
        turn.settle_wait(called_frame, "voided")
        turn.record_stack_change("ended", called_frame)
    if called:
        frame["status"] = "paused" if called[-1]["status"] == "paused" else "active"
        turn.frames = stack.remove_frames(turn.frames, called)


def _void_wait(turn: Turn, frame: Frame, name: str) -> None:
    wait = frame.get("wait")
    if wait is None or wait["kind"] == "handoff":
        return
    if wait["kind"] == "change":
        turn.settle_wait(frame, "answered", name)
    elif _reads(wait, name):
        turn.settle_wait(frame, "voided")


def go_back_to_loop(turn: Turn, frame: Frame, loop: ForEach) -> None:
    """Go back to a loop on the path, one of whose rounds is to be repeated, and end what was called from there."""
    turn.touch(frame)
    index = next((index for index, path_step in enumerate(frame["path"]) if path_step["step"] == loop.step), None)
    if index is not None:
        _end_called_flows(turn, frame)
        _go_back_to(turn.flow_of(frame), frame, index)


def _go_back_to(flow: Flow, frame: Frame, index: int) -> None:
    if flow.has_rounds:
        rounds.put_aside_from(flow, frame, index)
    undone_steps = frame["path"][index:]
    frame["again"] = {path_step["step"]: path_step for path_step in undone_steps} | frame.get("again", {})
    frame["path"] = frame["path"][:index]
    frame["step"] = undone_steps[0]["step"]
    for path_step in undone_steps:
        frame.get("bound", {}).pop(path_step["step"], None)


def was_answered(frame: Frame, step: Collect) -> bool:
    """Whether the question was answered before the correction, even if the flow has emptied the slot since."""
    path_step = frame.get("again", {}).get(step.step)
    return path_step is not None and step.slot in path_step.get("wrote", ())


def unchanged_result(turn: Turn, frame: Frame, step_id: str) -> PathStep | None:
    """Return what the step did before the correction, if a repetition would do the same; else None.

    That is the case when every value that it read is unchanged, or was overwritten by the flow after it.
    """
    path_step = frame.get("again", {}).get(step_id)
    if path_step is None:
        return None
    hashes_before = path_step.get("reads", {})
    hashes_now = read_hashes(turn, frame, hashes_before)
    undone_steps = frame.get("again", {})
    later_steps = list(undone_steps.values())[list(undone_steps).index(step_id) :]
    # A step that overwrites what it reads, such as count = count + 1, leaves another hash than it read.
    hashes_left = {
        name: value_hash for later_step in later_steps for name, value_hash in later_step.get("left", {}).items()
    }
    changed = {name for name in hashes_before if hashes_now[name] not in (hashes_before[name], hashes_left.get(name))}
    overwritten = _overwritten_slots(turn.flow_of(frame), later_steps[1:])
    return None if any(name.partition(".")[0] not in overwritten for name in changed - overwritten) else path_step


def _overwritten_slots(flow: Flow, later_steps: Sequence[PathStep]) -> set[str]:
    """Return the slots that the flow itself overwrote in these steps."""
    return {
        name
        for path_step in later_steps
        for name in path_step.get("wrote", ())
        if _overwrites_slot(flow, path_step, name)
    }


def abandon_arm(turn: Turn, frame: Frame, target: str) -> None:
    """Forget what was done and collected on the arm that a branch no longer leads to.

    Steps that can also follow the new target stay, and so do the slots that they collect.
    """
    flow = turn.flow_of(frame)
    target = flow.resolve_target(frame["step"], target)
    ahead = steps_ahead(flow, target, passed_steps={frame["step"], *(earlier["step"] for earlier in frame["path"])})
    abandoned = [undone for undone in frame.get("again", {}).values() if undone["step"] not in ahead]
    slots_to_keep = {name for step in ahead for name in _collected_slots(flow.step(step))}
    # The last one first: each puts back what it has overwritten.
    for path_step in reversed(abandoned):
        _forget_step(turn, frame, path_step, slots_to_keep)


def _forget_step(turn: Turn, frame: Frame, path_step: PathStep, slots_to_keep: set[str]) -> None:
    undone_steps = frame["again"]
    later_steps = list(undone_steps.values())[list(undone_steps).index(path_step["step"]) + 1 :]
    undone_steps.pop(path_step["step"])
    frame.get("results", {}).pop(path_step["step"], None)
    rounds.forget_loops(turn.flow_of(frame), frame, [path_step["step"]])
    for name in path_step.get("wrote", ()):
        before, stored = path_step.get("overwrote", {}).get(name), frame["slots"].get(name)
        writers = [later for later in later_steps if name in later.get("overwrote", {})]
        if writers and not all(isinstance(turn.flow_of(frame).step(writer["step"]), Assign) for writer in writers):
            _replace_overwritten(writers[0], name, before)
        elif name not in slots_to_keep or (before is not None and stored is not None and stored["source"] != "user"):
            _put_back(turn, frame, name, before)
            for writer in writers:  # assignments are computed again
                undone_steps.pop(writer["step"], None)


def _replace_overwritten(writer: PathStep, name: str, before: StoredSlot | None) -> None:
    """Note in a step that stays what it would have overwritten without the step that was forgotten."""
    writer["overwrote"].pop(name)
    if before is not None:
        writer["overwrote"][name] = before


def _put_back(turn: Turn, frame: Frame, name: str, before: StoredSlot | None) -> None:
    """Give the slot the value that a forgotten step has overwritten; None empties it."""
    frame.get("drafts", {}).pop(name, None)
    stored = frame["slots"].pop(name, None)
    if before is not None:
        frame["slots"][name] = before
    if stored is not None:
        slot = turn.flow_of(frame).slots.get(name)
        value = redacted_json(slot, before["value"]) if slot is not None and before is not None else None
        turn.record.slot_changes.append({"frame": frame["id"], "slot": name, "to": value, "why": "the branch was left"})


def _collected_slots(step: AnyStep) -> list[str]:
    return [step.slot] if isinstance(step, Collect) else []


def begin_new_round(flow: Flow, frame: Frame, target: str) -> None:
    """Begin a new round if the frame returns to a step of its path."""
    index = next((index for index, path_step in enumerate(frame["path"]) if path_step["step"] == target), None)
    if index is None:
        return
    rounds.forget_loops(flow, frame, [path_step["step"] for path_step in frame["path"][index:]])
    frame["path"] = frame["path"][:index]
    forget_round(flow, frame, target)


def forget_round(flow: Flow, frame: Frame, target: str) -> None:
    """Forget corrections and approvals of the steps on a circle through the target."""
    if not frame.get("again") and not frame.get("bound"):
        return
    ahead = _reachable_from(flow, target)
    steps_back_to_target = {step for step in ahead if target in _reachable_from(flow, step)}
    for step in {target} | steps_back_to_target:
        frame.get("again", {}).pop(step, None)
        frame.get("bound", {}).pop(step, None)


def steps_ahead(flow: Flow, target: str, passed_steps: Collection[str]) -> set[str]:
    """Return the target and every step that can follow it in this round, without going through `passed_steps`."""
    return {target, *_reachable_from(flow, target, passed_steps)} if target != END else set()


def _reachable_from(flow: Flow, start: str, passed_steps: Collection[str] = ()) -> set[str]:
    """Return every step that can follow; the start only if a loop leads back to it. A passed loop is only left."""
    reached: set[str] = set()
    pending = [start]
    while pending:
        for target in _targets_of(flow, flow.step(pending.pop()), passed_steps):
            if target != END and target not in reached:
                reached.add(target)
                pending.append(target)
    return reached


def _targets_of(flow: Flow, step: AnyStep, passed_steps: Collection[str]) -> Iterator[str]:
    if step.step not in passed_steps:
        yield from (step_exit.target for step_exit in exits_of(flow, step))
    elif isinstance(step, Loop):
        yield flow.next_step(step.step)
