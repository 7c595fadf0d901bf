"""Extract several values of one flow from one message: by its examples, by form, by the words beside them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.alignment import Alignment, AlignmentGround, align_template, max_share
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowIndex, is_free_text
from dialogue.nlu.slots.bare_text import QUOTATION, bare_text
from dialogue.nlu.slots.boolean_mentions import mentioned_booleans
from dialogue.nlu.slots.extractors import distinctness_rank, find_separate_values
from dialogue.nlu.slots.named_codes import named_codes
from dialogue.nlu.slots.pointed_values import pointed_values
from dialogue.nlu.slots.routes import route_spans
from dialogue.nlu.slots.slot_words import count_slot_words_beside, slot_words
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.strong_values import is_stray_value, lacks_currency, may_answer, strong_values
from dialogue.nlu.slots.text_spans import least_score, says_when, text_spans
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.tokens import folded_words

# From this share on an example shows where free text is.
MIN_FREE_TEXT_SHARE = 0.5
# From this share on an example also decides where the words end that the extractor found.
MIN_CLOSE_SHARE = 0.9
ROUNDING_ERROR = 1e-9
MAX_PLACE_WORDS = 3


@dataclass(frozen=True)
class SlotValue:
    """A slot's value, the words that it was taken from, and where they are."""

    slot: Slot
    value: JsonValue
    words: str
    span: Span


def extract_values(flow_index: FlowIndex, utterance: Utterance) -> tuple[SlotValue, ...]:
    """Return the values that the message holds for the flow's slots, in the order of its questions."""
    typed_spans = utterance.remember(_typed_values, flow_index)
    alignments = sorted(
        _alignments_of(flow_index, utterance), key=lambda alignment: (-alignment.share, -len(alignment.spans))
    )
    all_typed = [span for spans in typed_spans.values() for span in spans]
    free_spans = _free_spans(flow_index, utterance, alignments, all_typed)
    hints = alignments[0].spans if alignments else {}
    open_slots = [slot for slot in flow_index.slots if not _names_two_options(slot, typed_spans)]
    spans_by_slot = {**_assign_spans(open_slots, utterance, typed_spans, (hints, free_spans)), **free_spans}
    # What describes an option is read by the readers of choices, once the flow is open.
    is_open = flow_index.name in {open_flow.name for open_flow in utterance.open_flows()}
    spans_by_slot = {**mentioned_booleans(flow_index, utterance), **spans_by_slot}
    spans_by_slot = {**_pointed_values(flow_index, utterance, spans_by_slot), **spans_by_slot}
    values = (
        _slot_value(slot, spans_by_slot[slot.name], utterance)
        for slot in flow_index.slots
        if slot.name in spans_by_slot and not (is_open and slot.options_from is not None)
    )
    return tuple(value for value in values if value is not None)


def _pointed_values(flow_index: FlowIndex, utterance: Utterance, known: Mapping[str, Span]) -> Mapping[str, Span]:
    open_slots = [slot for slot in flow_index.slots if slot.name not in known]
    separate = find_separate_values(open_slots, utterance)
    found = {
        slot.name: [
            span
            for span in separate[slot.name]
            if may_answer(slot, span, utterance) and not is_stray_value(slot, span, utterance)
        ]
        for slot in open_slots
    }
    pointed = pointed_values(flow_index, utterance, found)
    return {
        name: span
        for name, span in pointed.items()
        if name not in known and not any(map(span.overlaps, known.values()))
    }


def takes_words(slot: Slot) -> bool:
    """Return whether an example shows where the slot's words are: free text, and what describes an option from data."""
    return is_free_text(slot) or slot.options_from is not None


def _names_two_options(slot: Slot, typed: Mapping[str, Sequence[Span]]) -> bool:
    """ "Print or audio" says nothing yet."""
    return slot.type == "choice" and len({str(span.value) for span in typed.get(slot.name, ())}) > 1


def best_alignment_share(flow_index: FlowIndex, utterance: Utterance, least: float) -> float:
    """Return the best share of the flow's examples with values in the message; 0.0 below `least`."""
    return max((alignment.share for alignment in _alignments_of(flow_index, utterance, least)), default=0.0)


