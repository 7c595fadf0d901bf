"""Type-check calls of functions: what each takes, and the kind of what it gives."""

from collections.abc import Callable, Mapping

from dialogue.engine.expressions.kinds import ANY, BOOLEAN, INTEGER, TEXT, Kind, KindScope
from dialogue.engine.expressions.model import Constant, FunctionCall, Node
from dialogue.engine.expressions.parser import ConditionRefused
from dialogue.engine.expressions.signatures import ENTRY_FUNCTIONS, EXTREMES, FUNCTIONS, TEST_FUNCTIONS, WEEKDAYS
from dialogue.engine.source.phrases import Phrase

ORDERED_KINDS = frozenset({"number", "text", "date", "time", "datetime", "duration"})
CheckNode = Callable[[Node, KindScope], Kind]


def kind_of_call(node: FunctionCall, scope: KindScope, check: CheckNode) -> Kind:
    """Return the kind of what the call gives; `check` checks a node. Raises ConditionRefused."""
    first = check(node.arguments[0], scope) if node.arguments else ANY
    if node.name in EXTREMES and first.name not in ("list", "any"):
        return _kind_of_lesser(node, first, scope, check)
    if node.name in ENTRY_FUNCTIONS:
        _refuse_unless(node, first, "list")
        return _kind_of_list_call(node, first, scope, check)
    others = [check(argument, scope) for argument in node.arguments[1:]]
    return _CHECKS[node.name](node, first, others)


def entry_kind(list_kind: Kind) -> Kind:
    """Return the kind of a list's entries; any if it is unknown."""
    return (list_kind.item or ANY) if list_kind.name == "list" else ANY


def _refuse_unless(node: FunctionCall, kind: Kind, *expected: str) -> None:
    """Raise ConditionRefused unless the first argument is of one of the kinds."""
    if kind.name in (*expected, "any"):
        return
    takes = " or ".join(f"a {name}" for name in expected)
    usage = Phrase(". Write `{usage}`", usage=FUNCTIONS[node.name].usage) if "list" in expected else ""
    raise ConditionRefused(
        Phrase("`{name}` takes {takes}, not {kind}{usage}", name=node.name, takes=takes, kind=kind.phrase, usage=usage),
        node.column,
    )


def _kind_of_list_call(node: FunctionCall, listing: Kind, scope: KindScope, check: CheckNode) -> Kind:
    entry = entry_kind(listing)
    value = check(node.arguments[1], scope.with_entry(entry)) if len(node.arguments) > 1 else entry
    if node.name in TEST_FUNCTIONS:
        if len(node.arguments) > 1 and value.name not in ("boolean", "any"):
            reason = Phrase(
                "`{name}` takes a test of each entry, not {kind}. Compare it with a value",
                name=node.name,
                kind=value.phrase,
            )
            raise ConditionRefused(reason, node.arguments[1].column)
        return {"filter": listing, "count": INTEGER}.get(node.name, BOOLEAN)
    return _kind_of_values(node, listing, value)


def _kind_of_values(node: FunctionCall, listing: Kind, value: Kind) -> Kind:
    """Return the kind of a list function whose second argument is a value of each entry."""
    if node.name == "pick":
        return Kind("list", item=value)
    column = node.arguments[-1].column
    if node.name == "sum" and value.name not in ("number", "any"):
        raise ConditionRefused(
            Phrase("`sum` adds numbers, but this is {kind}. {advice}", kind=value.phrase, advice=_advise_value(node)),
            column,
        )
    if value.name not in ORDERED_KINDS | {"any"}:
        raise ConditionRefused(
            Phrase("{kind} has no order. {advice}", kind=value.phrase.capitalize(), advice=_advise_value(node)), column
        )
    if node.name == "sort":
        return listing
    # A choice loses its options nowhere else: the least of two options is one of them.
    return value


def _advise_value(node: FunctionCall) -> str:
    if len(node.arguments) == 1:
        return Phrase("Name the value of an entry: `{usage}`", usage=FUNCTIONS[node.name].usage)
    return Phrase("Name another value of the entries")


def _kind_of_lesser(node: FunctionCall, first: Kind, scope: KindScope, check: CheckNode) -> Kind:
    if len(node.arguments) == 1:
        _refuse_unless(node, first, "list")
    other = check(node.arguments[1], scope)
    if first.name not in ORDERED_KINDS:
        raise ConditionRefused(
            Phrase("{kind} has no order. Compare numbers, texts or dates", kind=first.phrase.capitalize()), node.column
        )
    return same_kind(first, other, node.arguments[1], Phrase("`{name}` compares values of one type", name=node.name))


