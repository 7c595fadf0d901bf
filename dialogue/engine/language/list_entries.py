"""The entries of the list that an expression gives, as a slot: their type follows from the list."""

from collections.abc import Callable

from dialogue.engine.expressions.model import FunctionCall, Name, Node
from dialogue.engine.slots.display import field_slot
from dialogue.engine.slots.models import Slot

SlotLookup = Callable[[str], Slot | None]
"""Returns the slot that a name such as orders or order.items means, or None."""

_LISTS_OF_THE_SAME_ENTRIES = frozenset({"filter", "sort"})


def entry_slot(node: Node, find_slot: SlotLookup) -> Slot | None:
    """Return the slot of each entry of the list that the expression gives, or None if its type is not known."""
    match node:
        case Name(name=name):
            slot = find_slot(name)
            return (slot.items or Slot(type="text")) if slot is not None and slot.type == "list" else None
        case FunctionCall(name=function, arguments=arguments) if function in _LISTS_OF_THE_SAME_ENTRIES:
            return entry_slot(arguments[0], find_slot)
        case FunctionCall(name="pick", arguments=(source, Name(name=field))):
            entry = entry_slot(source, find_slot)
            return field_slot(entry, field.removeprefix("item.")) if entry is not None else None
        case _:
            return None


def slot_in(slot: Slot | None, path: str) -> Slot | None:
    """Return the slot at a path of fields inside the slot; the slot itself for an empty path."""
    return field_slot(slot, path) if slot is not None and path else slot
