"""The context in which the NLU reads a message. Sensitive values are redacted."""

from collections.abc import Iterator

from dialogue.engine.language.compiler import Slot
from dialogue.engine.ports.tasks import CollectTask, ConfirmTask, HandoffTask, HumanTask, PendingTask
from dialogue.engine.slots.values import format_value, redacted_value
from dialogue.engine.stack.pending import awaited_task, frame_task
from dialogue.engine.stack.slot_access import find_slot
from dialogue.engine.stack.state import Frame, StoredSlot
from dialogue.engine.stack.turn import Turn
from dialogue.engine.understanding import NLUContext, StackEntry


def nlu_context(turn: Turn) -> NLUContext:
    """Return the context of this turn's message."""
    awaited, masks = awaited_task(turn), tuple(_sensitive_values(turn))
    return NLUContext(
        awaited=awaited,
        awaited_slot=_awaited_slot(turn, awaited),
        explicit=explicit_state(awaited, running=bool(turn.frames)),
        stack=tuple(_stack_entry(turn, frame) for frame in turn.frames),
        filled=_filled_values(turn),
        flows=turn.catalogue.startable,
        assistant=turn.assistant,
        offer=tuple(turn.memory["offer"]["flows"]) if "offer" in turn.memory else (),
        last_messages=tuple((role, _replace_values(masks, text)) for role, text in turn.memory["messages"]),
        language=turn.language,
        timezone=turn.context.timezone,
        now=turn.now,
    )


def explicit_state(awaited: PendingTask | None, *, running: bool) -> str:
    """Return the explicit dialogue state: idle, waiting_for_slot, confirming, waiting_for_human or understanding."""
    match awaited:
        case CollectTask():
            return "waiting_for_slot"
        case ConfirmTask():
            return "confirming"
        case HumanTask() | HandoffTask():
            return "waiting_for_human"
        case None if not running:
            return "idle"
        case _:
            return "understanding"


def _awaited_slot(turn: Turn, task: PendingTask | None) -> Slot | None:
    if not isinstance(task, CollectTask):
        return None
    ref = find_slot(turn, task.slot)
    return ref.slot if ref else None


def _stack_entry(turn: Turn, frame: Frame) -> StackEntry:
    task = frame_task(turn, frame)
    return StackEntry(frame["flow"], frame["step"], frame["status"], task.kind if task else "")


def _filled_values(turn: Turn) -> dict[str, str]:
    texts = {
        name: _redacted_value_text(turn, turn.assistant.slots.get(name), stored)
        for name, stored in turn.memory["slots"].items()
    }
    for frame in turn.frames:
        flow = turn.flow_of(frame)
        for name, stored in frame["slots"].items():
            texts[f"{flow.flow}.{name}"] = _redacted_value_text(turn, flow.slots.get(name), stored)
    return {name: text for name, text in texts.items() if text}


def _redacted_value_text(turn: Turn, slot: Slot | None, stored: StoredSlot) -> str:
    if slot is None or stored["value"] is None:
        return ""
    return redacted_value(slot, stored["value"]) if slot.sensitive else _value_text(turn, slot, stored)


def _value_text(turn: Turn, slot: Slot, stored: StoredSlot) -> str:
    return format_value(slot, stored["value"], language=turn.language, timezone=turn.context.timezone)


def redact_sensitive(turn: Turn, text: str) -> str:
    """Return the text with the sensitive values that the conversation holds redacted."""
    return _replace_values(tuple(_sensitive_values(turn)), text)


def _replace_values(masks: tuple[tuple[str, str], ...], text: str) -> str:
    """The text without the sensitive values that are known."""
    for value, mask in masks:
        text = text.replace(value, mask)
    return text


def _sensitive_values(turn: Turn) -> Iterator[tuple[str, str]]:
    """Yield sensitive values, as stored and as shown, each with its mask."""
    frame_slots = [(turn.flow_of(frame).slots, frame["slots"]) for frame in turn.frames]
    for declared, values in [*frame_slots, (turn.assistant.slots, turn.memory["slots"])]:
        for name, stored in values.items():
            if name in declared and declared[name].sensitive and stored["value"] is not None:
                mask = redacted_value(declared[name], stored["value"])
                yield str(stored["value"]), mask
                yield _value_text(turn, declared[name], stored), mask


def scenario_notation(turn: Turn, frame: Frame) -> str:
    """Return what the frame awaits as scenarios write it: `flow?slot`, `flow!confirm`, `flow!ack`, …, or `flow`."""
    if "handoff" in turn.memory and frame is turn.top:
        return f"{frame['flow']}!handoff"
    wait = frame.get("wait")
    if wait is None or (frame["status"] != "active" and wait["kind"] != "human"):
        return frame["flow"]
    if wait["kind"] == "collect":
        return f"{frame['flow']}?{getattr(turn.flow_of(frame).step(wait['step']), 'slot', '')}"
    return f"{frame['flow']}!{'ack' if wait['kind'] == 'inform' else wait['kind']}"
