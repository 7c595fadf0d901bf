"""Loops: a `for_each` goes through a list, its item and its slots belong to it alone, and what it gathers fits."""

from collections.abc import Iterator

from dialogue.engine.expressions.conditions import Condition, ConditionRefused
from dialogue.engine.language.loop_items import entry_slot
from dialogue.engine.language.steps import CONTINUE, AnyStep, Assign, Collect, ForEach, Human, Loop
from dialogue.engine.language.verifier.contracts import fits_kind
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import FlowView, kind_of
from dialogue.engine.slots.definitions.slot_types import RESERVED_WORDS
from dialogue.engine.slots.templates import Template
from dialogue.engine.source.parser import DocumentPath
from dialogue.engine.source.phrases import Phrase

_READING_KEYS = frozenset({"show", "bind"})


def check_loops(view: FlowView) -> Iterator[Finding]:
    """Yield what is wrong with the `for_each` loops of the flow, and with steps that use their items."""
    if not view.flow.has_rounds:
        return
    for path, step in view.steps_with_paths:
        if isinstance(step, ForEach):
            yield from _check_list(view, path, step)
            yield from _check_item_name(view, path, step)
            yield from _check_slots_of_round(view, path, step)
            yield from _check_gathered(view, path, step)
        if step.step == CONTINUE:
            text = Phrase("`continue` leads to the next round of a loop, so no step may have this name")
            yield view.error("reserved", (*path, "step"), text, Phrase("Choose another name"))
        yield from _check_item_uses(view, path, step)
        yield from _check_repeated_step(view, path, step)


def _check_list(view: FlowView, path: DocumentPath, step: ForEach) -> Iterator[Finding]:
    try:
        kind = step.entries.check_as_expression(view.kinds)
    except ConditionRefused:
        return  # check_names reports it.
    if any(step.entries.unknown_names(view.kinds)):
        return  # check_names reports them.
    if kind.name not in ("list", "any"):
        text = Phrase("`{entries}` is a {name}, but a loop goes through a list", entries=step.entries, name=kind.name)
        yield view.error(
            "not_a_list", (*path, "in"), text, Phrase("Write the name of a list slot, or filter(<list>, <test>)")
        )
    elif entry_slot(step.entries.tree, view.slots) is None:
        text = Phrase("what the entries of `{entries}` are is not known", entries=step.entries)
        advice = Phrase("Set a list slot to it in a step before the loop, and write the slot's name")
        yield view.error("not_a_list", (*path, "in"), text, advice)
    for name in sorted(step.gather.keys() & step.entries.names_read):
        text = Phrase("the loop goes through `{name}`, and empties it when it starts", name=name)
        yield view.error(
            "gathers_its_own_list", (*path, "gather", name), text, Phrase("Gather into another slot"), on_key=True
        )


def _check_item_name(view: FlowView, path: DocumentPath, step: ForEach) -> Iterator[Finding]:
    advice = Phrase("Choose another name for the item")
    if step.item in view.flow.slots or step.item in view.assistant.slots:
        yield view.error("same_name", (*path, "item"), Phrase("`{item}` is a slot already", item=step.item), advice)
    elif step.item in RESERVED_WORDS:
        yield view.error(
            "reserved", (*path, "item"), Phrase("`{item}` is a reserved word of conditions", item=step.item), advice
        )
    elif view.flow.has_step(step.item) and isinstance(view.flow.step(step.item), Human):
        text = Phrase("`{item}` is also a human step, so `{{{item}.action}}` would be ambiguous", item=step.item)
        yield view.error("same_name", (*path, "item"), text, advice)
    elif any(view.flow.loop(outer).item == step.item for outer in view.flow.loops_around(step.step)):
        yield view.error(
            "same_name", (*path, "item"), Phrase("an outer loop has the item `{item}` too", item=step.item), advice
        )
    else:
        entry = entry_slot(step.entries.tree, view.slots)
        if entry is not None and kind_of(entry) != kind_of(view.flow.loop_items[step.item]):
            text = Phrase("another loop has an item `{item}` of another type", item=step.item)
            yield view.error("same_name", (*path, "item"), text, advice)


def _check_slots_of_round(view: FlowView, path: DocumentPath, step: ForEach) -> Iterator[Finding]:
    outer_loops = [view.flow.loop(name) for name in view.flow.loops_around(step.step)]
    for index, name in enumerate(step.per_item):
        place = (*path, "per_item", index)
        if name not in view.flow.slots and name in view.slots:
            text = Phrase("`{name}` is not a slot of this flow, so it cannot be emptied for each round", name=name)
            yield view.error("not_own_slot", place, text, Phrase("Declare a slot of the flow for it"))
        elif name in step.gather:
            text = Phrase("`{name}` is emptied for each round, so nothing can be gathered in it", name=name)
            yield view.error("gathered_per_item", place, text, Phrase("Gather into another slot"))
        elif any(name in loop.per_item for loop in outer_loops):
            text = Phrase("`{name}` belongs to a round of the outer loop", name=name)
            yield view.error("same_name", place, text, Phrase("Declare a slot of its own for the inner loop"))


