"""Commands that change a list: add values to it, and take values out of it."""

from typing import Any

from dialogue.engine.commands.slots import clear_slot, set_slot
from dialogue.engine.ports.commands import AddValues, ClearSlot, RemoveValues, SetSlot
from dialogue.engine.slots.candidates import find_candidate
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.values import ValueRefused
from dialogue.engine.stack import choices
from dialogue.engine.stack.filling import parse_value
from dialogue.engine.stack.slot_access import SlotRef, find_slot, stored_slot
from dialogue.engine.stack.turn import Turn


def add_values(turn: Turn, command: AddValues) -> None:
    """Store the list with the new values behind those that it has; what reads it runs again, as after a correction.

    A slot that is not a list takes the last of the values.
    """
    ref = find_slot(turn, command.slot)
    if ref is None or not command.values:
        return turn.drop(command, "unknown_slot")
    if ref.slot.type != "list":
        return set_slot(turn, SetSlot(command.slot, command.values[-1], command.words))
    current = _stored_list(turn, ref)
    new = [value for value in _stored_forms(turn, ref, command.values) if value not in current]
    return set_slot(turn, SetSlot(command.slot, [*current, *new], command.words))


def remove_values(turn: Turn, command: RemoveValues) -> None:
    """Store the list without these values. Without a rest the slot is emptied, and asked for again."""
    ref = find_slot(turn, command.slot)
    if ref is None:
        return turn.drop(command, "unknown_slot")
    current = _stored_list(turn, ref) if ref.slot.type == "list" else [_stored_value(turn, ref)]
    removed = _stored_forms(turn, ref, command.values)
    rest = [value for value in current if value not in removed]
    if len(rest) == len(current):
        return turn.drop(command, "not_in_list")
    if not rest:
        return clear_slot(turn, ClearSlot(command.slot))
    return set_slot(turn, SetSlot(command.slot, rest, command.words))


def _stored_value(turn: Turn, ref: SlotRef) -> Any:
    stored = stored_slot(turn, ref)
    return stored["value"] if stored else None


def _stored_list(turn: Turn, ref: SlotRef) -> list[Any]:
    value = _stored_value(turn, ref)
    return list(value) if isinstance(value, list) else []


def _stored_forms(turn: Turn, ref: SlotRef, values: tuple[Any, ...]) -> list[Any]:
    """Return the values as the list stores them; one that is refused stays as it is, so that its refusal is said."""
    forms: list[Any] = []
    for value in values:
        form = _stored_form(turn, ref, value)
        if form not in forms:
            forms.append(form)
    return forms


def _stored_form(turn: Turn, ref: SlotRef, value: Any) -> Any:
    frame = ref.frame or turn.top
    if ref.slot.options_from is not None and frame is not None:
        option = find_candidate(value, choices.known_candidates(turn, frame, ref.slot) or ())
        return option.value if option is not None else value
    items = ref.slot.items or Slot(type="text")
    try:
        return parse_value(turn, SlotRef(ref.frame, ref.name, items if ref.slot.type == "list" else ref.slot), value)
    except ValueRefused:
        return value
