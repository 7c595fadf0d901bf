"""Commands about one entry of a loop: a value for it, and to skip it."""

from collections.abc import Mapping

from dialogue.engine.commands.flows import refuse_while_in_doubt
from dialogue.engine.language.compiler import ForEach, Slot
from dialogue.engine.ports.commands import CorrectSlot, SetSlot, SkipItem
from dialogue.engine.stack import frames, stack
from dialogue.engine.stack.filling import Origin, leave_step, stored_form
from dialogue.engine.stack.loops import rounds
from dialogue.engine.stack.loops.item_values import (
    SaidValue,
    entry_candidates,
    fill_item_slot,
    keep_value,
    loop_of_slot,
)
from dialogue.engine.stack.slot_access import SlotRef
from dialogue.engine.stack.state import Frame
from dialogue.engine.stack.turn import Turn

_MAX_NAMED_ITEMS = 10


def set_item_slot(turn: Turn, command: SetSlot | CorrectSlot, ref: SlotRef, origin: Origin) -> bool:
    """Store the value for the entry that the command means. Return False, and drop it, if that is not possible."""
    result = fill_item_slot(turn, SaidValue(ref, command.value, origin), command.item)
    if result == "filled":
        return True
    if result != "refused_value" and ref.frame is not None:
        turn.missed = True
        _ask_which(turn, ref.frame, ref.name)
    turn.drop(command, result)
    return False


def keep_for_called_flow(turn: Turn, command: SetSlot | CorrectSlot) -> None:
    """Keep a value for an entry until a flow that is called goes through the list. Drop any other value."""
    frames_by_age = (*turn.started[-1:], *reversed(turn.frames))
    frame = next((frame for frame in frames_by_age if command.slot in _round_slots(turn, frame)), None)
    if frame is None or command.item is None:
        return turn.drop(command, "unknown_slot")
    turn.heard = True
    slot = _round_slots(turn, frame)[command.slot]
    origin = Origin("user", words="" if slot.sensitive else command.words)
    keep_value(frame, command.slot, command.item, stored_form(turn, command.value, origin))


def _round_slots(turn: Turn, frame: Frame) -> Mapping[str, Slot]:
    return turn.catalogue.round_slots.get(frame["flow"], {})


def _ask_which(turn: Turn, frame: Frame, name: str) -> None:
    loop = loop_of_slot(turn.flow_of(frame), name)
    state = rounds.loop_state(frame, loop.step) if loop else None
    if loop is None or state is None:
        return
    candidates = entry_candidates(turn, frame, loop, state["entries"][:_MAX_NAMED_ITEMS])
    more = ["…"] if len(state["entries"]) > _MAX_NAMED_ITEMS else []
    turn.say("which_item", about=name, items="; ".join([*(option.label for option in candidates), *more]))


def skip_item(turn: Turn, command: SkipItem) -> None:
    """End the open round of the innermost loop without gathering, and go on with the next entry."""
    frame, loop = _open_round(turn)
    if frame is None or loop is None:
        return turn.drop(command, "no_open_item")
    chain = stack.chain_of(turn.frames, frame)
    turn.heard = True
    if refuse_while_in_doubt(turn, command, chain):
        return None
    flow, state = turn.flow_of(frame), frame["rounds"][loop.step]
    frames.end_called_flows(turn, frame, "cancelled")
    turn.say("item_skipped", about=loop.step, item=rounds.entry_label(turn, flow, loop, state, state["at"]))
    turn.settle_wait(frame, "cancelled")
    state["skip"] = True
    frame["status"] = "active"
    leave_step(turn, frame, loop.step)


def _open_round(turn: Turn) -> tuple[Frame | None, ForEach | None]:
    """Return the frame and the loop whose round is open, in the chain on top: the innermost one."""
    for frame in reversed(stack.chain_of(turn.frames, turn.top) if turn.top else []):
        loop = rounds.open_loop(turn.flow_of(frame), frame)
        if loop is not None and frame["step"] != loop.step:
            return frame, loop
    return None, None
