"""Tests that can never hold, and cases that earlier ones take away."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from dialogue.engine.checks.filled_slots import filled_before
from dialogue.engine.checks.findings import Finding
from dialogue.engine.checks.flow_views import FlowView
from dialogue.engine.conditions import Condition
from dialogue.engine.expressions import Comparison, Constant, Every, Function, Listing, Name, Node, Not, Typed
from dialogue.engine.slots import Slot
from dialogue.engine.source import Path
from dialogue.engine.step_models import Branch, While

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_LOWEST, _HIGHEST = (Decimal("-Infinity"), True), (Decimal("Infinity"), True)
_EMPTY = frozenset({None})


@dataclass(frozen=True)
class Region:
    """The values that a slot may have: of these, none of those, between two bounds (each with "itself included").

    None among them stands for the empty slot.
    """

    allowed: frozenset[Typed] | None = None
    barred: frozenset[Typed] = frozenset()
    low: tuple[Decimal, bool] = _LOWEST
    high: tuple[Decimal, bool] = _HIGHEST

    def both(self, other: "Region") -> "Region":
        """What satisfies both."""
        sets = [each.allowed for each in (self, other) if each.allowed is not None]
        return Region(
            frozenset.intersection(*sets) if sets else None,
            self.barred | other.barred,
            max(self.low, other.low, key=lambda bound: (bound[0], not bound[1])),
            min(self.high, other.high, key=lambda bound: (bound[0], bound[1])),
        )

    def values(self) -> frozenset[Typed] | None:
        """The values left, when they are few enough to be named."""
        if self.allowed is None:
            return None
        return frozenset(each for each in self.allowed - self.barred if self._between(each))

    def is_empty(self) -> bool:
        """Whether no value is left."""
        few = self.values()
        if few is not None:
            return not few
        (low, low_in), (high, high_in) = self.low, self.high
        return low > high or (low == high and not (low_in and high_in))

    def covers(self, other: "Region") -> bool:
        """Whether every value of the other is in this one."""
        few = other.values()
        if few is not None:
            return all(self.has(each) for each in few)
        return self.allowed is None and not any(map(other.has, self.barred)) and self._bounds_within(other)

    def _bounds_within(self, other: "Region") -> bool:
        both = self.both(other)
        return (both.low, both.high) == (other.low, other.high)

    def has(self, value: Typed) -> bool:
        """Whether the slot may have this value."""
        return (self.allowed is None or value in self.allowed) and value not in self.barred and self._between(value)

    def _between(self, value: Typed) -> bool:
        if not isinstance(value, Decimal):
            return (self.low, self.high) == (_LOWEST, _HIGHEST)
        (low, low_in), (high, high_in) = self.low, self.high
        return (low < value or (low_in and low == value)) and (value < high or (high_in and value == high))


Regions = Mapping[str, Region]


def check_cases(view: FlowView) -> Iterator[Finding]:
    """Tests that contradict themselves or their slots, and cases behind one that holds whenever they would."""
    if view.flow.guard:
        yield from _check_holds(view, ("if",), view.flow.guard)
    for path, step in view.placed:
        if isinstance(step, Branch):
            yield from _check_branch(view, path, step)
        if isinstance(step, While):
            yield from _check_holds(view, (*path, "condition"), step.condition)


def _check_holds(view: FlowView, path: Path, test: Condition) -> Iterator[Finding]:
    if _never_holds(view, regions_of(test.tree)):
        yield view.error("contradiction", path, f"`{str(test).strip()}` can never hold", "Mend it or take it out")


def _never_holds(view: FlowView, regions: Regions | None) -> bool:
    return any(_is_out(region, domain_of(view, name)) for name, region in (regions or {}).items())


def _is_out(region: Region, domain: Region) -> bool:
    return region.is_empty() or (not region.has(None) and region.both(domain).is_empty())


def domain_of(view: FlowView, name: str) -> Region:
    """The values that can be stored under this name."""
    slot, kind = view.slots.get(name), view.kinds.get(name)
    if kind and kind.options:
        return Region(frozenset(kind.options))
    if slot and slot.type == "boolean":
        return Region(frozenset({True, False}))
    return _limits(slot) if slot else Region(barred=_EMPTY)


def _limits(slot: Slot) -> Region:
    low = (slot.minimum, True) if isinstance(slot.minimum, Decimal) else _LOWEST
    high = (slot.maximum, True) if isinstance(slot.maximum, Decimal) else _HIGHEST
    return Region(barred=_EMPTY, low=low, high=high)


def _check_branch(view: FlowView, path: Path, step: Branch) -> Iterator[Finding]:
    earlier: list[tuple[str, Regions | None]] = []
    for place, case in enumerate(step.cases):
        text, regions = str(case.when).strip(), regions_of(case.when.tree)
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
    for path, step in view.placed:
        if isinstance(step, Branch) and step.step in surely:
            yield from _check_exhausted(view, path, step, surely[step.step])


def _check_exhausted(view: FlowView, path: Path, step: Branch, filled: frozenset[str]) -> Iterator[Finding]:
    left: dict[str, frozenset[Typed]] = {}
    for place, case in enumerate(step.cases):
        over = next((name for name, values in left.items() if not values), None)
        if over:
            text = f"`{str(case.when).strip()}` is never reached: the cases before it take every value of `{over}`"
            yield view.error("overlap", (*path, "cases", place, "when"), text, "Put it before them, or take it out")
            return
        for name, region in _alone(case.when).items():
            values = domain_of(view, name).values() if name in filled else None
            if values is not None:
                left[name] = frozenset(each for each in left.get(name, values) if not region.has(each))


def _alone(test: Condition) -> Regions:
    """The one slot that a test asks about, when it asks about no other."""
    regions = regions_of(test.tree) or {}
    return regions if len(regions) == 1 else {}


def _taken_by(text: str, regions: Regions | None, earlier: list[tuple[str, Regions | None]]) -> str | None:
    for other, wider in earlier:
        if other == text or (regions and wider and _all_cover(wider, regions)):
            return other
    return None


def _all_cover(wider: Regions, narrower: Regions) -> bool:
    return all(name in narrower and region.covers(narrower[name]) for name, region in wider.items())


def regions_of(node: Node) -> Regions | None:
    """What a test asks of each slot, when it is nothing but comparisons of slots with literals joined by `and`."""
    regions: dict[str, Region] = {}
    for part in node.parts if isinstance(node, Every) else (node,):
        atom = _atom(part)
        if atom is None:
            return None
        name, region = atom
        regions[name] = regions[name].both(region) if name in regions else region
    return regions


def _atom(node: Node) -> tuple[str, Region] | None:
    match node:
        case Name(name=name):
            return name, Region(frozenset({True}))
        case Not(operand=Name(name=name)):
            return name, Region(frozenset({False, None}))
        case Function(name="filled", arguments=(Name(name=name),)):
            return name, Region(barred=_EMPTY)
        case Not(operand=Function(name="filled", arguments=(Name(name=name),))):
            return name, Region(_EMPTY)
        case Comparison(sign="in", left=Name(name=name), right=Listing(items=items)):
            values = [each.value for each in items if isinstance(each, Constant)]
            return (name, Region(frozenset(values))) if len(values) == len(items) else None
        case Comparison(sign=sign, left=Name(name=name), right=Constant(value=value)) if sign in _TURNED:
            return _named(name, _region(sign, value))
        case Comparison(sign=sign, left=Constant(value=value), right=Name(name=name)) if sign in _TURNED:
            return _named(name, _region(_TURNED[sign], value))
    return None


def _named(name: str, region: Region | None) -> tuple[str, Region] | None:
    return (name, region) if region else None


def _region(sign: str, value: Typed) -> Region | None:
    match sign:
        case "==":
            return Region(frozenset({value}))
        case "!=":
            return Region(barred=frozenset({value, None}))
        case _:
            return _bounds(sign, value)


def _bounds(sign: str, value: Typed) -> Region | None:
    if not isinstance(value, Decimal):
        return None
    included = "=" in sign
    if sign.startswith(">"):
        return Region(barred=_EMPTY, low=(value, included))
    return Region(barred=_EMPTY, high=(value, included))