def _check_gathered(view: FlowView, path: DocumentPath, step: ForEach) -> Iterator[Finding]:
    for name, expression in step.gather.items():
        slot, place = view.slots.get(name), (*path, "gather", name)
        if slot is None or name == step.item:
            continue  # check_names reports it, or _check_item_uses.
        if slot.type != "list":
            text = Phrase("values are gathered in a list, but `{name}` has the type {type}", name=name, type=slot.type)
            yield view.error("wrong_type", place, text, Phrase("Give the slot the type list"), on_key=True)
            continue
        try:
            kind = expression.check_as_expression(view.kinds)
        except ConditionRefused:
            continue  # check_names reports it.
        if slot.items is not None and not fits_kind(kind, kind_of(slot.items)):
            text = Phrase(
                "`{expression}` is a {kind_name}, but the entries of `{name}` have the type {type}",
                expression=expression,
                kind_name=kind.name,
                name=name,
                type=slot.items.type,
            )
            yield view.error("wrong_type", place, text, Phrase("Gather a value of that type"))


def _items_around(view: FlowView, step: AnyStep) -> frozenset[str]:
    """Return the items that the step may read: those of the loops around it."""
    return frozenset(view.flow.loop(name).item for name in view.flow.loops_around(step.step))


def _check_item_uses(view: FlowView, path: DocumentPath, step: AnyStep) -> Iterator[Finding]:
    own_items = frozenset({step.item}) if isinstance(step, ForEach) else frozenset()
    items = view.flow.loop_items.keys() - view.slots_by_author.keys()
    outside = items - _items_around(view, step)
    for reference in view.references_of[path]:
        if isinstance(step, Loop) and reference.path[len(path)] == "do":
            continue  # The steps of a loop are checked on their own.
        key = reference.path[len(path)]
        is_item = (
            reference.kind == "slot" and reference.name in view.flow.loop_items.keys() - view.slots_by_author.keys()
        )
        if is_item and key not in _READING_KEYS:
            text = Phrase("`{name}` is the entry of a loop, which a step cannot fill", name=reference.name)
            yield view.error(
                "fills_item", reference.path, text, Phrase("Name a slot"), on_key=key in ("slots", "gather")
            )
        elif is_item and reference.name in outside:
            yield _outside_loop(view, reference.path, reference.name)
    for leaf_path, names in _names_of(view, path, step):
        gathered = own_items if leaf_path[len(path)] == "gather" else frozenset()
        for name in sorted({name.split(".")[0] for name in names} & (outside - gathered)):
            yield _outside_loop(view, leaf_path, name)


def _outside_loop(view: FlowView, path: DocumentPath, name: str) -> Finding:
    text = Phrase("`{name}` is the entry of a loop, and this step is outside of that loop", name=name)
    return view.error(
        "outside_loop", path, text, Phrase("Move the step into the loop, or gather what it needs in a list")
    )


def _names_of(view: FlowView, path: DocumentPath, step: AnyStep) -> Iterator[tuple[DocumentPath, frozenset[str]]]:
    for leaf_path, leaf in view.leaves_of[path]:
        if isinstance(step, Loop) and leaf_path[len(path)] == "do":
            continue
        if isinstance(leaf, Template):
            yield leaf_path, leaf.names
        elif isinstance(leaf, Condition):
            yield leaf_path, leaf.slots_read(view.kinds)


def _check_repeated_step(view: FlowView, path: DocumentPath, step: AnyStep) -> Iterator[Finding]:
    """Yield questions that only the first round asks, and sums that a correction would count twice."""
    loops = [view.flow.loop(name) for name in view.flow.loops_around(step.step)]
    if not loops:
        return
    own_slots = frozenset(name for loop in loops for name in loop.per_item)
    kept_slots = view.slots.keys() - own_slots - _emptied_slots(view)
    if isinstance(step, Collect) and not step.force and step.slot in kept_slots:
        text = Phrase(
            "`{slot}` keeps its value after the first round, so the other rounds do not ask for it", slot=step.slot
        )
        advice = Phrase("Write per_item: [{slot}] at the loop, or ask before it", slot=step.slot)
        yield view.warning("asked_once", (*path, "slot"), text, advice)
    for name, value in step.slots.items() if isinstance(step, Assign) else ():
        if isinstance(value, Condition) and name in value.names_read and name not in own_slots:
            text = Phrase(
                "`{name}` is computed from itself in every round, so a correction in an earlier round counts twice",
                name=name,
            )
            advice = Phrase("Gather the values in a list, and compute from the list after the loop")
            yield view.warning("counted_twice", (*path, "slots", name), text, advice)


def _emptied_slots(view: FlowView) -> frozenset[str]:
    assigned = (step.slots.items() for _, step in view.steps_with_paths if isinstance(step, Assign))
    return frozenset(name for items in assigned for name, value in items if value is None)
