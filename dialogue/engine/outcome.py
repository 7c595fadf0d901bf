"""The outcome of a turn for the host, as plain or frozen data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dialogue.engine.language.compiler import Slot
from dialogue.engine.nlu_context import explicit_state, scenario_notation
from dialogue.engine.ports.commands import to_plain
from dialogue.engine.ports.sinks import BotMessage
from dialogue.engine.ports.tasks import PendingTask
from dialogue.engine.ports.timers import TimerRequest
from dialogue.engine.slots.candidates import display_slot
from dialogue.engine.slots.display import display_or_redact, redacted_json, sensitive_parts
from dialogue.engine.slots.redaction import MASK
from dialogue.engine.slots.values import format_value
from dialogue.engine.stack.state import Frame, Memory, StoredSlot, wait_key
from dialogue.engine.stack.timers import ends_at
from dialogue.engine.stack.turn import SettledPause, Turn


@dataclass(frozen=True)
class TurnOutcome:
    """The result of one turn.

    `state` is the conversation's new memory, `tasks` every open pause, `settled` the pauses that ended in this turn,
    `awaited` what the conversation waits for. `stack` are the frames bottom to top as `{flow, frame, step, awaiting,
    status, slots, path}`, with `awaiting` in scenario notation, and `waits: {event, until, reminder}` where the clock
    or an event ends the pause; `slots` are the conversation's own by name as `{value, turn, source, words, by, shown,
    sensitive}`, and of a record with sensitive fields also `masked: {value, shown, texts}`. `record` explains the turn:
    commands, changes, actions, steps. `timers` are the timers that the turn has set for pauses that are open.
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
    timers: tuple[TimerRequest, ...] = ()
    begin: Mapping[str, Any] = field(default_factory=dict)


def outcome_of(turn: Turn, understood: dict[str, Any] | None) -> TurnOutcome:
    """Return the outcome of a turn; `understood` is the NLU's result as JSON, or None."""
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
        record=_plain_record(turn, understood or {}),
        stack=[_frame_view(turn, frame) for frame in turn.frames],
        slots=_slot_views(turn, None, turn.memory["slots"]),
        timers=_open_timers(turn) if turn.record.timers else (),
        begin=turn.record.begin,
    )


def _open_timers(turn: Turn) -> tuple[TimerRequest, ...]:
    """Return the new timers without those whose pause has ended in the same turn."""
    open_keys = {wait_key(frame, frame["wait"]) for frame in turn.frames if "wait" in frame}
    return tuple(timer for timer in turn.record.timers if timer.task_key in open_keys)


def _frame_view(turn: Turn, frame: Frame) -> dict[str, Any]:
    return {
        "flow": frame["flow"],
        "frame": frame["id"],
        "step": frame["step"],
        "awaiting": scenario_notation(turn, frame),
        "status": frame["status"],
        "slots": _slot_views(turn, frame, frame["slots"]),
        "path": [path_step["step"] for path_step in frame["path"]],
        **_timed_wait(frame),
    }


def _timed_wait(frame: Frame) -> dict[str, Any]:
    """Return `{waits: {event, until, reminder}}` of a pause that the clock or an event ends; empty for others."""
    wait = frame.get("wait")
    if wait is None or not {"timers", "event"} & wait.keys():
        return {}
    reminder = wait.get("timers", {}).get("reminder", "")
    return {"waits": {"event": wait.get("event", ""), "until": ends_at(wait), "reminder": reminder}}


def _slot_views(turn: Turn, frame: Frame | None, values: dict[str, StoredSlot]) -> dict[str, dict[str, Any]]:
    declared = turn.flow_of(frame).readable_slots if frame else turn.assistant.slots
    return {name: _slot_view(turn, declared[name], stored) for name, stored in values.items() if name in declared}


def _slot_view(turn: Turn, slot: Any, stored: StoredSlot) -> dict[str, Any]:
    shown_slot = display_slot(slot, stored.get("labels"))
    value_text = format_value(shown_slot, stored["value"], language=turn.language, timezone=turn.context.timezone)
    facts = {name: fact for name, fact in stored.items() if name not in ("labels", "masked")}
    is_sensitive = slot.sensitive or stored.get("masked", False)
    view = {"by": "", "words": "", **facts, "shown": value_text, "sensitive": is_sensitive}
    return view if is_sensitive or not slot.hides_parts else {**view, "masked": _masked_view(turn, shown_slot, stored)}


def _masked_view(turn: Turn, slot: Slot, stored: StoredSlot) -> dict[str, Any]:
    """Return a record as others may see it, and in `texts` what is hidden, as it is stored and as it is displayed."""
    language, timezone = turn.language, turn.context.timezone
    texts: list[str] = []
    for part_slot, part in sensitive_parts(slot, stored["value"]):
        if part is not None:
            texts += [str(part), format_value(part_slot, part, language=language, timezone=timezone)]
    shown_text = display_or_redact(slot, stored["value"], language=language, timezone=timezone)
    return {"value": redacted_json(slot, stored["value"]), "shown": shown_text, "texts": texts}


def _plain_record(turn: Turn, understood: dict[str, Any]) -> dict[str, Any]:
    engine_dropped = [
        {"command": to_plain(dropped.command), "reason": dropped.reason} for dropped in turn.record.dropped_commands
    ]
    sensitive = turn.catalogue.sensitive
    all_dropped = [*understood.get("dropped", []), *engine_dropped]
    return {
        "turn": turn.memory["turn"],
        "event": turn.event["kind"],
        "proposed": [redact_command(sensitive, plain) for plain in understood.get("commands", [])],
        "dropped": [{**dropped, "command": redact_command(sensitive, dropped["command"])} for dropped in all_dropped],
        "confidence": understood.get("confidence"),
        "path": understood.get("path", []),
        "usage": understood.get("usage", {}),
        "slots": turn.record.slot_changes,
        "stack": turn.record.stack_changes,
        "actions": turn.record.actions,
        "steps": turn.record.steps,
        "orphaned": turn.record.orphaned_task,
        "messages": [message.key for message in turn.record.messages],
        **({"lookups": turn.record.lookups} if turn.record.lookups else {}),
        **({"signal": turn.record.signal} if turn.record.signal else {}),
        **({"outreach": turn.record.outreach} if turn.record.outreach else {}),
        **({"contact": turn.record.contact} if turn.record.contact else {}),
        **({"options": turn.record.options} if turn.record.options else {}),
    }


_COMMANDS_WITH_VALUES = ("set_slot", "correct_slot", "offer_change", "add_values", "remove_values", "narrow")


def redact_command(sensitive: Mapping[str, Sequence[Slot]], plain: Any) -> Any:
    """Return a command in the scenario form with the values of sensitive slots redacted.

    `sensitive` has the names of slots that are sensitive in any flow, as a whole or in a field.
    """
    name = next(
        (command_name for command_name in _COMMANDS_WITH_VALUES if isinstance(plain, dict) and command_name in plain),
        None,
    )
    if name is None:
        return plain
    hidden = {
        slot_name: _redacted_by_any(sensitive[slot_name.partition(".")[0]], slot_name, value)
        for slot_name, value in plain[name].items()
        if slot_name.partition(".")[0] in sensitive
    }
    return {name: {**plain[name], **hidden}, **({"item": plain["item"]} if "item" in plain else {})}


def _redacted_by_any(slots: Sequence[Slot], name: str, value: Any) -> Any:
    path = name.partition(".")[2]
    for slot in slots:
        part = slot.part(path) if path else slot
        value = redacted_json(part, value) if part else MASK
    return value
