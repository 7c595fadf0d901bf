"""Filling, correcting, emptying and skipping slots, wherever the value comes from."""

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
    """Where a value comes from: `words` it was taken from, `by` whom it was set. A quiet one is not talked about."""

    source: ValueSource
    words: str = ""
    by: str = ""
    quiet: bool = False


def fill_slot(turn: Turn, place: SlotRef, value: Any, origin: Origin) -> bool:
    """Take a value for a slot: an answer, a value ahead of its question, or a correction. False when it was refused."""
    try:
        taken = parse_value(turn, place, value)
    except ValueRefused as why:
        _refuse(turn, place, why, origin)
        return False
    _take(turn, place, taken, origin)
    return True


def parse_value(turn: Turn, place: SlotRef, value: Any) -> Any:
    """The stored form of the value; raises ValueRefused."""
    context = turn.context
    return value_from_any(place.slot, value, now=turn.now, timezone=context.timezone, language=context.language)


def _refuse(turn: Turn, place: SlotRef, why: ValueRefused, origin: Origin) -> None:
    turn.missed = True
    if not origin.quiet:
        turn.say("rejected", about=place.name, text=_refusal(turn, place, why))


def _refusal(turn: Turn, place: SlotRef, why: ValueRefused) -> str:
    said, reason = place.slot.invalid, why.sentence(turn.language)
    if said is None:
        return turn.response_text(f"rejected:{place.name}", reason=reason, slot=slot_title(place), value=why.value_text)
    named = {"value": why.value_text, **_limits(turn, place), **why.limits}
    return said.in_language(turn.language).render(named.get)


def _limits(turn: Turn, place: SlotRef) -> dict[str, str]:
    limits = {name: getattr(place.slot, name) for name in ("minimum", "maximum", "min_length", "max_length")}
    return {name: str(each) for name, each in limits.items() if each is not None}


def _take(turn: Turn, place: SlotRef, value: Any, origin: Origin) -> None:
    turn.heard = True
    old = stored_slot(turn, place)
    if is_asked_for(turn, place):
        _answer(turn, place, value, origin)
    elif old is None or old["value"] is None:
        _fill_ahead(turn, place, value, origin)
    elif old["value"] != value:
        _correct(turn, place, value, origin)


def is_asked_for(turn: Turn, place: SlotRef) -> bool:
    """Whether the slot is the one that its frame asks for just now."""
    frame = place.frame or turn.top
    wait = frame.get("wait") if frame else None
    if frame is None or wait is None or wait["kind"] != "collect":
        return False
    return getattr(turn.flow_of(frame).step(wait["step"]), "slot", None) == place.name


def _answer(turn: Turn, place: SlotRef, value: Any, origin: Origin) -> None:
    frame = place.frame or turn.top
    assert frame is not None
    store_value(turn, place, value, origin)
    pass_question(turn, frame, place.name, value)


def pass_question(turn: Turn, frame: Frame, name: str, value: Any) -> None:
    """The awaited question is answered: the frame goes on after it."""
    step = turn.step_of(frame)
    turn.settle_wait(frame, "answered", values={name: value})
    leave_step(turn, frame, turn.flow_of(frame).next_step(step.step), wrote=[name])


def leave_step(
    turn: Turn, frame: Frame, target: str, *, reads: dict[str, str] | None = None, wrote: list[str] | None = None
) -> None:
    """The frame is done with the step it stands at, and goes to another."""
    passed: Any = {"step": frame["step"], "to": target}
    left = read_hashes(turn, frame, set(reads or ()).intersection(wrote or ()))
    told = {"reads": reads, "wrote": wrote, "left": left}
    passed |= {name: each for name, each in told.items() if each}
    # Only questions that a correction left behind can be passed over by mistake.
    emptied = [name for name in wrote or () if value_of(turn, frame, name) is None] if frame.get("again") else []
    corrections.record_passed(turn.flow_of(frame), frame, passed, emptied)
    turn.record.steps.append({"flow": frame["flow"], "step": frame["step"], "to": target})
    frame["step"] = target
    turn.touch(frame)