def same_kind(first: Kind, other: Kind, node: Node, rule: str) -> Kind:
    """Return the kind of a value that is one or the other. Raises ConditionRefused if they differ."""
    if first.name == "any" or other.name == "any":
        return other if first.name == "any" else first
    if first.name != other.name:
        raise ConditionRefused(
            Phrase(
                "{rule}, but this is {other_kind} and not {first_kind}. Write the same type",
                rule=rule,
                other_kind=other.phrase,
                first_kind=first.phrase,
            ),
            node.column,
        )
    return Kind(
        first.name,
        # A text that is no choice may be anything.
        first.options | other.options if first.options and other.options else frozenset(),
        first.fields if first.fields == other.fields else {},
        first.item if first.item == other.item else None,
        integer=first.integer and other.integer,
        fraction=first.fraction or other.fraction,
        currency=first.currency if first.currency is not None else other.currency,
    )


def _if(node: FunctionCall, first: Kind, others: list[Kind]) -> Kind:
    if first.name not in ("boolean", "any"):
        raise ConditionRefused(
            Phrase("`if` starts with a test, not with {kind}. Compare it with a value", kind=first.phrase), node.column
        )
    chosen, other = others
    return same_kind(chosen, other, node.arguments[2], Phrase("`if` gives one of two values"))


def _first_filled(node: FunctionCall, first: Kind, others: list[Kind]) -> Kind:
    kind = first
    for argument, other in zip(node.arguments[1:], others, strict=True):
        kind = same_kind(kind, other, argument, Phrase("`first_filled` gives one of several values"))
    return kind


def _entry(node: FunctionCall, first: Kind, others: list[Kind]) -> Kind:
    _refuse_unless(node, first, "list")
    return entry_kind(first)


def _length(node: FunctionCall, first: Kind, others: list[Kind]) -> Kind:
    if first.name not in ("text", "list", "object", "any"):
        raise ConditionRefused(Phrase("`len` takes a text or a list, not {kind}", kind=first.phrase), node.column)
    return INTEGER


def _text(node: FunctionCall, first: Kind, others: list[Kind]) -> Kind:
    _refuse_unless(node, first, "text")
    return TEXT


def _join(node: FunctionCall, first: Kind, others: list[Kind]) -> Kind:
    _refuse_unless(node, first, "list")
    if entry_kind(first).name not in ("text", "number", "any"):
        reason = Phrase(
            "`join` joins texts and numbers, but the entries are of the type {first}", first=entry_kind(first)
        )
        raise ConditionRefused(Phrase("{reason}. Write `join(pick(list, value), ', ')`", reason=reason), node.column)
    _expect(others, "text", node)
    return TEXT


def _expect(others: list[Kind], name: str, node: FunctionCall) -> None:
    if others and others[0].name not in (name, "any"):
        usage = FUNCTIONS[node.name].usage
        raise ConditionRefused(
            Phrase("Found {kind} where a {name} is expected: `{usage}`", kind=others[0].phrase, name=name, usage=usage),
            node.arguments[1].column,
        )


def _round(node: FunctionCall, first: Kind, others: list[Kind]) -> Kind:
    _refuse_unless(node, first, "number")
    _expect(others, "number", node)
    return Kind("number", integer=not others, currency=first.currency if others else None)


def _abs(node: FunctionCall, first: Kind, others: list[Kind]) -> Kind:
    _refuse_unless(node, first, "number")
    return first


def _days_between(node: FunctionCall, first: Kind, others: list[Kind]) -> Kind:
    for argument, kind in zip(node.arguments, (first, *others), strict=True):
        _refuse_unless_day(argument, kind, Phrase("`days_between` takes two dates"))
    return INTEGER


def _weekday(node: FunctionCall, first: Kind, others: list[Kind]) -> Kind:
    _refuse_unless_day(node.arguments[0], first, Phrase("`weekday` takes a date"))
    return Kind("text", frozenset(WEEKDAYS))


def _refuse_unless_day(node: Node, kind: Kind, rule: str) -> None:
    # A text is read as a date: '2026-12-24'.
    is_literal = kind.name == "text" and isinstance(node, Constant)
    if kind.name not in ("date", "datetime", "any") and not is_literal:
        raise ConditionRefused(
            Phrase("{rule}, but this is {kind}. Write a date or a datetime", rule=rule, kind=kind.phrase), node.column
        )


_CHECKS: Mapping[str, Callable[[FunctionCall, Kind, list[Kind]], Kind]] = {
    "filled": lambda node, first, others: BOOLEAN,
    "first_filled": _first_filled,
    "if": _if,
    "first": _entry,
    "last": _entry,
    "len": _length,
    "join": _join,
    "lower": _text,
    "upper": _text,
    "round": _round,
    "abs": _abs,
    "today": lambda node, first, others: Kind("date"),
    "now": lambda node, first, others: Kind("datetime"),
    "days_between": _days_between,
    "weekday": _weekday,
}
