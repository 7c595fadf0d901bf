"""Values with a form of their own: patterns of slots, e-mail addresses, telephone numbers."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from dialogue.engine.slots.definitions.bounds import compile_pattern
from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.spans import Span, without_overlaps

CHUNK = re.compile(r"[^\s,;!?\"“”«»]+")
CHUNK_EDGES = ".:()[]'’"
EMAIL = re.compile(r"[^\s@,;:<>()\"]+@[^\s@,;:<>()\"]+\.[^\s@,;:<>()\"]*[^\s@,;:<>()\".!?]")
ATTEMPTED_EMAIL = re.compile(r"[^\s,;<>\"]*@[^\s,;<>\"]*[^\s,;<>\".!?]|[^\s,;<>\"]+@")
PHONE = re.compile(r"(?<![\w@.])\+?\(?[0-9][0-9\s().-]{4,18}[0-9](?![\w@])")
# A pattern that one of these matches does not tell a value from the words around it.
ORDINARY_TEXTS = ("the", "hello", "a", "hello world", "Hello", "I would like that")
# An IBAN in groups of four has up to nine pieces.
MAX_VALUE_CHUNKS = 9
MAX_CHUNKS = 200
WORD = re.compile(r"\S+")
# The longest address that mail servers accept: 64 + "@" + 255.
MAX_EMAIL_CHARACTERS = 320
MIN_PHONE_DIGITS = 6
_matcher = lru_cache(maxsize=512)(compile_pattern)


def find_pattern_values(slot: Slot, text: str) -> tuple[Span, ...]:
    """Return what matches the slot's pattern: as typed, in capitals, or joined ("de89 3704 …")."""
    return () if slot.pattern is None or fits_anything(slot.pattern) else _find_cached(slot.pattern, text)


@lru_cache(maxsize=64)  # the parts of understanding ask for the same message, one after the other
def _find_cached(pattern: str, text: str) -> tuple[Span, ...]:
    chunks = [_trim_chunk(match) for match in islice(CHUNK.finditer(text), MAX_CHUNKS)]
    return without_overlaps(_fitting_spans(pattern, text, [chunk for chunk in chunks if chunk[0] < chunk[1]]))


def _trim_chunk(match: re.Match[str]) -> tuple[int, int]:
    chunk = match.group()
    start = len(chunk) - len(chunk.lstrip(CHUNK_EDGES))
    return match.start() + start, match.start() + max(len(chunk.rstrip(CHUNK_EDGES)), start)


def _fitting_spans(pattern: str, text: str, chunks: list[tuple[int, int]]) -> Iterator[Span]:
    for first, (start, _) in enumerate(chunks):
        for _, end in chunks[first : first + MAX_VALUE_CHUNKS]:
            value = _normal_form(pattern, text[start:end])
            if value is not None:
                yield Span(start, end, value)


def _normal_form(pattern: str, text: str) -> str | None:
    joined = re.sub(r"[\s.-]", "", text)
    tries = [text, text.upper()]
    if is_code(text):
        tries += [joined, joined.upper()]
    return next((form for form in tries if _matcher(pattern).fullmatch(form)), None)


def is_code(text: str) -> bool:
    """Return whether all pieces hold digits or capitals: "44 71" is one code, "in 4471" is not."""
    pieces = text.split()
    return all(_has_digit(piece) or piece.isupper() for piece in pieces)


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)


@lru_cache(maxsize=512)
def fits_anything(pattern: str) -> bool:
    """Return whether ordinary words match the pattern, so that it does not show where the value is."""
    return any(_matcher(pattern).fullmatch(word) for word in ORDINARY_TEXTS)


def find_emails(text: str) -> tuple[Span, ...]:
    """Return the e-mail addresses in the text."""
    return tuple(_email_spans(EMAIL, text))


def _email_spans(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    """Look only into words with an at sign that are not longer than an address can be."""
    for word in WORD.finditer(text):
        if "@" in word.group() and len(word.group()) <= MAX_EMAIL_CHARACTERS:
            for match in pattern.finditer(word.group()):
                yield Span(word.start() + match.start(), word.start() + match.end(), match.group())


def find_attempted_emails(text: str) -> tuple[Span, ...]:
    """Return also what was meant as an address ("mia@@example")."""
    return tuple(_email_spans(ATTEMPTED_EMAIL, text))


def find_phones(text: str) -> tuple[Span, ...]:
    """Return the telephone numbers in the text: at least MIN_PHONE_DIGITS digits."""
    spans = (Span(match.start(), match.end(), match.group().strip()) for match in PHONE.finditer(text))
    return tuple(span for span in spans if _count_digits(str(span.value)) >= MIN_PHONE_DIGITS)


def _count_digits(text: str) -> int:
    return sum(character.isdigit() for character in text)
