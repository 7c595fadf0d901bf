"""The context in which the NLU reads a message. Sensitive values are redacted."""

from collections.abc import Iterator, Mapping
from typing import Any

from dialogue.engine.language.compiler import Collect, ForEach, Slot
from dialogue.engine.ports.tasks import CollectTask, ConfirmTask, HandoffTask, HumanTask, PendingTask, WaitTask
from dialogue.engine.slots.candidates import Candidate, display_slot
from dialogue.engine.slots.display import display_or_redact, field_of, sensitive_parts
from dialogue.engine.slots.values import format_value, redacted_value
from dialogue.engine.stack.choice_answers import offered_candidates
from dialogue.engine.stack.choices import known_candidates, source_entries
from dialogue.engine.stack.filling.record_fields import asked_slot, filled_paths
from dialogue.engine.stack.flow_runs.several_runs import own_value_names
from dialogue.engine.stack.loops.item_values import known_entries
from dialogue.engine.stack.loops.rounds import loop_state
from dialogue.engine.stack.pending import awaited_task, frame_task_kind
from dialogue.engine.stack.slot_access import find_slot
from dialogue.engine.stack.state import Frame, Memory
from dialogue.engine.stack.turn import Turn
from dialogue.engine.understanding import WAITS_FOR_NEED, LoopContext, NLUContext, StackEntry


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
        candidates=_KnownOptions(turn) if turn.catalogue.data_choices else {},
        loops=tuple(_loop_contexts(turn)) if turn.catalogue.round_slots else (),
    )


def _loop_contexts(turn: Turn) -> Iterator[LoopContext]:
    """Yield the loops of the flows in progress, from the top flow on; of one flow, the open ones first."""
    for frame in reversed(turn.frames):
        flow = turn.flow_of(frame)
        if flow.has_rounds:
            around = (frame["step"], *flow.loops_around(frame["step"]))
            loops = [step for step in flow.all_steps() if isinstance(step, ForEach)]
            loops.sort(key=lambda loop: around.index(loop.step) if loop.step in around else len(around))
            yield from (_loop_context(turn, frame, loop) for loop in loops)


def _loop_context(turn: Turn, frame: Frame, loop: ForEach) -> LoopContext:
    state = loop_state(frame, loop.step)
    item = state["at"] + 1 if state is not None and state["open"] else 0
    return LoopContext(frame["flow"], loop.per_item, item, lambda: known_entries(turn, frame, loop))


class _KnownOptions(Mapping[str, tuple[Candidate, ...]]):
    """The options of slots whose choices come from data, by slot; they are built when they are read.

    The awaited slot comes first, then the slots of the flows in progress from top to bottom, then those of flows that
    can start; a slot whose source is empty or not loaded is left out.
    """

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._places = dict(_places_of_choices(turn))

    def __getitem__(self, name: str) -> tuple[Candidate, ...]:
        frame, slot = self._places[name]
        candidates = known_candidates(self._turn, frame, slot) or ()
        wait = frame.get("wait") if frame else None
        is_asked = frame is not None and wait is not None and getattr(self._turn.step_of(frame), "slot", "") == name
        return offered_candidates(candidates, wait) if is_asked and wait is not None else candidates

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _places_of_choices(turn: Turn) -> Iterator[tuple[str, tuple[Frame | None, Slot]]]:
    """Yield each slot whose options are known, with the frame that they belong to; later ones count first."""
    started = [flow.flow for flow in turn.catalogue.startable if flow.flow in turn.catalogue.data_choices]
    for flow in started:
        for name in turn.catalogue.data_choices[flow]:
            slot = turn.assistant.slot(flow, name)
            if slot is not None and source_entries(turn, None, slot) is not None:
                yield name, (None, slot)
    for frame in turn.frames:
        for name in turn.catalogue.data_choices.get(frame["flow"], ()):
            slot = turn.assistant.slot(frame["flow"], name)
            if slot is not None and source_entries(turn, frame, slot) is not None:
                yield name, (frame, slot)


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
    status = WAITS_FOR_NEED if turn.flow_of(frame).needs and _waits_for_need(turn, frame) else frame["status"]
    values = tuple(own_value_names(turn, frame))
    return StackEntry(frame["flow"], frame["step"], status, frame_task_kind(frame), values)


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
    texts: dict[str, str] = {}
    for name, stored in owner["slots"].items():
        slot = declared.get(name)
        if slot is not None:
            texts[name] = _redacted_text(turn, display_slot(slot, stored.get("labels")), stored["value"])
            if slot.type == "object":
                texts |= _field_texts(turn, name, slot, stored["value"])
    for name, draft in owner.get("drafts", {}).items():
        if name in declared:
            texts |= _field_texts(turn, name, declared[name], draft)
    return texts


def _field_texts(turn: Turn, name: str, record: Slot, value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or record.options_from is not None:
        return {}
    parts = {f"{name}.{path}": field_of(record, value, path) for path in filled_paths(value)}
    return {path: _redacted_text(turn, *part) for path, part in parts.items() if part}


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
    if not turn.catalogue.sensitive:
        return
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
