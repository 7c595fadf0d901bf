"""Fill a slot with an answer from any source: a field of a record, a choice from data, or a plain value."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dialogue.engine.stack.filling.choice_values import fill_choice
from dialogue.engine.stack.filling.record_fields import nested_value
from dialogue.engine.stack.filling.record_values import fill_fields
from dialogue.engine.stack.filling.values import Origin, fill_parsed, refuses_user
from dialogue.engine.stack.slot_access import SlotRef
from dialogue.engine.stack.turn import Turn

_PEOPLE = ("user", "operator")


def fill_slot(turn: Turn, ref: SlotRef, value: Any, origin: Origin) -> bool:
    """Store a value as an answer, ahead of its question, or as a correction. Return False when the slot refuses it.

    A record is filled field by field: what fits is kept, and the rest is asked for. A choice from data takes what names
    one of its options. A slot that a signed claim fills refuses every value of the user.
    """
    if refuses_user(turn, ref, origin):
        return False
    if (ref.whole or ref).slot.options_from is not None and origin.source in _PEOPLE:
        return ref.whole is None and fill_choice(turn, ref, value, origin)
    if ref.whole is not None:
        return fill_fields(turn, ref.whole, nested_value(ref.path, value), replace(origin, field=ref.name))
    if ref.slot.type == "object" and isinstance(value, Mapping) and not ref.slot.options_from:
        return fill_fields(turn, ref, value, origin)
    return fill_parsed(turn, ref, value, origin)
