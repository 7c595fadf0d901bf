"""Free text in a message by the trained span extractor: which words are the value of which slot of a flow."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.templates import Template
from dialogue.nlu.heads.span_extractor import ScoredSpan, SlotQuery, extract_spans
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowIndex, is_free_text, words_about
from dialogue.nlu.slots.name_ranges import find_names
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.glosses import GLOSSED_LANGUAGE, glossed_words

# A longer message tells a story.
MAX_TOKENS = 64
CLAUSE_PRONOUNS = frozenset({"i", "we", "you", "they", "he", "she", "it"})
INNER_MARK = re.compile(r"(?:[.,:/'’-]\w+)+")
POSTAL_WORDS = frozenset({"postcode", "zip", "postal", "plate", "registration", "matricula"})
CLAUSE_START, SENTENCE_END = re.compile(r"[,.;:!?\n]\s*"), re.compile(r"[.;!?\n]+(?:\s|$)")
NUMBER_BEHIND = re.compile(r" \d{1,4}(?:\.\d)?(?=$|[,;!?]|\.\s|\.$)")
NUMBER_NEXT = re.compile(r",? \d")
# From these scores on words become a value. A value stored wrongly costs 10 and a question 1, so that nine of ten must
# be right; where the slot was just asked for, most words are its value.
MIN_SCORE_UNASKED, MIN_SCORE_ASKED, MIN_SCORE_CHANGED = 0.6, 0.4, 0.6
MIN_SCORE_NAME = 0.5
# What answers another question says little else: "doors at 7, band at 9".
MIN_SCORE_BESIDE = 0.85
# A message that asks for its flow indirectly tells a story, of which fewer words are values.
MIN_SCORE_IN_STORY = 0.85


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


def scored_spans(flow_index: FlowIndex, utterance: Utterance) -> tuple[ScoredSpan, ...]:
    """Return what the extractor finds for the flow's slots of any type; () without the extra `embedded`."""
    return utterance.remember(_spans_of_flow, flow_index)


def least_score(span: Span, utterance: Utterance) -> float:
    """Return from which score on words that were not asked for are a value: a name in capitals needs less."""
    words = [token for token in utterance.tokens if span.start <= token.start < span.end and token.start]
    content = [word for word in words if word.folded not in FUNCTION_WORDS and not word.text.isdigit()]
    is_name = bool(content) and all(word.text[:1].isupper() and not word.text.isupper() for word in content)
    if is_name:
        return MIN_SCORE_NAME
    return MIN_SCORE_UNASKED if utterance.awaited_slot is None else MIN_SCORE_BESIDE


def says_when(span: Span, utterance: Utterance) -> bool:
    """ "The weekend", "three months": return whether the words only say when."""
    calendar, numbers = utterance.lexicon.calendar, utterance.lexicon.numerals.units
    times = (calendar.days, calendar.weekdays, calendar.months, calendar.units, calendar.time_words)
    known_words = FUNCTION_WORDS.union(numbers, *times)
    return all(token.folded in known_words for token in utterance.tokens if span.start <= token.start < span.end)


def is_unsure_text(slot: Slot, flow_index: FlowIndex, utterance: Utterance) -> bool:
    """Return whether the words for a free-text slot may be any words of a story. Names in capitals are sure."""
    text_span = text_spans(flow_index, utterance).get(slot.name)
    if text_span is None or least_score(text_span.span, utterance) == MIN_SCORE_NAME:
        return False
    return text_span.score < MIN_SCORE_IN_STORY


def span_text(flow_index: FlowIndex, slot: Slot, utterance: Utterance, min_score: float) -> str:
    """Return the words of the message for the slot, or "" where none reach the score."""
    text_span = text_spans(flow_index, utterance).get(slot.name)
    return (
        utterance.text[text_span.span.start : text_span.span.end]
        if text_span is not None and text_span.score >= min_score
        else ""
    )


def _spans_of_flow(flow_index: FlowIndex, utterance: Utterance) -> tuple[ScoredSpan, ...]:
    if not utterance.assistant_index.has_sentence_model or not 0 < len(utterance.tokens) <= MAX_TOKENS:
        return ()
    awaited = utterance.awaited_slot
    queries = [
        SlotQuery(slot.name, slot_query(slot), awaited is not None and awaited.name == slot.name)
        for slot in flow_index.slots
    ]
    return tuple(_scored_spans(queries, utterance))


def _text_spans(flow_index: FlowIndex, utterance: Utterance) -> Mapping[str, TextSpan]:
    awaited = utterance.awaited_slot
    best: dict[str, TextSpan] = {}
    for scored in scored_spans(flow_index, utterance) if flow_index.free_text_slots else ():
        slot = flow_index.slot(scored.slot)
        is_better = scored.slot not in best or scored.score > best[scored.slot].score
        if slot is not None and is_free_text(slot) and is_better:
            span = _whole_name(_start_of_code(scored, slot, utterance), scored.end, utterance)
            span = _without_preposition(_whole_clause(span, utterance), utterance)
            is_read = awaited is not None or not _repeats_title(span, flow_index, utterance)
            if is_read and not _is_glossed_answer_without_name(span, utterance):
                best[scored.slot] = TextSpan(span, scored.score)
    return best


