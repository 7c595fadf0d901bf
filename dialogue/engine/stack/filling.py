"""Fill, correct, empty and skip slots, from any source."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dialogue.engine.language.compiler import Slot
from dialogue.engine.slots.candidates import Candidate, display_slot
from dialogue.engine.slots.display import field_of, redacted_json
from dialogue.engine.slots.values import ValueRefused, format_value, redacted_value, value_from_any
from dialogue.engine.stack import choices, corrections
from dialogue.engine.stack.choice_answers import ChoiceAnswer, words_of
from dialogue.engine.stack.computed_settings import computed_slot, limit_hashes
from dialogue.engine.stack.corrections import ActionUse
from dialogue.engine.stack.flow_runs.several_runs import one_option_a_run
from dialogue.engine.stack.loops import rounds
from dialogue.engine.stack.record_fields import (
    FieldRefusal,
    complete_record,
    filled_paths,
    forget_draft,
    keep_draft,
    merge_values,
    missing_field,
    nested_value,
    read_fields,
    without_field,
)
from dialogue.engine.stack.slot_access import (
    SlotRef,
    draft_of,
    field_ref,
    frame_slot,
    read_hashes,
    slot_store,
    slot_title,
    stored_slot,
    title_in_messages,
    value_of,
)
from dialogue.engine.stack.state import Frame, StoredSlot, ValueSource
from dialogue.engine.stack.turn import Turn, open_new_wait


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


_PEOPLE = ("user", "operator")


def fill_slot(turn: Turn, ref: SlotRef, value: Any, origin: Origin) -> bool:
    """Store a value as an answer, ahead of its question, or as a correction. Return False when the slot refuses it.

    A record is filled field by field: what fits is kept, and the rest is asked for. A choice from data takes what names
    one of its options. A slot that a signed claim fills refuses every value of the user.
    """
    if _refuses_user(turn, ref, origin):
        return False
    if (ref.whole or ref).slot.options_from is not None and origin.source in _PEOPLE:
        return ref.whole is None and _fill_choice(turn, ref, value, origin)
    if ref.whole is not None:
        return _fill_fields(turn, ref.whole, nested_value(ref.path, value), replace(origin, field=ref.name))
    if ref.slot.type == "object" and isinstance(value, Mapping) and not ref.slot.options_from:
        return _fill_fields(turn, ref, value, origin)
    return _fill_parsed(turn, ref, value, origin)


def _fill_parsed(turn: Turn, ref: SlotRef, value: Any, origin: Origin) -> bool:
    try:
        stored_value = parse_value(turn, ref, value)
    except ValueRefused as error:
        refuse_value(turn, ref, error, origin)
        return False
    _apply_value(turn, ref, stored_value, origin)
    return True


def _refuses_user(turn: Turn, ref: SlotRef, origin: Origin) -> bool:
    """Whether the user would change what a signed claim says of them; they are told."""
    is_refused = origin.source == "user" and (ref.whole or ref).slot.source == "claim"
    if is_refused and not origin.quiet:
        turn.heard = True
        turn.say("claimed", about=ref.name, slot=slot_title(turn, ref))
    return is_refused


def _fill_fields(turn: Turn, ref: SlotRef, values: Mapping[str, Any], origin: Origin) -> bool:
    """Store fields of a record, or keep them until its required fields are known. Return False if one is refused."""
    accepted, refusals = read_fields(ref.slot, values, lambda field, value: _parse_for(turn, field, value))
    for refusal in refusals:
        _say_field_rejected(turn, ref, refusal, origin)
    if not accepted or not all(refusal.is_asked_again for refusal in refusals):
        return False
    is_whole = not origin.field and not missing_field(ref.slot, accepted)
    record = merge_values({} if is_whole else _known_fields(turn, ref), accepted)
    if missing_field(ref.slot, record):
        _keep_fields(turn, ref, record, accepted, origin)
    else:
        # Reading the whole again fills the fields that have a default.
        _apply_value(turn, ref, parse_value(turn, ref, record), origin)
        forget_draft(turn, ref)  # The same value as before is not stored again.
    return not refusals


def _known_fields(turn: Turn, ref: SlotRef) -> Mapping[str, Any]:
    stored = stored_slot(turn, ref)
    return (stored["value"] if stored else None) or draft_of(turn, ref) or {}


def _keep_fields(turn: Turn, ref: SlotRef, record: dict[str, Any], accepted: Mapping[str, Any], origin: Origin) -> None:
    """Keep what is known of a record, and go on to the question for its next field if the record is asked for."""
    turn.heard = True
    before = draft_of(turn, ref) or {}
    for path in filled_paths(accepted):
        field = field_ref(ref, path)
        if field is None:
            continue
        old, new = stored_slot(turn, field), field_of(ref.slot, record, path)
        if new is not None and old is not None and old["value"] != new[1]:
            _say_about_slot(turn, "corrected", field, origin, new[1])
        record_change(turn, field, new[1] if new else None, origin)
    if record != before:
        keep_draft(turn, ref, record)
        _ask_next_field(turn, ref)


def _ask_next_field(turn: Turn, ref: SlotRef) -> None:
    frame = ref.frame or turn.top
    if frame is not None and is_asked_for(turn, ref):
        open_new_wait(turn, frame, "collect")
        turn.touch(frame)


def _say_rejected(turn: Turn, about: str, slot: Slot, error: ValueRefused, origin: Origin) -> None:
    turn.missed = True
    if not origin.quiet:
        turn.say("rejected", about=about, text=_rejection_text(turn, about, slot, error))


def _say_field_rejected(turn: Turn, ref: SlotRef, refusal: FieldRefusal, origin: Origin) -> None:
    _say_rejected(turn, origin.field or ref.name, refusal.field or ref.slot, refusal.error, origin)


def _fill_choice(turn: Turn, ref: SlotRef, value: Any, origin: Origin) -> bool:
    """Store the options from data that the value means, or ask which, or keep the words until the options are known."""
    frame = ref.frame or turn.top
    if frame is None:
        return _fill_parsed(turn, ref, value, origin)
    wait = frame.get("wait") if is_asked_for(turn, ref) else None
    choice = choices.open_choice(turn, frame, ref.slot, wait=wait)
    if choice is None and origin.source == "operator":
        return _fill_parsed(turn, ref, value, origin)
    answer = choice.read(value) if choice else ChoiceAnswer(unresolved=words_of(value))
    answer = one_option_a_run(turn, frame, ref.slot, answer)
    choices.record_answer(turn, ref.slot, value, answer)
    if answer.chosen:
        chosen_value = choices.stored_choice(ref.slot, answer.chosen)
        return _fill_parsed(turn, ref, chosen_value, replace(origin, chosen=answer.chosen))
    if answer.result == "unmatched":
        return _refuse_words(turn, ref, answer.unmatched, origin)
    _ask_on(turn, frame, ref, answer, origin)
    return True


def _ask_on(turn: Turn, frame: Frame, ref: SlotRef, answer: ChoiceAnswer, origin: Origin) -> None:
    """Go on with an answer that chooses no option yet: ask among several, show another page, wait for the options."""
    turn.heard = True
    wait = frame.get("wait")
    if answer.among:
        narrow_choice(turn, frame, ref, answer)
    elif answer.emptied:
        empty_slot(turn, ref, origin)
    elif answer.unresolved:
        choices.mention(frame, ref.name, {"words": answer.unresolved})
        _ask_choice_again(turn, frame, ref)
    elif wait is not None:
        choices.apply_control(turn, frame, wait, answer)


def _refuse_words(turn: Turn, ref: SlotRef, words: str, origin: Origin) -> bool:
    turn.missed = True
    if not origin.quiet:
        turn.say("no_match", about=ref.name, slot=slot_title(turn, ref), words=words)
    return False


def named_option(turn: Turn, ref: SlotRef, value: Any) -> Any:
    """Return the stored form of the options from data that the value names; other values unchanged.

    Raises ValueRefused when it names none, or not exactly one for a slot that holds one.
    """
    frame = ref.frame or turn.top
    if ref.slot.options_from is None or frame is None:
        return value
    choice = choices.open_choice(turn, frame, ref.slot)
    answer = choice.read(value) if choice else ChoiceAnswer()
    if not answer.chosen:
        raise ValueRefused(ref.name, "option", str(value), {"options": ""})
    return choices.stored_choice(ref.slot, answer.chosen)


def narrow_choice(turn: Turn, frame: Frame, ref: SlotRef, answer: ChoiceAnswer) -> None:
    """Ask among which options is meant: at once if the slot is asked for, or else when its question comes."""
    turn.heard = True
    wait = frame.get("wait")
    keys, picked = [option.key for option in answer.among], [option.key for option in answer.picked]
    if wait is not None and is_asked_for(turn, ref):
        choices.narrow_question(wait, keys, picked)
    else:
        choices.mention(frame, ref.name, {"keys": keys, "picked": picked})
        _ask_choice_again(turn, frame, ref)


def _ask_choice_again(turn: Turn, frame: Frame, ref: SlotRef) -> None:
    """Go back to the question of a choice that is filled, because another option was named that is not certain yet."""
    stored = stored_slot(turn, ref)
    if stored is None or stored["value"] is None:
        return turn.touch(frame) if is_asked_for(turn, ref) else None
    if _is_value_final(_all_action_uses(turn, ref)):
        choices.take_mention(frame, ref.name)
        return _say_about_slot(turn, "already_done", ref, Origin("user"), stored["value"])
    forget_value(turn, ref, Origin("user"))


def forget_value(turn: Turn, ref: SlotRef, origin: Origin) -> None:
    """Empty a slot without a word, and go back to its question."""
    record_change(turn, ref, None, origin)
    del slot_store(turn, ref)[ref.name]
    for frame in corrections.frames_reading(turn, ref):
        corrections.set_back_to_question(turn, frame, ref.name)


def has_effect_of(turn: Turn, ref: SlotRef) -> bool:
    """Whether an action with an effect has used the slot's value already."""
    return any(use.effect for use in _all_action_uses(turn, ref))


