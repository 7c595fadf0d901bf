"""Start, pause, resume, call and end flows on the stack."""

import logging
from collections.abc import Mapping
from contextlib import suppress

from dialogue.engine.expressions.conditions import Condition, ExpressionTooCostly, with_slots
from dialogue.engine.expressions.values import TypedValue
from dialogue.engine.language.compiler import END, Call, Flow, Slot
from dialogue.engine.language.steps import DONE
from dialogue.engine.slots.values import ValueRefused, typed_value
from dialogue.engine.stack import stack
from dialogue.engine.stack.computed_settings import computed_slot
from dialogue.engine.stack.context import StartValue
from dialogue.engine.stack.filling import Origin, leave_step, parse_value, store_value
from dialogue.engine.stack.filling.record_fields import forget_draft
from dialogue.engine.stack.flow_runs.several_runs import run_title
from dialogue.engine.stack.slot_access import SlotRef, frame_slot, stored_slot, value_of
from dialogue.engine.stack.state import Frame, new_frame
from dialogue.engine.stack.turn import PauseEnd, Turn

MAX_CHAIN_LENGTH = 20
"""How many flows may have called each other."""

log = logging.getLogger(__name__)

_DEFAULT = Origin("default", quiet=True)
_FLOW = Origin("flow", quiet=True)


def new_flow_frame(turn: Turn, flow: Flow) -> Frame:
    """Return a new frame at the flow's first step, with its defaults, that is not on the stack yet."""
    frame = new_frame(turn.memory, flow.flow, flow.steps[0].step, turn.now)
    _fill_defaults(turn, frame, flow.slots)
    turn.touch(frame)
    turn.record_stack_change("started", frame)
    return frame


def fill_conversation_defaults(turn: Turn) -> None:
    """Fill the conversation's slots that have a default, and those that were filled when it was opened."""
    _fill_defaults(turn, None, turn.assistant.slots)
    for name, start in turn.context.start_values.items():
        slot = turn.assistant.slots.get(name)
        # Another release may serve now, which declares the slot differently.
        if slot is not None and slot.source == start["source"]:
            _fill_start_value(turn, SlotRef(None, name, slot), start)
    _fill_computed(turn, None, turn.assistant.slots)


def _fill_start_value(turn: Turn, ref: SlotRef, start: StartValue) -> None:
    with suppress(ValueRefused):  # the slot of another release may be narrower
        store_value(turn, ref, parse_value(turn, ref, start["value"]), Origin(start["source"], quiet=True))


def _fill_defaults(turn: Turn, frame: Frame | None, slots: Mapping[str, Slot]) -> None:
    for name, slot in slots.items():
        if slot.default is not None and not isinstance(slot.default, Condition):
            ref = SlotRef(frame, name, slot)
            store_value(turn, ref, parse_value(turn, ref, slot.default), _DEFAULT)


def fill_computed_defaults(turn: Turn, frame: Frame) -> None:
    """Fill empty slots whose default is an expression, while the flow is at its beginning.

    The message has filled its values by then. A value that its slot refuses is left out.
    """
    flow = turn.flow_of(frame)
    if flow.has_computed_defaults and not frame["path"]:
        _fill_computed(turn, frame, flow.slots)


def _fill_computed(turn: Turn, frame: Frame | None, slots: Mapping[str, Slot]) -> None:
    for name, slot in slots.items():
        ref = SlotRef(frame, name, slot)
        if not isinstance(slot.default, Condition) or stored_slot(turn, ref) is not None:
            continue
        with suppress(ValueRefused):
            value = computed_slot(turn, frame, slot).default
            if value is not None:
                store_value(turn, ref, parse_value(turn, ref, value), _DEFAULT)


