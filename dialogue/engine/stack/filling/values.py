"""Store, correct and empty the values of slots, with what that means for the steps that read them."""

from dataclasses import dataclass
from typing import Any

from dialogue.engine.language.compiler import Slot
from dialogue.engine.slots.candidates import Candidate, display_slot
from dialogue.engine.slots.display import field_of, redacted_json
from dialogue.engine.slots.values import ValueRefused, format_value, redacted_value, value_from_any
from dialogue.engine.stack import corrections
from dialogue.engine.stack.computed_settings import computed_slot
from dialogue.engine.stack.corrections import ActionUse
from dialogue.engine.stack.filling.record_fields import forget_draft
from dialogue.engine.stack.filling.steps import is_asked_for, pass_question
from dialogue.engine.stack.slot_access import SlotRef, field_ref, slot_store, slot_title, stored_slot, title_in_messages
from dialogue.engine.stack.state import Frame, StoredSlot, ValueSource
from dialogue.engine.stack.turn import Turn


@dataclass(frozen=True)
class Origin:
    """Where a value comes from: the user's `words`, or the person or action that set it (`by`).

    `quiet`: no message says that the value was stored or refused. `field` is the dotted name of a record's field that
    was meant alone: address.zip. `chosen` are the options from data that the value stands for.
    """

    source: ValueSource
    words: str = ""
    by: str = ""
    quiet: bool = False
    field: str = ""
    chosen: tuple[Candidate, ...] = ()


_FLOW = Origin("flow", quiet=True)


def fill_parsed(turn: Turn, ref: SlotRef, value: Any, origin: Origin) -> bool:
    try:
        stored_value = parse_value(turn, ref, value)
    except ValueRefused as error:
        refuse_value(turn, ref, error, origin)
        return False
    apply_value(turn, ref, stored_value, origin)
    return True


def refuses_user(turn: Turn, ref: SlotRef, origin: Origin) -> bool:
    """Whether the user would change what a signed claim says of them; they are told."""
    is_refused = origin.source == "user" and (ref.whole or ref).slot.source == "claim"
    if is_refused and not origin.quiet:
        turn.heard = True
        turn.say("claimed", about=ref.name, slot=slot_title(turn, ref))
    return is_refused


def parse_value(turn: Turn, ref: SlotRef, value: Any) -> Any:
    """Return the stored form of the value. Raises ValueRefused when the slot does not accept it."""
    return parse_for(turn, computed_slot(turn, ref.frame, ref.slot), value)


def parse_for(turn: Turn, slot: Slot, value: Any) -> Any:
    context = turn.context
    return value_from_any(slot, value, now=turn.now, timezone=context.timezone, language=context.language)


def refuse_value(turn: Turn, ref: SlotRef, error: ValueRefused, origin: Origin) -> None:
    """Say why the slot does not accept the value."""
    say_rejected(turn, ref.name, computed_slot(turn, ref.frame, ref.slot), error, origin)


def say_rejected(turn: Turn, about: str, slot: Slot, error: ValueRefused, origin: Origin) -> None:
    turn.missed = True
    if not origin.quiet:
        turn.say("rejected", about=about, text=_rejection_text(turn, about, slot, error))


def _rejection_text(turn: Turn, about: str, slot: Slot, error: ValueRefused) -> str:
    template, reason = slot.invalid, error.sentence(turn.language)
    if template is None:
        title = title_in_messages(turn, slot, about)
        return turn.response_text(f"rejected:{about}", reason=reason, slot=title, value=error.value_text)
    limits = {name: getattr(slot, name) for name in ("minimum", "maximum", "min_length", "max_length")}
    limit_texts = {name: str(limit) for name, limit in limits.items() if limit is not None}
    values = {"value": error.value_text, **limit_texts, **error.limits}
    return template.in_language(turn.language).render(values.get)


def apply_value(turn: Turn, ref: SlotRef, value: Any, origin: Origin) -> None:
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


def _fill_ahead(turn: Turn, ref: SlotRef, value: Any, origin: Origin) -> None:
    """Fill an empty slot. Steps that read it empty are set back, unless an action ran without it."""
    uses = all_action_uses(turn, ref)
    store_value(turn, ref, value, origin)
    if not uses:
        set_readers_back(turn, ref)


def _correct_slot(turn: Turn, ref: SlotRef, value: Any, origin: Origin) -> None:
    uses = all_action_uses(turn, ref)
    # Only the user is refused: an operator may still correct the record of what was done.
    if is_value_final(uses) and origin.source == "user":
        return say_about_slot(turn, "already_done", ref, origin, value)
    store_value(turn, ref, value, origin)
    forget_needs_from(turn, ref)
    say_about_slot(turn, "corrected", ref, origin, value)
    if any(use.effect for use in uses):
        say_about_slot(turn, "already_done", ref, origin, value)
    set_readers_back(turn, ref)


def all_action_uses(turn: Turn, ref: SlotRef) -> list[ActionUse]:
    uses_by_slot = (
        corrections.action_uses(turn, frame, used.name)
        for used in (ref, *_needs_from(turn, ref))
        for frame in corrections.frames_reading(turn, used)
    )
    return [use for uses in uses_by_slot for use in uses]


def has_effect_of(turn: Turn, ref: SlotRef) -> bool:
    """Whether an action with an effect has used the slot's value already."""
    return any(use.effect for use in all_action_uses(turn, ref))