def parse_value(turn: Turn, ref: SlotRef, value: Any) -> Any:
    """Return the stored form of the value. Raises ValueRefused when the slot does not accept it."""
    return _parse_for(turn, computed_slot(turn, ref.frame, ref.slot), value)


def _parse_for(turn: Turn, slot: Slot, value: Any) -> Any:
    context = turn.context
    return value_from_any(slot, value, now=turn.now, timezone=context.timezone, language=context.language)


def refuse_value(turn: Turn, ref: SlotRef, error: ValueRefused, origin: Origin) -> None:
    """Say why the slot does not accept the value."""
    _say_rejected(turn, ref.name, computed_slot(turn, ref.frame, ref.slot), error, origin)


def _rejection_text(turn: Turn, about: str, slot: Slot, error: ValueRefused) -> str:
    template, reason = slot.invalid, error.sentence(turn.language)
    if template is None:
        title = title_in_messages(turn, slot, about)
        return turn.response_text(f"rejected:{about}", reason=reason, slot=title, value=error.value_text)
    limits = {name: getattr(slot, name) for name in ("minimum", "maximum", "min_length", "max_length")}
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
    step, ref = turn.step_of(frame), frame_slot(turn, frame, name)
    turn.settle_wait(frame, "answered", values={name: value})
    reads = limit_hashes(turn, frame, ref.slot) if ref else None
    leave_step(turn, frame, turn.flow_of(frame).next_step(step.step), reads=reads, wrote=[name])


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


