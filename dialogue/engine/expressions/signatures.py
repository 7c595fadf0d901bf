"""The functions of expressions: how each is written and what it gives. The parser, the editor and the guide read it."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Signature:
    """How a function is written, how many values it takes, and what it gives."""

    usage: str
    least: int
    most: int
    summary: str


FUNCTIONS: Mapping[str, Signature] = {
    "filled": Signature("filled(slot)", 1, 1, "whether the slot holds a value"),
    "first_filled": Signature("first_filled(a, b, …)", 2, 20, "the first value that is not empty"),
    "if": Signature("if(test, a, b)", 3, 3, "a if the test holds, or else b"),
    "sum": Signature("sum(list, value)", 1, 2, "the sum of the value of every entry, 0 for an empty list"),
    "count": Signature("count(list, test)", 1, 2, "how many entries pass the test; without a test, how many there are"),
    "min": Signature("min(list, value)", 1, 2, "the least value of an entry; min(a, b): the lesser of two values"),
    "max": Signature("max(list, value)", 1, 2, "the greatest value of an entry; max(a, b): the greater of two values"),
    "any": Signature("any(list, test)", 2, 2, "whether at least one entry passes the test"),
    "all": Signature("all(list, test)", 2, 2, "whether every entry passes the test; true for an empty list"),
    "filter": Signature("filter(list, test)", 2, 2, "the list of the entries that pass the test"),
    "pick": Signature("pick(list, value)", 2, 2, "the list of that value of every entry, without empty ones"),
    "sort": Signature("sort(list, value)", 1, 2, "the list in the order of that value, empty ones last"),
    "first": Signature("first(list)", 1, 1, "the first entry, empty for an empty list"),
    "last": Signature("last(list)", 1, 1, "the last entry, empty for an empty list"),
    "len": Signature("len(value)", 1, 1, "how many characters a text has, or entries a list"),
    "join": Signature("join(list, ', ')", 1, 2, "the entries as one text, with the separator between them"),
    "lower": Signature("lower(text)", 1, 1, "the text in small letters"),
    "upper": Signature("upper(text)", 1, 1, "the text in capital letters"),
    "round": Signature("round(number, digits)", 1, 2, "the number rounded, half up; without digits, a whole number"),
    "abs": Signature("abs(number)", 1, 1, "the number without its sign"),
    "today": Signature("today()", 0, 0, "the date of today in the conversation's time zone"),
    "now": Signature("now()", 0, 0, "the date and time of this moment"),
    "days_between": Signature("days_between(a, b)", 2, 2, "the days from date a to date b, negative if b is earlier"),
    "weekday": Signature("weekday(date)", 1, 1, "'monday' to 'sunday'"),
}

TEST_FUNCTIONS = frozenset({"count", "any", "all", "filter"})
"""List functions whose second argument is a test of an entry."""
VALUE_FUNCTIONS = frozenset({"sum", "min", "max", "pick", "sort"})
"""List functions whose second argument is a value of an entry. Of two values, min and max compare these."""
ENTRY_FUNCTIONS = TEST_FUNCTIONS | VALUE_FUNCTIONS
EXTREMES = frozenset({"min", "max"})
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
