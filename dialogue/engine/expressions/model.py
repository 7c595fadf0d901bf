"""The tree of a condition or expression and its evaluation, which cannot change a slot or call Python functions."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from dialogue.engine.expressions.functions import EVALUATORS
from dialogue.engine.expressions.values import (
    Scope,
    TypedValue,
    compare_values,
    comparison_visits,
    compute,
    part_of,
    text_visits,
)


@dataclass(frozen=True)
class Constant:
    """A number, a text, a duration, true or false."""

    value: TypedValue
    column: int

    def evaluate(self, scope: Scope) -> TypedValue:
        return self.value


@dataclass(frozen=True)
class Name:
    """A slot, a field of one such as order.status, or a part of the decision at a human step: approval.action."""

    name: str
    column: int

    def evaluate(self, scope: Scope) -> TypedValue:
        value = scope.values.get(self.name)
        if value is None and "." in self.name:
            # The values may hold the whole object instead of the field.
            head, _, path = self.name.partition(".")
            value = part_of(scope.values.get(head), path, scope.charge)
        # A float counts as it is written: 0.1 is exactly a tenth. True is an int for Python, but not a number here.
        exact = isinstance(value, int | float) and not isinstance(value, bool)
        return Decimal(str(value)) if exact else value


@dataclass(frozen=True)
class FieldAccess:
    """A field of a computed object, such as first(orders).status."""

    operand: "Node"
    path: str
    column: int

    def evaluate(self, scope: Scope) -> TypedValue:
        return part_of(self.operand.evaluate(scope), self.path, scope.charge)


@dataclass(frozen=True)
class ListLiteral:
    """Several values in brackets or parentheses, for `in`."""

    items: tuple["Node", ...]
    column: int

    def evaluate(self, scope: Scope) -> TypedValue:
        return [item.evaluate(scope) for item in self.items]


@dataclass(frozen=True)
class Minus:
    """A number or a duration with its sign changed."""

    operand: "Node"
    column: int

    def evaluate(self, scope: Scope) -> TypedValue:
        value = self.operand.evaluate(scope)
        return -value if isinstance(value, Decimal | timedelta) else None


@dataclass(frozen=True)
class Arithmetic:
    """Numbers, texts, dates and durations joined by operators of one rank, from left to right."""

    first: "Node"
    rest: tuple[tuple[str, "Node"], ...]
    column: int

    def evaluate(self, scope: Scope) -> TypedValue:
        total = self.first.evaluate(scope)
        for operator_sign, operand in self.rest:
            total = compute(operator_sign, total, operand.evaluate(scope))
            if isinstance(total, str):
                scope.charge(text_visits(total))
        return total


@dataclass(frozen=True)
class Comparison:
    """Two values and the operator between them."""

    operator: str
    left: "Node"
    right: "Node"
    column: int

    def evaluate(self, scope: Scope) -> TypedValue:
        left, right = self.left.evaluate(scope), self.right.evaluate(scope)
        if right.__class__ is not Decimal and left is not None:
            scope.charge(comparison_visits(self.operator, left, right))
        return compare_values(self.operator, left, right)


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
    """One of the functions of signatures.py; `entry_cost` is the size of what is evaluated for each entry of a list."""

    name: str
    arguments: tuple["Node", ...]
    column: int
    entry_cost: int = 0

    def evaluate(self, scope: Scope) -> TypedValue:
        # The parser has checked the name and the number of arguments.
        return EVALUATORS[self.name](self, scope)


Node = Constant | Name | FieldAccess | ListLiteral | Minus | Arithmetic | Comparison | Not | And | Or | FunctionCall


def names_in(node: Node) -> Iterator[Name]:
    """Yield every name that the tree reads, from left to right; in list functions the names of entries' fields too."""
    match node:
        case Name():
            yield node
        case Constant():
            return
        case _:
            for child in child_nodes(node):
                yield from names_in(child)


def constants_in(node: Node) -> Iterator[Constant]:
    """Yield every literal of the tree, from left to right."""
    if isinstance(node, Constant):
        yield node
    for child in child_nodes(node):
        yield from constants_in(child)


def child_nodes(node: Node) -> tuple[Node, ...]:
    """Return the nodes directly below this one, from left to right."""
    match node:
        case Constant() | Name():
            return ()
        case ListLiteral(items=parts) | And(parts=parts) | Or(parts=parts) | FunctionCall(arguments=parts):
            return parts
        case Minus(operand=operand) | Not(operand=operand) | FieldAccess(operand=operand):
            return (operand,)
        case Comparison(left=left, right=right):
            return (left, right)
        case Arithmetic(first=first, rest=rest):
            return (first, *(term for _, term in rest))


def tree_size(node: Node) -> int:
    """Return how many nodes the tree has."""
    return 1 + sum(map(tree_size, child_nodes(node)))
