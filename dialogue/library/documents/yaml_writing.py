"""Write values as YAML the way authors do: plain where that is safe, small lists and mappings in one line."""

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from dialogue.engine.source.scalars import ScalarRefused, read_plain_scalar

MAX_LINE_CHARACTERS = 118
MAX_SHORT_CHARACTERS = 84
"""Characters of a list or mapping that is written in one line."""

_UNSAFE_START = re.compile(r"[\s\-?:,\[\]{}#&*!|>'\"%@`=<~]")
_UNSAFE = re.compile(r": |:$|\s#|\s$|[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_UNSAFE_IN_BRACKETS = re.compile(r"[,\[\]{}:]")


def scalar_text(value: Any, quote: str = "", *, in_brackets: bool = False) -> str:
    """One value in one line; a text keeps the `quote` that it had."""
    if value is None:
        return "~"
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return str(value)
    if quote == "'" and "\n" not in value and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    if quote != '"' and _is_plain(value, in_brackets):
        return value
    return json.dumps(value, ensure_ascii=False)


def _is_plain(text: str, in_brackets: bool) -> bool:
    if not text or _UNSAFE_START.match(text) or _UNSAFE.search(text):
        return False
    if in_brackets and _UNSAFE_IN_BRACKETS.search(text):
        return False
    try:
        return read_plain_scalar(text) == text
    except ScalarRefused:
        return False


def bracket_text(value: Any) -> str:
    """Any value in one line: `{type: text, options: [a, b]}`."""
    if isinstance(value, Mapping):
        pairs = (f"{scalar_text(key, in_brackets=True)}: {bracket_text(entry)}" for key, entry in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(bracket_text, value)) + "]"
    return scalar_text(value, in_brackets=True)


def block_lines(value: Any) -> list[str]:
    """The lines of a mapping or a list that is not empty, from column 0."""
    if isinstance(value, Mapping):
        return [line for key, entry in value.items() for line in key_lines(str(key), entry)]
    return [line for entry in value for line in item_lines(entry)]


def key_lines(key: str, value: Any) -> list[str]:
    """A key with its value, in one line or with the value below it."""
    name = scalar_text(key)
    if isinstance(value, str) and "\n" in value and literal_lines(value):
        header, *lines = literal_lines(value)
        return [f"{name}: {header}", *(f"  {line}".rstrip() for line in lines)]
    if not is_collection(value) or fits_line(value):
        return [f"{name}: {bracket_text(value) if is_collection(value) else scalar_text(value)}"]
    return [f"{name}:", *(f"  {line}".rstrip() for line in block_lines(value))]


def item_lines(value: Any) -> list[str]:
    """An item of a list, from its dash."""
    if not is_collection(value) or not value or (isinstance(value, Mapping) and fits_line(value)):
        return [f"- {bracket_text(value) if is_collection(value) else scalar_text(value)}"]
    first, *others = block_lines(value)
    return [f"- {first}", *(f"  {line}".rstrip() for line in others)]


def literal_lines(text: str) -> list[str]:
    """A text of several lines below "|"; empty where a literal cannot hold it."""
    lines = text.rstrip("\n").split("\n")
    ends = len(text) - len(text.rstrip("\n"))
    if ends > 1 or lines[0].startswith(" ") or any(not line.isprintable() or line != line.rstrip() for line in lines):
        return []
    return ["|" if ends else "|-", *lines] if lines[0] else []


def is_collection(value: Any) -> bool:
    return isinstance(value, Mapping | list | tuple)


def fits_line(value: Any) -> bool:
    """Whether a list or mapping reads well in one line: it is short, and nothing in it is nested twice."""
    parts = list(value.values()) if isinstance(value, Mapping) else list(value)
    if not parts:
        return True
    flat = [part for part in parts if not is_collection(part)]
    inner = [part for part in parts if is_collection(part)]
    is_plain = isinstance(value, Mapping) and all(
        not isinstance(part, Mapping) and not any(map(is_collection, part)) for part in inner
    )
    has_lines = any(isinstance(part, str) and "\n" in part for part in flat)
    return not has_lines and (not inner or is_plain) and len(bracket_text(value)) <= MAX_SHORT_CHARACTERS


def same_value(one: Any, other: Any) -> bool:
    """Whether two values are the same in YAML: 1 is 1.0, and neither is true."""
    return bool(canonical_value(one) == canonical_value(other))


def canonical_value(value: Any) -> Any:
    """The value in a hashable form, in which different values differ."""
    match value:
        case Mapping():
            return ("mapping", tuple(sorted((str(key), canonical_value(entry)) for key, entry in value.items())))
        case list() | tuple():
            return ("list", tuple(map(canonical_value, value)))
        case bool() | None | str():
            return (type(value).__name__, value)
        case _:
            return ("number", Decimal(str(value)).normalize())