def _scored_spans(queries: Sequence[SlotQuery], utterance: Utterance) -> Iterator[ScoredSpan]:
    """Yield what the extractor finds, in Spanish by the English words that stand for the text's."""
    language = utterance.context.language
    if not language.startswith(GLOSSED_LANGUAGE):
        yield from extract_spans(utterance.text, queries, language)
        return
    words = [word for word in glossed_words(utterance.text) if word.gloss]
    glosses, starts = "", []
    for number, word in enumerate(words):
        between = utterance.text[words[number - 1].end : word.start] if number else ""
        glosses += between or " " * bool(number)
        starts.append(len(glosses))
        glosses += word.gloss
    english_queries = [replace(query, text=utterance.assistant_index.in_english(query.text)) for query in queries]
    for scored in extract_spans(glosses, english_queries):
        inside = [
            word
            for word, start in zip(words, starts, strict=True)
            if start < scored.end and scored.start < start + len(word.gloss)
        ]
        if inside:
            yield replace(scored, start=inside[0].start, end=inside[-1].end)


def _is_glossed_answer_without_name(span: Span, utterance: Utterance) -> bool:
    """Return whether a Spanish message that is not the first gives words that are no name or code.

    Word by word in English, names and codes stay what they are; of other answers too little is left.
    """
    if utterance.is_first_message or not utterance.context.language.startswith(GLOSSED_LANGUAGE):
        return False
    words = [token for token in utterance.tokens if span.start <= token.start < span.end]
    content = [word for word in words if word.folded not in FUNCTION_WORDS]
    is_name = bool(content) and all(word.text[:1].isupper() or word.text[-1:].isdigit() for word in content)
    return not is_name or bool(NUMBER_NEXT.match(utterance.text, span.end))


def _repeats_title(span: Span, flow_index: FlowIndex, utterance: Utterance) -> bool:
    """ "Book a bulky collection", "a voucher for Grandma": words that ask for the flow are no values of it.

    A whole sentence tells what happened, and may well use these words.
    """
    words = [token for token in utterance.tokens if span.start <= token.start < span.end]
    small_words = FUNCTION_WORDS | utterance.lexicon.cues.other_one_words
    content = [word.folded for word in words if word.folded not in small_words]
    is_sentence = bool(words) and words[0].folded in CLAUSE_PRONOUNS
    return bool(content) and not is_sentence and any(map(content[0].startswith, flow_index.title_stems))


def _without_preposition(span: Span, utterance: Utterance) -> Span:
    """ "Old tyres behind" is cut off before what follows: "behind the shop"."""
    words = [token for token in utterance.tokens if span.start <= token.start < span.end]
    is_last = bool(words) and words[-1] is utterance.tokens[-1]
    while len(words) > 1 and not is_last and words[-1].folded in utterance.lexicon.cues.place_prepositions:
        words.pop()
    return Span(span.start, words[-1].end, None) if words and not is_last else span


def _start_of_code(scored: ScoredSpan, slot: Slot, utterance: Utterance) -> int:
    """ "Garden OX11 0QT": where a code is asked for, a small word before capitals and digits is no part of it."""
    words = [token for token in utterance.tokens if scored.start <= token.start < scored.end]
    codes = [token.start for token in words if token.text[-1:].isdigit() and token.text[:1].isupper()]
    is_small = all(
        token.text.islower() and token.text.isalpha() for token in words if token.start < min(codes, default=0)
    )
    return codes[0] if codes and is_small and words_about(slot) & POSTAL_WORDS else scored.start


def _whole_name(start: int, end: int, utterance: Utterance) -> Span:
    """Widen the words to the names that they are part of, and "2" to "2.0"."""
    inner = INNER_MARK.match(utterance.text, end)
    end = inner.end() if inner else end
    for name in find_names(utterance):
        name_start, name_end = utterance.tokens[name.start].start, utterance.tokens[name.stop - 1].end
        if name_start < end and start < name_end:
            start, end = min(start, name_start), max(end, name_end)
    return Span(start, _with_number(start, end, utterance), None)


def _with_number(start: int, end: int, utterance: Utterance) -> int:
    """ "Escape 3", "Sirrus 2.0": a number right behind a word in capitals belongs to the name."""
    number = NUMBER_BEHIND.match(utterance.text, end)
    last = next((token for token in reversed(utterance.tokens) if start <= token.start < end), None)
    is_name = last is not None and last.text[:1].isupper() and last.end == end
    return number.end() if number and is_name else end


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
