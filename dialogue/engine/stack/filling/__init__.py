"""Decide what becomes of a value and what is said: stored, corrected, refused, asked about, already used."""

from dialogue.engine.stack.filling.answers import fill_slot
from dialogue.engine.stack.filling.choice_values import named_option, narrow_choice
from dialogue.engine.stack.filling.emptying import empty_slot, leave_empty
from dialogue.engine.stack.filling.steps import is_asked_for, leave_step, pass_question
from dialogue.engine.stack.filling.values import (
    Origin,
    forget_outdated,
    forget_value,
    has_effect_of,
    parse_value,
    record_change,
    refuse_value,
    say_already_done,
    set_readers_back,
    store_value,
    stored_form,
)

__all__ = [
    "Origin",
    "empty_slot",
    "fill_slot",
    "forget_outdated",
    "forget_value",
    "has_effect_of",
    "is_asked_for",
    "leave_empty",
    "leave_step",
    "named_option",
    "narrow_choice",
    "parse_value",
    "pass_question",
    "record_change",
    "refuse_value",
    "say_already_done",
    "set_readers_back",
    "store_value",
    "stored_form",
]
