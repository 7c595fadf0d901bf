"""Extract several values of one flow from one message: by its examples, by form, by the words beside them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pydantic import JsonValue

from dialogue.engine.slots.definitions.slot_types import NUMBER_TYPES
from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.alignment import Alignment, AlignmentGround, align_template, max_share
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowIndex, is_free_text
from dialogue.nlu.slots.boolean_mentions import mentioned_booleans
from dialogue.nlu.slots.dates_and_times import DAY_HOURS
from dialogue.nlu.slots.extractors import distinctness_rank, find_dates_in, find_separate_values
from dialogue.nlu.slots.named_codes import is_named_for_another, named_codes
from dialogue.nlu.slots.people_counts import counts_a_thing, counts_people, is_of_other_slot, is_people_slot
from dialogue.nlu.slots.pointed_values import pointed_values
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.text_spans import least_score, says_when, text_spans
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.slots.value_context import counts_nothing, is_bounded, is_denied, without_alternatives
from dialogue.nlu.text.lexicons.lexicon import Phrase
from dialogue.nlu.text.phrases import find_phrase, prefix_length, suffix_length
from dialogue.nlu.text.tokens import Token, folded_words, fuzzy_in, tokenize

# From this share on an example shows where free text is.
MIN_FREE_TEXT_SHARE = 0.5
# From this share on an example also decides where the words end that the extractor found.
MIN_CLOSE_SHARE = 0.9
ROUNDING_ERROR = 1e-9
QUOTATION = re.compile(r"[\"“«]([^\"“”«»]{1,200})[\"”»]")
NEIGHBOUR_WORDS = 2
NUMBER_WORD = re.compile(r"[^\W\d]+")
PUNCTUATION = re.compile("[,;.:!?]")
MAX_TITLE_LEAD_LETTERS = 3
MAX_PLACE_WORDS = 3
EDGE_MARKS = ' ,;:."“”«»'


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
            if _may_answer(slot, span, utterance) and not _is_stray_value(slot, span, utterance)
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


def strong_values(slots: Sequence[Slot], utterance: Utterance) -> dict[str, list[Span]]:
    """Return by slot name the values that are clear without a question and that are not rejected."""
    spans_by_slot = find_separate_values(slots, utterance)
    strong = {
        slot.name: [
            span
            for span in spans_by_slot[slot.name]
            if _is_strong(slot, span, utterance)
            and not _counts_for_another(slot, span, slots, utterance)
            and not _is_stray_value(slot, span, utterance)
            and not _is_number_of_things(slot, span, slots, utterance)
        ]
        for slot in slots
    }
    awaited = utterance.awaited_slot
    if awaited is not None and not strong.get(awaited.name, [awaited]):
        strong[awaited.name] = [
            span
            for span in spans_by_slot[awaited.name]
            if _may_answer(awaited, span, utterance)
            and not is_of_other_slot(awaited, span, slots, utterance)
            and not is_named_for_another(awaited, span, slots, utterance)
        ]
    return {slot.name: list(without_alternatives(slot, strong[slot.name], utterance)) for slot in slots}


def _may_answer(slot: Slot, span: Span, utterance: Utterance) -> bool:
    if is_rejected(span, utterance) or is_bounded(slot, span, slot_words(slot), utterance):
        return False
    return not counts_nothing(slot, span, slot_words(slot), utterance)


def _is_strong(slot: Slot, span: Span, utterance: Utterance) -> bool:
    is_counted = _is_counted_by_slot(slot, span, utterance) or says_people(slot, span, utterance)
    is_sure = not span.weak or is_counted or _is_beside_date(slot, span, utterance)
    return is_sure and _may_answer(slot, span, utterance)


def _is_beside_date(slot: Slot, span: Span, utterance: Utterance) -> bool:
    """ "Tomorrow at 10": right behind a day, even a lone hour is a time."""
    if slot.type != "time":
        return False
    ends = [day.end for day in find_dates_in(utterance) if day.end < span.start]
    between = utterance.text[max(ends) : span.start] if ends else ""
    return folded_words(between) in utterance.lexicon.calendar.hour_leads and not PUNCTUATION.search(between)


def _counts_for_another(slot: Slot, span: Span, slots: Sequence[Slot], utterance: Utterance) -> bool:
    """ "4 days" counts for the slot `days`, and not for `count`; the 11 of "tomorrow at 11" counts nothing."""
    if slot.type in (*NUMBER_TYPES, "time") and is_of_other_slot(slot, span, slots, utterance):
        return True
    if slot.type in NUMBER_TYPES and is_named_for_another(slot, span, slots, utterance):
        return True
    times = [other for other in slots if other.type == "time"]
    if slot.type in NUMBER_TYPES and times and _is_led_as_hour(span, utterance):
        return True
    following = next((token for token in utterance.tokens if token.start >= span.end), None)
    if slot.type != "integer" or following is None or fuzzy_in(following.folded, slot_words(slot)):
        return False
    others = [other for other in slots if other.type == "integer" and other.name != slot.name]
    is_beside = not utterance.text[span.end : following.start].strip()
    return is_beside and any(fuzzy_in(following.folded, folded_words(other.name.replace("_", " "))) for other in others)


def _is_stray_value(slot: Slot, span: Span, utterance: Utterance) -> bool:
    """ "60, of which 12 are children", "from 9 to 5", "3 days later": a number or a day that is not said for its slot.

    While something else is asked for, only a currency, a word of the slot, or people for a slot of people say it; a
    bare number does so too, unless a number is asked for.
    """
    awaited = utterance.awaited_slot
    if awaited is None or awaited.name == slot.name:
        return False
    is_alone = FUNCTION_WORDS.issuperset(token.folded for token in utterance.tokens_outside([span]))
    if slot.type not in NUMBER_TYPES:
        return is_alone and slot.type == awaited.type == "date"  # it answers, or is no answer
    has_currency = slot.type == "money" and not _lacks_currency(slot, span, utterance)
    if has_currency or count_slot_words_beside(slot, span, utterance):
        return False
    if is_alone:
        return True  # "15", to a question for another thing
    inside = [index for index, token in enumerate(utterance.tokens) if span.start <= token.start < span.end]
    before = utterance.folded[: inside[0]] if inside else ()
    is_led = bool(suffix_length(before, utterance.lexicon.calendar.hour_leads))
    cues = utterance.lexicon.cues
    is_led = is_led or not (cues.goal_leads | cues.determiners).isdisjoint(before[-1:])
    # "Two large lasagnes" counts what is asked for.
    is_of_answer = is_free_text(awaited) or awaited.type in ("choice", "list")
    is_of_thing = bool(inside) and not is_of_answer and counts_a_thing(inside[-1], utterance)
    return awaited.type in NUMBER_TYPES or is_led or is_of_thing


def _is_number_of_things(slot: Slot, span: Span, slots: Sequence[Slot], utterance: Utterance) -> bool:
    """ "6 white and 6 red": where things are counted too, a bare number of a first message is no amount of money."""
    if not utterance.is_first_message or not _lacks_currency(slot, span, utterance):
        return False
    counts = any(other.type == "integer" for other in slots)
    return counts and not count_slot_words_beside(slot, span, utterance)


def _is_led_as_hour(span: Span, utterance: Utterance) -> bool:
    """ "At 8", "around 7": a number up to 24 without anything that it counts."""
    inside = [index for index, token in enumerate(utterance.tokens) if span.start <= token.start < span.end]
    is_hour = str(span.value).isdigit() and int(str(span.value)) <= DAY_HOURS
    if not inside or not is_hour or counts_a_thing(inside[-1], utterance):
        return False
    return bool(suffix_length(utterance.folded[: inside[0]], utterance.lexicon.calendar.hour_leads))


def _is_counted_by_slot(slot: Slot, span: Span, utterance: Utterance) -> bool:
    """ "One person" for a slot named `persons`: right before what it counts, even "one" is a number."""
    following = next((token.folded for token in utterance.tokens if token.start >= span.end), "")
    return slot.type == "integer" and fuzzy_in(following, folded_words(slot.name))


def is_rejected(span: Span, utterance: Utterance) -> bool:
    """Return whether a "not" stands before the value, articles and "very" aside, or the clause says "I don't want".

    "No, …" with a comma answers instead.
    """
    if is_denied(span, utterance) or _is_denied_behind(span, utterance):
        return True
    cues = utterance.lexicon.cues
    before = [token for token in utterance.tokens if token.end <= span.start][-4:]
    while before and before[-1].folded in cues.articles | cues.degrees:
        before.pop()
    words = [token.folded for token in before]
    if suffix_length(words, cues.exclusions):
        return True  # "any day but Monday"
    if not suffix_length(words, cues.negations):
        return False
    # A lone "no" at the start of the message answers; it turns nothing down.
    return "," not in utterance.text[before[-1].end : span.start] and not (
        len(before) == 1 and before[0].start == 0 and (before[0].folded,) in utterance.lexicon.acts.no
    )


def _is_denied_behind(span: Span, utterance: Utterance) -> bool:
    """ "Blanco no, tinto": the no stands behind what it turns down, and before a mark or the end."""
    behind = [token for token in utterance.tokens if token.start >= span.end][:2]
    if not behind or (behind[0].folded,) not in utterance.lexicon.cues.denials_behind:
        return False
    between = utterance.text[span.end : behind[0].start]
    after = utterance.text[behind[0].end : behind[1].start] if len(behind) > 1 else utterance.text[behind[0].end :]
    return not between.strip() and (len(behind) == 1 or bool(PUNCTUATION.search(after))) and "?" not in after


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
    codes = {
        name: span
        for name, span in named_codes(flow_index.slots, utterance).items()
        if name not in extracted or extracted[name].overlaps(span)
    }
    extracted = {name: span for name, span in extracted.items() if name not in codes}
    extracted |= {
        name: span for name, span in codes.items() if not any(map(span.overlaps, [*extracted.values(), *typed]))
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
    uncounted = _lacks_currency(slot, span, utterance)
    return (
        stray,
        -count_slot_words_beside(slot, span, utterance),
        uncounted,
        unasked,
        not slot.required,
        distinctness_rank(slot),
    )


def _lacks_currency(slot: Slot, span: Span, utterance: Utterance) -> bool:
    """A bare "2" or "two" is an amount of money only where nothing else is counted."""
    text, numerals = utterance.text[span.start : span.end], utterance.lexicon.numerals
    counted = numerals.units.keys() | numerals.scales.keys() | numerals.single.keys() | numerals.joiners
    return slot.type == "money" and not re.search("[€$£¥.,]", text) and counted.issuperset(NUMBER_WORD.findall(text))


def count_slot_words_beside(slot: Slot, span: Span, utterance: Utterance) -> int:
    """Return how many of the words next to a value belong to the slot."""
    indices = [index for index, token in enumerate(utterance.tokens) if span.start <= token.start < span.end]
    if not indices:
        return 0
    before = utterance.folded[max(indices[0] - NEIGHBOUR_WORDS, 0) : indices[0]]
    slot_words_known = slot_words(slot)
    directed = any(
        not utterance.lexicon.cues.limits.get(word, frozenset()).isdisjoint(slot_words_known) for word in before
    )
    behind = tuple(_words_behind(indices[-1], utterance))
    cues = utterance.lexicon.cues
    is_goal = not cues.goal_leads.isdisjoint(before[-1:]) or prefix_length(behind, utterance.lexicon.closers) > 0
    is_new = is_goal and not cues.new_words.isdisjoint(slot_words_known)
    beside = sum(fuzzy_in(word, slot_words_known) for word in (*before, *behind))
    return directed + is_new + says_people(slot, span, utterance) + beside


def says_people(slot: Slot, span: Span, utterance: Utterance) -> bool:
    """Return whether the number counts people, as the slot does."""
    return is_people_slot(slot, utterance) and counts_people(span, utterance)


def _words_behind(index: int, utterance: Utterance) -> Iterator[str]:
    """The words right behind a value, as far as no mark comes between."""
    for following in range(index + 1, min(index + 1 + NEIGHBOUR_WORDS, len(utterance.tokens))):
        if PUNCTUATION.search(utterance.text[utterance.tokens[following - 1].end : utterance.tokens[following].start]):
            return
        yield utterance.folded[following]


def slot_words(slot: Slot, *, small: bool = False) -> frozenset[str]:
    """Return the content words of a slot's name, title and description; with `small` also "where" and the like."""
    # The name of a record's field is its last part: zip in address.zip.
    return _slot_words(slot.name.rpartition(".")[2], _texts_about(slot), small)


