"""Changed values: "make it 9000", "not Riverside, Central", "the title should be Dune", "another branch"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dialogue.engine.ports.commands import ClearSlot, Command, CorrectSlot, SetSlot
from dialogue.engine.slots.models import Slot
from dialogue.nlu.readers.objects_and_lists import read_object
from dialogue.nlu.readers.whole_answers import question_words, small_words
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowIndex, is_free_text
from dialogue.nlu.slots.bare_text import bare_text, politeness_length, text_behind_target, text_from
from dialogue.nlu.slots.extractors import distinctness_rank, find_datetime_part, find_separate_values
from dialogue.nlu.slots.names import is_place_slot, sole_name, sole_place_name
from dialogue.nlu.slots.slot_words import count_slot_words_beside, slot_words
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.strong_values import is_rejected, strong_values
from dialogue.nlu.slots.text_spans import MIN_SCORE_CHANGED, span_text
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.lexicons.lexicon import Phrase
from dialogue.nlu.text.phrases import consists_of, find_phrase, prefix_length, suffix_length
from dialogue.nlu.text.tokens import fold, folded_words, fuzzy_in

SENTENCE_END = re.compile(r"[.;!?\n]\s+")
# Later sentences of a long message are a story rather than a correction.
MAX_SENTENCES = 5


@dataclass(frozen=True)
class Correction:
    """New values. `explicit`: the message says that something is to change; `names_slot`: it names the slot."""

    commands: tuple[Command, ...]
    explicit: bool
    names_slot: bool


def read_correction(utterance: Utterance) -> Correction | None:
    """Return new values for filled slots and the awaited one, of the topmost flow that they fit, or None."""
    corrections = [
        correction
        for flow_index in utterance.open_flows()
        if (correction := _read_correction_of(flow_index.with_fields, utterance))
    ] + [
        correction
        for flow_index in utterance.waiting_flows()
        if (correction := _read_correction_of(flow_index.with_fields, utterance))
        and _is_clearly_changed(flow_index, utterance)
    ]
    corrections += [
        correction
        for flow_index in utterance.met_needs()
        if (correction := _read_correction_of(flow_index.with_fields, utterance)) and correction.explicit
    ]
    return next((candidate for candidate in corrections if candidate.names_slot), next(iter(corrections), None))


def _is_clearly_changed(flow_index: FlowIndex, utterance: Utterance) -> bool:
    """Return whether the message can be no answer to the needed flow's question: it turns a value down."""
    return begins_as_correction(utterance) or rejects_value(flow_index, utterance)


def read_uncued_change(flow_index: FlowIndex, utterance: Utterance) -> tuple[Command, ...]:
    """Return commands for every value with a form of its own that fits the flow, without any cue."""
    changed = tuple(_changed_values(flow_index.with_fields, utterance))
    return tuple(command for command in changed if not _is_unnamed_number(command, flow_index, utterance))


def _is_unnamed_number(command: Command, flow_index: FlowIndex, utterance: Utterance) -> bool:
    """A bare number changes nothing where no question is open and no word says what it counts."""
    slot = flow_index.slot(getattr(command, "slot", ""))
    counts = slot is not None and slot.type in ("integer", "number")
    return counts and not has_correction_cue(utterance) and not names_slot([command], flow_index, utterance)


def _read_correction_of(flow_index: FlowIndex, utterance: Utterance) -> Correction | None:
    commands = (
        tuple(_corrected_object(flow_index, utterance))
        or tuple(_corrected_field(flow_index, utterance))
        or (
            *_changed_values(flow_index, utterance),
            *_corrected_place(flow_index, utterance),
        )
    )
    commands = commands or tuple(_corrected_free_text(flow_index, utterance))
    is_named = names_slot(commands, flow_index, utterance)
    explicit = is_named or has_correction_cue(utterance) or rejects_value(flow_index, utterance)
    return Correction(commands, explicit, is_named) if commands else None


