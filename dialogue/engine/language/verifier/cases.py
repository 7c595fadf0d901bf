"""Tests that can never hold, and cases that earlier cases already cover."""

from collections.abc import Iterator
from decimal import Decimal

from dialogue.engine.expressions.conditions import Condition
from dialogue.engine.expressions.values import TypedValue
from dialogue.engine.language.steps import Branch, While
from dialogue.engine.language.verifier.data_flow import filled_before
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import FlowView
from dialogue.engine.language.verifier.value_sets import EMPTY_SLOT, HIGHEST, LOWEST, ValueSet, ValueSets, value_sets_of
from dialogue.engine.source.parser import DocumentPath
from dialogue.engine.source.phrases import Phrase


def check_cases(view: FlowView) -> Iterator[Finding]:
    """Yield tests that contradict themselves or their slots, and cases behind one that covers them."""
    if view.flow.guard:
        yield from _check_holds(view, ("if",), view.flow.guard)
    for path, step in view.steps_with_paths:
        if isinstance(step, Branch):
            yield from _check_branch(view, path, step)
        # A loop needs no check for overlap: it has one test.
        if isinstance(step, While):
            yield from _check_holds(view, (*path, "condition"), step.condition)


def _check_holds(view: FlowView, path: DocumentPath, test: Condition) -> Iterator[Finding]:
    if _never_holds(view, value_sets_of(test.tree)):
        text = Phrase("`{test}` can never hold", test=str(test).strip())
        yield view.error("contradiction", path, text, Phrase("Correct the condition, or delete it"))


def _never_holds(view: FlowView, value_sets: ValueSets | None) -> bool:
    return any(_is_impossible(value_set, slot_domain(view, name)) for name, value_set in (value_sets or {}).items())


def _is_impossible(value_set: ValueSet, domain: ValueSet) -> bool:
    return value_set.is_empty() or (not value_set.contains(None) and value_set.intersection(domain).is_empty())


def slot_domain(view: FlowView, name: str) -> ValueSet:
    """Return the values that can be stored under this name."""
    slot, kind = view.slots.get(name), view.kind_of_name(name)
    if kind and kind.options:
        return ValueSet(frozenset(kind.options))
    if kind and kind.name == "boolean":
        return ValueSet(frozenset({True, False}))
    # Bounds of dates and times are texts here, and are left out.
    low = (slot.minimum, True) if slot and isinstance(slot.minimum, Decimal) else LOWEST
    high = (slot.maximum, True) if slot and isinstance(slot.maximum, Decimal) else HIGHEST
    return ValueSet(excluded=EMPTY_SLOT, low=low, high=high)


def _check_branch(view: FlowView, path: DocumentPath, step: Branch) -> Iterator[Finding]:
    earlier: list[tuple[str, ValueSets | None]] = []
    for index, case in enumerate(step.cases):
        text, value_sets = str(case.when).strip(), value_sets_of(case.when.tree)
        case_path = (*path, "cases", index, "when")
        if _never_holds(view, value_sets):
            yield from _check_holds(view, case_path, case.when)
        elif covering_case := _covering_case(text, value_sets, earlier):
            text_ = Phrase(
                "`{text}` is never reached: an earlier case, `{covering_case}`, always holds when this one does",
                text=text,
                covering_case=covering_case,
            )
            yield view.error("overlap", case_path, text_, Phrase("Put the narrower case first, or delete it"))
        earlier.append((text, value_sets))


def check_exhausted(view: FlowView) -> Iterator[Finding]:
    """Yield cases behind others that together cover every value of a slot that is always filled here."""
    surely = filled_before(view, surely=True)
    for path, step in view.steps_with_paths:
        if isinstance(step, Branch) and step.step in surely:
            yield from _check_exhausted_branch(view, path, step, surely[step.step])


def _check_exhausted_branch(
    view: FlowView, path: DocumentPath, step: Branch, filled: frozenset[str]
) -> Iterator[Finding]:
    remaining: dict[str, frozenset[TypedValue]] = {}
    for index, case in enumerate(step.cases):
        exhausted_slot = next((name for name, values in remaining.items() if not values), None)
        if exhausted_slot:
            test = str(case.when).strip()
            text = Phrase(
                "`{test}` is never reached: the cases before it already cover every value of `{exhausted_slot}`",
                test=test,
                exhausted_slot=exhausted_slot,
            )
            yield view.error(
                "overlap", (*path, "cases", index, "when"), text, Phrase("Put it before them, or delete it")
            )
            return
        value_sets = value_sets_of(case.when.tree) or {}
        # A test of two slots takes only some values of either, whatever the other one is.
        for name, value_set in value_sets.items() if len(value_sets) == 1 else ():
            values = slot_domain(view, name).values() if name in filled else None
            if values is not None:
                remaining[name] = frozenset(
                    value for value in remaining.get(name, values) if not value_set.contains(value)
                )


def _covering_case(text: str, value_sets: ValueSets | None, earlier: list[tuple[str, ValueSets | None]]) -> str | None:
    for other, earlier_sets in earlier:
        if other == text:
            return other
        if value_sets and earlier_sets:
            slots = earlier_sets.items()
            if all(name in value_sets and values.covers(value_sets[name]) for name, values in slots):
                return other
    return None
