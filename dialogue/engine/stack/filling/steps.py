"""Leave the step at which a flow stands: for the next one, or because its question is answered."""

from collections.abc import Sequence
from typing import Any

from dialogue.engine.stack import corrections
from dialogue.engine.stack.computed_settings import limit_hashes
from dialogue.engine.stack.loops import rounds
from dialogue.engine.stack.slot_access import SlotRef, frame_slot, read_hashes, value_of
from dialogue.engine.stack.state import Frame, StoredSlot
from dialogue.engine.stack.turn import Turn


def is_asked_for(turn: Turn, ref: SlotRef) -> bool:
    """Whether its frame is asking for this slot."""
    frame = ref.frame or turn.top
    wait = frame.get("wait") if frame else None
    if frame is None or wait is None or wait["kind"] != "collect":
        return False
    return getattr(turn.flow_of(frame).step(wait["step"]), "slot", None) == ref.name


def pass_question(turn: Turn, frame: Frame, name: str, value: Any) -> None:
    """Go on after the awaited question, which is answered or skipped."""
    step, ref = turn.step_of(frame), frame_slot(turn, frame, name)
    turn.settle_wait(frame, "answered", values={name: value})
    reads = limit_hashes(turn, frame, ref.slot) if ref else None
    leave_step(turn, frame, turn.flow_of(frame).next_step(step.step), reads=reads, wrote=[name])


def leave_step(
    turn: Turn, frame: Frame, target: str, *, reads: dict[str, str] | None = None, wrote: list[str] | None = None
) -> str:
    """Leave the step that the frame stands at for another, add it to the path, and return where the frame stands now.

    `reads` are the hashes of what the step read, `wrote` the slots that it wrote.
    """
    flow = turn.flow_of(frame)
    position, next_step = {}, target
    if flow.has_rounds:
        position = rounds.item_position(turn, frame)
        next_step = rounds.target_in_loop(flow, frame, target)
    # Empty details are left out: the path is stored with every turn.
    path_step: Any = {"step": frame["step"], "to": target}
    overwritten = {name for name in reads if name.partition(".")[0] in wrote} if reads and wrote else None
    hashes_left = read_hashes(turn, frame, overwritten) if overwritten else None
    overwrote = _overwritten_values(turn, frame, wrote or ()) if turn.overwritten or frame.get("again") else None
    details = {"reads": reads, "wrote": wrote, "left": hashes_left, "overwrote": overwrote}
    path_step |= {name: detail for name, detail in details.items() if detail}
    # Only after a correction may a question be passed over although its slot was emptied.
    emptied = [name for name in wrote or () if value_of(turn, frame, name) is None] if frame.get("again") else []
    corrections.append_path_step(flow, frame, path_step, emptied)
    turn.record.steps.append({"flow": frame["flow"], "step": frame["step"], "to": next_step, **position})
    frame["step"] = next_step
    turn.touch(frame)
    return next_step


def _overwritten_values(turn: Turn, frame: Frame, wrote: Sequence[str]) -> dict[str, StoredSlot]:
    """Return what these slots held before the step that the frame leaves; of a repeated step, before its first run."""
    values = {name: turn.overwritten.pop((frame["id"], name), None) for name in wrote}
    before = frame.get("again", {}).get(frame["step"])
    if before is not None:
        return before.get("overwrote", {})
    return {name: stored for name, stored in values.items() if stored is not None}