def is_shown_by_example(slot: Slot, span: Span, flow_index: FlowIndex, utterance: Utterance) -> bool:
    """Return whether an example that fits the message has the slot where the value stands."""
    shown = (alignment.spans.get(slot.name) for alignment in _alignments_of(flow_index, utterance, MIN_FREE_TEXT_SHARE))
    return any(other is not None and other.overlaps(span) for other in shown)


def _alignments_of(flow_index: FlowIndex, utterance: Utterance, least: float = 0.0) -> Iterator[Alignment]:
    """Yield the examples aligned with the message, without those that cannot reach a share of `least`."""
    ground = utterance.remember(_alignment_ground, flow_index)
    for template_index, template in enumerate(flow_index.templates):
        if not least or max_share(template, ground) >= least - ROUNDING_ERROR:
            yield utterance.remember(_align, flow_index, template_index)


def _align(flow_index: FlowIndex, template_index: int, utterance: Utterance) -> Alignment:
    return align_template(flow_index.templates[template_index], utterance.remember(_alignment_ground, flow_index))


def _typed_values(flow_index: FlowIndex, utterance: Utterance) -> Mapping[str, Sequence[Span]]:
    return strong_values(flow_index.slots, utterance)


def _alignment_ground(flow_index: FlowIndex, utterance: Utterance) -> AlignmentGround:
    values = {
        slot.name: utterance.remember(_typed_values, flow_index)[slot.name]
        for slot in flow_index.slots
        if not takes_words(slot)
    }
    labels = frozenset[str]().union(*(slot_words(slot) for slot in flow_index.slots if not takes_words(slot)))
    return AlignmentGround(utterance.text, utterance.tokens, values, FUNCTION_WORDS, flow_index.vocabulary, labels)


def _free_spans(
    flow_index: FlowIndex, utterance: Utterance, alignments: Sequence[Alignment], typed: Sequence[Span]
) -> dict[str, Span]:
    """Free text by the trained extractor and the examples that fit; else a quotation, if only one slot can be meant."""
    extracted = _extracted_text(flow_index, utterance, typed)
    examples = [alignment for alignment in alignments if alignment.share >= MIN_FREE_TEXT_SHARE]
    named = {
        name: span
        for name, span in named_codes(flow_index.slots, utterance).items()
        if name not in extracted or extracted[name].overlaps(span)
    }
    named |= route_spans(flow_index.slots, utterance, [*typed, *named.values()])
    extracted = {name: span for name, span in extracted.items() if name not in named}
    extracted |= {
        name: span for name, span in named.items() if not any(map(span.overlaps, [*extracted.values(), *typed]))
    }
    spans_by_slot = {name: _cut_by_example(name, span, examples, utterance) for name, span in extracted.items()}
    for alignment in examples:
        spans_by_slot = {**_new_free_spans(flow_index, alignment, spans_by_slot), **spans_by_slot}
    spans_by_slot = spans_by_slot or _quoted_text(flow_index, utterance) or _place_at_end(flow_index, utterance, typed)
    return {name: span for name, span in spans_by_slot.items() if span.value is not None or not _is_typed(span, typed)}


def _extracted_text(flow_index: FlowIndex, utterance: Utterance, typed: Sequence[Span]) -> dict[str, Span]:
    """Return what the trained extractor finds, where it is no other value: it knows where names and titles end."""
    spans: dict[str, Span] = {}
    for name, text_span in sorted(text_spans(flow_index, utterance).items(), key=lambda item: -item[1].score):
        is_free = not any(map(text_span.span.overlaps, [*spans.values(), *typed]))
        is_sure = text_span.score >= least_score(text_span.span, utterance)
        if is_free and is_sure and not says_when(text_span.span, utterance):
            spans[name] = text_span.span
    return spans


def _cut_by_example(slot: str, span: Span, examples: Sequence[Alignment], utterance: Utterance) -> Span:
    """Return the extracted words as an example cuts them: with "my" before them, or shorter if all of it fits."""
    for alignment in examples:
        shown = alignment.spans.get(slot)
        if shown is None or any(map(shown.touches, alignment.spans.values())):
            continue
        is_inside = span.start <= shown.start and shown.end <= span.end
        if is_inside and alignment.share >= MIN_CLOSE_SHARE:
            return shown
        added = utterance.text[shown.start : span.start] + utterance.text[span.end : shown.end]
        if shown.start <= span.start and span.end <= shown.end and FUNCTION_WORDS.issuperset(folded_words(added)):
            return shown
    return span