def has_correction_cue(utterance: Utterance) -> bool:
    """Return whether the message or one of its sentences begins, or the message ends, like a correction."""
    cues = utterance.lexicon.cues
    plain_phrases = (cues.plain_corrections, cues.plain_negations)
    cue_phrases = plain_phrases if utterance.awaited_slot is not None else (cues.corrections, cues.negations)
    begins = any(prefix_length(folded, *cue_phrases) for folded in _sentence_beginnings(utterance))
    return begins or suffix_length(_without_politeness(utterance), utterance.lexicon.closers) > 0


def _without_politeness(utterance: Utterance) -> Sequence[str]:
    """Return the words without "please" and the like behind them."""
    folded = utterance.folded
    while length := suffix_length(folded, utterance.lexicon.acts.fillers):
        folded = folded[:-length]
    return folded


def _sentence_beginnings(utterance: Utterance) -> Iterator[Sequence[str]]:
    """Yield the words of the message and of each further sentence, with and without politeness before them."""
    for sentence in (utterance, *map(utterance.with_text, SENTENCE_END.split(utterance.text)[1:MAX_SENTENCES])):
        yield sentence.folded
        yield sentence.folded[politeness_length(sentence) :]


def begins_as_correction(utterance: Utterance) -> bool:
    """Return whether the message begins like a correction where a value is asked for.

    "It is" and "I want" answer the question then.
    """
    cues = utterance.lexicon.cues
    beginnings = (utterance.folded, utterance.folded[politeness_length(utterance) :])
    return any(prefix_length(folded, cues.plain_corrections) for folded in beginnings)


def names_awaited_slot(utterance: Utterance) -> bool:
    """Return whether the message holds words of the question, for a slot that takes any text."""
    slot = utterance.awaited_slot
    if slot is None or not is_free_text(slot):
        return False
    slot_words_asked = question_words(slot, utterance) - FUNCTION_WORDS
    return any(fuzzy_in(word, slot_words_asked) for word in utterance.folded)


def rejects_value(flow_index: FlowIndex, utterance: Utterance) -> bool:
    """Return whether the message turns a value down: "Hillcrest, not Riverside"."""
    spans = (span for spans in find_separate_values(flow_index.slots, utterance).values() for span in spans)
    return any(is_rejected(span, utterance) for span in spans)


def names_slot(commands: Sequence[Command], flow_index: FlowIndex, utterance: Utterance) -> bool:
    """Return whether the message names a slot that one of the commands is for."""
    named_slots = {slot.name for slot in find_named_slots(utterance.folded, flow_index.with_fields.slots)}
    return any(getattr(command, "slot", None) in named_slots for command in commands)


def find_named_slots(folded: Sequence[str], slots: Sequence[Slot]) -> list[Slot]:
    """Return the slots that the words name, those named by their own name first."""
    scored = [(_naming_score(folded, slot), slot) for slot in slots]
    return [slot for score, slot in sorted(scored, key=lambda pair: -pair[0]) if score]


def _naming_score(folded: Sequence[str], slot: Slot) -> int:
    name_words, all_words = set(folded_words(slot.name.rpartition(".")[2].replace("_", " "))), slot_words(slot)
    by_name = sum(fuzzy_in(word, name_words) for word in folded)
    return 2 * by_name + sum(fuzzy_in(word, all_words - name_words) for word in folded)


def _changed_values(flow_index: FlowIndex, utterance: Utterance) -> Iterator[Command]:
    slots = [
        slot for slot in flow_index.slots if not is_free_text(slot) and _may_be_changed(flow_index, slot, utterance)
    ]
    taken_spans: list[Span] = []
    for slot, span in sorted(
        _new_values(flow_index, slots, utterance),
        key=lambda pair: _change_rank(flow_index, pair[0], pair[1], utterance),
    ):
        if not any(map(span.overlaps, taken_spans)) and slot in slots:
            slots.remove(slot)
            taken_spans.append(span)
            kind = CorrectSlot if utterance.is_filled(flow_index, slot) else SetSlot
            yield kind(slot.name, span.value, utterance.text[span.start : span.end])


