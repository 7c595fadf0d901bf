"""Type-check conditions when they are loaded, before any conversation runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time

from dialogue.engine.expressions.model import (
    And,
    Arithmetic,
    Comparison,
    Constant,
    FunctionCall,
    ListLiteral,
    Minus,
    Name,
    Node,
    Not,
    Or,
    child_nodes,
)
from dialogue.engine.expressions.parser import ConditionRefused
from dialogue.engine.source.problems import did_you_mean

_CLOCK_CLASSES: Mapping[str, type[date] | type[time]] = {"date": date, "time": time, "datetime": datetime}
_ORDERED_KINDS = frozenset({"number", "text", *_CLOCK_CLASSES})


@dataclass(frozen=True)
class Kind:
    """The kind of a value: number, text, boolean, date, time, datetime, list, object or any.

    `options` holds the values of a choice.
    """

    name: str
    options: frozenset[str] = frozenset()


_ANY, _BOOLEAN, _NUMBER, _TEXT = Kind("any"), Kind("boolean"), Kind("number"), Kind("text")


def check_test(node: Node, kinds: Mapping[str, Kind]) -> None:
    """Raise ConditionRefused unless the value of the tree is a boolean."""
    kind = check_expression(node, kinds)
    if kind.name not in ("boolean", "any"):
        raise ConditionRefused(f"This is a {kind.name}, not a test. Compare it with a value", node.column)


def check_expression(node: Node, kinds: Mapping[str, Kind]) -> Kind:
    """Return the kind of the tree's value. Raises ConditionRefused for operands that do not fit."""
    match node:
        case Constant(value=value):
            return _kind_of_constant(value)
        case Name(name=name):
            return kinds.get(name, _ANY)
        case ListLiteral():
            return _kind_of_listing(node, kinds)
        case Minus() | Arithmetic():
            return _check_operands(node, kinds, _NUMBER)
        case Not() | And() | Or():
            return _check_operands(node, kinds, _BOOLEAN)
        case Comparison():
            return _check_comparison(node, kinds)
        case FunctionCall():
            return _kind_of_function(node, kinds)


def _kind_of_constant(value: object) -> Kind:
    if isinstance(value, bool):
        return _BOOLEAN
    return _TEXT if isinstance(value, str) else _NUMBER


def _kind_of_listing(node: ListLiteral, kinds: Mapping[str, Kind]) -> Kind:
    for item in node.items:
        check_expression(item, kinds)
    return Kind("list")


def _check_operands(node: Node, kinds: Mapping[str, Kind], expected: Kind) -> Kind:
    for operand in child_nodes(node):
        kind = check_expression(operand, kinds)
        if kind.name not in (expected.name, "any"):
            raise ConditionRefused(f"Found a {kind.name} where a {expected.name} is expected", operand.column)
    return expected


def _kind_of_function(node: FunctionCall, kinds: Mapping[str, Kind]) -> Kind:
    argument_kinds = [check_expression(argument, kinds).name for argument in node.arguments]
    match node.name:
        case "today":
            return Kind("date")
        case "now":
            return Kind("datetime")
        case "filled":
            return _BOOLEAN
        case "len" if argument_kinds[0] not in ("text", "list", "object", "any"):
            raise ConditionRefused(f"`len` takes a text or a list, not a {argument_kinds[0]}", node.column)
        case "lower" if argument_kinds[0] not in ("text", "any"):
            raise ConditionRefused(f"`lower` takes a text, not a {argument_kinds[0]}", node.column)
        case _:
            return _NUMBER if node.name == "len" else _TEXT


def _check_comparison(node: Comparison, kinds: Mapping[str, Kind]) -> Kind:
    left, right = check_expression(node.left, kinds), check_expression(node.right, kinds)
    if node.operator in ("in", "not in"):
        _check_membership(node, left, right, kinds)
    elif not _are_comparable(node, left, right):
        raise ConditionRefused(
            f"A {left.name} cannot be compared with a {right.name}. Compare values of the same type", node.column
        )
    elif node.operator not in ("==", "!=") and left.name not in _ORDERED_KINDS | {"any"}:
        raise ConditionRefused(f"A {left.name} has no order. Use `==` or `!=`", node.column)
    else:
        _check_option(node.left, right)
        _check_option(node.right, left)
    return _BOOLEAN


def _check_membership(node: Comparison, item_kind: Kind, container: Kind, kinds: Mapping[str, Kind]) -> None:
    if container.name not in ("list", "text", "any"):
        message = f"`{node.operator}` looks into a list, such as ['a', 'b'], not into a {container.name}"
        raise ConditionRefused(message, node.column)
    for item in node.right.items if isinstance(node.right, ListLiteral) else ():
        if not _are_comparable(
            Comparison("==", node.left, item, item.column), item_kind, check_expression(item, kinds)
        ):
            raise ConditionRefused(
                f"This cannot be compared with a {item_kind.name}. List values of that type", item.column
            )
        _check_option(item, item_kind)


def _are_comparable(node: Comparison, left: Kind, right: Kind) -> bool:
    # "any" is the kind of an unknown name, which the verifier reports on its own.
    if "any" in (left.name, right.name) or left.name == right.name:
        return True
    return _is_clock_text(node.left, right) or _is_clock_text(node.right, left)


def _is_clock_text(node: Node, other: Kind) -> bool:
    if not isinstance(node, Constant) or not isinstance(node.value, str) or other.name not in _CLOCK_CLASSES:
        return False
    try:
        _CLOCK_CLASSES[other.name].fromisoformat(node.value)
    except ValueError:
        raise ConditionRefused(
            f"`{node.value}` is not a {other.name}. Write it in ISO 8601 format", node.column
        ) from None
    return True


def _check_option(node: Node, other: Kind) -> None:
    if not isinstance(node, Constant) or not isinstance(node.value, str) or not other.options:
        return
    if node.value not in other.options:
        text = f"`{node.value}` is not one of the options. {did_you_mean(node.value, other.options)}"
        raise ConditionRefused(text.strip(), node.column)
