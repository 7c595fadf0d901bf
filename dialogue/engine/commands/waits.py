"""What the clock and other programs report: the end of a wait, a reminder, a time limit, an event from outside."""

from collections.abc import Mapping
from typing import Any

from dialogue.engine.language.compiler import Collect, WaitStep
from dialogue.engine.ports.events import Event
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.payloads import Payload, read_payload
from dialogue.engine.slots.values import ValueRefused, json_value, redacted_value, value_from_any
from dialogue.engine.stack import frames
from dialogue.engine.stack.failures import fail_step
from dialogue.engine.stack.filling import Origin, leave_step
from dialogue.engine.stack.slot_access import evaluate, render_template
from dialogue.engine.stack.state import Frame
from dialogue.engine.stack.timers import announce_timeout, frame_with_timer
from dialogue.engine.stack.turn import Turn

NO_VALUES: Mapping[str, Any] = {}


def apply_timer(turn: Turn, event: Event) -> None:
    """Apply a timer that is due. Nothing happens when its pause has ended otherwise."""
    name = str(event["timer"])
    frame = frame_with_timer(turn, str(event["task"]), name)
    if frame is None:
        turn.unawaited = True
    elif name == "reminder":
        _remind(turn, frame)
    elif name == "timeout":
        _leave_by_timeout(turn, frame)
    else:
        _go_on_after_wait(turn, frame)


def _remind(turn: Turn, frame: Frame) -> None:
    """Say the reminder if the user is asked this question now; the question follows as the turn's prompt."""
    frame["wait"]["timers"].pop("reminder")
    if turn.top is not frame or frame["status"] != "active" or {"offer", "handoff"} & turn.memory.keys():
        turn.unawaited = True
        return
    step = turn.step_of(frame)
    assert isinstance(step, Collect)
    message = step.reminder.message if step.reminder else None
    text = render_template(turn, frame, message) if message else None
    turn.say("reminder", about=step.slot, text=text, flow=frames.root_title(turn, frame))


def _leave_by_timeout(turn: Turn, frame: Frame) -> None:
    step = turn.step_of(frame)
    assert isinstance(step, Collect | WaitStep)
    wait = turn.settle_wait(frame, "expired")
    frame["status"] = "active"
    target = step.on_timeout or turn.flow_of(frame).next_step(step.step)
    leave_step(turn, frame, target, reads=wait.get("reads") if wait else None)
    frames.bring_to_top(turn, frame)
    announce_timeout(turn, frame, step.step)


def _go_on_after_wait(turn: Turn, frame: Frame, values: Mapping[str, Any] = NO_VALUES) -> None:
    """Leave the wait. `values` are the payload of its event."""
    step = turn.step_of(frame)
    assert isinstance(step, WaitStep)
    wait = turn.settle_wait(frame, "answered", step.event or "due")
    frame["status"] = "active"
    reads, wrote = dict(wait.get("reads", {})) if wait else {}, list(step.outputs.values())
    if all(_store(turn, frame, slot, values.get(field), step) for field, slot in step.outputs.items()):
        leave_step(turn, frame, turn.flow_of(frame).next_step(step.step), reads=reads, wrote=wrote)
    else:
        fail_step(turn, frame, reads=reads, wrote=wrote)
    if frame in turn.frames:
        frames.bring_to_top(turn, frame)


def _store(turn: Turn, frame: Frame, slot: str, value: Any, step: WaitStep) -> bool:
    return frames.write_slot(turn, frame, slot, value, Origin("event", by=step.event or "", quiet=True))


def apply_signal(turn: Turn, event: Event) -> None:
    """Give an event from outside to the flow that waits for it, the lowest on the stack if several do."""
    name = str(event["event"])
    turn.record.signal = {"event": name, "awaited": False}
    contract = turn.assistant.events.get(name)
    payload = _read(turn, contract.payload, event["payload"]) if contract else Payload()
    frame = None
    if contract is not None and not payload.wrong:
        frame = next((frame for frame in turn.frames if _awaits(turn, frame, name, payload.values)), None)
    if frame is None or contract is None:
        turn.unawaited = True
        if contract is not None and contract.start and not payload.wrong:
            turn.record.signal["start"] = contract.start
            turn.record.begin = {"flow": contract.start, "slots": _slots_of(turn, contract.start, payload.values)}
        return
    shown = {
        field: redacted_value(contract.payload[field], value) if contract.payload[field].sensitive else value
        for field, value in payload.values.items()
    }
    turn.record.signal |= {"awaited": True, "flow": frame["flow"], "step": frame["step"], "payload": shown}
    _go_on_after_wait(turn, frame, payload.values)


def _slots_of(turn: Turn, flow: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values whose names are slots of the flow."""
    return {name: value for name, value in values.items() if turn.assistant.slot(flow, name) is not None}


def _read(turn: Turn, slots: Mapping[str, Slot], raw_values: Mapping[str, Any]) -> Payload:
    return read_payload(slots, raw_values, now=turn.now, timezone=turn.context.timezone, language=turn.language)


def _awaits(turn: Turn, frame: Frame, name: str, values: Mapping[str, Any]) -> bool:
    wait = frame.get("wait")
    step = turn.step_of(frame) if wait is not None and wait.get("event") == name else None
    if not isinstance(step, WaitStep):
        return False
    slots = turn.assistant.events[name].payload
    return all(
        _same_value(turn, slots[field], json_value(evaluate(turn, frame, expression)), values.get(field))
        for field, expression in step.match.items()
    )


def _same_value(turn: Turn, slot: Slot, own_value: Any, value: Any) -> bool:
    if own_value is None:
        return value is None
    context = turn.context
    try:
        return bool(
            value_from_any(slot, own_value, now=turn.now, timezone=context.timezone, language=turn.language) == value
        )
    except ValueRefused:
        return False
