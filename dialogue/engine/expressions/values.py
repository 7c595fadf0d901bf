"""Values of expressions: how they are compared and computed, and how much work one evaluation may do.

Values are Decimal, str, bool, date, time, datetime, timedelta, list and dict; None is an empty slot. A result is None
if it is computed from an empty slot or cannot be computed. A comparison with None is false.
"""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Context, Decimal, DecimalException
from typing import Any, Protocol, Union

TypedValue = Union[  # noqa: UP007
    Decimal, str, bool, date, time, datetime, timedelta, list["TypedValue"], dict[str, "TypedValue"], None
]

MAX_VISITS = 200_000
"""The most nodes of its tree that one evaluation may visit; long texts and lists count as several."""
MAX_TEXT_CHARACTERS = 100_000
_CHARACTERS_PER_VISIT = 100
ENTRY = "item"
"""The name of the entry itself in the second argument of a list function."""

# 40 digits: amounts with 15 digits can be multiplied without rounding. Its own context, as the global one may differ.
EXACT = Context(prec=40)
_ARITHMETIC: Mapping[str, Callable[[Decimal, Decimal], Decimal]] = {
    "+": EXACT.add,
    "-": EXACT.subtract,
    "*": EXACT.multiply,
    "/": EXACT.divide,
    "%": EXACT.remainder,
}
_ORDER: Mapping[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class ExpressionTooCostly(Exception):
    """The evaluation was given up, because it would visit more than MAX_VISITS nodes or make too long a text."""


class ValueLookup(Protocol):
    """Values by name, as in a mapping."""

    def get(self, name: str, /) -> TypedValue: ...


@dataclass(slots=True)
class Scope:
    """The input of an evaluation: values by name, and the time in the conversation's time zone."""

    values: ValueLookup
    now: datetime
    visits: int = 0

    def charge(self, visits: int) -> None:
        """Count work besides that of an ordinary node. Raises ExpressionTooCostly."""
        self.visits += visits
        if self.visits > MAX_VISITS:
            raise ExpressionTooCostly(
                f"The expression was given up after {MAX_VISITS:,} steps. Filter the list in an action, or shorten it"
            )


class EntryValues:
    """The values by name within a list function: the entry's fields, `item`, then the names around the function.

    `charge` counts the work of walking through lists on the way to a field.
    """

    __slots__ = ("charge", "entry", "outer")

    def __init__(self, outer: ValueLookup, charge: Callable[[int], None]) -> None:
        self.outer = outer
        self.charge = charge
        self.entry: TypedValue = None

    def get(self, name: str, /) -> TypedValue:
        """Return the value of a name, such as price, item.price or address.zip; None if there is none."""
        head, _, path = name.partition(".")
        if head == ENTRY:
            return part_of(self.entry, path, self.charge)
        if isinstance(self.entry, dict) and head in self.entry:
            return part_of(self.entry[head], path, self.charge)
        return self.outer.get(name)


class EntryScope(Scope):
    """The scope of one entry at a time; its work counts for the whole evaluation."""

    __slots__ = ("entry_values", "outer")

    def __init__(self, outer: Scope) -> None:
        self.entry_values = EntryValues(outer.values, outer.charge)
        super().__init__(self.entry_values, outer.now)
        self.outer = outer

    def charge(self, visits: int) -> None:
        self.outer.charge(visits)


def part_of(value: TypedValue, path: str, charge: Callable[[int], None]) -> TypedValue:
    """Return the value at a path such as "address.zip" in an object, or None; the value itself for "".

    In a list it is the list of the entries' parts; `charge` gets the number of entries.
    """
    for name in path.split(".") if path else ():
        if isinstance(value, list):
            charge(len(value))
            parts = [entry.get(name) for entry in value if isinstance(entry, dict)]
            value = [inner for part in parts for inner in (part if isinstance(part, list) else [part])]
        else:
            value = value.get(name) if isinstance(value, dict) else None
    return value


def text_visits(text: str) -> int:
    """Return how many visits the work on a text counts as."""
    return len(text) // _CHARACTERS_PER_VISIT


def comparison_visits(operator_sign: str, left: TypedValue, right: TypedValue) -> int:
    """Return how many visits a comparison counts as besides its node: those of lists, objects and long texts."""
    if isinstance(right, str):
        return text_visits(right) if operator_sign in ("in", "not in") else 0
    if not isinstance(right, _CONTAINERS):
        return 0
    if not isinstance(left, _CONTAINERS):
        return len(right)
    return _nested_visits(right) * (len(right) if operator_sign in ("in", "not in") else 1)


_CONTAINERS = (list, dict)


def _nested_visits(value: TypedValue) -> int:
    """Return how many values there are in a list or object at all depths, counted up to the limit."""
    pending, visits = [value], 0
    while pending and visits <= MAX_VISITS:
        part = pending.pop()
        visits += 1
        if isinstance(part, list | dict):
            pending.extend(part.values() if isinstance(part, dict) else part)
    return visits


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


def compute(operator_sign: str, left: TypedValue, right: TypedValue) -> TypedValue:
    """Return the result of one operator: numbers, texts joined with +, dates and durations; None if it has none."""
    if isinstance(left, Decimal) and isinstance(right, Decimal):
        try:
            return _ARITHMETIC[operator_sign](left, right)
        except DecimalException:
            # Division by zero, or a result out of range.
            return None
    if isinstance(left, str) or isinstance(right, str):
        return _join_texts(left, right) if operator_sign == "+" else None
    if isinstance(left, timedelta) or isinstance(right, timedelta):
        return _compute_with_duration(operator_sign, left, right)
    return None


def _join_texts(left: TypedValue, right: TypedValue) -> str | None:
    if not isinstance(left, str | Decimal) or not isinstance(right, str | Decimal):
        return None
    return check_length(written(left) + written(right))


def check_length(text: str) -> str:
    """Return the text. Raises ExpressionTooCostly for one that no slot could hold."""
    if len(text) > MAX_TEXT_CHARACTERS:
        raise _text_too_long()
    return text


def _text_too_long() -> ExpressionTooCostly:
    return ExpressionTooCostly(f"The text became longer than {MAX_TEXT_CHARACTERS:,} characters. Shorten it")


def written(value: str | Decimal) -> str:
    """Return a number as text: without an exponent, and without decimals that are zero unless they are cents."""
    if isinstance(value, str):
        return value
    if abs(value.adjusted()) > MAX_TEXT_CHARACTERS:  # before a million digits are written
        raise _text_too_long()
    text = format(value, "f")
    # Two decimals are an amount of money: 12.00 keeps them. 2.0 is how a number is stored.
    has_cents = value.as_tuple().exponent == -2
    return text if has_cents or value != value.to_integral_value() else text.partition(".")[0]


def _compute_with_duration(operator_sign: str, left: TypedValue, right: TypedValue) -> TypedValue:
    if operator_sign in ("+", "*") and isinstance(left, timedelta) and not isinstance(right, timedelta):
        left, right = right, left
    try:
        match operator_sign, left, right:
            case "+" | "-", date(), timedelta():
                return _shift(left, right if operator_sign == "+" else -right)
            case "+" | "-", timedelta(), timedelta():
                return left + right if operator_sign == "+" else left - right
            case "*", Decimal(), timedelta():
                return timedelta(seconds=float(left) * right.total_seconds())
            case _:
                return None
    except (OverflowError, ValueError):
        return None  # outside of the calendar


def _shift(moment: date, duration: timedelta) -> date:
    """Return the date or datetime moved by a duration: days keep the time of day, hours are real hours."""
    if not isinstance(moment, datetime):
        return moment + duration
    days = timedelta(days=int(duration / timedelta(days=1)))
    # The clock of a time zone jumps twice a year: hours are added in UTC, days on the clock.
    shifted = moment + days
    if shifted.tzinfo is None:
        return shifted + (duration - days)
    return (shifted.astimezone(UTC) + (duration - days)).astimezone(shifted.tzinfo)
