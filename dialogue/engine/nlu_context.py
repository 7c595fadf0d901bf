"""What a message is understood in, read from the turn's working copy. Sensitive values are masked."""

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
    """The context of this turn's message."""
    awaited, hidden = awaited_task(turn), tuple(_sensitive(turn))
    return NLUContext(
        awaited=awaited,
        awaited_slot=_slot_of(turn, awaited),
        explicit=explicit_state(awaited, running=bool(turn.frames)),
        stack=tuple(_entry(turn, each) for each in turn.frames),
        filled=_filled(turn),
        flows=turn.catalogue.startable,
        assistant=turn.assistant,
        offer=tuple(turn.memory["offer"]["flows"]) if "offer" in turn.memory else (),
        last_messages=tuple((role, _without(hidden, text)) for role, text in turn.memory["messages"]),
        language=turn.language,
        timezone=turn.context.timezone,
        now=turn.now,
    )


def explicit_state(awaited: PendingTask | None, *, running: bool) -> str:
    """The explicit dialogue state of the top frame."""
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


def _slot_of(turn: Turn, task: PendingTask | None) -> Slot | None:
    if not isinstance(task, CollectTask):
        return None
    place = find_slot(turn, task.slot)
    return place.slot if place else None


def _entry(turn: Turn, frame: Frame) -> StackEntry:
    task = frame_task(turn, frame)
    return StackEntry(frame["flow"], frame["step"], frame["status"], task.kind if task else "")


def _filled(turn: Turn) -> dict[str, str]:
    shown = {name: _shown(turn, turn.assistant.slots.get(name), each) for name, each in turn.memory["slots"].items()}
    for frame in turn.frames:
        flow = turn.flow_of(frame)
        for name, each in frame["slots"].items():
            shown[f"{flow.flow}.{name}"] = _shown(turn, flow.slots.get(name), each)
    return {name: text for name, text in shown.items() if text}


def _shown(turn: Turn, slot: Slot | None, stored: StoredSlot) -> str:
    if slot is None or stored["value"] is None:
        return ""
    return redacted_value(slot, stored["value"]) if slot.sensitive else _plain(turn, slot, stored)


def _plain(turn: Turn, slot: Slot, stored: StoredSlot) -> str:
    return format_value(slot, stored["value"], language=turn.language, timezone=turn.context.timezone)


def without_secrets(turn: Turn, text: str) -> str:
    """The text without the sensitive values that the conversation holds."""
    return _without(tuple(_sensitive(turn)), text)


def _without(hidden: tuple[tuple[str, str], ...], text: str) -> str:
    """The text without the sensitive values that are known."""
    for value, mask in hidden:
        text = text.replace(value, mask)
    return text


def _sensitive(turn: Turn) -> Iterator[tuple[str, str]]:
    """Sensitive values, as stored and as shown, each with its mask."""
    held = [(turn.flow_of(frame).slots, frame["slots"]) for frame in turn.frames]
    for known, stored in [*held, (turn.assistant.slots, turn.memory["slots"])]:
        for name, each in stored.items():
            if name in known and known[name].sensitive and each["value"] is not None:
                mask = redacted_value(known[name], each["value"])
                yield str(each["value"]), mask
                yield _plain(turn, known[name], each), mask


def scenario_notation(turn: Turn, frame: Frame) -> str:
    """`flow?slot`, `flow!confirm`, `flow!ack`, `flow!change`, `flow!human`, `flow!handoff`, or only the flow."""
    if "handoff" in turn.memory and frame is turn.top:
        return f"{frame['flow']}!handoff"
    wait = frame.get("wait")
    if wait is None or (frame["status"] != "active" and wait["kind"] != "human"):
        return frame["flow"]
    if wait["kind"] == "collect":
        return f"{frame['flow']}?{getattr(turn.flow_of(frame).step(wait['step']), 'slot', '')}"
    return f"{frame['flow']}!{'ack' if wait['kind'] == 'inform' else wait['kind']}"
