"""JSON as outsiders send it, read strictly: no duplicate keys, no NaN, no numbers beyond a float, no deep nesting."""

import json
import math
from collections.abc import Iterable
from typing import Any

from pydantic import JsonValue

MAX_NESTING_DEPTH = 20
_LONGEST_NUMBER = 400


class JsonRefused(ValueError):
    """The text is not strict JSON."""


def read_json(text: str | bytes) -> JsonValue:
    """The value of a JSON text; raises JsonRefused, whatever the text is."""
    try:
        value: JsonValue = json.loads(
            text,
            object_pairs_hook=_without_duplicates,
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_short_number,
        )
    except RecursionError:
        raise JsonRefused("it is nested too deep") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as why:
        raise JsonRefused("it is broken") from why
    if _is_deep(value):
        raise JsonRefused("it is nested too deep")
    return value


def _without_duplicates(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    read: dict[str, Any] = {}
    for key, value in pairs:
        if key in read:
            raise JsonRefused(f"the key {key[:60]!r} is there twice")
        read[key] = value
    return read


def _no_constant(word: str) -> float:
    raise JsonRefused(f"{word} is no number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise JsonRefused("a number is too large")
    return number


def _short_number(digits: str) -> int:
    if len(digits) > _LONGEST_NUMBER:
        raise JsonRefused("a number is too large")
    return int(digits)


def _is_deep(value: JsonValue) -> bool:
    level: list[JsonValue] = [value]
    for _ in range(MAX_NESTING_DEPTH):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return False
    return True


def _inside(value: JsonValue) -> Iterable[JsonValue]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
