"""The tree of a condition and what it evaluates to. Nothing here can change a slot or call anything of Python's.

Values are Decimal, str, bool, date, time, datetime, list and dict; None is an empty slot, and whatever is computed
from an empty slot, or cannot be computed, is empty too. Comparing something empty is false.
"""

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Context, Decimal, DecimalException
from typing import Any, Union

Typed = Union[Decimal, str, bool, date, time, datetime, list["Typed"], dict[str, "Typed"], None]  # noqa: UP007

_EXACT = Context(prec=40)
_ARITHMETIC: Mapping[str, Callable[[Decimal, Decimal], Decimal]] = {
    "+": _EXACT.add,
    "-": _EXACT.subtract,
    "*": _EXACT.multiply,
    "/": _EXACT.divide,
    "%": _EXACT.remainder,
}
_ORDER: Mapping[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class Scope:
    """What an evaluation sees: the values by name, and the clock in the conversation's time zone."""

    values: Mapping[str, Typed]
    now: datetime


@dataclass(frozen=True)
class Constant:
    """A number, a text, true or false."""

    value: Typed
    column: int

    def evaluate(self, scope: Scope) -> Typed:
        return self.value


@dataclass(frozen=True)
class Name:
    """A slot, or what was decided at a human step, such as approval.action."""

    name: str
    column: int

    def evaluate(self, scope: Scope) -> Typed:
        value = scope.values.get(self.name)
        exact = isinstance(value, int | float) and not isinstance(value, bool)
        return Decimal(str(value)) if exact else value


@dataclass(frozen=True)
class Listing:
    """Several values in brackets or parentheses, for `in`."""

    items: tuple["Node", ...]
    column: int

    def evaluate(self, scope: Scope) -> Typed:
        return [each.evaluate(scope) for each in self.items]


@dataclass(frozen=True)
class Negative:
    """A number with its sign changed."""

    operand: "Node"
    column: int

    def evaluate(self, scope: Scope) -> Typed:
        value = self.operand.evaluate(scope)
        return -value if isinstance(value, Decimal) else None


@dataclass(frozen=True)
class Sum:
    """Numbers joined by operators of one rank, from left to right."""

    first: "Node"
    rest: tuple[tuple[str, "Node"], ...]
    column: int

    def evaluate(self, scope: Scope) -> Typed:
        total = self.first.evaluate(scope)
        for sign, each in self.rest:
            total = _compute(sign, total, each.evaluate(scope))
        return total


@dataclass(frozen=True)
class Comparison:
    """Two values and how they shall stand to each other."""

    sign: str
    left: "Node"
    right: "Node"
    column: int

    def evaluate(self, scope: Scope) -> Typed:
        return compare(self.sign, self.left.evaluate(scope), self.right.evaluate(scope))


@dataclass(frozen=True)
class Not:
    """The opposite; of something empty it is true."""

    operand: "Node"
    column: int

    def evaluate(self, scope: Scope) -> Typed:
        return self.operand.evaluate(scope) is not True


@dataclass(frozen=True)
class Every:
    """Tests joined by `and`."""

    parts: tuple["Node", ...]
    column: int

    def evaluate(self, scope: Scope) -> Typed:
        return all(each.evaluate(scope) is True for each in self.parts)


@dataclass(frozen=True)
class Either:
    """Tests joined by `or`."""

    parts: tuple["Node", ...]
    column: int

    def evaluate(self, scope: Scope) -> Typed:
        return any(each.evaluate(scope) is True for each in self.parts)


@dataclass(frozen=True)
class Function:
    """One of len, lower, filled, today and now."""

    name: str
    arguments: tuple["Node", ...]
    column: int

    def evaluate(self, scope: Scope) -> Typed:
        if not self.arguments:
            return scope.now.date() if self.name == "today" else scope.now
        value = self.arguments[0].evaluate(scope)
        if self.name == "filled":
            return value is not None
        if self.name == "len":
            return Decimal(len(value)) if isinstance(value, str | list | dict) else None
        return value.lower() if isinstance(value, str) else None


Node = Constant | Name | Listing | Negative | Sum | Comparison | Not | Every | Either | Function


def names_in(node: Node) -> Iterator[Name]:
    """Every name that the tree reads, from left to right."""
    match node:
        case Name():
            yield node
        case Constant():
            return
        case _:
            for each in children(node):
                yield from names_in(each)


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below."""
    match node:
        case Constant() | Name():
            return ()
        case Listing(items=parts) | Every(parts=parts) | Either(parts=parts) | Function(arguments=parts):
            return parts
        case Negative(operand=only) | Not(operand=only):
            return (only,)
        case Comparison(left=left, right=right):
            return (left, right)
        case Sum(first=first, rest=rest):
            return (first, *(each for _, each in rest))


def compare(sign: str, left: Typed, right: Typed) -> bool:
    """Whether the comparison holds; false when a side is empty or the two cannot be compared."""
    if left is None or right is None:
        return False
    if sign in ("in", "not in"):
        return _contains(left, right, sign == "in")
    left, right = as_alike(left, right), as_alike(right, left)
    if left is None or right is None:
        return False
    try:
        return bool(_ORDER[sign](left, right))
    except TypeError:
        return False


def as_alike(value: Typed, other: Typed) -> Typed:
    """A text beside a date, a time or a date-time is read as one; None when it is none."""
    if not isinstance(value, str) or not isinstance(other, date | time):
        return value
    try:
        return type(other).fromisoformat(value)
    except ValueError:
        return None


def _contains(item: Typed, whole: Typed, wanted: bool) -> bool:
    if isinstance(whole, str):
        return isinstance(item, str) and (item in whole) is wanted
    if isinstance(whole, list):
        return any(compare("==", item, each) for each in whole) is wanted
    return False


def _compute(sign: str, left: Typed, right: Typed) -> Typed:
    if not isinstance(left, Decimal) or not isinstance(right, Decimal):
        return None
    try:
        return _ARITHMETIC[sign](left, right)
    except DecimalException:
        return None
