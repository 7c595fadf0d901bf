"""The words of a message with their positions, folded: case, accents and typographic marks do not matter."""

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

WORD = re.compile(r"\w+(?:'\w+)*")
# Below four letters a near word is usually another word; the ratio lets one slip pass in seven letters.
MIN_FUZZY_LETTERS = 4
MIN_FUZZY_RATIO = 0.84
# Small words inside a name: "Lord of the Rings", "Puerto de la Cruz", "Larch and Sons", "Ludwig van Beethoven".
NAME_PARTICLES = frozenset(
    {"of", "the", "and", "de", "del", "la", "las", "los", "el", "y", "e", "van", "von", "der", "di", "da", "du", "und"}
)
# "de la Cruz": more small words in a row end the name.
MAX_NAME_PARTICLES = 2


@dataclass(frozen=True, slots=True)
class Token:
    """One word: `text` as typed, `folded` for comparing ("dont" for "Don't"), its position in characters."""

    text: str
    folded: str
    start: int
    end: int


@lru_cache(maxsize=4096)
def _fold_character(character: str) -> str:
    if character in "’‘`´":
        return "'"
    plain = unicodedata.normalize("NFD", character.lower())[:1]
    return plain or character


def fold(text: str) -> str:
    """Return lower case without accents; as long as `text`, so that positions stay valid."""
    if text.isascii():
        return text.lower().replace("`", "'")
    return "".join(map(_fold_character, text))


@lru_cache(maxsize=64)  # the parts of understanding look at the same message, one after the other
def tokenize(text: str) -> tuple[Token, ...]:
    """Return the words of the text; punctuation is left out."""
    folded = fold(text)
    return tuple(
        Token(text[match.start() : match.end()], match.group().replace("'", ""), match.start(), match.end())
        for match in WORD.finditer(folded)
    )


@lru_cache(maxsize=8192)
def folded_words(text: str) -> tuple[str, ...]:
    """Return the folded words of a phrase."""
    return tuple(token.folded for token in tokenize(text))


@lru_cache(maxsize=16384)
def fuzzy_equal(word: str, other: str) -> bool:
    """Return whether two folded words are the same, or differ only by a typing error."""
    if word == other:
        return True
    if (
        min(len(word), len(other)) < MIN_FUZZY_LETTERS
        or abs(len(word) - len(other)) > 2
        or any(character.isdigit() for character in (word + other))
    ):
        return False
    # Comparing takes long, and most words have too few letters in common, wherever these are.
    shared = sum(min(word.count(letter), other.count(letter)) for letter in set(word))
    if 2 * shared / (len(word) + len(other)) < MIN_FUZZY_RATIO:
        return False
    return SequenceMatcher(None, word, other, autojunk=False).ratio() >= MIN_FUZZY_RATIO


def fuzzy_in(word: str, words: Collection[str]) -> bool:
    """Return whether the word is fuzzy equal to one of the words."""
    # Looking the word up first spares most comparisons, and its length some of the others.
    if word in words or len(word) < MIN_FUZZY_LETTERS:
        return word in words
    return any(fuzzy_equal(word, known_word) for known_word in words)


def fuzzy_equal_phrase(phrase: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether two phrases have the same number of words, each fuzzy equal."""
    return len(phrase) == len(other) and all(map(fuzzy_equal, phrase, other))
