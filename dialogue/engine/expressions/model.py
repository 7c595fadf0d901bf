"""The tree of a condition and its evaluation, which cannot change a slot or call Python functions.

Values are Decimal, str, bool, date, time, datetime, list and dict; None is an empty slot. A result is None if it is
computed from an empty slot or cannot be computed. A comparison with None is false.
"""

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Context, Decimal, DecimalException
from typing import Any, Union

TypedValue = Union[Decimal, str, bool, date, time, datetime, list["TypedValue"], dict[str, "TypedValue"], None]  # noqa: UP007

# 40 digits: amounts with 15 digits can be multiplied without rounding. Its own context, as the global one may differ.
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
    """The input of an evaluation: values by name, and the time in the conversation's time zone."""

    values: Mapping[str, TypedValue]
    now: datetime


@dataclass(frozen=True)
class Constant:
    """A number, a text, true or false."""

    value: TypedValue
    column: int

    def evaluate(self, scope: Scope) -> TypedValue:
        return self.value


@dataclass(frozen=True)
class Name:
    """A slot, or a part of the decision at a human step, such as approval.action."""

    name: str
    column: int

    def evaluate(self, scope: Scope) -> TypedValue:
        value = scope.values.get(self.name)
        # A float counts as it is written: 0.1 is exactly a tenth. True is an int for Python, but not a number here.
        exact = isinstance(value, int | float) and not isinstance(value, bool)
        return Decimal(str(value)) if exact else value


@dataclass(frozen=True)
class ListLiteral:
    """Several values in brackets or parentheses, for `in`."""

    items: tuple["Node", ...]
    column: int

    def evaluate(self, scope: Scope) -> TypedValue:
        return [item.evaluate(scope) for item in self.items]


@dataclass(frozen=True)
class Minus:
    """A number with its sign changed."""

    operand: "Node"
    column: int

    def evaluate(self, scope: Scope) -> TypedValue:
        value = self.operand.evaluate(scope)
        return -value if isinstance(value, Decimal) else None


@dataclass(frozen=True)
class Arithmetic:
    """Numbers joined by operators of one rank, from left to right."""

    first: "Node"
    rest: tuple[tuple[str, "Node"], ...]
    column: int

    def evaluate(self, scope: Scope) -> TypedValue:
        total = self.first.evaluate(scope)
        for operator_sign, operand in self.rest:
            total = _compute(operator_sign, total, operand.evaluate(scope))
        return total


@dataclass(frozen=True)
class Comparison:
    """Two values and the operator between them."""

    operator: str
    left: "Node"
    right: "Node"
    column: int

    def evaluate(self, scope: Scope) -> TypedValue:
        return compare_values(self.operator, self.left.evaluate(scope), self.right.evaluate(scope))


@dataclass(frozen=True)
class Not:
    """Negation; true for an empty operand."""

    operand: "Node"
    column: int

    def evaluate(self, scope: Scope) -> TypedValue:
        # `not paid` holds for an empty slot too, unlike `paid == false`.
        return self.operand.evaluate(scope) is not True


@dataclass(frozen=True)
class And:
    """Tests joined by `and`."""

    parts: tuple["Node", ...]
    column: int

    def evaluate(self, scope: Scope) -> TypedValue:
        return all(part.evaluate(scope) is True for part in self.parts)


@dataclass(frozen=True)
class Or:
    """Tests joined by `or`."""

    parts: tuple["Node", ...]
    column: int

    def evaluate(self, scope: Scope) -> TypedValue:
        return any(part.evaluate(scope) is True for part in self.parts)


@dataclass(frozen=True)
class FunctionCall:
    """One of len, lower, filled, today and now."""

    name: str
    arguments: tuple["Node", ...]
    column: int

    def evaluate(self, scope: Scope) -> TypedValue:
        if not self.arguments:
            return scope.now.date() if self.name == "today" else scope.now
        value = self.arguments[0].evaluate(scope)
        # The parser has checked the name and the number of arguments.
        if self.name == "filled":
            return value is not None
        if self.name == "len":
            return Decimal(len(value)) if isinstance(value, str | list | dict) else None
        return value.lower() if isinstance(value, str) else None


Node = Constant | Name | ListLiteral | Minus | Arithmetic | Comparison | Not | And | Or | FunctionCall


def names_in(node: Node) -> Iterator[Name]:
    """Yield every name that the tree reads, from left to right."""
    match node:
        case Name():
            yield node
        case Constant():
            return
        case _:
            for child in child_nodes(node):
                yield from names_in(child)


def child_nodes(node: Node) -> tuple[Node, ...]:
    """Return the nodes directly below this one, from left to right."""
    match node:
        case Constant() | Name():
            return ()
        case ListLiteral(items=parts) | And(parts=parts) | Or(parts=parts) | FunctionCall(arguments=parts):
            return parts
        case Minus(operand=operand) | Not(operand=operand):
            return (operand,)
        case Comparison(left=left, right=right):
            return (left, right)
        case Arithmetic(first=first, rest=rest):
            return (first, *(term for _, term in rest))


def compare_values(operator_sign: str, left: TypedValue, right: TypedValue) -> bool:
    """Return whether the comparison holds; False if a side is empty or the two cannot be compared."""
    if left is None or right is None:
        return False
    if operator_sign in ("in", "not in"):
        return _is_contained(left, right, operator_sign == "in")
    left, right = coerce_text(left, right), coerce_text(right, left)
    if left is None or right is None:
        return False
    try:
        return bool(_ORDER[operator_sign](left, right))
    except TypeError:
        # Such as a text and a number: the check at load lets them pass where a kind is unknown.
        return False


def coerce_text(value: TypedValue, other: TypedValue) -> TypedValue:
    """Read a text that is compared with a date, time or datetime as one of these; None if that fails."""
    if not isinstance(value, str) or not isinstance(other, date | time):
        return value
    try:
        return type(other).fromisoformat(value)
    except ValueError:
        return None


def _is_contained(item: TypedValue, container: TypedValue, expected: bool) -> bool:
    if isinstance(container, str):
        return isinstance(item, str) and (item in container) is expected
    if isinstance(container, list):
        # Not Python's `in`: a date in a list may be written as text.
        return any(compare_values("==", item, element) for element in container) is expected
    return False


def _compute(operator_sign: str, left: TypedValue, right: TypedValue) -> TypedValue:
    if not isinstance(left, Decimal) or not isinstance(right, Decimal):
        return None
    try:
        return _ARITHMETIC[operator_sign](left, right)
    except DecimalException:
        # Division by zero, or a result out of range.
        return None