def may_start(turn: Turn, flow: Flow) -> bool:
    """Whether the flow's guard lets it start. A guard reads the conversation's slots only."""
    if flow.guard is None:
        return True
    values = {name: _conversation_value(turn, name) for name in with_slots(flow.guard.slots) if "." not in name}
    try:
        return flow.guard.holds(values, turn.now)
    except ExpressionTooCostly as error:
        log.error("the guard of %s in conversation %s: %s", flow.flow, turn.context.conversation, error)
        return False


def _conversation_value(turn: Turn, name: str) -> TypedValue:
    slot, stored = turn.assistant.slots.get(name), turn.memory["slots"].get(name)
    return typed_value(slot, stored["value"]) if slot and stored else None


def may_push(turn: Turn) -> bool:
    """Whether another flow fits on the stack. Called flows do not count: users have not asked for them."""
    # Most stacks are short enough however they are counted.
    frame_count = len(turn.frames)
    return frame_count < turn.settings.max_depth or len(stack.root_frames(turn.frames)) < turn.settings.max_depth


def push(turn: Turn, frame: Frame) -> None:
    """Put the frame on top, and pause the one that ran there."""
    pause(turn, turn.top)
    turn.frames = stack.push(turn.frames, frame)


def plan(turn: Turn, frame: Frame, above: Frame) -> None:
    """Put the frame below another one, to start when that one has ended."""
    frame["status"] = "planned"
    turn.frames = stack.insert_below(turn.frames, frame, above)


def pause(turn: Turn, frame: Frame | None) -> None:
    """Interrupt a running flow. One that waits for staff goes on waiting."""
    if frame is not None and frame["status"] == "active":
        frame["status"] = "paused"
        frame["since"] = turn.now.isoformat()


def bring_to_top(turn: Turn, frame: Frame) -> Frame:
    """Bring the frame's whole chain to the top, pause what ran there, and return the chain's uppermost frame."""
    last = stack.chain_of(turn.frames, frame)[-1]
    if turn.top is not last:
        pause(turn, turn.top)
        turn.frames = stack.raise_chain(turn.frames, frame)
    activate(turn, last)
    return last


def activate(turn: Turn, frame: Frame) -> None:
    """Let the frame go on. One that waits for staff stays parked until they decide."""
    if frame["status"] != "parked":
        frame["status"] = "active"
    turn.touch(frame)


def drop_chain(turn: Turn, frame: Frame) -> None:
    """End the frame's whole chain, callers and called flows, and cancel what they await."""
    chain = stack.chain_of(turn.frames, frame)
    for chain_frame in chain:
        turn.settle_wait(chain_frame, "cancelled")
        turn.record_stack_change("ended", chain_frame)
    turn.frames = stack.remove_frames(turn.frames, chain)


def say_not_allowed(turn: Turn, flow: Flow) -> None:
    """Say that the flow's guard does not let it start."""
    text = flow.else_say.in_language(turn.language).render(lambda name: None) if flow.else_say else None
    turn.say("not_allowed", about=flow.flow, text=text, flow=flow.title.in_language(turn.language))


def root_title(turn: Turn, frame: Frame) -> str:
    """Return the title that the user knows: that of the flow at the root of the chain."""
    return run_title(turn, stack.root_of(turn.frames, frame))


def end_voided(turn: Turn, frame: Frame) -> None:
    """End a flow that cannot go on, with its whole chain. What it awaited is voided."""
    turn.settle_wait(frame, "voided")
    drop_chain(turn, frame)


def may_call(turn: Turn, caller: Frame) -> bool:
    """Whether the chain of this frame may grow. A flow cannot call itself, but a link may lead back into its chain."""
    return len(stack.chain_of(turn.frames, caller)) < MAX_CHAIN_LENGTH


def call(turn: Turn, caller: Frame, child: Frame, reads: dict[str, str], *, need: str = "") -> None:
    """Put a called flow on top of its caller; `reads` are the hashes of what its inputs read.

    `need` is the slot that the called flow shall fill before the caller runs its step.
    """
    child["caller"] = {"frame": caller["id"], "step": caller["step"], "reads": reads}
    if need:
        child["caller"]["need"] = need
    caller["status"] = "calling"
    turn.frames = stack.insert_above(turn.frames, child, caller)


