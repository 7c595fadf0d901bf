"""Regions: which values of each slot a condition takes, as far as it only compares slots with literals."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from dialogue.engine.expressions.model import (
    Comparison,
    Constant,
    Either,
    Every,
    Function,
    Listing,
    Name,
    Node,
    Not,
    Typed,
)

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
LOWEST, HIGHEST = (Decimal("-Infinity"), True), (Decimal("Infinity"), True)
EMPTY = frozenset({None})


@dataclass(frozen=True)
class Region:
    """The values that a slot may have: of these, none of those, between two bounds (each with "itself included").

    None among them stands for the empty slot.
    """

    allowed: frozenset[Typed] | None = None
    barred: frozenset[Typed] = frozenset()
    low: tuple[Decimal, bool] = LOWEST
    high: tuple[Decimal, bool] = HIGHEST

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
            return (self.low, self.high) == (LOWEST, HIGHEST)
        (low, low_in), (high, high_in) = self.low, self.high
        return (low < value or (low_in and low == value)) and (value < high or (high_in and value == high))


Regions = Mapping[str, Region]


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


def filled_when(node: Node) -> frozenset[str]:
    """The slots that are filled wherever the condition holds."""
    parts = node.parts if isinstance(node, Every) else (node,)
    return frozenset(name for name, region in _atoms(parts) if not region.has(None))


def filled_unless(node: Node) -> frozenset[str]:
    """The slots that are filled wherever the condition does not hold: it asks whether they are empty."""
    parts = node.parts if isinstance(node, Either) else (node,)
    return frozenset(name for name, region in _atoms(parts) if region == Region(EMPTY))


def _atoms(parts: tuple[Node, ...]) -> Iterator[tuple[str, Region]]:
    yield from (atom for atom in map(_atom, parts) if atom is not None)


def _atom(node: Node) -> tuple[str, Region] | None:
    match node:
        case Name(name=name):
            return name, Region(frozenset({True}))
        case Not(operand=Name(name=name)):
            return name, Region(frozenset({False, None}))
        case Function(name="filled", arguments=(Name(name=name),)):
            return name, Region(barred=EMPTY)
        case Not(operand=Function(name="filled", arguments=(Name(name=name),))):
            return name, Region(EMPTY)
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
        return Region(barred=EMPTY, low=(value, included))
    return Region(barred=EMPTY, high=(value, included))
