"""Expressions give what a plain Python reading of them gives, whatever the values are."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dialogue.engine.expressions.conditions import Condition, Kind

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
PRICES = st.none() | st.integers(-50, 50).map(lambda cents: Decimal(cents) / 4)
ENTRIES = st.fixed_dictionaries(
    {
        "price": PRICES,
        "name": st.none() | st.sampled_from(["lamp", "Mug", "desk", ""]),
        "new": st.none() | st.booleans(),
    }
)
VALUES = st.fixed_dictionaries(
    {
        "items": st.none() | st.lists(ENTRIES, max_size=5),
        "current": st.none() | ENTRIES,
        "limit": PRICES,
        "price": PRICES,
        "day": st.none() | st.dates(date(2020, 1, 1), date(2030, 1, 1)),
    }
)
ENTRY = Kind("object", fields={"price": Kind("number"), "name": Kind("text"), "new": Kind("boolean")})
KINDS = {
    "items": Kind("list", item=ENTRY),
    "current": ENTRY,
    "limit": Kind("number"),
    "price": Kind("number"),
    "day": Kind("date"),
}
Values = Mapping[str, Any]
Reading = Callable[[Values], Any]
Expression = tuple[str, Reading]
"""A text, and what it means as a Python function of the values; within a list function the entry's fields go first."""


def _arithmetic(sign: str, left: Expression, right: Expression) -> Expression:
    def read(values: Values) -> Any:
        first, second = left[1](values), right[1](values)
        if first is None or second is None:
            return None
        return {"+": first + second, "-": first - second, "*": first * second}[sign]

    return f"({left[0]} {sign} {right[0]})", read


def _comparison(sign: str, left: Expression, right: Expression) -> Expression:
    def read(values: Values) -> Any:
        first, second = left[1](values), right[1](values)
        if first is None or second is None:
            return False
        return {"<": first < second, ">=": first >= second, "==": first == second, "!=": first != second}[sign]

    return f"{left[0]} {sign} {right[0]}", read


def _if(test: Expression, chosen: Expression, other: Expression) -> Expression:
    text = f"if({test[0]}, {chosen[0]}, {other[0]})"
    return text, lambda values: chosen[1](values) if test[1](values) is True else other[1](values)


def _first_filled(first: Expression, second: Expression) -> Expression:
    text = f"first_filled({first[0]}, {second[0]})"
    return text, lambda values: second[1](values) if first[1](values) is None else first[1](values)


def _of_entries(
    name: str, listing: Expression, inner: Expression, combine: Callable[[list[Any], list[Any]], Any]
) -> Expression:
    def read(values: Values) -> Any:
        entries = listing[1](values)
        return None if entries is None else combine(entries, [inner[1]({**values, **entry}) for entry in entries])

    return f"{name}({listing[0]}, {inner[0]})", read


def _total(entries: list[Any], results: list[Any]) -> Any:
    return None if None in results else sum(results, Decimal(0))


def _least(entries: list[Any], results: list[Any]) -> Any:
    return None if None in results else min(results, default=None)


def _ordered(entries: list[Any], results: list[Any]) -> Any:
    ranks = [index for index in range(len(entries)) if results[index] is not None]
    empty = [index for index in range(len(entries)) if results[index] is None]
    return [entries[index] for index in (*sorted(ranks, key=lambda index: results[index]), *empty)]


def _name(name: str) -> Expression:
    def read(values: Values) -> Any:
        value: Any = values
        for part in name.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        return value

    return name, read


_LITERALS = st.integers(0, 9).map(lambda number: (str(number), lambda values: Decimal(number)))
_NUMBER_NAMES = st.sampled_from(["price", "limit", "current.price"]).map(_name)
_BOOLEANS = st.sampled_from(["new", "current.new"]).map(_name)


def _numbers(depth: int) -> st.SearchStrategy[Expression]:
    if depth == 0:
        return _LITERALS | _NUMBER_NAMES
    inner = _numbers(depth - 1)
    return st.one_of(
        inner,
        st.builds(_arithmetic, st.sampled_from(["+", "-", "*"]), inner, inner),
        st.builds(_if, _tests(depth - 1), inner, inner),
        st.builds(_first_filled, inner, inner),
        st.builds(_of_entries, st.just("sum"), _lists(depth - 1), inner, st.just(_total)),
        st.builds(_of_entries, st.just("min"), _lists(depth - 1), inner, st.just(_least)),
        st.builds(
            _of_entries,
            st.just("count"),
            _lists(depth - 1),
            _tests(depth - 1),
            st.just(lambda entries, found: Decimal(found.count(True))),
        ),
    )


