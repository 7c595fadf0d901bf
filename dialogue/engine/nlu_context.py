"""The context in which the NLU reads a message. Sensitive values are redacted."""

from collections.abc import Iterator, Mapping
from typing import Any

from dialogue.engine.language.compiler import Collect, Slot
from dialogue.engine.ports.tasks import CollectTask, ConfirmTask, HandoffTask, HumanTask, PendingTask, WaitTask
from dialogue.engine.slots.display import display_or_redact, field_of, sensitive_parts
from dialogue.engine.slots.values import format_value, redacted_value
from dialogue.engine.stack.pending import awaited_task, frame_task
from dialogue.engine.stack.record_fields import asked_slot, filled_paths
from dialogue.engine.stack.slot_access import find_slot
from dialogue.engine.stack.state import Frame, Memory
from dialogue.engine.stack.turn import Turn
from dialogue.engine.understanding import WAITS_FOR_NEED, NLUContext, StackEntry


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
    """Return the explicit dialogue state: idle, waiting_for_slot, confirming, waiting_for_human, waiting_for_event
    or understanding.
    """
    match awaited:
        case CollectTask():
            return "waiting_for_slot"
        case ConfirmTask():
            return "confirming"
        case HumanTask() | HandoffTask():
            return "waiting_for_human"
        case WaitTask():
            return "waiting_for_event"
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
    status = WAITS_FOR_NEED if turn.flow_of(frame).needs and _waits_for_need(turn, frame) else frame["status"]
    return StackEntry(frame["flow"], frame["step"], status, task.kind if task else "")


def _waits_for_need(turn: Turn, frame: Frame) -> bool:
    callers = (other["caller"] for other in turn.frames if "caller" in other)
    return any("need" in caller and caller["frame"] == frame["id"] for caller in callers)


def _filled_values(turn: Turn) -> dict[str, str]:
    texts = _texts_of(turn, turn.assistant.slots, turn.memory)
    for frame in turn.frames:
        flow = turn.flow_of(frame)
        frame_texts = _texts_of(turn, flow.slots, frame)
        texts |= {f"{flow.flow}.{name}": text for name, text in frame_texts.items()}
    return {name: text for name, text in texts.items() if text}


def _texts_of(turn: Turn, declared: Mapping[str, Slot], owner: Memory | Frame) -> dict[str, str]:
    """Return the displayed values by slot, and by dotted name those of a record's fields: address.zip."""
    values = {name: stored["value"] for name, stored in owner["slots"].items() if name in declared}
    texts = {name: _redacted_text(turn, declared[name], value) for name, value in values.items()}
    for name, value in {**values, **owner.get("drafts", {})}.items():
        record = declared.get(name)
        if record is not None and record.type == "object" and isinstance(value, dict) and not record.options:
            parts = {f"{name}.{path}": field_of(record, value, path) for path in filled_paths(value)}
            texts |= {path: _redacted_text(turn, *part) for path, part in parts.items() if part}
    return texts


def _redacted_text(turn: Turn, slot: Slot, value: Any) -> str:
    return display_or_redact(slot, value, language=turn.language, timezone=turn.context.timezone)


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
    frame_slots: list[tuple[Mapping[str, Slot], Memory | Frame]] = [
        (turn.flow_of(frame).slots, frame) for frame in turn.frames
    ]
    for declared, owner in [*frame_slots, (turn.assistant.slots, turn.memory)]:
        stored_values = {name: stored["value"] for name, stored in owner["slots"].items()}
        for name, value in (*stored_values.items(), *owner.get("drafts", {}).items()):
            for slot, part in sensitive_parts(declared[name], value) if name in declared else ():
                if part is not None:
                    mask = redacted_value(slot, part)
                    yield str(part), mask
                    yield format_value(slot, part, language=turn.language, timezone=turn.context.timezone), mask


def scenario_notation(turn: Turn, frame: Frame) -> str:
    """Return what the frame awaits as scenarios write it: `flow?slot`, `flow!confirm`, `flow!ack`, …, or `flow`."""
    if "handoff" in turn.memory and frame is turn.top:
        return f"{frame['flow']}!handoff"
    wait = frame.get("wait")
    if wait is None or (frame["status"] != "active" and wait["kind"] not in ("human", "wait")):
        return frame["flow"]
    step = turn.flow_of(frame).step(wait["step"])
    if isinstance(step, Collect) and wait["kind"] == "collect":
        ref = asked_slot(turn, frame, step)
        return f"{frame['flow']}?{ref.name if ref else step.slot}"
    return f"{frame['flow']}!{'ack' if wait['kind'] == 'inform' else wait['kind']}"