def _may_be_changed(flow_index: FlowIndex, slot: Slot, utterance: Utterance) -> bool:
    awaited = utterance.awaited_slot
    return utterance.is_filled(flow_index, slot) or (
        awaited is not None and awaited.name == slot.name and _is_running(flow_index, utterance)
    )


def _is_running(flow_index: FlowIndex, utterance: Utterance) -> bool:
    return utterance.running_flow is not None and flow_index.name == utterance.running_flow.name


def _new_values(flow_index: FlowIndex, slots: Sequence[Slot], utterance: Utterance) -> Iterator[tuple[Slot, Span]]:
    """Yield for each slot the last value that is neither rejected ("not Riverside") nor already filled."""
    for name, spans in {**strong_values(slots, utterance), **_datetime_parts(flow_index, slots, utterance)}.items():
        slot = next(slot for slot in slots if slot.name == name)
        new_spans = [span for span in spans if not _is_filled_value(flow_index, slot, span, utterance)]
        if spans and (utterance.is_filled(flow_index, slot) or len({str(span.value) for span in spans}) == 1):
            yield slot, (new_spans or spans)[-1]


def _datetime_parts(flow_index: FlowIndex, slots: Sequence[Slot], utterance: Utterance) -> dict[str, list[Span]]:
    """ "At 12 instead": only the date or only the time is new."""
    datetime_slots = [slot for slot in slots if slot.type == "datetime" and utterance.is_filled(flow_index, slot)]
    parts = {
        slot.name: find_datetime_part(slot, utterance.filled_text(flow_index, slot) or "", utterance)
        for slot in datetime_slots
    }
    return {name: [span] for name, span in parts.items() if span is not None}


def _is_filled_value(flow_index: FlowIndex, slot: Slot, span: Span, utterance: Utterance) -> bool:
    option = slot.option(span.value)
    filled_words = folded_words(utterance.filled_text(flow_index, slot) or "")
    return filled_words in (folded_words(str(span.value)), folded_words(option.label if option else ""))


def _change_rank(flow_index: FlowIndex, slot: Slot, span: Span, utterance: Utterance) -> tuple[int, bool, int]:
    is_named = find_named_slots(utterance.folded, [slot])
    return (
        -count_slot_words_beside(slot, span, utterance) - bool(is_named),
        not utterance.is_filled(flow_index, slot),
        distinctness_rank(slot),
    )


def _corrected_free_text(flow_index: FlowIndex, utterance: Utterance) -> Iterator[Command]:
    """ "The title should be Dune", "I meant The Waves": free text behind what leads to it."""
    free_slots = [slot for slot in flow_index.slots if is_free_text(slot) and utterance.is_filled(flow_index, slot)]
    # A text that no name leads to is not that of a record's field.
    whole_slots = [slot for slot in free_slots if "." not in slot.name]
    named_slots = find_named_slots(utterance.folded, free_slots)
    text = text_behind_target(utterance) if named_slots else ""
    if (
        not text
        and not named_slots
        and len(whole_slots) == 1
        and (utterance.awaited_slot is None or begins_as_correction(utterance))
    ):
        named_slots, text = whole_slots, _behind_cue(utterance)
    exchanged = tuple(_exchanged_free_text(flow_index, free_slots, utterance))
    if exchanged:
        yield from exchanged
        return
    text = _without_complaint(SENTENCE_END.split(text)[0], utterance)
    text = _without_rejected(text, utterance).strip(" .!?") if text else ""
    if named_slots and set(folded_words(text)) - FUNCTION_WORDS:
        # Of "spelled Laura Berg", the end is the name.
        extracted_text = span_text(flow_index, named_slots[0], utterance, MIN_SCORE_CHANGED)
        text = extracted_text if extracted_text and text.endswith(extracted_text) else text
        yield CorrectSlot(named_slots[0].name, text, text)
    else:
        replaced = tuple(_replaced_free_text(flow_index, free_slots, utterance))
        yield from replaced or _extracted_changes(flow_index, free_slots, utterance)