def _tests(depth: int) -> st.SearchStrategy[Expression]:
    numbers = _numbers(depth)
    tests = st.builds(_comparison, st.sampled_from(["<", ">=", "==", "!="]), numbers, numbers)
    if depth == 0:
        return tests
    return st.one_of(
        tests,
        st.builds(
            _of_entries,
            st.just("any"),
            _lists(depth - 1),
            _tests(depth - 1),
            st.just(lambda entries, found: True in found),
        ),
        st.builds(
            _of_entries,
            st.just("all"),
            _lists(depth - 1),
            _tests(depth - 1),
            st.just(lambda entries, found: found.count(True) == len(found)),
        ),
    )


def _lists(depth: int) -> st.SearchStrategy[Expression]:
    items = st.just(_name("items"))
    if depth == 0:
        return items
    kept = st.just(lambda entries, found: [entry for entry, holds in zip(entries, found, strict=True) if holds is True])
    return st.one_of(
        items,
        st.builds(_of_entries, st.just("filter"), _lists(depth - 1), _tests(depth - 1), kept),
        st.builds(_of_entries, st.just("sort"), _lists(depth - 1), _numbers(depth - 1), st.just(_ordered)),
    )


@settings(max_examples=200, deadline=None)
@given(st.one_of(_numbers(2), _tests(2), _lists(2)), VALUES)
def test_expressions_mean_what_they_mean_in_python(expression: Expression, values: Values):
    text, read = expression
    if len(text) <= 500 and _is_readable(text):
        assert Condition(text).evaluate(values, NOW) == read(values)


def _is_readable(text: str) -> bool:
    """Whether no entry's field is compared with itself, and list functions are not nested too deeply."""
    try:
        Condition(text)
    except ValueError as error:
        assert "levels deep" in str(error)
        return False
    return True


@settings(max_examples=200, deadline=None)
@given(st.one_of(_numbers(2), _tests(2), _lists(2)), VALUES)
def test_the_kind_that_is_found_at_load_is_that_of_the_value(expression: Expression, values: Values):
    text, _ = expression
    if len(text) > 500 or not _is_readable(text):
        return
    try:
        kind = Condition(text).check_as_expression(KINDS)
    except ValueError as error:
        assert "with itself" in str(error)
        return
    value = Condition(text).evaluate(values, NOW)
    classes = {"number": Decimal, "boolean": bool, "list": list}
    assert value is None or isinstance(value, classes[kind.name])
    assert not kind.integer or value is None or value == value.to_integral_value()  # type: ignore[union-attr]


@settings(deadline=None)  # a busy machine is no failure
@given(st.dates(date(1950, 1, 1), date(2100, 1, 1)), st.integers(0, 3649), st.integers(0, 23))
def test_dates_and_durations_are_those_of_the_calendar(day: date, days: int, hours: int):
    values: Any = {"day": day, "at": datetime(day.year, day.month, day.day, 12, tzinfo=UTC)}

    def value(text: str) -> Any:
        return Condition(text).evaluate(values, NOW)

    assert value(f"day + {days}d") == day + timedelta(days=days)
    assert value(f"days_between(day, day + {days}d)") == days
    assert value(f"days_between(day - {days}d, day)") == days
    assert value(f"at - {days}d{hours}h") == values["at"] - timedelta(days=days, hours=hours)
    assert value("weekday(day)") == day.strftime("%A").lower()


@settings(deadline=None)
@given(st.lists(st.text(max_size=5), max_size=5), st.text(max_size=3))
def test_texts_are_joined_as_in_python(names: list[str], word: str):
    values: Any = {"names": names, "word": word}

    assert Condition("join(names, word)").evaluate(values, NOW) == word.join(names)
    assert Condition("word + join(names, '') + word").evaluate(values, NOW) == word + "".join(names) + word
