"""Flows on the stack: begun, paused, resumed, called, returned from, ended."""

from collections.abc import Mapping

from dialogue.engine.expressions.model import Typed
from dialogue.engine.language.compiler import END, Call, Flow, Slot
from dialogue.engine.slots.values import ValueRefused, typed
from dialogue.engine.stack import stack
from dialogue.engine.stack.filling import Origin, leave, store, taken_by
from dialogue.engine.stack.slot_access import Place, place_in, value_of
from dialogue.engine.stack.state import Frame, new_frame
from dialogue.engine.stack.turn import Turn

_DEFAULT = Origin("default", quiet=True)
_FLOW = Origin("flow", quiet=True)


def begin(turn: Turn, flow: Flow) -> Frame:
    """A new frame at the flow's first step, its defaults filled, not on the stack yet."""
    frame = new_frame(turn.memory, flow.flow, flow.steps[0].step, turn.now)
    _give_defaults(turn, frame, flow.slots)
    turn.touch(frame)
    turn.note_stack("started", frame)
    return frame


def give_defaults(turn: Turn) -> None:
    """Fill the conversation's slots that have a default."""
    _give_defaults(turn, None, turn.assistant.slots)


def _give_defaults(turn: Turn, frame: Frame | None, slots: Mapping[str, Slot]) -> None:
    for name, slot in slots.items():
        if slot.default is not None:
            place = Place(frame, name, slot)
            store(turn, place, taken_by(turn, place, slot.default), _DEFAULT)


def may_start(turn: Turn, flow: Flow) -> bool:
    """Whether the flow's guard lets it begin; it sees the conversation's slots."""
    if flow.guard is None:
        return True
    seen = {name: _conversation_value(turn, name) for name in flow.guard.slots}
    return flow.guard.holds(seen, turn.now)


def _conversation_value(turn: Turn, name: str) -> Typed:
    slot, stored = turn.assistant.slots.get(name), turn.memory["slots"].get(name)
    return typed(slot, stored["value"]) if slot and stored else None


def has_room(turn: Turn) -> bool:
    """Whether another flow fits on the stack."""
    return len(turn.frames) < turn.settings.max_depth


def push(turn: Turn, frame: Frame) -> None:
    """Put the frame on top; what ran there is paused."""
    pause(turn, turn.top)
    turn.frames = stack.pushed(turn.frames, frame)


def plan(turn: Turn, frame: Frame, above: Frame) -> None:
    """Put the frame below another one, not started."""
    frame["status"] = "planned"
    turn.frames = stack.slipped_under(turn.frames, frame, above)


def pause(turn: Turn, frame: Frame | None) -> None:
    """A running flow is interrupted; one that waits for staff goes on waiting."""
    if frame is not None and frame["status"] == "active":
        frame["status"] = "paused"
        frame["since"] = turn.now.isoformat()


def bring_up(turn: Turn, frame: Frame) -> Frame:
    """The frame's whole chain goes to the top, and what ran there is paused. Gives the chain's uppermost frame."""
    last = stack.chain_of(turn.frames, frame)[-1]
    if turn.top is not last:
        pause(turn, turn.top)
        turn.frames = stack.raised(turn.frames, frame)
    activate(turn, last)
    return last


def activate(turn: Turn, frame: Frame) -> None:
    """The frame runs on; one that waits for staff stays parked until they decide."""
    if frame["status"] != "parked":
        frame["status"] = "active"
    turn.touch(frame)


def drop_chain(turn: Turn, frame: Frame) -> None:
    """End the frame, who called it and what it called; what they awaited is cancelled."""
    chain = stack.chain_of(turn.frames, frame)
    for each in chain:
        turn.settle(each, "cancelled")
        turn.note_stack("ended", each)
    turn.frames = stack.without(turn.frames, chain)


def fail(turn: Turn, frame: Frame, key: str) -> None:
    """The flow cannot go on: say so, and end it with those that called it."""
    turn.say(key, flow=title_of(turn, frame))
    give_up(turn, frame)


def refuse(turn: Turn, flow: Flow) -> None:
    """Say that the flow's guard does not let it begin."""
    text = flow.else_say.into(turn.language).render(lambda name: None) if flow.else_say else None
    turn.say("not_allowed", about=flow.flow, text=text, flow=flow.title.into(turn.language))


def title_of(turn: Turn, frame: Frame) -> str:
    """What the user knows the flow as: the title of the one that was asked for."""
    return turn.flow_title(stack.root_of(turn.frames, frame)["flow"])


def give_up(turn: Turn, frame: Frame) -> None:
    """End a flow that cannot go on, with those that called it."""
    turn.settle(frame, "voided")
    drop_chain(turn, frame)


def call(turn: Turn, caller: Frame, child: Frame, reads: dict[str, str]) -> None:
    """Put a called flow on top of its caller; `reads` are the hashes of what its inputs read."""
    child["caller"] = {"frame": caller["id"], "step": caller["step"], "reads": reads}
    caller["status"] = "calling"
    turn.frames = stack.put_above(turn.frames, child, caller)


def link(turn: Turn, old: Frame, new: Frame) -> None:
    """Another flow takes the place of one; who called the old one now waits for the new one."""
    if "caller" in old:
        new["caller"] = old["caller"]
    turn.settle(old, "voided")
    turn.passed.append({"flow": old["flow"], "step": old["step"], "to": END})
    turn.note_stack("ended", old)
    turn.frames = stack.replaced(turn.frames, old, new)


def finish(turn: Turn, frame: Frame) -> None:
    """The flow came to its end: take it off, and give its caller what it asked for."""
    turn.settle(frame, "voided")
    turn.frames = stack.without(turn.frames, [frame])
    turn.note_stack("ended", frame)
    caller = stack.frame_with(turn.frames, frame["caller"]["frame"]) if "caller" in frame else None
    if caller is not None:
        _return(turn, caller, frame)


def _return(turn: Turn, caller: Frame, child: Frame) -> None:
    step = turn.step_of(caller)
    assert isinstance(step, Call)
    caller["status"] = "active"
    for own, theirs in step.outputs.items():
        write(turn, caller, own, value_of(turn, child, theirs), _FLOW)
    target = turn.flow_of(caller).after(step.step)
    leave(turn, caller, target, reads=child["caller"]["reads"], wrote=list(step.outputs))


def write(turn: Turn, frame: Frame, name: str, value: object, origin: Origin) -> bool:
    """Store what a flow or an action gives, if its slot takes it; None empties the slot."""
    return not refusal_of(turn, frame, name, value, origin)


def refusal_of(turn: Turn, frame: Frame, name: str, value: object, origin: Origin) -> str:
    """Store the value as `write` does, and return why its slot does not take it, or ""."""
    place = place_in(turn, frame, name)
    if place is None:
        return "there is no such slot"
    if value is None:
        slots = turn.memory["slots"] if place.frame is None else place.frame["slots"]
        slots.pop(name, None)
        return ""
    try:
        store(turn, place, taken_by(turn, place, value), origin)
    except ValueRefused as error:
        return error.sentence()
    return ""


def is_over(frame: Frame) -> bool:
    """Whether the frame came to its flow's end."""
    return frame["step"] == END
