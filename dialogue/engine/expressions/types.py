"""Type-check conditions when they are loaded, before any conversation runs."""

from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, time, timedelta
from typing import Any

from dialogue.engine.expressions.function_kinds import ORDERED_KINDS, entry_kind, kind_of_call
from dialogue.engine.expressions.kinds import ANY, BOOLEAN, NUMBER, TEXT, Kind, KindScope, kind_at
from dialogue.engine.expressions.model import (
    And,
    Arithmetic,
    Comparison,
    Constant,
    FieldAccess,
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
from dialogue.engine.expressions.signatures import ENTRY_FUNCTIONS
from dialogue.engine.expressions.values import ENTRY
from dialogue.engine.source.phrases import Phrase
from dialogue.engine.source.problems import did_you_mean

__all__ = ["Kind", "KindScope", "check_expression", "check_test", "unbound_names"]

_CLOCK_CLASSES: Mapping[str, type[date] | type[time]] = {"date": date, "time": time, "datetime": datetime}
_MOMENTS = frozenset({"date", "datetime"})


def check_test(node: Node, kinds: Mapping[str, Kind]) -> None:
    """Raise ConditionRefused unless the value of the tree is a boolean."""
    kind = check_expression(node, kinds)
    if kind.name not in ("boolean", "any"):
        raise ConditionRefused(
            Phrase("This is {kind}, not a test. Compare it with a value", kind=kind.phrase), node.column
        )


def check_expression(node: Node, kinds: Mapping[str, Kind]) -> Kind:
    """Return the kind of the tree's value. Raises ConditionRefused for operands that do not fit."""
    return _check(node, KindScope(kinds))


def unbound_names(node: Node, scope: KindScope) -> Iterator[tuple[Name, KindScope]]:
    """Yield the names that are no fields of entries, from left to right, each with the scope that it stands in."""
    if isinstance(node, Name):
        if scope.entry_of(node) is None and (scope.base_of(node.name) or not scope.is_known(node)):
            yield node, scope
        return
    for index, child in enumerate(child_nodes(node)):
        is_for_entries = isinstance(node, FunctionCall) and node.name in ENTRY_FUNCTIONS and index > 0
        yield from unbound_names(child, _entry_scope(node, scope) if is_for_entries else scope)


def _entry_scope(call: Node, scope: KindScope) -> KindScope:
    """Return the scope of a list function's second argument; the outer one if the first argument is not a list."""
    try:
        listing = _check(child_nodes(call)[0], scope)
    except ConditionRefused:
        listing = ANY  # reported by the check itself
    return scope.with_entry(entry_kind(listing)) if listing.name in ("list", "any") else scope


def _check(node: Node, scope: KindScope) -> Kind:
    return _CHECKS[type(node)](node, scope)


def _kind_of_constant(node: Constant, scope: KindScope) -> Kind:
    match node.value:
        case bool():
            return BOOLEAN
        case str():
            return TEXT
        case timedelta():
            return Kind("duration")
        case _:
            return Kind("number", integer="." not in str(node.value))


def _kind_of_field(node: FieldAccess, scope: KindScope) -> Kind:
    # The operand has no name of its own: the column of the message is that of the path.
    return kind_at(_check(node.operand, scope), node.path.split("."), "this", node.column - len("this"))


def _kind_of_listing(node: ListLiteral, scope: KindScope) -> Kind:
    kinds = [_check(item, scope) for item in node.items]
    names = {kind.name for kind in kinds}
    return Kind("list", item=Kind(names.pop()) if len(names) == 1 else None)


def _check_tests(node: Node, scope: KindScope) -> Kind:
    for operand in child_nodes(node):
        _expect(operand, _check(operand, scope), BOOLEAN)
    return BOOLEAN


def _expect(operand: Node, kind: Kind, expected: Kind) -> None:
    if kind.name not in (expected.name, "any"):
        raise ConditionRefused(
            Phrase("Found {kind} where a {name} is expected", kind=kind.phrase, name=expected.name), operand.column
        )


def _kind_of_minus(node: Minus, scope: KindScope) -> Kind:
    kind = _check(node.operand, scope)
    if kind.name == "duration":
        return kind
    _expect(node.operand, kind, NUMBER)
    return kind


def _kind_of_arithmetic(node: Arithmetic, scope: KindScope) -> Kind:
    kind, left = _check(node.first, scope), node.first
    for sign, operand in node.rest:
        kind = _kind_of_operation(sign, (left, kind), (operand, _check(operand, scope)))
        left = operand
    return kind


_Operand = tuple[Node, Kind]


def _kind_of_operation(sign: str, left: _Operand, right: _Operand) -> Kind:
    names = (left[1].name, right[1].name)
    if sign == "+" and "text" in names:
        return _kind_of_joined(left, right)
    if not {"date", "datetime", "time", "duration"}.isdisjoint(names):
        return _kind_of_moment(sign, left, right)
    for operand, kind in (left, right):
        _expect(operand, kind, NUMBER)
    kinds = (left[1], right[1])
    is_division = sign == "/"
    return Kind(
        "number",
        integer=not is_division and all(kind.integer for kind in kinds),
        fraction=is_division or any(kind.fraction for kind in kinds),
        currency=_currency_of(sign, *kinds),
    )


def _currency_of(sign: str, left: Kind, right: Kind) -> str | None:
    """Return the currency of a result: a share of money is money, money by money is a plain number."""
    if sign == "/":
        return left.currency if right.currency is None else None
    return left.currency if left.currency is not None else right.currency


def _kind_of_joined(left: _Operand, right: _Operand) -> Kind:
    for operand, kind in (left, right):
        if kind.name not in ("text", "number", "any"):
            reason = Phrase("A text is joined with texts and numbers, not with {kind}", kind=kind.phrase)
            raise ConditionRefused(
                Phrase("{reason}. Put it into a message, as {{slot}}", reason=reason), operand.column
            )
    return TEXT


def _kind_of_moment(sign: str, left: _Operand, right: _Operand) -> Kind:
    names = (left[1].name, right[1].name)
    match sign, *names:
        case ("+" | "-", "date" | "datetime" | "any", "duration"):
            return _shifted(left[1], right[0])
        case ("+", "duration", "date" | "datetime" | "any"):
            return _shifted(right[1], left[0])
        case ("+" | "-", "duration", "duration") | ("*", "duration", "number" | "any"):
            return Kind("duration")
        case ("*", "number" | "any", "duration"):
            return Kind("duration")
        case _ if "any" in names:
            return ANY
        case _:
            raise ConditionRefused(_advise_moment(sign, *names), right[0].column)


def _shifted(kind: Kind, duration: Node) -> Kind:
    value = duration.value if isinstance(duration, Constant) else None
    if kind.name == "date" and isinstance(value, timedelta) and value % timedelta(days=1):
        reason = Phrase("A date has no time of day, so only whole days can be added to it")
        raise ConditionRefused(Phrase("{reason}. Write days such as 2d, or use now()", reason=reason), duration.column)
    return Kind(kind.name)


def _advise_moment(sign: str, left: str, right: str) -> str:
    if sign == "-" and left in _MOMENTS and right in _MOMENTS:
        return Phrase(
            "A {right} cannot be subtracted from a {left}. Write `days_between(earlier, later)`", right=right, left=left
        )
    if left in _MOMENTS and right == "number":
        return Phrase("A number cannot be added to a {left}. Write a duration such as 30d, or `n * 1d`", left=left)
    return Phrase(
        "`{sign}` does not fit a {left} and a {right}. To a date, add a duration such as 30d",
        sign=sign,
        left=left,
        right=right,
    )


def _check_comparison(node: Comparison, scope: KindScope) -> Kind:
    left, right = _check(node.left, scope), _check(node.right, scope)
    _refuse_field_compared_with_itself(node, scope)
    if node.operator in ("in", "not in"):
        _check_membership(node, left, right, scope)
    elif not _are_comparable(node, left, right):
        raise ConditionRefused(
            Phrase(
                "{left_kind} cannot be compared with {right_kind}. Compare values of the same type",
                left_kind=left.phrase.capitalize(),
                right_kind=right.phrase,
            ),
            node.column,
        )
    elif node.operator not in ("==", "!=") and left.name not in ORDERED_KINDS | {"any"}:
        raise ConditionRefused(
            Phrase("{kind} has no order. Use `==` or `!=`", kind=left.phrase.capitalize()), node.column
        )
    else:
        _check_option(node.left, right)
        _check_option(node.right, left)
    return BOOLEAN


def _refuse_field_compared_with_itself(node: Comparison, scope: KindScope) -> None:
    left, right = node.left, node.right
    if not isinstance(left, Name) or not isinstance(right, Name) or scope.entry_of(left) is None:
        return
    name = left.name.removeprefix(f"{ENTRY}.")
    if name == right.name.removeprefix(f"{ENTRY}.") and scope.entry_of(left) is scope.entry_of(right):
        reason = Phrase("This compares the entry's `{name}` with itself", name=name)
        advice = Phrase("A slot `{name}` is hidden by the field of that name: give the slot another name", name=name)
        raise ConditionRefused(Phrase("{reason}. {advice}", reason=reason, advice=advice), right.column)


def _check_membership(node: Comparison, item_kind: Kind, container: Kind, scope: KindScope) -> None:
    if container.name not in ("list", "text", "any"):
        message = Phrase(
            "`{operator}` looks into a list, such as ['a', 'b'], not into {kind}",
            operator=node.operator,
            kind=container.phrase,
        )
        raise ConditionRefused(message, node.column)
    if container.name == "list" and container.item and not isinstance(node.right, ListLiteral):
        _refuse_text_in_objects(node, item_kind, container.item)
    for item in node.right.items if isinstance(node.right, ListLiteral) else ():
        if not _are_comparable(Comparison("==", node.left, item, item.column), item_kind, _check(item, scope)):
            raise ConditionRefused(
                Phrase("This cannot be compared with {kind}. List values of that type", kind=item_kind.phrase),
                item.column,
            )
        _check_option(item, item_kind)


def _refuse_text_in_objects(node: Comparison, item_kind: Kind, entry: Kind) -> None:
    if entry.name == "object" and item_kind.name in ("text", "number"):
        reason = Phrase("The entries of the list are objects, and this is {kind}", kind=item_kind.phrase)
        advice = Phrase("Look into one of their fields: `x in pick(list, field)`")
        raise ConditionRefused(Phrase("{reason}. {advice}", reason=reason, advice=advice), node.column)


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
            Phrase("`{value}` is not a {name}. Write it in ISO 8601 format", value=node.value, name=other.name),
            node.column,
        ) from None
    return True


def _check_option(node: Node, other: Kind) -> None:
    if not isinstance(node, Constant) or not isinstance(node.value, str) or not other.options:
        return
    if node.value not in other.options:
        text = Phrase(
            "`{value}` is not one of the options. {advice}",
            value=node.value,
            advice=did_you_mean(node.value, other.options),
        )
        raise ConditionRefused(text.strip(), node.column)


_CHECKS: Mapping[type[Node], Callable[[Any, KindScope], Kind]] = {
    Constant: _kind_of_constant,
    Name: lambda node, scope: scope.kind_of(node),
    FieldAccess: _kind_of_field,
    ListLiteral: _kind_of_listing,
    Arithmetic: _kind_of_arithmetic,
    Minus: _kind_of_minus,
    Not: _check_tests,
    And: _check_tests,
    Or: _check_tests,
    Comparison: _check_comparison,
    FunctionCall: lambda node, scope: kind_of_call(node, scope, _check),
}