def _texts_about(slot: Slot) -> str:
    return " ".join(in_every_language(text) for text in (slot.title, slot.description) if text)


def in_every_language(text: str) -> str:
    """Return the author's text and its translations as one text: users may use the words of any."""
    return " ".join(translations_of(text))


def translations_of(text: str) -> tuple[str, ...]:
    """Return the text in every language that its author wrote it in."""
    translations: Mapping[str, str] = getattr(text, "translations", {})
    return tuple(dict.fromkeys((str(text), *translations.values())))


@lru_cache(maxsize=1024)
def _slot_words(name: str, description: str, small: bool) -> frozenset[str]:
    all_words = frozenset(folded_words(f"{name.replace('_', ' ')} {description}"))
    return all_words if small else all_words - FUNCTION_WORDS


def _slot_value(slot: Slot, span: Span, utterance: Utterance) -> SlotValue | None:
    if span.value is not None:
        return SlotValue(slot, span.value, utterance.text[span.start : span.end], span)
    text = bare_text(utterance.text[span.start : span.end], utterance)
    return SlotValue(slot, text, text, span) if text else None


def bare_text(text: str, utterance: Utterance, *, lead: bool = False) -> str:
    """Return free text without quotes or politeness behind it and, with `lead`, without "it's called" before it."""
    quoted = QUOTATION.fullmatch(text.strip())
    if quoted:
        return quoted[1].strip()
    tokens, cues = tokenize(text), utterance.lexicon.cues
    folded = [token.folded for token in tokens]
    start = lead_length(tokens, cues.leads) if lead else 0
    end = len(tokens) - _tails_length(folded[start:], cues.tails)
    first = tokens[start].start if start else 0
    last = tokens[end].start if end < len(tokens) else len(text)
    return text[first:last].strip(EDGE_MARKS)


