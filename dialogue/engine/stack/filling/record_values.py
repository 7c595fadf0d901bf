"""Fill and empty the fields of records."""

from collections.abc import Mapping
from typing import Any

from dialogue.engine.slots.display import field_of
from dialogue.engine.stack import corrections
from dialogue.engine.stack.filling.record_fields import (
    FieldRefusal,
    complete_record,
    filled_paths,
    forget_draft,
    keep_draft,
    merge_values,
    missing_field,
    read_fields,
    without_field,
)
from dialogue.engine.stack.filling.steps import is_asked_for
from dialogue.engine.stack.filling.values import (
    Origin,
    all_action_uses,
    apply_value,
    is_value_final,
    parse_for,
    parse_value,
    record_change,
    say_about_slot,
    say_rejected,
    set_readers_back,
    store_value,
)
from dialogue.engine.stack.slot_access import SlotRef, draft_of, field_ref, slot_store, stored_slot
from dialogue.engine.stack.turn import Turn, open_new_wait


def fill_fields(turn: Turn, ref: SlotRef, values: Mapping[str, Any], origin: Origin) -> bool:
    """Store fields of a record, or keep them until its required fields are known. Return False if one is refused."""
    accepted, refusals = read_fields(ref.slot, values, lambda field, value: parse_for(turn, field, value))
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
        apply_value(turn, ref, parse_value(turn, ref, record), origin)
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
            say_about_slot(turn, "corrected", field, origin, new[1])
        record_change(turn, field, new[1] if new else None, origin)
    if record != before:
        keep_draft(turn, ref, record)
        ask_next_field(turn, ref)


def ask_next_field(turn: Turn, ref: SlotRef) -> None:
    frame = ref.frame or turn.top
    if frame is not None and is_asked_for(turn, ref):
        open_new_wait(turn, frame, "collect")
        turn.touch(frame)


def _say_field_rejected(turn: Turn, ref: SlotRef, refusal: FieldRefusal, origin: Origin) -> None:
    say_rejected(turn, origin.field or ref.name, refusal.field or ref.slot, refusal.error, origin)


def empty_field(turn: Turn, ref: SlotRef, whole: SlotRef, origin: Origin) -> None:
    """Empty one field of a record. If the record needs it, the field is asked for again."""
    if stored_slot(turn, ref) is None:
        return
    rest, stored = without_field(_known_fields(turn, whole), ref.path), stored_slot(turn, whole)
    if stored is not None and is_value_final(all_action_uses(turn, whole)):
        return say_about_slot(turn, "already_done", ref, origin, None)
    say_about_slot(turn, "cleared", ref, origin, None)
    if stored is not None and not missing_field(whole.slot, rest):
        store_value(turn, whole, complete_record(whole.slot, rest), origin)
        return set_readers_back(turn, whole)
    record_change(turn, ref, None, origin)
    slot_store(turn, whole).pop(whole.name, None)
    keep_draft(turn, whole, rest)
    if stored is None:
        return ask_next_field(turn, whole)
    for frame in corrections.frames_reading(turn, whole):
        corrections.set_back_to_question(turn, frame, whole.name)
