"""A list in one answer: options, texts or objects between commas and "and"; "everything but" some options."""

import re
from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from dialogue.engine.slots.models import Slot
from dialogue.nlu.readers.free_text_check import objection_to
from dialogue.nlu.readers.whole_answers import negates, small_words
from dialogue.nlu.slots.assistant_index import is_free
from dialogue.nlu.slots.extraction import bare_text
from dialogue.nlu.slots.finders import find_values
from dialogue.nlu.slots.objects import read_object
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import starts_with
from dialogue.nlu.text.tokens import Token

MAX_WORDS = 3
MAX_TEXT_WORDS = 8
COMMAS = re.compile(r"[,;\n]")
HARD_MARKS = re.compile(r"[;\n]")


def read_list(slot: Slot, said: Utterance) -> list[JsonValue]:
    """The items in order, each once; empty when the message is no list of such items."""
    items = slot.items
    if items is None or said.is_question:
        return []
    excluded = _excluded(items, said)
    if excluded:
        return excluded
    if items.type == "object":
        return _objects(items, said)
    return _texts(slot, said) if is_free(items) else _known(items, said)


def _known(items: Slot, said: Utterance) -> list[JsonValue]:
    """Items with a form; unknown ones as typed, when at least one is known and no more is said than items."""
    if negates(said.folded, said.lexicon):
        return []
    pieces = [piece for piece in _pieces(said) if _content(piece)]
    read = [_item(items, piece) for piece in pieces]
    if not any(known for _, known in read) or any(len(_content(piece)) > MAX_WORDS for piece in pieces):
        return []
    return list(dict.fromkeys(value for value, _ in read))


def _excluded(items: Slot, said: Utterance) -> list[JsonValue]:
    """ "Everything but green": the options that are not named."""
    start = starts_with(said.folded, said.lexicon.acts.openers, said.lexicon.acts.fillers)
    length = starts_with(said.folded[start:], said.lexicon.cues.exclusions)
    if not items.options or not length or start + length >= len(said.tokens):
        return []
    rest = said.part(said.text[said.tokens[start + length].start :])
    named = {str(span.value) for span in find_values(items, rest) if not span.weak}
    return [option.value for option in items.options if option.value not in named] if named else []


def _texts(slot: Slot, said: Utterance) -> list[JsonValue]:
    """ "Boots, the red jacket and a cap": each piece as typed, without what leads to it."""
    if objection_to(said.text, slot, said):
        return []
    pieces = _cut_texts(said)
    texts = [_without_article(bare_text(piece, said, lead=True), said) for piece in pieces]
    texts = [text for text in texts if text]
    if any(len(text.split()) > MAX_TEXT_WORDS for text in texts):
        return []
    return list(dict.fromkeys(texts))


def _cut_texts(said: Utterance) -> Sequence[str]:
    """At semicolons and lines where there are any; else at commas, and in the last piece at "and"."""
    if HARD_MARKS.search(said.text.strip()):
        return HARD_MARKS.split(said.text)
    *pieces, last = COMMAS.split(said.text)
    return [*pieces, *_at_joining(last, said)]


def _at_joining(text: str, said: Utterance) -> Iterator[str]:
    start = 0
    for token in said.part(text).tokens:
        if token.folded in said.lexicon.cues.joining:
            yield text[start : token.start]
            start = token.end
    yield text[start:]


def _without_article(text: str, said: Utterance) -> str:
    first, _, rest = text.partition(" ")
    return rest.strip() if rest and first.islower() and first in said.lexicon.cues.determiners else text


def _objects(items: Slot, said: Utterance) -> list[JsonValue]:
    """ "Two pizzas and one salad": cut as coarsely as every piece fills all that an item must have."""
    required = {name for name, field in items.fields.items() if field.required}
    for cut in (HARD_MARKS.split(said.text), list(_at_joining(said.text, said)), _cut_texts(said)):
        read = [dict(read_object(items, said.part(piece.strip()))) for piece in cut if piece.strip()]
        if read and all(required <= each.keys() for each in read) and not _holds_two(read, items, cut, said):
            return list(read)
    return []


def _holds_two(read: Sequence[dict[str, JsonValue]], items: Slot, cut: Sequence[str], said: Utterance) -> bool:
    """Does one piece hold two values for a field with a form, so that it is two items?"""
    formed = [field for field in items.fields.values() if not is_free(field)]
    return len(read) == 1 and any(
        len({str(span.value) for span in find_values(field, said.part(piece))}) > 1 for field in formed for piece in cut
    )


def _pieces(said: Utterance) -> Iterator[Utterance]:
    """The message cut at commas and at "and"."""
    for text in _at_joining(said.text, said):
        yield from (said.part(part) for part in COMMAS.split(text))


def _content(piece: Utterance) -> list[Token]:
    return [token for token in piece.tokens if token.folded not in small_words(piece.lexicon)]


def _item(items: Slot, piece: Utterance) -> tuple[str, bool]:
    spans = find_values(items, piece)
    if len(spans) == 1:
        return str(spans[0].value), True
    content = _content(piece)
    return piece.text[content[0].start : content[-1].end], False
