"""Objects and lists in one answer.

An object: "calle Mayor 5, 28013" fills the fields of an address, by form or position. A list: options, texts or objects
between commas and "and"; "everything but" some options.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from dialogue.engine.slots.models import Slot
from dialogue.nlu.readers.free_text_check import free_text_objection
from dialogue.nlu.readers.whole_answers import has_negation, small_words
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, has_pattern, is_free_text
from dialogue.nlu.slots.bare_text import bare_text
from dialogue.nlu.slots.extractors import distinctness_rank, find_separate_values, find_values
from dialogue.nlu.slots.slot_words import count_slot_words_beside, slot_words
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import prefix_length
from dialogue.nlu.text.tokens import Token, tokenize

DIGITS_OR_ADDRESS = re.compile(r"[^\s,;]*[0-9@][^\s,;]*")
MAX_ITEM_WORDS = 3
MAX_TEXT_WORDS = 8
COMMAS = re.compile(r"[,;\n]")
HARD_MARKS = re.compile(r"[;\n]")


def read_object(slot: Slot, utterance: Utterance) -> Mapping[str, JsonValue]:
    """Return the fields that the message fills, by name. Invalid values with digits or "@" are given as typed."""
    fields = list(slot.fields.values())
    formed = [field for field in fields if not is_free_text(field)]
    spans = _assign_formed_fields(formed, utterance)
    spans |= _assign_invalid_values(
        [field for field in formed if field.name not in spans],
        list(spans.values()),
        utterance,
        has_text=formed != fields,
    )
    texts = zip(
        [field for field in fields if is_free_text(field)],
        _remaining_texts(slot, list(spans.values()), utterance),
        strict=False,
    )
    values: dict[str, JsonValue] = {name: span.value for name, span in spans.items()}
    values |= {field.name: text for field, text in texts}
    return {field.name: values[field.name] for field in fields if field.name in values}


def _assign_formed_fields(fields: Sequence[Slot], utterance: Utterance) -> dict[str, Span]:
    """Assign each value to one field: the most distinct form first, then by the words beside it."""
    spans_by_field = find_separate_values(fields, utterance)
    # "One salad": at the beginning of an object even "one" counts.
    pairs = [
        (field, span)
        for field in fields
        for span in spans_by_field[field.name]
        if not span.weak or (field.type in ("integer", "number") and span.start == 0)
    ]
    pairs.sort(key=lambda pair: (distinctness_rank(pair[0]), -count_slot_words_beside(pair[0], pair[1], utterance)))
    assigned: dict[str, Span] = {}
    for field, span in pairs:
        if field.name not in assigned and not any(map(span.overlaps, assigned.values())):
            assigned[field.name] = span
    return assigned


def _assign_invalid_values(
    fields: Sequence[Slot], taken_spans: Sequence[Span], utterance: Utterance, *, has_text: bool
) -> dict[str, Span]:
    """What was meant for a field and is none of its values, so that the refusal can say why.

    `has_text`: there is a field for any text too. The 12 of "12 Pine Street" is part of it, if the other field has a
    question of its own.
    """
    invalid: dict[str, Span] = {}
    for match in DIGITS_OR_ADDRESS.finditer(utterance.text):
        span = Span(match.start(), match.end(), match.group())
        field = next(
            (
                candidate
                for candidate in fields
                if _was_meant(candidate, match.group()) and candidate.name not in invalid
            ),
            None,
        )
        in_text = has_text and field is not None and field.prompt is not None and _has_words_beside(span, utterance)
        if field is not None and not in_text and not any(map(span.overlaps, taken_spans)):
            invalid[field.name] = span
    return invalid


def _has_words_beside(span: Span, utterance: Utterance) -> bool:
    """Return whether other words stand between the same commas as the value."""
    starts = [match.end() for match in COMMAS.finditer(utterance.text) if match.end() <= span.start]
    ends = [match.start() for match in COMMAS.finditer(utterance.text) if match.start() >= span.end]
    piece = utterance.text[max(starts, default=0) : min(ends, default=len(utterance.text))]
    return any(token.folded not in FUNCTION_WORDS for token in tokenize(piece.replace(str(span.value), " ", 1)))


def _was_meant(field: Slot, text: str) -> bool:
    if field.type in ("boolean", "object", "list"):
        return False
    if "@" in text or field.type == "email":
        return "@" in text and field.type == "email"
    return not has_pattern(field) or _takes_digits(field.pattern or "")


def _takes_digits(pattern: str) -> bool:
    """Does the pattern match digits? Its own counts ("{2}") are not among them."""
    return bool(re.search(r"\\[dwS]|[0-9.]|\[\^", re.sub(r"\{[0-9,]*\}", "", pattern)))


def _remaining_texts(slot: Slot, taken_spans: Sequence[Span], utterance: Utterance) -> Iterator[str]:
    """Yield the texts between values and commas, without names of fields and words that lead to a value."""
    text = utterance.text
    for span in taken_spans:
        text = f"{text[: span.start]}{',' * span.length}{text[span.end :]}"
    field_words = slot_words(slot).union(*map(slot_words, slot.fields.values()))
    for piece in COMMAS.split(text):
        content = {token.folded for token in tokenize(piece)} - FUNCTION_WORDS
        if content - field_words or any(token.text[:1].isupper() for token in tokenize(piece)[1:]):
            yield bare_text(piece, utterance, lead=True)


def read_list(slot: Slot, utterance: Utterance) -> list[JsonValue]:
    """Return the items in order, each once; [] when the message is not a list of such items."""
    items = slot.items
    if items is None or utterance.is_question:
        return []
    excluded = _read_exclusion(items, utterance)
    if excluded:
        return excluded
    if items.type == "object":
        return _read_objects(items, utterance)
    return _read_texts(slot, utterance) if is_free_text(items) else _read_known_items(items, utterance)


def _read_known_items(items: Slot, utterance: Utterance) -> list[JsonValue]:
    """Read items with a form of their own; unknown ones as typed, when at least one is known."""
    if has_negation(utterance.folded, utterance.lexicon):
        return []
    pieces = [piece for piece in _split_pieces(utterance) if _content_tokens(piece)]
    items_read = [_read_item(items, piece) for piece in pieces]
    if not any(is_known for _, is_known in items_read) or any(
        len(_content_tokens(piece)) > MAX_ITEM_WORDS for piece in pieces
    ):
        return []
    return list(dict.fromkeys(value for value, _ in items_read))


def _read_exclusion(items: Slot, utterance: Utterance) -> list[JsonValue]:
    """ "Everything but green": the options that are not named."""
    start = prefix_length(utterance.folded, utterance.lexicon.acts.openers, utterance.lexicon.acts.fillers)
    length = prefix_length(utterance.folded[start:], utterance.lexicon.cues.exclusions)
    if not items.options or not length or start + length >= len(utterance.tokens):
        return []
    rest = utterance.with_text(utterance.text[utterance.tokens[start + length].start :])
    named_values = {str(span.value) for span in find_values(items, rest) if not span.weak}
    return [option.value for option in items.options if option.value not in named_values] if named_values else []


def _read_texts(slot: Slot, utterance: Utterance) -> list[JsonValue]:
    """ "Boots, the red jacket and a cap": each piece as typed, without what leads to it."""
    if free_text_objection(utterance.text, slot, utterance):
        return []
    pieces = _split_texts(utterance)
    texts = [_without_article(bare_text(piece, utterance, lead=True), utterance) for piece in pieces]
    texts = [text for text in texts if text]
    if any(len(text.split()) > MAX_TEXT_WORDS for text in texts):
        return []
    return list(dict.fromkeys(texts))


def _split_texts(utterance: Utterance) -> Sequence[str]:
    """At semicolons and lines where there are any; else at commas, and in the last piece at "and"."""
    if HARD_MARKS.search(utterance.text.strip()):
        return HARD_MARKS.split(utterance.text)
    *pieces, last = COMMAS.split(utterance.text)
    return [*pieces, *_split_at_joining_words(last, utterance)]


def _split_at_joining_words(text: str, utterance: Utterance) -> Iterator[str]:
    start = 0
    for token in utterance.with_text(text).tokens:
        if token.folded in utterance.lexicon.cues.joining_words:
            yield text[start : token.start]
            start = token.end
    yield text[start:]


def _without_article(text: str, utterance: Utterance) -> str:
    first, _, rest = text.partition(" ")
    return rest.strip() if rest and first.islower() and first in utterance.lexicon.cues.determiners else text


def _read_objects(items: Slot, utterance: Utterance) -> list[JsonValue]:
    """ "Two pizzas and one salad": cut the message as coarsely as every piece has all required fields."""
    required = {name for name, field in items.fields.items() if field.required}
    for pieces in (
        HARD_MARKS.split(utterance.text),
        list(_split_at_joining_words(utterance.text, utterance)),
        _split_texts(utterance),
    ):
        objects = [dict(read_object(items, utterance.with_text(piece.strip()))) for piece in pieces if piece.strip()]
        if (
            objects
            and all(required <= value.keys() for value in objects)
            and not _holds_two_objects(objects, items, pieces, utterance)
        ):
            return list(objects)
    return []


def _holds_two_objects(
    objects: Sequence[dict[str, JsonValue]], items: Slot, pieces: Sequence[str], utterance: Utterance
) -> bool:
    """Return whether one piece has two values for a field with a form, so that it is two objects."""
    formed = [field for field in items.fields.values() if not is_free_text(field)]
    return len(objects) == 1 and any(
        len({str(span.value) for span in find_values(field, utterance.with_text(piece))}) > 1
        for field in formed
        for piece in pieces
    )


def _split_pieces(utterance: Utterance) -> Iterator[Utterance]:
    """The message cut at commas and at "and"."""
    for text in _split_at_joining_words(utterance.text, utterance):
        yield from (utterance.with_text(part) for part in COMMAS.split(text))


def _content_tokens(piece: Utterance) -> list[Token]:
    return [token for token in piece.tokens if token.folded not in small_words(piece.lexicon)]


def _read_item(items: Slot, piece: Utterance) -> tuple[str, bool]:
    spans = find_values(items, piece)
    if len(spans) == 1:
        return str(spans[0].value), True
    content = _content_tokens(piece)
    return piece.text[content[0].start : content[-1].end], False
