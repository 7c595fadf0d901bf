"""A list in one answer: "the waiting and the food" names one item that there is and one that there is not."""

import re
from collections.abc import Iterator

from pydantic import JsonValue

from dialogue.engine.slots import Slot
from dialogue.nlu.answers import negates, small_words
from dialogue.nlu.finders import find_values
from dialogue.nlu.tokens import Token
from dialogue.nlu.utterance import Utterance

MOST_WORDS = 3
MARKS = re.compile(r"[,;\n]")


def read_list(slot: Slot, said: Utterance) -> list[JsonValue]:
    """The items in order, unknown ones as typed; empty when no item is known or more is said than items."""
    items = slot.items
    if items is None or said.is_question or negates(said.folded, said.lexicon):
        return []
    pieces = [piece for piece in _pieces(said) if _content(piece)]
    read = [_item(items, piece) for piece in pieces]
    if not any(known for _, known in read) or any(len(_content(piece)) > MOST_WORDS for piece in pieces):
        return []
    return list(dict.fromkeys(value for value, _ in read))


def _pieces(said: Utterance) -> Iterator[Utterance]:
    """The message cut at commas and at "and"."""
    start = 0
    for token in said.tokens:
        if token.folded in said.lexicon.cues.joining:
            yield from _parts(said.text[start : token.start], said)
            start = token.end
    yield from _parts(said.text[start:], said)


def _parts(text: str, said: Utterance) -> Iterator[Utterance]:
    return (said.part(part) for part in MARKS.split(text))


def _content(piece: Utterance) -> list[Token]:
    return [token for token in piece.tokens if token.folded not in small_words(piece.lexicon)]


def _item(items: Slot, piece: Utterance) -> tuple[str, bool]:
    spans = find_values(items, piece)
    if len(spans) == 1:
        return str(spans[0].value), True
    content = _content(piece)
    return piece.text[content[0].start : content[-1].end], False
