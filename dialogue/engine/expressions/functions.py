"""Evaluate the functions of expressions. `EVALUATORS` is the table; signatures.py says what each one means."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal, DecimalException
from typing import Any, Protocol

from dialogue.engine.expressions.signatures import WEEKDAYS
from dialogue.engine.expressions.values import (
    EXACT,
    EntryScope,
    Scope,
    TypedValue,
    check_length,
    text_visits,
    written,
)

_MAX_DIGITS = 20
_VISITS_PER_WRITTEN_NUMBER = 5


class Evaluable(Protocol):
    """A node of the tree."""

    def evaluate(self, scope: Scope) -> TypedValue: ...


class Call(Protocol):
    """A call of a function; `entry_cost` is the number of nodes that are visited for each entry."""

    @property
    def arguments(self) -> Sequence[Evaluable]: ...
    @property
    def entry_cost(self) -> int: ...


Evaluator = Callable[[Call, Scope], TypedValue]


def _first_filled(call: Call, scope: Scope) -> TypedValue:
    for argument in call.arguments:
        value = argument.evaluate(scope)
        if value is not None:
            return value
    return None


def _if(call: Call, scope: Scope) -> TypedValue:
    test, chosen, other = call.arguments
    # As in a branch, a test of an empty slot does not hold.
    return chosen.evaluate(scope) if test.evaluate(scope) is True else other.evaluate(scope)


def _filled(call: Call, scope: Scope) -> TypedValue:
    return call.arguments[0].evaluate(scope) is not None


def _of_value(compute: Callable[[TypedValue, Scope], TypedValue]) -> Evaluator:
    """Return the evaluator of a function of one value."""
    return lambda call, scope: compute(call.arguments[0].evaluate(scope), scope)


def _length(value: TypedValue, scope: Scope) -> TypedValue:
    return Decimal(len(value)) if isinstance(value, str | list | dict) else None


def _lower(value: TypedValue, scope: Scope) -> TypedValue:
    if not isinstance(value, str):
        return None
    scope.charge(text_visits(value))
    return value.lower()


def _upper(value: TypedValue, scope: Scope) -> TypedValue:
    if not isinstance(value, str):
        return None
    scope.charge(text_visits(value))
    return check_length(value.upper())


def _abs(value: TypedValue, scope: Scope) -> TypedValue:
    return abs(value) if isinstance(value, Decimal) else None


def _round(call: Call, scope: Scope) -> TypedValue:
    number, digits = _values(call, scope, Decimal(0))
    if not isinstance(number, Decimal) or not isinstance(digits, Decimal) or not 0 <= digits <= _MAX_DIGITS:
        return None
    try:
        return number.quantize(Decimal(1).scaleb(-int(digits)), rounding=ROUND_HALF_UP, context=EXACT)
    except DecimalException:
        return None


def _values(call: Call, scope: Scope, default: TypedValue) -> tuple[TypedValue, TypedValue]:
    """Return the two values of a call; `default` stands for a second one that is left out."""
    values = [argument.evaluate(scope) for argument in call.arguments]
    return (values[0], values[1]) if len(values) > 1 else (values[0], default)


def _join(call: Call, scope: Scope) -> TypedValue:
    entries, separator = _values(call, scope, ", ")
    if not isinstance(entries, list) or not isinstance(separator, str):
        return None
    scope.charge(len(entries) * _VISITS_PER_WRITTEN_NUMBER)
    texts = [written(entry) for entry in entries if isinstance(entry, str | Decimal)]
    joined = check_length(separator.join(texts)) if len(texts) == len(entries) else None
    scope.charge(text_visits(joined or ""))
    return joined


def _days_between(call: Call, scope: Scope) -> TypedValue:
    days = [_day(argument.evaluate(scope), scope) for argument in call.arguments]
    start, end = days
    return Decimal((end - start).days) if start and end else None


def _day(value: TypedValue, scope: Scope) -> date | None:
    """Return the day of a date, of a moment in the conversation's time zone, or of a text in ISO 8601 format."""
    if isinstance(value, datetime):
        try:
            return value.astimezone(scope.now.tzinfo).date()
        except OverflowError:
            return None  # the last hours of the year 9999 are outside of the calendar in other time zones
    if isinstance(value, str):
        try:
            return date.fromisoformat(value)
        except ValueError:
            return None
    return value if isinstance(value, date) else None


