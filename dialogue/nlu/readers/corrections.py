"""Changes of what was said: "make it 9000", "not Riverside, Central", "the title should be Dune", "another branch"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dialogue.engine.ports.commands import ClearSlot, Command, CorrectSlot, SetSlot
from dialogue.engine.slots.models import Slot
from dialogue.nlu.readers.whole_answers import question_words, small_words
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowIndex, is_free_text
from dialogue.nlu.slots.extraction import bare_text, count_slot_words_beside, is_rejected, slot_words, strong_values
from dialogue.nlu.slots.extractors import distinctness_rank, find_datetime_part, find_separate_values
from dialogue.nlu.slots.names import is_place_slot, sole_name, sole_place_name
from dialogue.nlu.slots.objects import read_object
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.lexicons.lexicon import Phrase
from dialogue.nlu.text.phrases import find_phrase, prefix_length, suffix_length
from dialogue.nlu.text.tokens import fold, folded_words, fuzzy_equal

SENTENCE_END = re.compile(r"[.;!?\n]\s+")
MAX_SENTENCES = 5


@dataclass(frozen=True)
class Correction:
    """`explicit` when the message says that something is to be other than it was, or names the slot (`names_slot`)."""

    commands: tuple[Command, ...]
    explicit: bool
    names_slot: bool


def read_correction(utterance: Utterance) -> Correction | None:
    """New values for filled slots, and for the awaited one, of the topmost flow that they fit."""
    found = [correction for flow_index in utterance.open_flows() if (correction := _correction(flow_index, utterance))]
    return next((each for each in found if each.names_slot), next(iter(found), None))


def read_uncued_change(flow_index: FlowIndex, utterance: Utterance) -> tuple[Command, ...]:
    """New values with a form for what the flow has, and values for what it has not, without any cue."""
    changed = tuple(_changes(flow_index, utterance))
    return tuple(command for command in changed if not _is_unnamed_number(command, flow_index, utterance))


def _is_unnamed_number(command: Command, flow_index: FlowIndex, utterance: Utterance) -> bool:
    """A bare number changes nothing where nobody asks and no word says what it counts."""
    slot = flow_index.slot(getattr(command, "slot", ""))
    counts = slot is not None and slot.type in ("integer", "number")
    return counts and not has_correction_cue(utterance) and not names_slot([command], flow_index, utterance)


def _correction(flow_index: FlowIndex, utterance: Utterance) -> Correction | None:
    commands = tuple(_new_object(flow_index, utterance)) or (
        *_changes(flow_index, utterance),
        *_new_place(flow_index, utterance),
    )
    commands = commands or tuple(_named_text(flow_index, utterance))
    named = names_slot(commands, flow_index, utterance)
    explicit = named or has_correction_cue(utterance) or rejects_value(flow_index, utterance)
    return Correction(commands, explicit, named) if commands else None


def has_correction_cue(utterance: Utterance) -> bool:
    """Does the message begin, end or go on like a correction?"""
    cues = utterance.lexicon.cues
    plain = (cues.plain_corrections, cues.plain_negations)
    known = plain if utterance.awaited_slot is not None else (cues.corrections, cues.negations)
    begins = any(prefix_length(folded, *known) for folded in _beginnings(utterance))
    return begins or suffix_length(utterance.folded, utterance.lexicon.closers) > 0


def _beginnings(utterance: Utterance) -> Iterator[Sequence[str]]:
    """Of the message and of each further sentence, with and without politeness before it."""
    for sentence in (utterance, *map(utterance.with_text, SENTENCE_END.split(utterance.text)[1:MAX_SENTENCES])):
        yield sentence.folded
        yield sentence.folded[_polite(sentence) :]


def begins_as_correction(utterance: Utterance) -> bool:
    """Does the message begin like a correction where a value is asked for? "It is" and "I want" answer then."""
    cues = utterance.lexicon.cues
    beginnings = (utterance.folded, utterance.folded[_polite(utterance) :])
    return any(prefix_length(folded, cues.plain_corrections) for folded in beginnings)


def names_awaited_slot(utterance: Utterance) -> bool:
    """Does the message hold words of the question, to which any text would be an answer?"""
    slot = utterance.awaited_slot
    if slot is None or not is_free_text(slot):
        return False
    asked = question_words(slot, utterance) - FUNCTION_WORDS
    return any(fuzzy_equal(word, own) for word in utterance.folded for own in asked)


def rejects_value(flow_index: FlowIndex, utterance: Utterance) -> bool:
    """Is a value turned down: "Hillcrest, not Riverside"?"""
    spans = (span for spans in find_separate_values(flow_index.slots, utterance).values() for span in spans)
    return any(is_rejected(span, utterance) for span in spans)


def _polite(utterance: Utterance) -> int:
    acts = utterance.lexicon.acts
    place = 0
    while length := prefix_length(utterance.folded[place:], acts.openers, acts.fillers):
        place += length
    return place


def names_slot(commands: Sequence[Command], flow_index: FlowIndex, utterance: Utterance) -> bool:
    named = {slot.name for slot in find_named_slots(utterance.folded, flow_index.slots)}
    return any(getattr(command, "slot", None) in named for command in commands)


def find_named_slots(folded: Sequence[str], slots: Sequence[Slot]) -> list[Slot]:
    """The slots that the words speak of, those named by their own name first."""
    scored = [(_naming(folded, slot), slot) for slot in slots]
    return [slot for score, slot in sorted(scored, key=lambda pair: -pair[0]) if score]


def _naming(folded: Sequence[str], slot: Slot) -> int:
    own, other = set(folded_words(slot.name.replace("_", " "))), slot_words(slot)
    by_name = sum(any(fuzzy_equal(word, each) for each in own) for word in folded)
    return 2 * by_name + sum(any(fuzzy_equal(word, each) for each in other - own) for word in folded)


def _changes(flow_index: FlowIndex, utterance: Utterance) -> Iterator[Command]:
    slots = [slot for slot in flow_index.slots if not is_free_text(slot) and _may_change(flow_index, slot, utterance)]
    taken: list[Span] = []
    for slot, span in sorted(
        _new_values(flow_index, slots, utterance), key=lambda pair: _rank(flow_index, pair[0], pair[1], utterance)
    ):
        if not any(map(span.overlaps, taken)) and slot in slots:
            slots.remove(slot)
            taken.append(span)
            yield _change(flow_index, slot, span, utterance)


def _may_change(flow_index: FlowIndex, slot: Slot, utterance: Utterance) -> bool:
    awaited = utterance.awaited_slot
    return utterance.is_filled(flow_index, slot) or (
        awaited is not None and awaited.name == slot.name and flow_index is utterance.running_flow
    )


def _new_values(flow_index: FlowIndex, slots: Sequence[Slot], utterance: Utterance) -> Iterator[tuple[Slot, Span]]:
    """Per slot the last value that is neither turned down ("not Riverside") nor the one it has."""
    for name, wanted in {**strong_values(slots, utterance), **_half_moments(flow_index, slots, utterance)}.items():
        slot = next(slot for slot in slots if slot.name == name)
        new = [span for span in wanted if not _is_shown(flow_index, slot, span, utterance)]
        if wanted and (utterance.is_filled(flow_index, slot) or len({str(span.value) for span in wanted}) == 1):
            yield slot, (new or wanted)[-1]


def _half_moments(flow_index: FlowIndex, slots: Sequence[Slot], utterance: Utterance) -> dict[str, list[Span]]:
    """ "At 12 instead": of a date and time only the one half is new."""
    moments = [slot for slot in slots if slot.type == "datetime" and utterance.is_filled(flow_index, slot)]
    halves = {
        slot.name: find_datetime_part(slot, utterance.filled_text(flow_index, slot) or "", utterance)
        for slot in moments
    }
    return {name: [span] for name, span in halves.items() if span is not None}


def _is_shown(flow_index: FlowIndex, slot: Slot, span: Span, utterance: Utterance) -> bool:
    option = slot.option(span.value)
    shown = folded_words(utterance.filled_text(flow_index, slot) or "")
    return shown in (folded_words(str(span.value)), folded_words(option.label if option else ""))


def _rank(flow_index: FlowIndex, slot: Slot, span: Span, utterance: Utterance) -> tuple[int, bool, int]:
    named = find_named_slots(utterance.folded, [slot])
    return (
        -count_slot_words_beside(slot, span, utterance) - bool(named),
        not utterance.is_filled(flow_index, slot),
        distinctness_rank(slot),
    )


def _change(flow_index: FlowIndex, slot: Slot, span: Span, utterance: Utterance) -> Command:
    kind = CorrectSlot if utterance.is_filled(flow_index, slot) else SetSlot
    return kind(slot.name, span.value, utterance.text[span.start : span.end])


def _named_text(flow_index: FlowIndex, utterance: Utterance) -> Iterator[Command]:
    """ "The title should be Dune", "I meant The Waves": free text behind what leads to it."""
    free = [slot for slot in flow_index.slots if is_free_text(slot) and utterance.is_filled(flow_index, slot)]
    named = find_named_slots(utterance.folded, free)
    text = text_behind_target(utterance) if named else ""
    if (
        not text
        and not named
        and len(free) == 1
        and (utterance.awaited_slot is None or begins_as_correction(utterance))
    ):
        named, text = free, _behind_cue(utterance)
    text = SENTENCE_END.split(text)[0].strip(" .!?") if text else ""
    if named and set(folded_words(text)) - FUNCTION_WORDS:
        yield CorrectSlot(named[0].name, text, text)
    else:
        yield from _in_place_of(flow_index, free, utterance)


def _in_place_of(flow_index: FlowIndex, free: Sequence[Slot], utterance: Utterance) -> Iterator[Command]:
    """ "Ibuprofen instead of codeine": the text beside a value that is there and turned down."""
    for slot in free:
        shown = folded_words(utterance.filled_text(flow_index, slot) or "")
        place = next(
            (at for at in range(len(utterance.folded)) if utterance.folded[at : at + len(shown)] == shown), None
        )
        before = utterance.tokens[: place or 0]
        refused = suffix_length([token.folded for token in before], utterance.lexicon.cues.negations) if shown else 0
        text = (
            _rest(utterance.with_text(utterance.text[: before[-refused].start]), _polite(utterance))
            if 0 < refused < len(before)
            else ""
        )
        if text:
            yield CorrectSlot(slot.name, text, text)


def _new_object(flow_index: FlowIndex, utterance: Utterance) -> Iterator[Command]:
    """ "The address is 7 Mill Road": an object anew, when it is named."""
    slots = [slot for slot in flow_index.slots if slot.type == "object" and utterance.is_filled(flow_index, slot)]
    named = find_named_slots(utterance.folded, slots)
    place = find_phrase(utterance.folded[_polite(utterance) :], utterance.lexicon.cues.targets) if named else None
    if place is not None and _polite(utterance) + place[1] < len(utterance.tokens):
        start = utterance.tokens[_polite(utterance) + place[1]].start
        value = read_object(named[0], utterance.with_text(utterance.text[start:]))
        if value:
            yield CorrectSlot(named[0].name, dict(value), utterance.text[start:])


def _new_place(flow_index: FlowIndex, utterance: Utterance) -> Iterator[Command]:
    """ "And a psychiatrist in Vacaville?": another name where the flow has one place that is filled."""
    slots = [
        slot
        for slot in flow_index.slots
        if is_free_text(slot) and is_place_slot(slot, utterance) and utterance.is_filled(flow_index, slot)
    ]
    name = sole_place_name(utterance) if len(slots) == 1 and not _awaits_text(utterance) else ""
    if name and fold(name) != fold(utterance.filled_text(flow_index, slots[0]) or ""):
        yield CorrectSlot(slots[0].name, name, name)


def _awaits_text(utterance: Utterance) -> bool:
    return utterance.awaited_slot is not None and is_free_text(utterance.awaited_slot)


def text_behind_target(utterance: Utterance) -> str:
    """Of "the title should be Dune" the last word."""
    polite = _polite(utterance)
    place = find_phrase(utterance.folded[polite:], utterance.lexicon.cues.targets)
    return _rest(utterance, polite + place[1]) if place else ""


def _behind_cue(utterance: Utterance) -> str:
    """Only a name or a quotation, so that "make it quick" changes no title; also at the end of "it goes to …"."""
    length = _polite(utterance)
    while more := prefix_length(utterance.folded[length:], utterance.lexicon.cues.corrections):
        length += more
    text = _rest(utterance, length) if length else ""
    if not text or text[:1].isupper():
        return text
    name = sole_name(utterance.with_text(text))
    return name if name and text.endswith(name) else ""


def corrected_text(utterance: Utterance) -> str:
    """What a correction puts in place of a text, whatever it is: "I meant aspirin", "can I have aspirin instead?"."""
    if begins_as_correction(utterance):
        start = _polite(utterance)
        while more := prefix_length(utterance.folded[start:], utterance.lexicon.cues.plain_corrections):
            start += more
    elif suffix_length(utterance.folded, utterance.lexicon.closers):
        start = _polite(utterance)
        while start < len(utterance.folded) and utterance.folded[start] in FUNCTION_WORDS:
            start += 1
    else:
        return ""
    text = _rest(utterance, start).strip(" .!?")
    end = suffix_length(folded_words(text), utterance.lexicon.closers)
    return bare_text(text[: utterance.with_text(text).tokens[-end].start], utterance) if end else text


def _rest(utterance: Utterance, place: int) -> str:
    return (
        bare_text(utterance.text[utterance.tokens[place].start :], utterance) if place < len(utterance.tokens) else ""
    )


def read_change(utterance: Utterance) -> Command | None:
    """A filled slot to ask for again: "change the amount", "a different branch"; after "what?", its bare name."""
    cues = utterance.lexicon.cues
    if utterance.offer_kind != "change" and find_phrase(utterance.folded, cues.another) is None:
        return None
    for flow_index in utterance.open_flows():
        filled = [slot for slot in flow_index.slots if utterance.is_filled(flow_index, slot)]
        named = find_named_slots(utterance.folded, filled)
        if named and _says_only_names(named, cues.another | cues.changes, utterance):
            return ClearSlot(named[0].name)
    return None


def _says_only_names(named: Sequence[Slot], around: frozenset[Phrase], utterance: Utterance) -> bool:
    own = frozenset().union(*(slot_words(slot) for slot in named), *around, small_words(utterance.lexicon))
    return all(word in own or any(fuzzy_equal(word, each) for each in own) for word in utterance.folded)
