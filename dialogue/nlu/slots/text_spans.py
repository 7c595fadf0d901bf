"""Free text in a message by the trained span extractor: which words are the value of which slot of a flow."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.templates import Template
from dialogue.nlu.heads.span_extractor import SlotQuery, extract_spans
from dialogue.nlu.slots.assistant_index import FlowIndex, is_free_text
from dialogue.nlu.slots.name_ranges import find_names
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.utterance import Utterance

# A longer message tells a story.
MAX_TOKENS = 64
CLAUSE_PRONOUNS = frozenset({"i", "we", "you", "they", "he", "she", "it"})
CLAUSE_START, SENTENCE_END = re.compile(r"[,.;:!?\n]\s*"), re.compile(r"[.;!?\n]+(?:\s|$)")
# From these scores on words become a value. A value stored wrongly costs 10 and a question 1, so that nine of ten must
# be right; where the slot was just asked for, most words are its value.
MIN_SCORE_UNASKED, MIN_SCORE_ASKED, MIN_SCORE_CHANGED = 0.6, 0.4, 0.6


@dataclass(frozen=True)
class TextSpan:
    """Words for a free-text slot, with the extractor's score between 0 and 1."""

    span: Span
    score: float


def text_spans(flow_index: FlowIndex, utterance: Utterance) -> Mapping[str, TextSpan]:
    """Return by slot name the most probable words for the flow's free-text slots; {} without the extra `embedded`.

    The slots of other types are asked about too, so that their values are not taken for free text.
    """
    return utterance.remember(_text_spans, flow_index)


def span_text(flow_index: FlowIndex, slot: Slot, utterance: Utterance, min_score: float) -> str:
    """Return the words of the message for the slot, or "" where none reach the score."""
    text_span = text_spans(flow_index, utterance).get(slot.name)
    return (
        utterance.text[text_span.span.start : text_span.span.end]
        if text_span is not None and text_span.score >= min_score
        else ""
    )


def _text_spans(flow_index: FlowIndex, utterance: Utterance) -> Mapping[str, TextSpan]:
    is_used = utterance.assistant_index.similarities is not None
    if not is_used or not flow_index.free_text_slots or not 0 < len(utterance.tokens) <= MAX_TOKENS:
        return {}
    awaited = utterance.awaited_slot
    queries = [
        SlotQuery(slot.name, slot_query(slot), awaited is not None and awaited.name == slot.name)
        for slot in flow_index.slots
    ]
    best: dict[str, TextSpan] = {}
    for scored in extract_spans(utterance.text, queries, utterance.context.language):
        slot = flow_index.slot(scored.slot)
        is_better = scored.slot not in best or scored.score > best[scored.slot].score
        if slot is not None and is_free_text(slot) and is_better:
            span = _whole_name(scored.start, scored.end, utterance)
            best[scored.slot] = TextSpan(_whole_clause(span, utterance), scored.score)
    return best


def _whole_name(start: int, end: int, utterance: Utterance) -> Span:
    """Widen the words to the names that they are part of."""
    for name in find_names(utterance):
        name_start, name_end = utterance.tokens[name.start].start, utterance.tokens[name.stop - 1].end
        if name_start < end and start < name_end:
            start, end = min(start, name_start), max(end, name_end)
    return Span(start, end, None)


def _whole_clause(span: Span, utterance: Utterance) -> Span:
    """ "I paid" begins a clause, which is the value up to its end: "I paid 80 euros and the chain came off again"."""
    inside = [token for token in utterance.tokens if span.start <= token.start < span.end]
    if len(inside) < 2 or inside[0].folded not in CLAUSE_PRONOUNS:
        return span
    starts = [match.end() for match in CLAUSE_START.finditer(utterance.text, 0, span.start)]
    ends = [match.start() for match in SENTENCE_END.finditer(utterance.text, span.end)]
    start = next(token.start for token in utterance.tokens if token.start >= max(starts, default=0))
    return Span(start, min(ends, default=len(utterance.text.rstrip())), None)


def slot_query(slot: Slot) -> str:
    """Return what the slot is called and described as, and its question, as one text."""
    name = slot.name.rpartition(".")[2].replace("_", " ")
    prompt = slot.prompt.render(lambda name: None) if isinstance(slot.prompt, Template) else ""
    texts = (name, str(slot.title or ""), str(slot.description or ""), prompt)
    return ". ".join(dict.fromkeys(text.strip(" .") for text in texts if text.strip()))
