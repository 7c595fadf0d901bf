"""WordPiece as BERT's uncased models split text: lower case without accents, marks apart, longest known pieces.

`vocabulary.txt` is the vocabulary of bert-base-uncased (Google, Apache-2.0): one piece a line, its number the line's.
"""

import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files

UNKNOWN_TOKEN, START_TOKEN, END_TOKEN = "[UNK]", "[CLS]", "[SEP]"
MAX_WORD_CHARACTERS = 100
MAX_TOKENS = 128
CHINESE_RANGES = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0xF900, 0xFAFF), (0x20000, 0x2FA1F))
PRINTED_MARKS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


@cache
def vocabulary() -> Mapping[str, int]:
    """Return the number of each piece."""
    lines = (files(__package__) / "vocabulary.txt").read_text(encoding="utf-8").split("\n")
    return {piece: number for number, piece in enumerate(lines[:-1])}


def token_ids(text: str) -> list[int]:
    """Return the numbers of the text's pieces between start and end token; at most MAX_TOKENS."""
    ids = vocabulary()
    pieces = [number for word in "".join(_separate_marks(text)).split() for number in _word_ids(word)]
    return [ids[START_TOKEN], *pieces[: MAX_TOKENS - 2], ids[END_TOKEN]]


def _separate_marks(text: str) -> Iterator[str]:
    """The text's characters in lower case without accents, with blanks around marks."""
    cleaned = "".join(character for character in text if not _is_control(character))
    for character in unicodedata.normalize("NFD", cleaned.lower()):
        kind = unicodedata.category(character)
        if kind == "Zs":
            yield " "
        elif kind != "Mn":
            chinese = any(first <= ord(character) <= last for first, last in CHINESE_RANGES)
            yield f" {character} " if (chinese or character in PRINTED_MARKS or kind.startswith("P")) else character


def _is_control(character: str) -> bool:
    return character not in "\t\n\r" and (character == "\ufffd" or unicodedata.category(character).startswith("C"))


@lru_cache(maxsize=16384)
def _word_ids(word: str) -> tuple[int, ...]:
    """Take the longest known piece from the left, again and again; the unknown token where none fits."""
    ids, start = vocabulary(), 0
    pieces: list[int] = []
    while start < len(word):
        prefix = "##" if start else ""
        ends = range(len(word), start, -1)
        end = next((end for end in ends if prefix + word[start:end] in ids), None)
        if end is None or len(word) > MAX_WORD_CHARACTERS:
            return (ids[UNKNOWN_TOKEN],)
        pieces.append(ids[prefix + word[start:end]])
        start = end
    return tuple(pieces)
