"""Fill, correct, empty and skip slots, from any source."""

from dataclasses import dataclass
from typing import Any

from dialogue.engine.slots.values import ValueRefused, format_value, redacted_value, value_from_any
from dialogue.engine.stack import corrections
from dialogue.engine.stack.corrections import ActionUse
from dialogue.engine.stack.slot_access import SlotRef, read_hashes, slot_store, stored_slot, value_of
from dialogue.engine.stack.state import Frame, StoredSlot, ValueSource
from dialogue.engine.stack.turn import Turn


@dataclass(frozen=True)
class Origin:
    """Where a value comes from: the user's `words`, or the person or action that set it (`by`).

    `quiet`: no message says that the value was stored or refused.
    """

    source: ValueSource
    words: str = ""
    by: str = ""
    quiet: bool = False


def fill_slot(turn: Turn, ref: SlotRef, value: Any, origin: Origin) -> bool:
    """Store a value as an answer, ahead of its question, or as a correction. Return False when the slot refuses it."""
    try:
        stored_value = parse_value(turn, ref, value)
    except ValueRefused as error:
        turn.missed = True
        if not origin.quiet:
            turn.say("rejected", about=ref.name, text=_rejection_text(turn, ref, error))
        return False
    _apply_value(turn, ref, stored_value, origin)
    return True


def parse_value(turn: Turn, ref: SlotRef, value: Any) -> Any:
    """Return the stored form of the value. Raises ValueRefused when the slot does not accept it."""
    context = turn.context
    return value_from_any(ref.slot, value, now=turn.now, timezone=context.timezone, language=context.language)


def _rejection_text(turn: Turn, ref: SlotRef, error: ValueRefused) -> str:
    template, reason = ref.slot.invalid, error.sentence(turn.language)
    if template is None:
        return turn.response_text(f"rejected:{ref.name}", reason=reason, slot=slot_title(ref), value=error.value_text)
    limits = {name: getattr(ref.slot, name) for name in ("minimum", "maximum", "min_length", "max_length")}
    limit_texts = {name: str(limit) for name, limit in limits.items() if limit is not None}
    values = {"value": error.value_text, **limit_texts, **error.limits}
    return template.in_language(turn.language).render(values.get)


def _apply_value(turn: Turn, ref: SlotRef, value: Any, origin: Origin) -> None:
    turn.heard = True
    old = stored_slot(turn, ref)
    if is_asked_for(turn, ref):
        frame = ref.frame or turn.top
        assert frame is not None
        store_value(turn, ref, value, origin)
        pass_question(turn, frame, ref.name, value)
    elif old is None or old["value"] is None:
        _fill_ahead(turn, ref, value, origin)
    elif old["value"] != value:
        _correct_slot(turn, ref, value, origin)


def is_asked_for(turn: Turn, ref: SlotRef) -> bool:
    """Whether its frame is asking for this slot."""
    frame = ref.frame or turn.top
    wait = frame.get("wait") if frame else None
    if frame is None or wait is None or wait["kind"] != "collect":
        return False
    return getattr(turn.flow_of(frame).step(wait["step"]), "slot", None) == ref.name


def pass_question(turn: Turn, frame: Frame, name: str, value: Any) -> None:
    """Go on after the awaited question, which is answered or skipped."""
    step = turn.step_of(frame)
    turn.settle_wait(frame, "answered", values={name: value})
    leave_step(turn, frame, turn.flow_of(frame).next_step(step.step), wrote=[name])


def leave_step(
    turn: Turn, frame: Frame, target: str, *, reads: dict[str, str] | None = None, wrote: list[str] | None = None
) -> None:
    """Leave the step that the frame stands at for another, and add it to the path.

    `reads` are the hashes of what the step read, `wrote` the slots that it wrote.
    """
    # Empty details are left out: the path is stored with every turn.
    path_step: Any = {"step": frame["step"], "to": target}
    hashes_left = read_hashes(turn, frame, set(reads or ()).intersection(wrote or ()))
    details = {"reads": reads, "wrote": wrote, "left": hashes_left}
    path_step |= {name: detail for name, detail in details.items() if detail}
    # Only after a correction may a question be passed over although its slot was emptied.
    emptied = [name for name in wrote or () if value_of(turn, frame, name) is None] if frame.get("again") else []
    corrections.append_path_step(turn.flow_of(frame), frame, path_step, emptied)
    turn.record.steps.append({"flow": frame["flow"], "step": frame["step"], "to": target})
    frame["step"] = target
    turn.touch(frame)


def _fill_ahead(turn: Turn, ref: SlotRef, value: Any, origin: Origin) -> None:
    """Fill an empty slot. Steps that read it empty are set back, unless an action ran without it."""
    uses = _all_action_uses(turn, ref)
    store_value(turn, ref, value, origin)
    if not uses:
        _set_readers_back(turn, ref)