def leave_step(
    turn: Turn, frame: Frame, target: str, *, reads: dict[str, str] | None = None, wrote: list[str] | None = None
) -> str:
    """Leave the step that the frame stands at for another, add it to the path, and return where the frame stands now.

    `reads` are the hashes of what the step read, `wrote` the slots that it wrote.
    """
    flow = turn.flow_of(frame)
    position, next_step = {}, target
    if flow.has_rounds:
        position = rounds.item_position(turn, frame)
        next_step = rounds.target_in_loop(flow, frame, target)
    # Empty details are left out: the path is stored with every turn.
    path_step: Any = {"step": frame["step"], "to": target}
    overwritten = {name for name in reads if name.partition(".")[0] in wrote} if reads and wrote else None
    hashes_left = read_hashes(turn, frame, overwritten) if overwritten else None
    overwrote = _overwritten_values(turn, frame, wrote or ()) if turn.overwritten or frame.get("again") else None
    details = {"reads": reads, "wrote": wrote, "left": hashes_left, "overwrote": overwrote}
    path_step |= {name: detail for name, detail in details.items() if detail}
    # Only after a correction may a question be passed over although its slot was emptied.
    emptied = [name for name in wrote or () if value_of(turn, frame, name) is None] if frame.get("again") else []
    corrections.append_path_step(flow, frame, path_step, emptied)
    turn.record.steps.append({"flow": frame["flow"], "step": frame["step"], "to": next_step, **position})
    frame["step"] = next_step
    turn.touch(frame)
    return next_step


