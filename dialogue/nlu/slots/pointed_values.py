"""Typed values that the trained extractor points at: a lone hour ("at 11"), an option by one word ("the drain")."""

from collections.abc import Iterator, Mapping, Sequence

from dialogue.engine.slots.models import Slot
from dialogue.nlu.heads.span_extractor import ScoredSpan
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowIndex
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.text_spans import scored_spans
from dialogue.nlu.slots.typed.options import option_texts
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.similarity import word_stem
from dialogue.nlu.text.tokens import folded_words

# A value stored wrongly costs ten times a question.
MIN_SCORE, MIN_SCORE_BESIDE = 0.7, 0.85
MIN_STEM_LETTERS = 4


def pointed_values(
    flow_index: FlowIndex, utterance: Utterance, weak: Mapping[str, Sequence[Span]]
) -> Mapping[str, Span]:
    """Return by slot name the value that the extractor points at; `weak` has the values that need its word."""
    least = MIN_SCORE if utterance.awaited_slot is None else MIN_SCORE_BESIDE
    spans: dict[str, Span] = {}
    for scored in sorted(scored_spans(flow_index, utterance), key=lambda scored: -scored.score):
        slot = flow_index.slot(scored.slot)
        if slot is None or slot is utterance.awaited_slot or scored.score < least or slot.name in spans:
            continue
        found = [span for span in weak.get(slot.name, ()) if span.start < scored.end and scored.start < span.end]
        if not found and slot.type == "choice":
            found = list(_named_in_part(slot, scored, utterance))
        if found and utterance.awaited_slot is not None and _is_all_that_is_said(found[0], utterance):
            continue  # it answers the question, or is no answer
        if len({str(span.value) for span in found}) == 1:
            spans[slot.name] = found[0]
    return spans


def _is_all_that_is_said(span: Span, utterance: Utterance) -> bool:
    return FUNCTION_WORDS.issuperset(token.folded for token in utterance.tokens_outside([span]))


def _named_in_part(slot: Slot, scored: ScoredSpan, utterance: Utterance) -> Iterator[Span]:
    """Yield the options that share a content word with the words that the extractor found."""
    said = {word_stem(word) for word in folded_words(utterance.text[scored.start : scored.end])}
    for option in slot.options:
        words = {word for text in option_texts(option) for word in folded_words(text)} - FUNCTION_WORDS
        if any(len(word) >= MIN_STEM_LETTERS and word_stem(word) in said for word in words):
            yield Span(scored.start, scored.end, option.value)