def link(turn: Turn, old: Frame, new: Frame) -> None:
    """Replace one flow by another. The caller of the old one now waits for the new one."""
    if "caller" in old:
        new["caller"] = old["caller"]
    turn.settle_wait(old, "voided")
    turn.record.steps.append({"flow": old["flow"], "step": old["step"], "to": END})
    turn.record_stack_change("ended", old)
    turn.frames = stack.replace_frame(turn.frames, old, new)


def finish(turn: Turn, frame: Frame) -> None:
    """Take a flow that has ended off the stack, and give its outputs to the step that called it."""
    caller = remove_ended(turn, frame)
    if caller is None:
        return
    step = turn.step_of(caller)
    assert isinstance(step, Call)
    caller["status"] = "active"
    for caller_slot, own_slot in step.outputs.items():
        write_slot(turn, caller, caller_slot, value_of(turn, frame, own_slot), _FLOW)
    # The hashes are those at the time of the call: a correction since then must show as a change.
    leave_call(turn, caller, step, DONE, frame["caller"]["reads"])


def remove_ended(turn: Turn, frame: Frame) -> Frame | None:
    """Take a flow that has ended off the stack, and return its caller, if it has one."""
    turn.settle_wait(frame, "voided")
    turn.frames = stack.remove_frames(turn.frames, [frame])
    turn.record_stack_change("ended", frame)
    return stack.find_frame(turn.frames, frame["caller"]["frame"]) if "caller" in frame else None


def leave_call(turn: Turn, caller: Frame, step: Call, result: str, reads: dict[str, str]) -> str:
    """Go on after a call with this result of CALL_RESULTS. Return the next step, which may be END."""
    wrote = [*(step.outputs if result == DONE else ()), *([step.result] if step.result else ())]
    if step.result:
        write_slot(turn, caller, step.result, result, _FLOW)
    target = turn.flow_of(caller).next_step(step.step)
    return leave_step(turn, caller, target, reads=reads, wrote=wrote)


def end_called_flows(turn: Turn, caller: Frame, how: PauseEnd) -> None:
    """End the flows above their caller in its chain, which goes on itself. What they awaited ends as `how` says."""
    chain = stack.chain_of(turn.frames, caller)
    for called_frame in chain[chain.index(caller) + 1 :]:
        turn.settle_wait(called_frame, how)
        turn.record_stack_change("ended", called_frame)
        turn.frames = stack.remove_frames(turn.frames, [called_frame])
    caller["status"] = "active" if turn.top is caller else "paused"


def write_slot(turn: Turn, frame: Frame, name: str, value: object, origin: Origin) -> bool:
    """Store a value of a flow or an action. Return False when the slot refuses it. None empties the slot."""
    return not write_or_refuse(turn, frame, name, value, origin)


def write_or_refuse(turn: Turn, frame: Frame, name: str, value: object, origin: Origin) -> str:
    """Store the value as `write_slot` does. Return "", or the reason why the slot refuses it."""
    ref = frame_slot(turn, frame, name)
    if ref is None:
        return "there is no such slot"
    if ref.frame is not None and name in ref.frame["slots"]:
        turn.overwritten[frame["id"], name] = ref.frame["slots"][name]
    if value is None:
        slots = turn.memory["slots"] if ref.frame is None else ref.frame["slots"]
        slots.pop(name, None)
        forget_draft(turn, ref)
        return ""
    try:
        store_value(turn, ref, parse_value(turn, ref, value), origin)
    except ValueRefused as error:
        return error.sentence()
    return ""


def has_ended(frame: Frame) -> bool:
    """Whether the frame has reached its flow's end."""
    return frame["step"] == END
