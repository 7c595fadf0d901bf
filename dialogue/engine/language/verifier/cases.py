"""Tests that can never hold, and cases that earlier ones take away."""

from collections.abc import Iterator
from decimal import Decimal

from dialogue.engine.expressions.conditions import Condition
from dialogue.engine.expressions.model import TypedValue
from dialogue.engine.language.steps import Branch, While
from dialogue.engine.language.verifier.data_flow import filled_before
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import FlowView
from dialogue.engine.language.verifier.value_sets import EMPTY_SLOT, HIGHEST, LOWEST, ValueSet, ValueSets, value_sets_of
from dialogue.engine.slots.models import Slot
from dialogue.engine.source.parser import DocumentPath


def check_cases(view: FlowView) -> Iterator[Finding]:
    """Tests that contradict themselves or their slots, and cases behind one that holds whenever they would."""
    if view.flow.guard:
        yield from _check_holds(view, ("if",), view.flow.guard)
    for path, step in view.steps_with_paths:
        if isinstance(step, Branch):
            yield from _check_branch(view, path, step)
        if isinstance(step, While):
            yield from _check_holds(view, (*path, "condition"), step.condition)


def _check_holds(view: FlowView, path: DocumentPath, test: Condition) -> Iterator[Finding]:
    if _never_holds(view, value_sets_of(test.tree)):
        yield view.error("contradiction", path, f"`{str(test).strip()}` can never hold", "Mend it or take it out")


def _never_holds(view: FlowView, regions: ValueSets | None) -> bool:
    return any(_is_out(region, slot_domain(view, name)) for name, region in (regions or {}).items())


def _is_out(region: ValueSet, domain: ValueSet) -> bool:
    return region.is_empty() or (not region.contains(None) and region.intersection(domain).is_empty())


def slot_domain(view: FlowView, name: str) -> ValueSet:
    """The values that can be stored under this name."""
    slot, kind = view.slots.get(name), view.kinds.get(name)
    if kind and kind.options:
        return ValueSet(frozenset(kind.options))
    if slot and slot.type == "boolean":
        return ValueSet(frozenset({True, False}))
    return _limits(slot) if slot else ValueSet(excluded=EMPTY_SLOT)


def _limits(slot: Slot) -> ValueSet:
    low = (slot.minimum, True) if isinstance(slot.minimum, Decimal) else LOWEST
    high = (slot.maximum, True) if isinstance(slot.maximum, Decimal) else HIGHEST
    return ValueSet(excluded=EMPTY_SLOT, low=low, high=high)


def _check_branch(view: FlowView, path: DocumentPath, step: Branch) -> Iterator[Finding]:
    earlier: list[tuple[str, ValueSets | None]] = []
    for place, case in enumerate(step.cases):
        text, regions = str(case.when).strip(), value_sets_of(case.when.tree)
        where = (*path, "cases", place, "when")
        if _never_holds(view, regions):
            yield from _check_holds(view, where, case.when)
        elif taken := _taken_by(text, regions, earlier):
            said = f"`{text}` is never reached: an earlier case, `{taken}`, holds whenever it would"
            yield view.error("overlap", where, said, "Put the narrower case first, or take it out")
        earlier.append((text, regions))


def check_exhausted(view: FlowView) -> Iterator[Finding]:
    """Cases behind others that together take every value of a slot that is always filled here."""
    surely = filled_before(view, surely=True)
    for path, step in view.steps_with_paths:
        if isinstance(step, Branch) and step.step in surely:
            yield from _check_exhausted(view, path, step, surely[step.step])


def _check_exhausted(view: FlowView, path: DocumentPath, step: Branch, filled: frozenset[str]) -> Iterator[Finding]:
    left: dict[str, frozenset[TypedValue]] = {}
    for place, case in enumerate(step.cases):
        over = next((name for name, values in left.items() if not values), None)
        if over:
            text = f"`{str(case.when).strip()}` is never reached: the cases before it take every value of `{over}`"
            yield view.error("overlap", (*path, "cases", place, "when"), text, "Put it before them, or take it out")
            return
        for name, region in _alone(case.when).items():
            values = slot_domain(view, name).values() if name in filled else None
            if values is not None:
                left[name] = frozenset(each for each in left.get(name, values) if not region.contains(each))


def _alone(test: Condition) -> ValueSets:
    """The one slot that a test asks about, when it asks about no other."""
    regions = value_sets_of(test.tree) or {}
    return regions if len(regions) == 1 else {}


def _taken_by(text: str, regions: ValueSets | None, earlier: list[tuple[str, ValueSets | None]]) -> str | None:
    for other, wider in earlier:
        if other == text or (regions and wider and _all_cover(wider, regions)):
            return other
    return None


def _all_cover(wider: ValueSets, narrower: ValueSets) -> bool:
    return all(name in narrower and region.covers(narrower[name]) for name, region in wider.items())
