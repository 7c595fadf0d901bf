"""Redact sensitive values in free text, such as an exception's message."""

import re
from collections.abc import Iterable, Iterator

from pydantic import JsonValue

from dialogue.engine.source.problems import escape_character

MASK = "••••"
MAX_REASON_CHARACTERS = 2_000
_SEPARATORS = r"[\s.\-/]*"
"""Characters that people and programs put between the digits of a long number."""


def redact_values(text: str, values: Iterable[JsonValue]) -> str:
    """Return the text with these stored values masked, whatever their spacing and case.

    At most MAX_REASON_CHARACTERS characters are returned.
    """
    # Longest first, so that a value that contains another is masked as a whole.
    for value in sorted(set(_searchable_texts(values)), key=len, reverse=True):
        text = re.sub(_SEPARATORS.join(map(re.escape, value)), MASK, text, flags=re.IGNORECASE)
    return text if len(text) <= MAX_REASON_CHARACTERS else text[: MAX_REASON_CHARACTERS - 1] + "…"


def _searchable_texts(values: Iterable[JsonValue]) -> Iterator[str]:
    for value in values:
        match value:
            case None | bool():
                continue
            case list():
                yield from _searchable_texts(value)
            case dict():
                yield from _searchable_texts(value.values())
            case _:
                if digits := re.sub(_SEPARATORS, "", str(value)):
                    yield digits


def one_line(text: str) -> str:
    """Return the text with line ends and control characters escaped, so that input cannot forge a log line."""
    return "".join(map(escape_character, text))
