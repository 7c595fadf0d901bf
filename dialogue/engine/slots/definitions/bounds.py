"""The limits of numbers, dates and times, and the patterns of texts."""

from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any

import re2
from pydantic import PlainValidator

from dialogue.engine.expressions.conditions import Condition
from dialogue.engine.slots.computed import WriteComputed
from dialogue.engine.slots.definitions.slot_types import CLOCK_TYPES, NUMBER_TYPES
from dialogue.engine.slots.fields import describe_value, field_error
from dialogue.engine.source.phrases import Phrase

_MAX_PATTERN_CHARACTERS = 500


def compile_pattern(pattern: str) -> "re2._Regexp[str]":
    """Compile a pattern with google-re2, which matches in linear time whatever the pattern is."""
    quiet = re2.Options()
    quiet.log_errors = False
    return re2.compile(pattern, quiet)


def check_pattern(pattern: str) -> str:
    """Return the pattern. Raises a validation error for one that is too long or that RE2 cannot read."""
    if len(pattern) > _MAX_PATTERN_CHARACTERS:
        raise field_error(
            "pattern",
            Phrase("the pattern has {count} characters", count=f"{len(pattern):,}"),
            Phrase("Write at most {max_pattern_characters}", max_pattern_characters=_MAX_PATTERN_CHARACTERS),
        )
    try:
        compile_pattern(pattern)
    except re2.error as error:
        reason = error.args[0].decode() if error.args and isinstance(error.args[0], bytes) else str(error)
        advice = Phrase("Patterns are RE2: no look-around and no back-references")
        raise field_error("pattern", Phrase("the pattern cannot be read: {reason}", reason=reason), advice) from error
    return pattern


_CLOCK_CLASSES: Mapping[str, type[date] | type[time]] = {"date": date, "time": time, "datetime": datetime}


def parse_bound(key: str, bound: object, slot_type: object) -> object:
    """Parse a limit for its slot's type; a type without limits is refused later, by `_constraints_fit`."""
    if slot_type in NUMBER_TYPES:
        try:
            number = Decimal(str(bound))
        except InvalidOperation:
            number = Decimal("NaN")  # refused below, with the other values that are not numbers
        if isinstance(bound, bool) or not number.is_finite():
            raise field_error(
                "bound",
                Phrase("`{key}` has {bound} where a number is expected", key=key, bound=describe_value(bound)),
                Phrase("Write a number such as 0.01"),
                key=key,
            )
        return number
    return _parse_clock_bound(key, bound, str(slot_type)) if slot_type in CLOCK_TYPES else bound


def _parse_clock_bound(key: str, bound: object, slot_type: str) -> str:
    try:
        moment = _CLOCK_CLASSES[slot_type].fromisoformat(bound if isinstance(bound, str) else "")
    except ValueError:
        text = Phrase(
            "`{key}` has {bound} where a {slot_type} is expected",
            key=key,
            bound=describe_value(bound),
            slot_type=slot_type,
        )
        raise field_error(
            "bound", text, Phrase("Write it as {clock_examples}", clock_examples=_CLOCK_EXAMPLES[slot_type]), key=key
        ) from None
    if isinstance(moment, datetime) and moment.tzinfo is None:
        raise field_error(
            "bound",
            Phrase("`{key}` has no time zone", key=key),
            Phrase("Write it as {clock_examples}", clock_examples=_CLOCK_EXAMPLES[slot_type]),
            key=key,
        )
    return moment.isoformat()


_CLOCK_EXAMPLES = {"date": "2026-11-23", "time": '"09:30"', "datetime": "2026-11-23T09:30+01:00"}


def _check_bound(bound: object) -> object:
    # A number at another type is refused by `_constraints_fit`, which says which types have limits.
    if bound is None or isinstance(bound, Decimal | str | int | float | Condition):
        return bound
    raise field_error(
        "bound", Phrase("found {bound} where a number, a date or a time is expected", bound=describe_value(bound))
    )


Bound = Annotated[Any, PlainValidator(_check_bound, json_schema_input_type=Decimal | str | None), WriteComputed]
"""Parsed by `parse_bound`: a Decimal, an ISO text, a Condition ("=balance") or None."""
