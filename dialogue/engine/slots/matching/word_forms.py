"""Words as they are compared: without case and accents, in singular and plural, with a typing error."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

WORD = re.compile(r"[0-9]+(?:[.,:][0-9]+)*|[^\W\d_]+(?:'[^\W\d_]+)*")
JOINED = re.compile(r"[^\W\d_]+[0-9]+|[0-9]+[^\W\d_]+|[^\W_]+-[^\W_]+")
CODE_LETTER = re.compile(r"(?<![^\W_])[^\W\d_](?=[0-9])")
HAS_CODE = re.compile("[0-9-]")
CODE_DIGITS = re.compile(r"(?<=[^\W\d_])[0-9]{1,2}(?![0-9])")
MIN_STEM_LETTERS = 3
# Shorter words have no typing errors: one changed letter makes another word of them.
MIN_TYPO_LETTERS, MIN_TWO_TYPOS_LETTERS = 4, 8
VOWELS = "aeo"


@dataclass(frozen=True, slots=True)
class Word:
    """One word or number of a text: `form` is compared, `start` and `end` are characters of the text."""

    form: str
    start: int
    end: int


@lru_cache(maxsize=4096)
def _fold_character(character: str) -> str:
    if character in "’‘`´":
        return "'"
    return unicodedata.normalize("NFD", character.lower())[:1] or character


def split_words(text: str) -> tuple[Word, ...]:
    """Return the words of the text; letters and digits are apart: "W23" is two words, "12.50" is one."""
    return tuple(Word(_bare(match.group()), match.start(), match.end()) for match in WORD.finditer(_folded(text)))


def _folded(text: str) -> str:
    return text.lower() if text.isascii() else "".join(map(_fold_character, text))


def _bare(word: str) -> str:
    return word.removesuffix("'s").replace("'", "") if "'" in word else word


def word_list(text: str) -> tuple[str, ...]:
    """Return the words without their places: three times as fast as `split_words`."""
    words = WORD.findall(_folded(text))
    return tuple(_bare(word) for word in words) if "'" in text or "’" in text else tuple(words)


@lru_cache(maxsize=16384)
def indexed_words(text: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the words of an option's text, and what stands for it in an index.

    Codes and compounds stand also as one word: "w23", "64gb", "tshirt". The digit of "i7" is not the number seven.
    """
    words = word_list(text)
    if not HAS_CODE.search(text):
        return words, frozenset(words)
    joined = (re.sub("[-_]", "", match) for match in JOINED.findall(_folded(text)))
    parts = {*words, *joined}.difference(CODE_DIGITS.findall(text), CODE_LETTER.findall(_folded(text)))
    return words, frozenset(parts)


@lru_cache(maxsize=16384)
def word_forms(word: str) -> tuple[str, ...]:
    """Return the forms that a word shares with its singular, plural and other gender: "rojas" gives "roj"."""
    if len(word) <= MIN_STEM_LETTERS or word[0].isdecimal():
        return (word,)
    return tuple(dict.fromkeys((word, *(_without_vowel(form) for form in (word, *_singular_forms(word))))))


def _singular_forms(word: str) -> Iterator[str]:
    if not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return
    yield word[:-1]
    if word.endswith("es") and len(word) > MIN_STEM_LETTERS + 1:
        yield word[:-2]
    if word.endswith("ies"):
        yield f"{word[:-3]}y"
    if word.endswith("ces"):
        yield f"{word[:-3]}z"
    if word.endswith("ves"):
        yield f"{word[:-3]}f"


def _without_vowel(word: str) -> str:
    return word[:-1] if len(word) > MIN_STEM_LETTERS and word[-1] in VOWELS else word


def allowed_typos(word: str) -> int:
    """Return how many typing errors a word of this length may have."""
    if len(word) < MIN_TYPO_LETTERS or word[0].isdecimal():
        return 0
    return 1 if len(word) < MIN_TWO_TYPOS_LETTERS else 2


def differs_by_typos(word: str, other: str, limit: int) -> bool:
    """Return whether at most `limit` letters are missing, added, changed or swapped. The first letter is right."""
    if abs(len(word) - len(other)) > limit or not _begins_alike(word, other):
        return False
    return _edit_distance(word, other, limit) <= limit


def _begins_alike(word: str, other: str) -> bool:
    return word[0] == other[0] or word[:2] == other[1::-1]


def _edit_distance(word: str, other: str, limit: int) -> int:
    """Return the optimal string alignment distance, or a number above `limit` as soon as it is exceeded.

    Source: Damerau (1964), with adjacent letters swapped as one error.
    """
    before, row = [0] * (len(other) + 1), list(range(len(other) + 1))
    for i, letter in enumerate(word, start=1):
        two_before, before, row = before, row, [i]
        for j, other_letter in enumerate(other, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other_letter))
            if i > 1 and j > 1 and letter == other[j - 2] and word[i - 2] == other_letter:
                cost = min(cost, two_before[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
    return row[-1]


def forms_of(words: Sequence[Word]) -> tuple[str, ...]:
    """Return the compared forms, in order."""
    return tuple(word.form for word in words)
