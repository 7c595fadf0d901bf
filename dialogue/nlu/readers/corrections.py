"""Changes of what was said: "make it 9000", "not Riverside, Central", "the title should be Dune", "another branch"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dialogue.engine.ports.commands import ClearSlot, Command, CorrectSlot, SetSlot
from dialogue.engine.slots.models import Slot
from dialogue.nlu.readers.whole_answers import question_words, small_words
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowSense, is_free
from dialogue.nlu.slots.extraction import bare_text, beside, slot_words, strong_values, turned_down
from dialogue.nlu.slots.extractors import distinctness, half_moment, values_apart
from dialogue.nlu.slots.names import is_place, place_named, sole_name
from dialogue.nlu.slots.objects import read_object
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.lexicons.lexicon import Phrase
from dialogue.nlu.text.phrases import find_phrase, prefix_length, suffix_length
from dialogue.nlu.text.tokens import fold, folded_words, fuzzy_equal

SENTENCE_END = re.compile(r"[.;!?\n]\s+")
MOST_SENTENCES = 5


@dataclass(frozen=True)
class Correction:
    """`explicit` when the message says that something is to be other than it was, or names the slot (`named`)."""

    commands: tuple[Command, ...]
    explicit: bool
    named: bool


def read_correction(utterance: Utterance) -> Correction | None:
    """New values for filled slots, and for the awaited one, of the topmost flow that they fit."""
    found = [correction for sense in utterance.senses() if (correction := _correction(sense, utterance))]
    return next((each for each in found if each.named), next(iter(found), None))


def read_change_of(sense: FlowSense, utterance: Utterance) -> tuple[Command, ...]:
    """New values with a form for what the flow has, and values for what it has not, without any cue."""
    changed = tuple(_changes(sense, utterance))
    return tuple(command for command in changed if not _is_unnamed_number(command, sense, utterance))


def _is_unnamed_number(command: Command, sense: FlowSense, utterance: Utterance) -> bool:
    """A bare number changes nothing where nobody asks and no word says what it counts."""
    slot = sense.slot(getattr(command, "slot", ""))
    counts = slot is not None and slot.type in ("integer", "number")
    return counts and not cued(utterance) and not names_slot([command], sense, utterance)


def _correction(sense: FlowSense, utterance: Utterance) -> Correction | None:
    commands = tuple(_new_object(sense, utterance)) or (*_changes(sense, utterance), *_new_place(sense, utterance))
    commands = commands or tuple(_named_text(sense, utterance))
    named = names_slot(commands, sense, utterance)
    explicit = named or cued(utterance) or refuses(sense, utterance)
    return Correction(commands, explicit, named) if commands else None


def cued(utterance: Utterance) -> bool:
    """Does the message begin, end or go on like a correction?"""
    cues = utterance.lexicon.cues
    plain = (cues.plain_corrections, cues.plain_negations)
    known = plain if utterance.awaited_slot is not None else (cues.corrections, cues.negations)
    begins = any(prefix_length(folded, *known) for folded in _beginnings(utterance))
    return begins or suffix_length(utterance.folded, utterance.lexicon.closers) > 0


def _beginnings(utterance: Utterance) -> Iterator[Sequence[str]]:
    """Of the message and of each further sentence, with and without politeness before it."""
    for sentence in (utterance, *map(utterance.part, SENTENCE_END.split(utterance.text)[1:MOST_SENTENCES])):
        yield sentence.folded
        yield sentence.folded[_polite(sentence) :]


def insists(utterance: Utterance) -> bool:
    """Does the message begin like a correction where a value is asked for? "It is" and "I want" answer then."""
    cues = utterance.lexicon.cues
    beginnings = (utterance.folded, utterance.folded[_polite(utterance) :])
    return any(prefix_length(folded, cues.plain_corrections) for folded in beginnings)


def speaks_of_awaited(utterance: Utterance) -> bool:
    """Does the message hold words of the question, to which any text would be an answer?"""
    slot = utterance.awaited_slot
    if slot is None or not is_free(slot):
        return False
    asked = question_words(slot, utterance) - FUNCTION_WORDS
    return any(fuzzy_equal(word, own) for word in utterance.folded for own in asked)


def refuses(sense: FlowSense, utterance: Utterance) -> bool:
    """Is a value turned down: "Hillcrest, not Riverside"?"""
    spans = (span for spans in values_apart(sense.asked, utterance).values() for span in spans)
    return any(turned_down(span, utterance) for span in spans)


def _polite(utterance: Utterance) -> int:
    acts = utterance.lexicon.acts
    place = 0
    while length := prefix_length(utterance.folded[place:], acts.openers, acts.fillers):
        place += length
    return place


def names_slot(commands: Sequence[Command], sense: FlowSense, utterance: Utterance) -> bool:
    named = {slot.name for slot in slots_named(utterance.folded, sense.asked)}
    return any(getattr(command, "slot", None) in named for command in commands)


def slots_named(folded: Sequence[str], slots: Sequence[Slot]) -> list[Slot]:
    """The slots that the words speak of, those named by their own name first."""
    scored = [(_naming(folded, slot), slot) for slot in slots]
    return [slot for score, slot in sorted(scored, key=lambda pair: -pair[0]) if score]


def _naming(folded: Sequence[str], slot: Slot) -> int:
    own, other = set(folded_words(slot.name.replace("_", " "))), slot_words(slot)
    by_name = sum(any(fuzzy_equal(word, each) for each in own) for word in folded)
    return 2 * by_name + sum(any(fuzzy_equal(word, each) for each in other - own) for word in folded)


def _changes(sense: FlowSense, utterance: Utterance) -> Iterator[Command]:
    slots = [slot for slot in sense.asked if not is_free(slot) and _may_change(sense, slot, utterance)]
    taken: list[Span] = []
    for slot, span in sorted(
        _new_values(sense, slots, utterance), key=lambda pair: _rank(sense, pair[0], pair[1], utterance)
    ):
        if not any(map(span.overlaps, taken)) and slot in slots:
            slots.remove(slot)
            taken.append(span)
            yield _change(sense, slot, span, utterance)


def _may_change(sense: FlowSense, slot: Slot, utterance: Utterance) -> bool:
    awaited = utterance.awaited_slot
    return utterance.is_filled(sense, slot) or (
        awaited is not None and awaited.name == slot.name and sense is utterance.top
    )


def _new_values(sense: FlowSense, slots: Sequence[Slot], utterance: Utterance) -> Iterator[tuple[Slot, Span]]:
    """Per slot the last value that is neither turned down ("not Riverside") nor the one it has."""
    for name, wanted in {**strong_values(slots, utterance), **_half_moments(sense, slots, utterance)}.items():
        slot = next(slot for slot in slots if slot.name == name)
        new = [span for span in wanted if not _is_shown(sense, slot, span, utterance)]
        if wanted and (utterance.is_filled(sense, slot) or len({str(span.value) for span in wanted}) == 1):
            yield slot, (new or wanted)[-1]


def _half_moments(sense: FlowSense, slots: Sequence[Slot], utterance: Utterance) -> dict[str, list[Span]]:
    """ "At 12 instead": of a date and time only the one half is new."""
    moments = [slot for slot in slots if slot.type == "datetime" and utterance.is_filled(sense, slot)]
    halves = {slot.name: half_moment(slot, utterance.shown(sense, slot) or "", utterance) for slot in moments}
    return {name: [span] for name, span in halves.items() if span is not None}


def _is_shown(sense: FlowSense, slot: Slot, span: Span, utterance: Utterance) -> bool:
    option = slot.option(span.value)
    shown = folded_words(utterance.shown(sense, slot) or "")
    return shown in (folded_words(str(span.value)), folded_words(option.label if option else ""))


def _rank(sense: FlowSense, slot: Slot, span: Span, utterance: Utterance) -> tuple[int, bool, int]:
    named = slots_named(utterance.folded, [slot])
    return -beside(slot, span, utterance) - bool(named), not utterance.is_filled(sense, slot), distinctness(slot)


def _change(sense: FlowSense, slot: Slot, span: Span, utterance: Utterance) -> Command:
    kind = CorrectSlot if utterance.is_filled(sense, slot) else SetSlot
    return kind(slot.name, span.value, utterance.text[span.start : span.end])


def _named_text(sense: FlowSense, utterance: Utterance) -> Iterator[Command]:
    """ "The title should be Dune", "I meant The Waves": free text behind what leads to it."""
    free = [slot for slot in sense.asked if is_free(slot) and utterance.is_filled(sense, slot)]
    named = slots_named(utterance.folded, free)
    text = text_behind_target(utterance) if named else ""
    if not text and not named and len(free) == 1 and (utterance.awaited_slot is None or insists(utterance)):
        named, text = free, _behind_cue(utterance)
    text = SENTENCE_END.split(text)[0].strip(" .!?") if text else ""
    if named and set(folded_words(text)) - FUNCTION_WORDS:
        yield CorrectSlot(named[0].name, text, text)
    else:
        yield from _in_place_of(sense, free, utterance)


def _in_place_of(sense: FlowSense, free: Sequence[Slot], utterance: Utterance) -> Iterator[Command]:
    """ "Ibuprofen instead of codeine": the text beside a value that is there and turned down."""
    for slot in free:
        shown = folded_words(utterance.shown(sense, slot) or "")
        place = next(
            (at for at in range(len(utterance.folded)) if utterance.folded[at : at + len(shown)] == shown), None
        )
        before = utterance.tokens[: place or 0]
        refused = suffix_length([token.folded for token in before], utterance.lexicon.cues.negations) if shown else 0
        text = (
            _rest(utterance.part(utterance.text[: before[-refused].start]), _polite(utterance))
            if 0 < refused < len(before)
            else ""
        )
        if text:
            yield CorrectSlot(slot.name, text, text)


def _new_object(sense: FlowSense, utterance: Utterance) -> Iterator[Command]:
    """ "The address is 7 Mill Road": an object anew, when it is named."""
    slots = [slot for slot in sense.asked if slot.type == "object" and utterance.is_filled(sense, slot)]
    named = slots_named(utterance.folded, slots)
    place = find_phrase(utterance.folded[_polite(utterance) :], utterance.lexicon.cues.targets) if named else None
    if place is not None and _polite(utterance) + place[1] < len(utterance.tokens):
        start = utterance.tokens[_polite(utterance) + place[1]].start
        value = read_object(named[0], utterance.part(utterance.text[start:]))
        if value:
            yield CorrectSlot(named[0].name, dict(value), utterance.text[start:])


def _new_place(sense: FlowSense, utterance: Utterance) -> Iterator[Command]:
    """ "And a psychiatrist in Vacaville?": another name where the flow has one place that is filled."""
    slots = [
        slot for slot in sense.asked if is_free(slot) and is_place(slot, utterance) and utterance.is_filled(sense, slot)
    ]
    name = place_named(utterance) if len(slots) == 1 and not _awaits_text(utterance) else ""
    if name and fold(name) != fold(utterance.shown(sense, slots[0]) or ""):
        yield CorrectSlot(slots[0].name, name, name)


def _awaits_text(utterance: Utterance) -> bool:
    return utterance.awaited_slot is not None and is_free(utterance.awaited_slot)


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
    name = sole_name(utterance.part(text))
    return name if name and text.endswith(name) else ""


def text_corrected(utterance: Utterance) -> str:
    """What a correction puts in place of a text, whatever it is: "I meant aspirin", "can I have aspirin instead?"."""
    if insists(utterance):
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
    return bare_text(text[: utterance.part(text).tokens[-end].start], utterance) if end else text


def _rest(utterance: Utterance, place: int) -> str:
    return (
        bare_text(utterance.text[utterance.tokens[place].start :], utterance) if place < len(utterance.tokens) else ""
    )


def read_change(utterance: Utterance) -> Command | None:
    """A filled slot to ask for again: "change the amount", "a different branch"; after "what?", its bare name."""
    cues = utterance.lexicon.cues
    if utterance.offer != "change" and find_phrase(utterance.folded, cues.another) is None:
        return None
    for sense in utterance.senses():
        filled = [slot for slot in sense.asked if utterance.is_filled(sense, slot)]
        named = slots_named(utterance.folded, filled)
        if named and _says_only_names(named, cues.another | cues.changes, utterance):
            return ClearSlot(named[0].name)
    return None


def _says_only_names(named: Sequence[Slot], around: frozenset[Phrase], utterance: Utterance) -> bool:
    own = frozenset().union(*(slot_words(slot) for slot in named), *around, small_words(utterance.lexicon))
    return all(word in own or any(fuzzy_equal(word, each) for each in own) for word in utterance.folded)
