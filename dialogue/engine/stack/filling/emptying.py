"""Empty slots, and leave optional ones empty."""

from dialogue.engine.stack.filling.record_fields import forget_draft
from dialogue.engine.stack.filling.record_values import ask_next_field, empty_field
from dialogue.engine.stack.filling.steps import is_asked_for, pass_question
from dialogue.engine.stack.filling.values import (
    Origin,
    all_action_uses,
    forget_needs_from,
    is_value_final,
    refuses_user,
    say_about_slot,
    set_readers_back,
    store_value,
    take_back,
)
from dialogue.engine.stack.slot_access import SlotRef, draft_of, stored_slot
from dialogue.engine.stack.turn import Turn


def empty_slot(turn: Turn, ref: SlotRef, origin: Origin) -> None:
    """Empty a slot, and say so. It is asked for again if the flow needs it."""
    if refuses_user(turn, ref, origin):
        return
    if ref.whole is not None:
        return empty_field(turn, ref, ref.whole, origin)
    if draft_of(turn, ref):
        forget_draft(turn, ref)
        say_about_slot(turn, "cleared", ref, origin, None)
        ask_next_field(turn, ref)
    old = stored_slot(turn, ref)
    if old is None:
        return
    if is_value_final(all_action_uses(turn, ref)):
        return say_about_slot(turn, "already_done", ref, origin, old["value"])
    say_about_slot(turn, "cleared", ref, origin, None)
    forget_needs_from(turn, ref)
    take_back(turn, ref, origin)


def leave_empty(turn: Turn, ref: SlotRef, origin: Origin) -> None:
    """Leave an optional slot empty for good, so that no question for it is asked."""
    if ref.whole is not None:  # No question is asked for an optional field of a record.
        return empty_field(turn, ref, ref.whole, origin)
    if refuses_user(turn, ref, origin):
        return
    was_asked_for = is_asked_for(turn, ref)
    store_value(turn, ref, None, origin)
    frame = ref.frame or turn.top
    if was_asked_for and frame is not None:
        pass_question(turn, frame, ref.name, None)
    else:
        set_readers_back(turn, ref)