def _weekday(value: TypedValue, scope: Scope) -> TypedValue:
    day = _day(value, scope)
    return WEEKDAYS[day.weekday()] if day else None


def _results(call: Call, scope: Scope, entries: list[TypedValue]) -> Iterator[TypedValue]:
    """Yield the second argument's value for each entry; the entry itself if there is no second argument."""
    if len(call.arguments) == 1:
        scope.charge(len(entries))
        yield from entries
        return
    argument, inner = call.arguments[1], EntryScope(scope)
    for entry in entries:
        scope.charge(call.entry_cost)
        inner.entry_values.entry = entry
        yield argument.evaluate(inner)


def _of_list(compute: Callable[[Call, Scope, list[TypedValue]], TypedValue]) -> Evaluator:
    """Return the evaluator of a list function; it gives None for anything but a list."""

    def evaluate(call: Call, scope: Scope) -> TypedValue:
        entries = call.arguments[0].evaluate(scope)
        return compute(call, scope, entries) if isinstance(entries, list) else None

    return evaluate


def _sum(call: Call, scope: Scope, entries: list[TypedValue]) -> TypedValue:
    total = Decimal(0)
    for number in _results(call, scope, entries):
        if not isinstance(number, Decimal):
            return None  # a sum without one of its amounts would be wrong
        try:
            total = EXACT.add(total, number)
        except DecimalException:
            return None
    return total


def _count(call: Call, scope: Scope, entries: list[TypedValue]) -> TypedValue:
    if len(call.arguments) == 1:
        return Decimal(len(entries))
    return Decimal(sum(result is True for result in _results(call, scope, entries)))


def _filter(call: Call, scope: Scope, entries: list[TypedValue]) -> TypedValue:
    return [entry for entry, result in zip(entries, _results(call, scope, entries), strict=True) if result is True]


def _pick(call: Call, scope: Scope, entries: list[TypedValue]) -> TypedValue:
    return [result for result in _results(call, scope, entries) if result is not None]


def _sort(call: Call, scope: Scope, entries: list[TypedValue]) -> TypedValue:
    pairs = list(zip(_results(call, scope, entries), entries, strict=True))
    pairs_with_rank = [pair for pair in pairs if pair[0] is not None]
    try:
        pairs_with_rank.sort(key=lambda pair: _sort_key(pair[0]))
    except TypeError:
        return None
    return [entry for _, entry in pairs_with_rank] + [entry for rank, entry in pairs if rank is None]


def _sort_key(value: TypedValue) -> Any:
    """Return what values are ordered by: capital letters do not count."""
    return value.casefold() if isinstance(value, str) else value


def _extreme(choose: Callable[..., TypedValue]) -> Evaluator:
    """Return the evaluator of min or max, for a list or for two values."""

    def evaluate(call: Call, scope: Scope) -> TypedValue:
        entries = call.arguments[0].evaluate(scope)
        if isinstance(entries, list):
            values = list(_results(call, scope, entries))
        else:
            values = [entries, *(argument.evaluate(scope) for argument in call.arguments[1:])]
        if not values or any(value is None for value in values):
            return None
        try:
            return choose(values, key=_sort_key)
        except TypeError:
            return None

    return evaluate


EVALUATORS: Mapping[str, Evaluator] = {
    "filled": _filled,
    "first_filled": _first_filled,
    "if": _if,
    "sum": _of_list(_sum),
    "count": _of_list(_count),
    "min": _extreme(min),
    "max": _extreme(max),
    "any": _of_list(lambda call, scope, entries: any(result is True for result in _results(call, scope, entries))),
    "all": _of_list(lambda call, scope, entries: all(result is True for result in _results(call, scope, entries))),
    "filter": _of_list(_filter),
    "pick": _of_list(_pick),
    "sort": _of_list(_sort),
    "first": _of_list(lambda call, scope, entries: entries[0] if entries else None),
    "last": _of_list(lambda call, scope, entries: entries[-1] if entries else None),
    "len": _of_value(_length),
    "join": _join,
    "lower": _of_value(_lower),
    "upper": _of_value(_upper),
    "round": _round,
    "abs": _of_value(_abs),
    "today": lambda call, scope: scope.now.date(),
    "now": lambda call, scope: scope.now,
    "days_between": _days_between,
    "weekday": _of_value(_weekday),
}