def is_value_final(uses: list[ActionUse]) -> bool:
    """Whether one of the actions may not be repeated, so that its value may not change either."""
    return any(use.final for use in uses)


def _needs_from(turn: Turn, ref: SlotRef) -> list[SlotRef]:
    """Return the filled slots of the conversation that a needed flow filled from this one."""
    if ref.frame is not None or "need_sources" not in turn.memory:
        return []
    names = [name for name, sources in turn.memory["need_sources"].items() if ref.name in sources]
    return [SlotRef(None, name, turn.assistant.slots[name]) for name in names if name in turn.assistant.slots]


def forget_needs_from(turn: Turn, ref: SlotRef) -> None:
    """Empty the needed slots that were filled from this one, so that their flows run again for its new value."""
    for need in _needs_from(turn, ref):
        turn.memory["need_sources"].pop(need.name)
        if stored_slot(turn, need) is not None:
            take_back(turn, need, _FLOW)


def forget_value(turn: Turn, ref: SlotRef, origin: Origin) -> None:
    """Empty a slot without a word, and go back to its question."""
    record_change(turn, ref, None, origin)
    del slot_store(turn, ref)[ref.name]
    for frame in corrections.frames_reading(turn, ref):
        corrections.set_back_to_question(turn, frame, ref.name)


def take_back(turn: Turn, ref: SlotRef, origin: Origin) -> None:
    """Empty a filled slot, and set the flows back that asked for it, read it or need it."""
    record_change(turn, ref, None, origin)
    del slot_store(turn, ref)[ref.name]
    for frame in corrections.frames_reading(turn, ref):
        if ref.name in turn.flow_of(frame).needs:
            frame.pop("needs_met", None)
        corrections.set_back_to_question(turn, frame, ref.name)


def set_readers_back(turn: Turn, ref: SlotRef) -> None:
    for frame in corrections.frames_reading(turn, ref):
        corrections.set_back(turn, frame, ref.name)


def say_already_done(turn: Turn, ref: SlotRef, origin: Origin, value: Any) -> None:
    """Say that an earlier value was used, and that what was done with it stays."""
    say_about_slot(turn, "already_done", ref, origin, value)


def say_about_slot(turn: Turn, key: str, ref: SlotRef, origin: Origin, value: Any) -> None:
    if origin.field and ref.whole is None and value is not None:
        # Only the field that was meant is named, not the record around it.
        field = field_ref(ref, origin.field.partition(".")[2])
        part = field_of(ref.slot, value, origin.field.partition(".")[2])
        ref, value = (field, part[1]) if field and part else (ref, value)
    if not origin.quiet:
        stored = stored_slot(turn, ref)
        labels = {option.key: option.label for option in origin.chosen} or (stored.get("labels") if stored else None)
        slot = display_slot(ref.slot, labels)
        value_text = format_value(slot, value, language=turn.language, timezone=turn.context.timezone)
        turn.say(key, about=ref.name, slot=slot_title(turn, ref), value=value_text)


def store_value(turn: Turn, ref: SlotRef, value: Any, origin: Origin) -> None:
    """Write a checked value with its provenance, and record the change."""
    record_change(turn, ref, value, origin)
    slot_store(turn, ref)[ref.name] = stored_form(turn, value, origin)
    forget_draft(turn, ref)


def stored_form(turn: Turn, value: Any, origin: Origin) -> StoredSlot:
    """Return a checked value with its provenance."""
    stored: StoredSlot = {"value": value, "turn": turn.memory["turn"], "source": origin.source}
    if origin.words:
        stored["words"] = origin.words
    if origin.by:
        stored["by"] = origin.by
    if origin.chosen:
        stored["labels"] = {option.key: option.label for option in origin.chosen}
    if any(option.sensitive for option in origin.chosen):
        stored["masked"] = True
    return stored


def record_change(turn: Turn, ref: SlotRef, value: Any, origin: Origin, *, item: int = 0) -> None:
    """Record that the slot gets another value; `item` is the number of the loop's entry whose round that concerns."""
    old = stored_slot(turn, ref)
    before = old["value"] if old else None
    change = {
        "frame": ref.frame["id"] if ref.frame else "",
        "slot": ref.name,
        "from": _recorded_value(ref.slot, before),
        "to": _recorded_value(ref.slot, value),
        "source": origin.source,
        **({"item": item} if item else {}),
    }
    turn.record.slot_changes.append(change)


def _recorded_value(slot: Slot, value: Any) -> Any:
    return redacted_value(slot, value) if slot.sensitive else redacted_json(slot, value)


def forget_outdated(turn: Turn, frame: Frame, ref: SlotRef) -> None:
    """Empty a slot whose value its computed limits no longer allow, and say why: its question is asked again."""
    stored = stored_slot(turn, ref)
    if stored is None or stored["value"] is None:
        return
    try:
        parse_value(turn, ref, stored["value"])
    except ValueRefused as error:
        slot = computed_slot(turn, ref.frame, ref.slot)
        turn.say("rejected", about=ref.name, text=_rejection_text(turn, ref.name, slot, error))
        record_change(turn, ref, None, _FLOW)
        del slot_store(turn, ref)[ref.name]
        frame.get("again", {}).pop(frame["step"], None)
