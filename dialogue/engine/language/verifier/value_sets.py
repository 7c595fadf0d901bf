"""Value sets: for which values of each slot a condition holds, if it only compares slots with literals."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from dialogue.engine.expressions.conditions import with_slots
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
)
from dialogue.engine.expressions.values import TypedValue

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
LOWEST, HIGHEST = (Decimal("-Infinity"), True), (Decimal("Infinity"), True)
EMPTY_SLOT = frozenset({None})


@dataclass(frozen=True)
class ValueSet:
    """A set of values of a slot: `allowed` (None: all), without `excluded`, between `low` and `high`.

    A bound is a number and whether the number itself is included. None among the values is the empty slot.
    """

    allowed: frozenset[TypedValue] | None = None
    excluded: frozenset[TypedValue] = frozenset()
    low: tuple[Decimal, bool] = LOWEST
    high: tuple[Decimal, bool] = HIGHEST

    def intersection(self, other: "ValueSet") -> "ValueSet":
        """Return the values that are in both sets."""
        sets = [value_set.allowed for value_set in (self, other) if value_set.allowed is not None]
        return ValueSet(
            frozenset.intersection(*sets) if sets else None,
            self.excluded | other.excluded,
            # Of two equal numbers, the bound that excludes the number itself is the narrower one.
            max(self.low, other.low, key=lambda bound: (bound[0], not bound[1])),
            min(self.high, other.high, key=lambda bound: (bound[0], bound[1])),
        )

    def values(self) -> frozenset[TypedValue] | None:
        """Return the values, or None if they cannot be listed."""
        if self.allowed is None:
            return None
        return frozenset(value for value in self.allowed - self.excluded if self._between(value))

    def is_empty(self) -> bool:
        """Return whether the set has no values."""
        listed_values = self.values()
        if listed_values is not None:
            return not listed_values
        (low, low_in), (high, high_in) = self.low, self.high
        return low > high or (low == high and not (low_in and high_in))

    def covers(self, other: "ValueSet") -> bool:
        """Return whether every value of the other set is in this one."""
        listed_values = other.values()
        if listed_values is not None:
            return all(self.contains(value) for value in listed_values)
        return self.allowed is None and not any(map(other.contains, self.excluded)) and self._bounds_within(other)

    def _bounds_within(self, other: "ValueSet") -> bool:
        both = self.intersection(other)
        return (both.low, both.high) == (other.low, other.high)

    def contains(self, value: TypedValue) -> bool:
        """Return whether the value is in the set."""
        return (self.allowed is None or value in self.allowed) and value not in self.excluded and self._between(value)

    def _between(self, value: TypedValue) -> bool:
        # Only numbers have bounds here: another value is in the set if there are none.
        if not isinstance(value, Decimal):
            return (self.low, self.high) == (LOWEST, HIGHEST)
        (low, low_in), (high, high_in) = self.low, self.high
        return (low < value or (low_in and low == value)) and (value < high or (high_in and value == high))


ValueSets = Mapping[str, ValueSet]


def value_sets_of(node: Node) -> ValueSets | None:
    """Return the value set of each slot in a test, or None unless it only joins comparisons with literals by `and`."""
    value_sets: dict[str, ValueSet] = {}
    for part in node.parts if isinstance(node, And) else (node,):
        atom = _atomic_test(part)
        if atom is None:
            return None
        name, value_set = atom
        value_sets[name] = value_sets[name].intersection(value_set) if name in value_sets else value_set
    return value_sets


def filled_when(node: Node) -> frozenset[str]:
    """Return the slots that are filled whenever the condition holds."""
    parts = node.parts if isinstance(node, And) else (node,)
    return frozenset(with_slots(name for name, value_set in _atomic_tests(parts) if not value_set.contains(None)))


def filled_unless(node: Node) -> frozenset[str]:
    """Return the slots that are filled whenever the condition does not hold, because it tests that they are empty."""
    parts = node.parts if isinstance(node, Or) else (node,)
    return frozenset(with_slots(name for name, tested in _atomic_tests(parts) if tested == ValueSet(EMPTY_SLOT)))


def _atomic_tests(parts: tuple[Node, ...]) -> Iterator[tuple[str, ValueSet]]:
    yield from (atom for atom in map(_atomic_test, parts) if atom is not None)


def _atomic_test(node: Node) -> tuple[str, ValueSet] | None:
    match node:
        case Name(name=name):  # a slot alone is a test of a boolean
            return name, ValueSet(frozenset({True}))
        case Not(operand=Name(name=name)):  # `not` holds for an empty slot too
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
            # A comparison with an empty slot is false, also `!=`.
            return ValueSet(excluded=frozenset({value, None}))
        case _:
            if not isinstance(value, Decimal):
                return None
            included = "=" in operator
            if operator.startswith(">"):
                return ValueSet(excluded=EMPTY_SLOT, low=(value, included))
            return ValueSet(excluded=EMPTY_SLOT, high=(value, included))
