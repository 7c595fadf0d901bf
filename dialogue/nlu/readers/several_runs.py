"""Several values for one slot of a request: "stop W1001 and W1002" asks for the same flow once for each."""

from collections.abc import Sequence
from itertools import pairwise

from dialogue.engine.slots.models import Slot
from dialogue.nlu.readers.whole_answers import small_words
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowIndex, has_pattern
from dialogue.nlu.slots.extraction import SlotValue
from dialogue.nlu.slots.slot_words import slot_words
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.strong_values import strong_values
from dialogue.nlu.slots.utterance import Utterance

REPEATED_TYPES = frozenset({"choice", "email", "phone"})
"""Types whose values name one thing each; two numbers or dates with an "and" may also be the ends of a range."""


def repeated_values(flow_index: FlowIndex, utterance: Utterance) -> tuple[SlotValue, ...]:
    """Return the values that each ask for a run of their own, in the order of the message; () for a single run."""
    if any(slot.type == "list" for slot in flow_index.slots):
        return ()
    spans_by_slot = strong_values(flow_index.slots, utterance)
    for slot in flow_index.slots:
        spans = _distinct_spans(spans_by_slot[slot.name])
        others = [span for name, spans in spans_by_slot.items() if name != slot.name for span in spans]
        is_only_slot = not any(span.overlaps(other) for span in spans for other in others)
        if len(spans) > 1 and _may_repeat(slot) and is_only_slot and _are_joined(spans, slot, flow_index, utterance):
            return tuple(SlotValue(slot, span.value, utterance.text[span.start : span.end], span) for span in spans)
    return ()


def _may_repeat(slot: Slot) -> bool:
    return has_pattern(slot) or slot.type in REPEATED_TYPES


def _distinct_spans(spans: Sequence[Span]) -> list[Span]:
    """Return the first span of each value, in the order of the message."""
    by_value = {str(span.value): span for span in sorted(spans, key=lambda span: span.start, reverse=True)}
    return sorted(by_value.values(), key=lambda span: span.start)


def _are_joined(spans: Sequence[Span], slot: Slot, flow_index: FlowIndex, utterance: Utterance) -> bool:
    """Return whether the message lists the values: commas or "and", and no words of its own between them."""
    known_words = FUNCTION_WORDS | flow_index.vocabulary | slot_words(slot) | small_words(utterance.lexicon)
    cues = utterance.lexicon.cues
    gaps = [
        [token.folded for token in utterance.tokens if one.end <= token.start < two.start]
        for one, two in pairwise(spans)
    ]
    words = {word for gap in gaps for word in gap}
    is_list = bool(cues.joining_words & set(gaps[-1])) and all(
        gap or "," in utterance.text[one.end : two.start] for gap, (one, two) in zip(gaps, pairwise(spans), strict=True)
    )
    return is_list and words <= known_words | cues.joining_words and words.isdisjoint(cues.alternatives)
