"""Parse JSON from outside strictly: no duplicate keys, no NaN, no numbers beyond a float, no deep nesting."""

import json
import math
from collections.abc import Iterable
from typing import Any

from pydantic import JsonValue

MAX_NESTING_DEPTH = 20
_TOO_DEEP = f"it has more than {MAX_NESTING_DEPTH} levels"
_MAX_NUMBER_DIGITS = 400


class JsonRefused(ValueError):
    """The text is not strict JSON."""


def read_json(text: str | bytes) -> JsonValue:
    """Return the value of a JSON text. Raises JsonRefused, and nothing else, for any other text."""
    try:
        value: JsonValue = json.loads(
            text,
            object_pairs_hook=_reject_duplicates,
            parse_constant=_reject_constant,
            parse_float=_parse_float,
            parse_int=_parse_integer,
        )
    except RecursionError:
        raise JsonRefused(_TOO_DEEP) from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise JsonRefused("its syntax is wrong") from error
    if _is_too_deep(value):
        raise JsonRefused(_TOO_DEEP)
    return value


def _reject_duplicates(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members:
            raise JsonRefused(f"the key {key[:60]!r} appears twice")
        members[key] = value
    return members


def _reject_constant(word: str) -> float:
    raise JsonRefused(f"{word} is not a number in JSON")


def _parse_float(digits: str) -> float:
    # 1e999 becomes infinity without an error.
    number = float(digits)
    if not math.isfinite(number):
        raise JsonRefused("a number is too large")
    return number


def _parse_integer(digits: str) -> int:
    # int() of a very long text takes quadratic time.
    if len(digits) > _MAX_NUMBER_DIGITS:
        raise JsonRefused("a number is too large")
    return int(digits)


def _is_too_deep(value: JsonValue) -> bool:
    # Level by level instead of recursively: the value may be nested almost as deep as Python's stack.
    level: list[JsonValue] = [value]
    for _ in range(MAX_NESTING_DEPTH):
        dicts = [child for outer in level if isinstance(outer, dict) for child in outer.values()]
        level = dicts + [child for outer in level if isinstance(outer, list) for child in outer]
        if not level:
            return False
    return True