def _is_typed(span: Span, typed: Sequence[Span]) -> bool:
    """Does a value of another type fill all of it?"""
    return any(other.start <= span.start and span.end <= other.end for other in typed)


def _new_free_spans(flow_index: FlowIndex, alignment: Alignment, spans_by_slot: Mapping[str, Span]) -> dict[str, Span]:
    """The free text that this example shows, where no better one showed other values already.

    Where two texts touch, the example does not say where one ends: "add it to my road trip playlist".
    """
    worded_slots = {slot.name for slot in flow_index.slots if takes_words(slot)}
    free_spans = {name: span for name, span in alignment.spans.items() if name in worded_slots}
    return {
        name: span
        for name, span in free_spans.items()
        if not any(map(span.overlaps, spans_by_slot.values())) and not any(map(span.touches, free_spans.values()))
    }


def _quoted_text(flow_index: FlowIndex, utterance: Utterance) -> dict[str, Span]:
    slots = [slot.name for slot in flow_index.slots if is_free_text(slot)]
    quoted = list(QUOTATION.finditer(utterance.text))
    if len(slots) == len(quoted) == 1:
        return {slots[0]: Span(quoted[0].start(1), quoted[0].end(1), None)}
    return {}


def _place_at_end(flow_index: FlowIndex, utterance: Utterance, typed: Sequence[Span]) -> dict[str, Span]:
    """ "There is rubbish in the park": what "in" leads to at the end, where one place is asked for."""
    cues = utterance.lexicon.cues
    place_slots = [
        slot.name for slot in flow_index.slots if is_free_text(slot) and slot_words(slot, small=True) & cues.place_words
    ]
    prepositions = [index for index, word in enumerate(utterance.folded[:-1]) if word in cues.place_prepositions]
    if len(place_slots) != 1 or not prepositions or len(utterance.tokens) - prepositions[-1] - 1 > MAX_PLACE_WORDS:
        return {}
    rest = utterance.tokens[prepositions[-1] + 1 :]
    content = [token.folded for token in rest if token.folded not in FUNCTION_WORDS]
    if not content or not set(content).isdisjoint(flow_index.vocabulary) or any(token.text.isdigit() for token in rest):
        return {}
    span = Span(rest[0].start, rest[-1].end, None)
    return {} if any(map(span.overlaps, typed)) or says_when(span, utterance) else {place_slots[0]: span}


def _assign_spans(
    slots: Sequence[Slot],
    utterance: Utterance,
    typed: Mapping[str, Sequence[Span]],
    spans_shown: tuple[Mapping[str, Span], Mapping[str, Span]],
) -> dict[str, Span]:
    """Assign each span to one slot: by the example, else by the words beside it, else the first that fits."""
    hints, free = spans_shown
    spans: dict[str, Span] = {}
    pairs = [(slot, span) for slot in slots for span in typed.get(slot.name, ())]
    for slot, span in sorted(pairs, key=lambda pair: _assignment_rank(pair[0], pair[1], utterance, hints)):
        used = [*spans.values(), *free.values()]
        if slot.name not in spans and not any(map(span.overlaps, used)):
            spans[slot.name] = span
    return spans


def _assignment_rank(slot: Slot, span: Span, utterance: Utterance, hints: Mapping[str, Span]) -> tuple[bool | int, ...]:
    unasked = utterance.awaited_slot is None or slot.name != utterance.awaited_slot.name
    stray = unasked and hints.get(slot.name) != span
    uncounted = lacks_currency(slot, span, utterance)
    return (
        stray,
        -count_slot_words_beside(slot, span, utterance),
        uncounted,
        unasked,
        not slot.required,
        distinctness_rank(slot),
    )


def _slot_value(slot: Slot, span: Span, utterance: Utterance) -> SlotValue | None:
    if span.value is not None:
        return SlotValue(slot, span.value, utterance.text[span.start : span.end], span)
    text = bare_text(utterance.text[span.start : span.end], utterance)
    return SlotValue(slot, text, text, span) if text else None