def lead_length(tokens: Sequence[Token], leads: frozenset[Phrase]) -> int:
    """Return how many words lead to the value: of "Well, it's called Dune" the first three.

    Leads follow one another, but one word must remain. A capital "To" begins a title, a small one leads to a name.
    """
    folded = [token.folded for token in tokens]
    if tokens and tokens[0].text[:1].isupper() and (folded[0],) in leads and len(folded[0]) <= MAX_TITLE_LEAD_LETTERS:
        return 0
    start = 0
    while (length := prefix_length(folded[start:], leads)) and start + length < len(folded):
        start += length
    return start


def _tails_length(folded: Sequence[str], tails: frozenset[Phrase]) -> int:
    length = 0
    while (more := suffix_length(folded[: len(folded) - length], tails)) and length + more < len(folded):
        length += more
    return length


def politeness_length(utterance: Utterance) -> int:
    """Return how many words of politeness the message begins with: "well, I would like to"."""
    acts = utterance.lexicon.acts
    end = 0
    while length := prefix_length(utterance.folded[end:], acts.openers, acts.fillers):
        end += length
    return end


def text_from(utterance: Utterance, index: int) -> str:
    """Return the bare text from this word on, or ""."""
    return (
        bare_text(utterance.text[utterance.tokens[index].start :], utterance) if index < len(utterance.tokens) else ""
    )


def text_behind_target(utterance: Utterance) -> str:
    """Return what follows "should be" and the like: of "the title should be Dune" the last word; or ""."""
    politeness = politeness_length(utterance)
    target = find_phrase(utterance.folded[politeness:], utterance.lexicon.cues.targets)
    return text_from(utterance, politeness + target[1]) if target else ""