def _correct_slot(turn: Turn, ref: SlotRef, value: Any, origin: Origin) -> None:
    uses = _all_action_uses(turn, ref)
    # Only the user is refused: an operator may still correct the record of what was done.
    if _is_value_final(uses) and origin.source == "user":
        return _say_about_slot(turn, "already_done", ref, origin, value)
    store_value(turn, ref, value, origin)
    _forget_needs_from(turn, ref)
    _say_about_slot(turn, "corrected", ref, origin, value)
    if any(use.effect for use in uses):
        _say_about_slot(turn, "already_done", ref, origin, value)
    _set_readers_back(turn, ref)


def _all_action_uses(turn: Turn, ref: SlotRef) -> list[ActionUse]:
    uses_by_slot = (
        corrections.action_uses(turn, frame, used.name)
        for used in (ref, *_needs_from(turn, ref))
        for frame in corrections.frames_reading(turn, used)
    )
    return [use for uses in uses_by_slot for use in uses]


def _needs_from(turn: Turn, ref: SlotRef) -> list[SlotRef]:
    """Return the filled slots of the conversation that a needed flow filled from this one."""
    if ref.frame is not None or "need_sources" not in turn.memory:
        return []
    names = [name for name, sources in turn.memory["need_sources"].items() if ref.name in sources]
    return [SlotRef(None, name, turn.assistant.slots[name]) for name in names if name in turn.assistant.slots]


def _forget_needs_from(turn: Turn, ref: SlotRef) -> None:
    """Empty the needed slots that were filled from this one, so that their flows run again for its new value."""
    for need in _needs_from(turn, ref):
        turn.memory["need_sources"].pop(need.name)
        if stored_slot(turn, need) is not None:
            _take_back(turn, need, _FLOW)


_FLOW = Origin("flow", quiet=True)


def _take_back(turn: Turn, ref: SlotRef, origin: Origin) -> None:
    """Empty a filled slot, and set the flows back that asked for it, read it or need it."""
    _record_change(turn, ref, None, origin)
    del slot_store(turn, ref)[ref.name]
    for frame in corrections.frames_reading(turn, ref):
        if ref.name in turn.flow_of(frame).needs:
            frame.pop("needs_met", None)
        corrections.set_back_to_question(turn, frame, ref.name)


def _is_value_final(uses: list[ActionUse]) -> bool:
    """Whether one of the actions may not be repeated, so that its value may not change either."""
    return any(use.final for use in uses)


def _say_about_slot(turn: Turn, key: str, ref: SlotRef, origin: Origin, value: Any) -> None:
    if not origin.quiet:
        value_text = format_value(ref.slot, value, language=turn.language, timezone=turn.context.timezone)
        turn.say(key, about=ref.name, slot=slot_title(ref), value=value_text)


def _set_readers_back(turn: Turn, ref: SlotRef) -> None:
    for frame in corrections.frames_reading(turn, ref):
        corrections.set_back(turn, frame, ref.name)


def store_value(turn: Turn, ref: SlotRef, value: Any, origin: Origin) -> None:
    """Write a checked value with its provenance, and record the change."""
    stored: StoredSlot = {"value": value, "turn": turn.memory["turn"], "source": origin.source}
    if origin.words:
        stored["words"] = origin.words
    if origin.by:
        stored["by"] = origin.by
    _record_change(turn, ref, value, origin)
    slot_store(turn, ref)[ref.name] = stored


def _record_change(turn: Turn, ref: SlotRef, value: Any, origin: Origin) -> None:
    old = stored_slot(turn, ref)
    before = old["value"] if old else None
    hide = ref.slot.sensitive
    change = {
        "frame": ref.frame["id"] if ref.frame else "",
        "slot": ref.name,
        "from": redacted_value(ref.slot, before) if hide else before,
        "to": redacted_value(ref.slot, value) if hide else value,
        "source": origin.source,
    }
    turn.record.slot_changes.append(change)


def empty_slot(turn: Turn, ref: SlotRef, origin: Origin) -> None:
    """Empty a slot, and say so. It is asked for again if the flow needs it."""
    old = stored_slot(turn, ref)
    if old is None:
        return
    if _is_value_final(_all_action_uses(turn, ref)):
        return _say_about_slot(turn, "already_done", ref, origin, old["value"])
    _say_about_slot(turn, "cleared", ref, origin, None)
    _forget_needs_from(turn, ref)
    _take_back(turn, ref, origin)


def leave_empty(turn: Turn, ref: SlotRef, origin: Origin) -> None:
    """Leave an optional slot empty for good, so that no question for it is asked."""
    was_asked_for = is_asked_for(turn, ref)
    store_value(turn, ref, None, origin)
    frame = ref.frame or turn.top
    if was_asked_for and frame is not None:
        pass_question(turn, frame, ref.name, None)
    else:
        _set_readers_back(turn, ref)


def slot_title(ref: SlotRef) -> str:
    """Return what a slot is called in a message."""
    return ref.name.replace("_", " ")
