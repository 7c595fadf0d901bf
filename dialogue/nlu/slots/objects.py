"""Objects in one answer: "calle Mayor 5, 28013" fills the fields of an address, by form or position."""

import re
from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, has_pattern, is_free_text
from dialogue.nlu.slots.extraction import bare_text, count_slot_words_beside, slot_words
from dialogue.nlu.slots.extractors import distinctness_rank, find_separate_values
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.tokens import tokenize

PIECES = re.compile(r"[,;\n]")
DIGITS_OR_ADDRESS = re.compile(r"[^\s,;]*[0-9@][^\s,;]*")


def read_object(slot: Slot, utterance: Utterance) -> Mapping[str, JsonValue]:
    """Return the fields that the message fills, by name. Invalid values with digits or "@" are given as typed."""
    fields = list(slot.fields.values())
    formed = [field for field in fields if not is_free_text(field)]
    spans = _assign_formed_fields(formed, utterance)
    spans |= _assign_invalid_values(
        [field for field in formed if field.name not in spans], list(spans.values()), utterance
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
    fields: Sequence[Slot], taken_spans: Sequence[Span], utterance: Utterance
) -> dict[str, Span]:
    """What was meant for a field and is none of its values, so that the refusal can say why."""
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
        if field is not None and not any(map(span.overlaps, taken_spans)):
            invalid[field.name] = span
    return invalid


def _was_meant(field: Slot, text: str) -> bool:
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
    for piece in PIECES.split(text):
        content = {token.folded for token in tokenize(piece)} - FUNCTION_WORDS
        if content - field_words or any(token.text[:1].isupper() for token in tokenize(piece)[1:]):
            yield bare_text(piece, utterance, lead=True)
