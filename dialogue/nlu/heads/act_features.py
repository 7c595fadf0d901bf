"""Hashed word and letter n-grams of a clause: what the act classifier looks at. Standard library only."""

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise
from zlib import crc32

from dialogue.nlu.text.tokens import fold

BUCKETS = 1 << 15
MAX_CHARACTERS = 120  # acts are short; the start and the end of a long message decide
# A word, or one sign: punctuation is left out, emoji stay.
PIECE = re.compile(r"\w+(?:'\w+)*|[^\w\s]")
STRETCH = re.compile(r"(\D)\1\1+")  # "yesssss", "nooo"; not 1000
QUOTES = re.compile('["“”«»]')
DIGITS = re.compile(r"\d+")
LETTER_GRAMS = (2, 3, 4, 5)
LENGTH_STEPS = (1, 2, 3, 5, 8, 12, 20)


def act_features(text: str, language: str) -> list[int]:
    """Return the buckets of a clause in `language` ("en", "es"), each 0 to BUCKETS - 1; a bucket may come twice."""
    if len(text) > MAX_CHARACTERS:
        text = f"{text[: MAX_CHARACTERS // 2]} {text[-MAX_CHARACTERS // 2 :]}"
    words, signs = _words_and_signs(text)
    features = [f"{language}:{feature}" for feature in _word_grams(words)]
    features += [f"s{sign}" for sign in signs]
    features += _shape(text, words, signs)
    buckets = [crc32(feature.encode()) % BUCKETS for feature in features]
    return buckets + _letter_gram_buckets(" ".join(words))


def _words_and_signs(text: str) -> tuple[list[str], list[str]]:
    pieces = PIECE.findall(fold(text).replace("’", "'"))
    words, signs = [], []
    for piece in pieces:
        if piece[0].isalnum() or piece[0] == "_":
            words.append(DIGITS.sub("0", _shorten(piece.replace("'", ""))))
        elif _is_meaningful(piece):
            signs.append(piece)
    return words, signs


def _shorten(word: str) -> str:
    """Return the word with stretched letters once: "yesssss" is "yes"; "goooood" stays near "good" by its letters."""
    return STRETCH.sub(r"\1", word)


@lru_cache(maxsize=4096)
def _is_meaningful(sign: str) -> bool:
    """Return whether the sign is an emoji or a question mark; skin tones, selectors and commas are not."""
    return sign == "?" or (unicodedata.category(sign) == "So")


def _word_grams(words: list[str]) -> list[str]:
    marked = ["^", *words, "$"]
    features = [f"w{word}" for word in words]
    features += [f"b{first} {second}" for first, second in pairwise(marked)]
    features += [f"t{' '.join(marked[index : index + 3])}" for index in range(len(marked) - 2)]
    if len(words) <= 4:
        features.append(f"x{' '.join(words)}")
    return features


def _letter_gram_buckets(text: str) -> list[int]:
    """Return the buckets of all runs of letters; folded text has nearly one byte a letter."""
    padded = f" {text} ".encode()
    return [
        crc32(padded[start : start + size]) % BUCKETS
        for size in LETTER_GRAMS
        for start in range(len(padded) - size + 1)
    ]


def _shape(text: str, words: list[str], signs: list[str]) -> list[str]:
    """Return features of the form: length, digits, quotes, capitals within, signs without words."""
    features = [f"n{sum(len(words) > step for step in LENGTH_STEPS)}"]
    capitals = sum(word[:1].isupper() for word in text.split()[1:])
    features += ["capitals"] * bool(capitals and not text.isupper())
    features += ["digits"] * any(character.isdigit() for character in text)
    features += ["quotes"] * bool(QUOTES.search(text))
    features += ["address"] * ("@" in text)
    features += ["signs only"] * bool(signs and not words)
    return features