def _fill_ahead(turn: Turn, place: SlotRef, value: Any, origin: Origin) -> None:
    """A slot that was empty: whoever read it so is set back, unless an action has been done without it."""
    used = _actions_that_used(turn, place)
    store_value(turn, place, value, origin)
    if not used:
        _set_readers_back(turn, place)


def _correct(turn: Turn, place: SlotRef, value: Any, origin: Origin) -> None:
    used = _actions_that_used(turn, place)
    if _is_final(used) and origin.source == "user":
        return _say(turn, "already_done", place, origin, value)
    store_value(turn, place, value, origin)
    _say(turn, "corrected", place, origin, value)
    if any(use.effect for use in used):
        _say(turn, "already_done", place, origin, value)
    _set_readers_back(turn, place)


def _actions_that_used(turn: Turn, place: SlotRef) -> list[ActionUse]:
    readers = corrections.frames_reading(turn, place)
    return [use for frame in readers for use in corrections.action_uses(turn, frame, place.name)]


def _is_final(used: list[ActionUse]) -> bool:
    """Whether one of these actions may not be repeated: what was done with the value stays, and so does the value."""
    return any(use.final for use in used)


def _say(turn: Turn, key: str, place: SlotRef, origin: Origin, value: Any) -> None:
    if not origin.quiet:
        shown = format_value(place.slot, value, language=turn.language, timezone=turn.context.timezone)
        turn.say(key, about=place.name, slot=slot_title(place), value=shown)


def _set_readers_back(turn: Turn, place: SlotRef) -> None:
    for frame in corrections.frames_reading(turn, place):
        corrections.set_back(turn, frame, place.name)


def store_value(turn: Turn, place: SlotRef, value: Any, origin: Origin) -> None:
    """Write a checked value with its provenance, and note the change."""
    stored: StoredSlot = {"value": value, "turn": turn.memory["turn"], "source": origin.source}
    if origin.words:
        stored["words"] = origin.words
    if origin.by:
        stored["by"] = origin.by
    _note_change(turn, place, value, origin)
    slot_store(turn, place)[place.name] = stored


def _note_change(turn: Turn, place: SlotRef, value: Any, origin: Origin) -> None:
    old = stored_slot(turn, place)
    before = old["value"] if old else None
    hide = place.slot.sensitive
    change = {
        "frame": place.frame["id"] if place.frame else "",
        "slot": place.name,
        "from": redacted_value(place.slot, before) if hide else before,
        "to": redacted_value(place.slot, value) if hide else value,
        "source": origin.source,
    }
    turn.record.slot_changes.append(change)


def empty_slot(turn: Turn, place: SlotRef, origin: Origin) -> None:
    """Empty a slot, and say so; it will be asked for again where that is needed."""
    old = stored_slot(turn, place)
    if old is None:
        return
    if _is_final(_actions_that_used(turn, place)):
        return _say(turn, "already_done", place, origin, old["value"])
    _say(turn, "cleared", place, origin, None)
    _note_change(turn, place, None, origin)
    del slot_store(turn, place)[place.name]
    for frame in corrections.frames_reading(turn, place):
        corrections.set_back_to_question(turn, frame, place.name)


def leave_empty(turn: Turn, place: SlotRef, origin: Origin) -> None:
    """Leave an optional slot empty for good; the question for it is passed over, also one that is still to come."""
    asked = is_asked_for(turn, place)
    store_value(turn, place, None, origin)
    frame = place.frame or turn.top
    if asked and frame is not None:
        pass_question(turn, frame, place.name, None)
    else:
        _set_readers_back(turn, place)


def slot_title(place: SlotRef) -> str:
    """What a slot is called in a message."""
    return place.name.replace("_", " ")