def _without_complaint(text: str, utterance: Utterance) -> str:
    """ "(The address is) wrong, it's 14 Mill Lane": what stands behind the mark."""
    head, mark, tail = text.partition(", ")
    cues, words = utterance.lexicon.cues, folded_words(head)
    is_complaint = consists_of(words, cues.another | cues.changes, utterance.lexicon.acts.fillers)
    return bare_text(tail, utterance, lead=True) if mark and is_complaint else text


def _without_rejected(text: str, utterance: Utterance) -> str:
    """ "Dune, not The Hobbit": the text up to the comma behind which another is turned down."""
    head, comma, tail = text.partition(", ")
    first = next(iter(utterance.with_text(tail).tokens), None)
    is_rejected_tail = (
        first is not None and first.text.islower() and (first.folded,) in utterance.lexicon.cues.negations
    )
    return head if comma and is_rejected_tail else text


def _extracted_changes(flow_index: FlowIndex, free_slots: Sequence[Slot], utterance: Utterance) -> Iterator[Command]:
    """ "Sorry, it's for Hannah Berg, not Anna": what the trained extractor finds for filled slots."""
    named_slots = find_named_slots(utterance.folded, free_slots)
    for slot in free_slots if has_correction_cue(utterance) else named_slots:
        text = bare_text(span_text(flow_index, slot, utterance, MIN_SCORE_CHANGED), utterance)
        start = utterance.text.find(text)
        is_new = fold(text) not in fold(utterance.filled_text(flow_index, slot) or "")
        if text and is_new and not is_rejected(Span(start, start + len(text), None), utterance):
            yield CorrectSlot(slot.name, text, text)


def _replaced_free_text(flow_index: FlowIndex, free_slots: Sequence[Slot], utterance: Utterance) -> Iterator[Command]:
    """ "Ibuprofen instead of codeine": the text before a filled value that is rejected."""
    for slot in free_slots:
        filled_words = folded_words(utterance.filled_text(flow_index, slot) or "")
        index = next(
            (
                start
                for start in range(len(utterance.folded))
                if utterance.folded[start : start + len(filled_words)] == filled_words
            ),
            None,
        )
        tokens_before = utterance.tokens[: index or 0]
        negation_length = suffix_length([token.folded for token in tokens_before], utterance.lexicon.cues.negations)
        if not filled_words or not 0 < negation_length < len(tokens_before):
            continue
        head = utterance.with_text(utterance.text[: tokens_before[-negation_length].start])
        text = text_from(head, politeness_length(utterance))
        if text:
            yield CorrectSlot(slot.name, text, text)


def _exchanged_free_text(flow_index: FlowIndex, free_slots: Sequence[Slot], utterance: Utterance) -> Iterator[Command]:
    """ "Not codeine, ibuprofen": the text behind a filled value that is turned down first."""
    head, comma, tail = utterance.text.partition(", ")
    refused = utterance.with_text(head)
    start = politeness_length(refused)
    length = prefix_length(refused.folded[start:], utterance.lexicon.cues.negations) if comma else 0
    words = [word for word in refused.folded[start + length :] if word not in FUNCTION_WORDS]
    text = bare_text(tail, utterance, lead=True).strip(" .!?")
    for slot in free_slots if length and words and text else ():
        if set(words) <= set(folded_words(utterance.filled_text(flow_index, slot) or "")):
            yield CorrectSlot(slot.name, text, text)


def _corrected_object(flow_index: FlowIndex, utterance: Utterance) -> Iterator[Command]:
    """ "The address is 7 Mill Road": a whole new object, where its slot is named."""
    slots = [slot for slot in flow_index.slots if slot.type == "object" and utterance.is_filled(flow_index, slot)]
    named_slots = find_named_slots(utterance.folded, slots)
    politeness = politeness_length(utterance)
    target = find_phrase(utterance.folded[politeness:], utterance.lexicon.cues.targets) if named_slots else None
    if target is not None and politeness + target[1] < len(utterance.tokens):
        start = utterance.tokens[politeness + target[1]].start
        value = read_object(named_slots[0], utterance.with_text(utterance.text[start:]))
        if value:
            yield CorrectSlot(named_slots[0].name, dict(value), utterance.text[start:])


