"""The items of `for_each` loops as slots: their types follow from the lists that the loops go through."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from dialogue.engine.expressions.model import FunctionCall, Name, Node
from dialogue.engine.language.steps import AnyStep, Call, ForEach
from dialogue.engine.slots.models import Slot

_LISTS_OF_THE_SAME_ENTRIES = frozenset({"filter", "sort"})


def loop_items_of(steps: Iterable[AnyStep], slots: Mapping[str, Slot]) -> dict[str, Slot]:
    """Return a slot for the item of each `for_each` among the steps, by the item's name.

    `slots` are those that the flow can read. An item whose type is not known may have any field: the verifier reports
    its list, and not what is made of it.
    """
    items: dict[str, Slot] = {}
    # A loop comes before the loops inside it, which may go through a list of its item.
    for step in steps:
        if isinstance(step, ForEach):
            entry = entry_slot(step.entries.tree, {**items, **slots}) or _unknown_entry(step.item)
            items.setdefault(step.item, entry)
    return items


def _unknown_entry(item: str) -> Slot:
    """Return a slot like that of a record that cannot be read."""
    slot = Slot(type="text")
    slot._record = item
    return slot


def slots_of_rounds(flows: Mapping[str, "HasSteps"], name: str) -> dict[str, Slot]:
    """Return the slots that belong to rounds of `for_each` loops in this flow or in flows that it calls, by name."""
    slots: dict[str, Slot] = {}
    visited, pending = set[str](), [name]
    while pending:
        flow = flows.get(pending.pop())
        if flow is None or flow.flow in visited:
            continue
        visited.add(flow.flow)
        for step in flow.all_steps():
            if isinstance(step, ForEach):
                slots |= {own: flow.slots[own] for own in step.per_item if own in flow.slots and own not in slots}
            elif isinstance(step, Call):
                pending.append(step.flow)
    return slots


class HasSteps(Protocol):
    """What is needed of a flow here: its name, slots and steps."""

    @property
    def flow(self) -> str: ...

    @property
    def slots(self) -> Mapping[str, Slot]: ...

    def all_steps(self) -> Iterator[AnyStep]: ...


def entry_slot(node: Node, slots: Mapping[str, Slot]) -> Slot | None:
    """Return the slot of each entry of the list that the expression gives, or None if it gives no list."""
    whole = _slot_of(node, slots)
    return (whole.items or Slot(type="text")) if whole is not None and whole.type == "list" else None


def _slot_of(node: Node, slots: Mapping[str, Slot]) -> Slot | None:
    """Return the slot that describes the value of the expression, as far as names and list functions tell."""
    match node:
        case Name(name=name):
            return _slot_at(name, slots)
        case FunctionCall(name=name, arguments=arguments) if name in _LISTS_OF_THE_SAME_ENTRIES:
            return _slot_of(arguments[0], slots)
        case FunctionCall(name="pick", arguments=(source, Name(name=field))):
            entry = entry_slot(source, slots)
            picked = _slot_at(field.removeprefix("item."), entry.fields) if entry is not None else None
            return Slot(type="list", items=picked) if picked is not None else None
        case _:
            return None


def _slot_at(name: str, slots: Mapping[str, Slot]) -> Slot | None:
    """Return the slot of a name such as `order.address.zip`, or None."""
    head, _dot, rest = name.partition(".")
    slot = slots.get(head)
    return slot if slot is None or not rest else _slot_at(rest, slot.fields)
