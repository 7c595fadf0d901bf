"""What a turn gives back to the host, plain or frozen."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dialogue.engine.language.compiler import Slot
from dialogue.engine.nlu_context import explicit_state, scenario_notation
from dialogue.engine.ports.commands import to_plain
from dialogue.engine.ports.sinks import BotMessage
from dialogue.engine.ports.tasks import PendingTask
from dialogue.engine.slots.values import format_value, redacted_value
from dialogue.engine.stack.state import Frame, Memory, StoredSlot
from dialogue.engine.stack.turn import SettledPause, Turn


@dataclass(frozen=True)
class TurnOutcome:
    """One turn's result.

    `state` is what the conversation now remembers, `tasks` every open pause, `settled` the pauses that ended in this
    turn, `awaited` what the conversation waits for, `stack` the frames bottom to top (`awaiting` in scenario notation),
    `slots` the conversation's own, `record` what a turn keeps to be explained.
    """

    state: Memory
    messages: tuple[BotMessage, ...]
    tasks: tuple[PendingTask, ...]
    settled: tuple[SettledPause, ...]
    awaited: PendingTask | None
    explicit: str
    status: str
    ended: bool
    record: dict[str, Any]
    stack: list[dict[str, Any]]
    slots: dict[str, dict[str, Any]]


def outcome_of(turn: Turn, understood: dict[str, Any] | None) -> TurnOutcome:
    """Read the result from the working copy."""
    awaited = turn.record.awaited_task
    status = turn.memory["status"]
    return TurnOutcome(
        state=turn.memory,
        messages=tuple(turn.record.messages),
        tasks=turn.record.open_tasks,
        settled=tuple(turn.record.settled_pauses),
        awaited=awaited,
        explicit=explicit_state(awaited, running=bool(turn.frames)),
        status=status,
        ended=status in ("done", "cancelled"),
        record=_record(turn, understood or {}),
        stack=[_frame(turn, each) for each in turn.frames],
        slots=_slots(turn, None, turn.memory["slots"]),
    )


def _frame(turn: Turn, frame: Frame) -> dict[str, Any]:
    return {
        "flow": frame["flow"],
        "frame": frame["id"],
        "step": frame["step"],
        "awaiting": scenario_notation(turn, frame),
        "status": frame["status"],
        "slots": _slots(turn, frame, frame["slots"]),
        "path": [each["step"] for each in frame["path"]],
    }


def _slots(turn: Turn, frame: Frame | None, stored: dict[str, StoredSlot]) -> dict[str, dict[str, Any]]:
    known = turn.flow_of(frame).slots if frame else turn.assistant.slots
    return {name: _slot(turn, known[name], each) for name, each in stored.items() if name in known}


def _slot(turn: Turn, slot: Any, stored: StoredSlot) -> dict[str, Any]:
    shown = format_value(slot, stored["value"], language=turn.language, timezone=turn.context.timezone)
    return {"by": "", "words": "", **stored, "shown": shown, "sensitive": slot.sensitive}


def _record(turn: Turn, understood: dict[str, Any]) -> dict[str, Any]:
    dropped = [{"command": to_plain(each.command), "reason": each.reason} for each in turn.record.dropped_commands]
    hidden = turn.catalogue.sensitive
    all_dropped = [*understood.get("dropped", []), *dropped]
    return {
        "turn": turn.memory["turn"],
        "event": turn.event["kind"],
        "proposed": [mask_command(hidden, each) for each in understood.get("commands", [])],
        "dropped": [{**each, "command": mask_command(hidden, each["command"])} for each in all_dropped],
        "confidence": understood.get("confidence"),
        "path": understood.get("path", []),
        "usage": understood.get("usage", {}),
        "slots": turn.record.slot_changes,
        "stack": turn.record.stack_changes,
        "actions": turn.record.actions,
        "steps": turn.record.steps,
        "orphaned": turn.record.orphaned_task,
        "messages": [each.key for each in turn.record.messages],
        **({"lookups": turn.record.lookups} if turn.record.lookups else {}),
    }


def mask_command(sensitive: Mapping[str, Slot], plain: Any) -> Any:
    """A command in the scenario form, with values of slots hidden that are sensitive in any flow."""
    name = next(
        (each for each in ("set_slot", "correct_slot", "offer_change") if isinstance(plain, dict) and each in plain),
        None,
    )
    if name is None:
        return plain
    hidden = {each: redacted_value(sensitive[each], value) for each, value in plain[name].items() if each in sensitive}
    return {name: {**plain[name], **hidden}}
