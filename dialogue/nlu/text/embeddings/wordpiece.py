"""WordPiece as BERT's uncased models split text: lower case without accents, marks apart, longest known pieces.

`vocabulary.txt` is the vocabulary of bert-base-uncased (Google, Apache-2.0): one piece a line, its number the line's.
"""

import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

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


class Word(NamedTuple):
    """A word or mark of a text: the numbers of its pieces, and where it is, from `start` up to `end`."""

    pieces: tuple[int, ...]
    start: int
    end: int


def token_ids(text: str) -> list[int]:
    """Return the numbers of the text's pieces between start and end token; at most MAX_TOKENS."""
    ids = vocabulary()
    pieces = [number for word in words(text) for number in word.pieces]
    return [ids[START_TOKEN], *pieces[: MAX_TOKENS - 2], ids[END_TOKEN]]


def words(text: str) -> list[Word]:
    """Return the text's words and marks in order. Characters that are no letters or marks belong to none."""
    parts: list[Word] = []
    letters: list[tuple[str, int]] = []
    for character, position in (*_separate_marks(text), (" ", len(text))):
        if not character.isspace():
            letters.append((character, position))
        elif letters:
            word = "".join(letter for letter, _ in letters)
            parts.append(Word(_word_ids(word), letters[0][1], _end_of_letter(text, letters[-1][1])))
            letters.clear()
    return parts


def _end_of_letter(text: str, position: int) -> int:
    """Where the letter ends, with the accents that follow it as characters of their own."""
    end = position + 1
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    return end


def _separate_marks(text: str) -> Iterator[tuple[str, int]]:
    """The text's characters in lower case without accents, with blanks around marks, and their positions."""
    return ((part, position) for position, letter in enumerate(text) for part in _plain_characters(letter))


@lru_cache(maxsize=4096)
def _plain_characters(letter: str) -> str:
    """What a character becomes: itself in lower case without accents, with blanks around it if it is a mark."""
    characters = ""
    for character in unicodedata.normalize("NFD", "" if _is_control(letter) else letter.lower()):
        kind = unicodedata.category(character)
        if kind == "Zs":
            characters += " "
        elif kind != "Mn":
            chinese = any(first <= ord(character) <= last for first, last in CHINESE_RANGES)
            apart = chinese or character in PRINTED_MARKS or kind.startswith("P")
            characters += f" {character} " if apart else character
    return characters


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
