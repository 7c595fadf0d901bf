"""Redaction: free text, such as an exception's, without the values that nobody should read in it."""

import re
from collections.abc import Iterable, Iterator

from pydantic import JsonValue

from dialogue.engine.source.problems import escape_character

MASK = "••••"
MAX_REASON_CHARACTERS = 2_000
_SEPARATORS = r"[\s.\-/]*"
"""What programs and people put between the characters of a long number."""


def redact_values(text: str, values: Iterable[JsonValue]) -> str:
    """The text with each of these stored values masked, however it is spaced, and of a bounded length."""
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
    """The text with its line ends and controls escaped, so that what a stranger typed forges no line of a log."""
    return "".join(map(escape_character, text))