def _overwritten_values(turn: Turn, frame: Frame, wrote: Sequence[str]) -> dict[str, StoredSlot]:
    """Return what these slots held before the step that the frame leaves; of a repeated step, before its first run."""
    values = {name: turn.overwritten.pop((frame["id"], name), None) for name in wrote}
    before = frame.get("again", {}).get(frame["step"])
    if before is not None:
        return before.get("overwrote", {})
    return {name: stored for name, stored in values.items() if stored is not None}


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
    record_change(turn, ref, None, origin)
    del slot_store(turn, ref)[ref.name]
    for frame in corrections.frames_reading(turn, ref):
        if ref.name in turn.flow_of(frame).needs:
            frame.pop("needs_met", None)
        corrections.set_back_to_question(turn, frame, ref.name)


def _is_value_final(uses: list[ActionUse]) -> bool:
    """Whether one of the actions may not be repeated, so that its value may not change either."""
    return any(use.final for use in uses)


def say_already_done(turn: Turn, ref: SlotRef, origin: Origin, value: Any) -> None:
    """Say that an earlier value was used, and that what was done with it stays."""
    _say_about_slot(turn, "already_done", ref, origin, value)


def _say_about_slot(turn: Turn, key: str, ref: SlotRef, origin: Origin, value: Any) -> None:
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


def _set_readers_back(turn: Turn, ref: SlotRef) -> None:
    for frame in corrections.frames_reading(turn, ref):
        corrections.set_back(turn, frame, ref.name)


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


def empty_slot(turn: Turn, ref: SlotRef, origin: Origin) -> None:
    """Empty a slot, and say so. It is asked for again if the flow needs it."""
    if _refuses_user(turn, ref, origin):
        return
    if ref.whole is not None:
        return _empty_field(turn, ref, ref.whole, origin)
    if draft_of(turn, ref):
        forget_draft(turn, ref)
        _say_about_slot(turn, "cleared", ref, origin, None)
        _ask_next_field(turn, ref)
    old = stored_slot(turn, ref)
    if old is None:
        return
    if _is_value_final(_all_action_uses(turn, ref)):
        return _say_about_slot(turn, "already_done", ref, origin, old["value"])
    _say_about_slot(turn, "cleared", ref, origin, None)
    _forget_needs_from(turn, ref)
    _take_back(turn, ref, origin)


def _empty_field(turn: Turn, ref: SlotRef, whole: SlotRef, origin: Origin) -> None:
    """Empty one field of a record. If the record needs it, the field is asked for again."""
    if stored_slot(turn, ref) is None:
        return
    rest, stored = without_field(_known_fields(turn, whole), ref.path), stored_slot(turn, whole)
    if stored is not None and _is_value_final(_all_action_uses(turn, whole)):
        return _say_about_slot(turn, "already_done", ref, origin, None)
    _say_about_slot(turn, "cleared", ref, origin, None)
    if stored is not None and not missing_field(whole.slot, rest):
        store_value(turn, whole, complete_record(whole.slot, rest), origin)
        return _set_readers_back(turn, whole)
    record_change(turn, ref, None, origin)
    slot_store(turn, whole).pop(whole.name, None)
    keep_draft(turn, whole, rest)
    if stored is None:
        return _ask_next_field(turn, whole)
    for frame in corrections.frames_reading(turn, whole):
        corrections.set_back_to_question(turn, frame, whole.name)


def leave_empty(turn: Turn, ref: SlotRef, origin: Origin) -> None:
    """Leave an optional slot empty for good, so that no question for it is asked."""
    if ref.whole is not None:  # No question is asked for an optional field of a record.
        return _empty_field(turn, ref, ref.whole, origin)
    if _refuses_user(turn, ref, origin):
        return
    was_asked_for = is_asked_for(turn, ref)
    store_value(turn, ref, None, origin)
    frame = ref.frame or turn.top
    if was_asked_for and frame is not None:
        pass_question(turn, frame, ref.name, None)
    else:
        _set_readers_back(turn, ref)