def _corrected_field(flow_index: FlowIndex, utterance: Utterance) -> Iterator[Command]:
    """ "The street is 7 Mill Road": the text of a record's field, where the field is named before it."""
    texts = [slot for slot in flow_index.slots if "." in slot.name and is_free_text(slot)]
    named_slots = find_named_slots(utterance.folded, [slot for slot in texts if utterance.is_filled(flow_index, slot)])
    text = SENTENCE_END.split(text_behind_target(utterance))[0].strip(" .!?") if named_slots else ""
    before = utterance.with_text(utterance.text[: utterance.text.find(text)]) if text else utterance
    if text and find_named_slots(before.folded, named_slots[:1]):
        yield CorrectSlot(named_slots[0].name, text, text)


def _corrected_place(flow_index: FlowIndex, utterance: Utterance) -> Iterator[Command]:
    """ "And a psychiatrist in Vacaville?": another name, where the flow has one filled slot for a place."""
    slots = [
        slot
        for slot in flow_index.slots
        if is_free_text(slot) and is_place_slot(slot, utterance) and utterance.is_filled(flow_index, slot)
    ]
    name = sole_place_name(utterance) if len(slots) == 1 and not _awaits_text(utterance) else ""
    if name and fold(name) not in fold(utterance.filled_text(flow_index, slots[0]) or ""):
        yield CorrectSlot(slots[0].name, name, name)


def _awaits_text(utterance: Utterance) -> bool:
    return utterance.awaited_slot is not None and is_free_text(utterance.awaited_slot)


def _behind_cue(utterance: Utterance) -> str:
    """Return the name or quotation behind the cue, so that "make it quick" changes no title; or ""."""
    length = politeness_length(utterance)
    while more := prefix_length(utterance.folded[length:], utterance.lexicon.cues.corrections):
        length += more
    text = text_from(utterance, length) if length else ""
    if not text or text[:1].isupper():
        return text
    name = sole_name(utterance.with_text(text))
    return name if name and text.endswith(name) else ""


def corrected_text(utterance: Utterance) -> str:
    """Return the text that a correction gives: "I meant aspirin", "can I have aspirin instead?"; or ""."""
    if begins_as_correction(utterance):
        start = politeness_length(utterance)
        while more := prefix_length(utterance.folded[start:], utterance.lexicon.cues.plain_corrections):
            start += more
    elif suffix_length(utterance.folded, utterance.lexicon.closers):
        start = politeness_length(utterance)
        while start < len(utterance.folded) and utterance.folded[start] in FUNCTION_WORDS:
            start += 1
    else:
        return ""
    text = text_from(utterance, start).strip(" .!?")
    end = suffix_length(folded_words(text), utterance.lexicon.closers)
    return bare_text(text[: utterance.with_text(text).tokens[-end].start], utterance) if end else text


def read_change(utterance: Utterance) -> Command | None:
    """Return ClearSlot for a filled slot to ask again: "change the amount", "a different branch"; or None.

    After "what would you like to change?" its bare name is enough.
    """
    cues = utterance.lexicon.cues
    if utterance.offer_kind != "change" and find_phrase(utterance.folded, cues.another) is None:
        return None
    for flow_index in utterance.open_flows():
        filled_slots = [slot for slot in flow_index.with_fields.slots if utterance.is_filled(flow_index, slot)]
        named_slots = find_named_slots(utterance.folded, filled_slots)
        if named_slots and _says_only_names(named_slots, cues.another | cues.changes, utterance):
            return ClearSlot(named_slots[0].name)
    return None


def _says_only_names(named_slots: Sequence[Slot], around: frozenset[Phrase], utterance: Utterance) -> bool:
    known_words = frozenset().union(
        *(slot_words(slot) for slot in named_slots), *around, small_words(utterance.lexicon)
    )
    return all(word in known_words or fuzzy_in(word, known_words) for word in utterance.folded)
