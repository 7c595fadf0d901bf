"""Regions: which values of each slot a condition takes, as far as it only compares slots with literals."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from dialogue.engine.expressions.model import (
    And,
    Comparison,
    Constant,
    FunctionCall,
    ListLiteral,
    Name,
    Node,
    Not,
    Or,
    TypedValue,
)

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
LOWEST, HIGHEST = (Decimal("-Infinity"), True), (Decimal("Infinity"), True)
EMPTY_SLOT = frozenset({None})


@dataclass(frozen=True)
class ValueSet:
    """The values that a slot may have: of these, none of those, between two bounds (each with "itself included").

    None among them stands for the empty slot.
    """

    allowed: frozenset[TypedValue] | None = None
    excluded: frozenset[TypedValue] = frozenset()
    low: tuple[Decimal, bool] = LOWEST
    high: tuple[Decimal, bool] = HIGHEST

    def intersection(self, other: "ValueSet") -> "ValueSet":
        """What satisfies both."""
        sets = [value_set.allowed for value_set in (self, other) if value_set.allowed is not None]
        return ValueSet(
            frozenset.intersection(*sets) if sets else None,
            self.excluded | other.excluded,
            max(self.low, other.low, key=lambda bound: (bound[0], not bound[1])),
            min(self.high, other.high, key=lambda bound: (bound[0], bound[1])),
        )

    def values(self) -> frozenset[TypedValue] | None:
        """The values left, when they are few enough to be named."""
        if self.allowed is None:
            return None
        return frozenset(value for value in self.allowed - self.excluded if self._between(value))

    def is_empty(self) -> bool:
        """Whether no value is left."""
        few = self.values()
        if few is not None:
            return not few
        (low, low_in), (high, high_in) = self.low, self.high
        return low > high or (low == high and not (low_in and high_in))

    def covers(self, other: "ValueSet") -> bool:
        """Whether every value of the other is in this one."""
        few = other.values()
        if few is not None:
            return all(self.contains(value) for value in few)
        return self.allowed is None and not any(map(other.contains, self.excluded)) and self._bounds_within(other)

    def _bounds_within(self, other: "ValueSet") -> bool:
        both = self.intersection(other)
        return (both.low, both.high) == (other.low, other.high)

    def contains(self, value: TypedValue) -> bool:
        """Whether the slot may have this value."""
        return (self.allowed is None or value in self.allowed) and value not in self.excluded and self._between(value)

    def _between(self, value: TypedValue) -> bool:
        if not isinstance(value, Decimal):
            return (self.low, self.high) == (LOWEST, HIGHEST)
        (low, low_in), (high, high_in) = self.low, self.high
        return (low < value or (low_in and low == value)) and (value < high or (high_in and value == high))


ValueSets = Mapping[str, ValueSet]


def value_sets_of(node: Node) -> ValueSets | None:
    """What a test asks of each slot, when it is nothing but comparisons of slots with literals joined by `and`."""
    value_sets: dict[str, ValueSet] = {}
    for part in node.parts if isinstance(node, And) else (node,):
        atom = _atomic_test(part)
        if atom is None:
            return None
        name, region = atom
        value_sets[name] = value_sets[name].intersection(region) if name in value_sets else region
    return value_sets


def filled_when(node: Node) -> frozenset[str]:
    """The slots that are filled wherever the condition holds."""
    parts = node.parts if isinstance(node, And) else (node,)
    return frozenset(name for name, region in _atomic_tests(parts) if not region.contains(None))


def filled_unless(node: Node) -> frozenset[str]:
    """The slots that are filled wherever the condition does not hold: it asks whether they are empty."""
    parts = node.parts if isinstance(node, Or) else (node,)
    return frozenset(name for name, region in _atomic_tests(parts) if region == ValueSet(EMPTY_SLOT))


def _atomic_tests(parts: tuple[Node, ...]) -> Iterator[tuple[str, ValueSet]]:
    yield from (atom for atom in map(_atomic_test, parts) if atom is not None)


def _atomic_test(node: Node) -> tuple[str, ValueSet] | None:
    match node:
        case Name(name=name):
            return name, ValueSet(frozenset({True}))
        case Not(operand=Name(name=name)):
            return name, ValueSet(frozenset({False, None}))
        case FunctionCall(name="filled", arguments=(Name(name=name),)):
            return name, ValueSet(excluded=EMPTY_SLOT)
        case Not(operand=FunctionCall(name="filled", arguments=(Name(name=name),))):
            return name, ValueSet(EMPTY_SLOT)
        case Comparison(operator="in", left=Name(name=name), right=ListLiteral(items=items)):
            values = [item.value for item in items if isinstance(item, Constant)]
            return (name, ValueSet(frozenset(values))) if len(values) == len(items) else None
        case Comparison(operator=sign, left=Name(name=name), right=Constant(value=value)) if sign in _MIRRORED:
            return _with_name(name, _compared_values(sign, value))
        case Comparison(operator=sign, left=Constant(value=value), right=Name(name=name)) if sign in _MIRRORED:
            return _with_name(name, _compared_values(_MIRRORED[sign], value))
    return None


def _with_name(name: str, value_set: ValueSet | None) -> tuple[str, ValueSet] | None:
    return (name, value_set) if value_set else None


def _compared_values(operator: str, value: TypedValue) -> ValueSet | None:
    match operator:
        case "==":
            return ValueSet(frozenset({value}))
        case "!=":
            return ValueSet(excluded=frozenset({value, None}))
        case _:
            return _bounded_values(operator, value)


def _bounded_values(operator: str, value: TypedValue) -> ValueSet | None:
    if not isinstance(value, Decimal):
        return None
    included = "=" in operator
    if operator.startswith(">"):
        return ValueSet(excluded=EMPTY_SLOT, low=(value, included))
    return ValueSet(excluded=EMPTY_SLOT, high=(value, included))
