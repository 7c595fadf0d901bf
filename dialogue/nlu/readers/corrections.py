"""Changes of what was said: "make it 9000", "not Riverside, Central", "the title should be Dune", "another branch"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dialogue.engine.ports.commands import ClearSlot, Command, CorrectSlot, SetSlot
from dialogue.engine.slots.models import Slot
from dialogue.nlu.readers.whole_answers import question_words, small_words
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowSense, is_free
from dialogue.nlu.slots.extraction import bare_text, beside, slot_words, strong_values, turned_down
from dialogue.nlu.slots.finders import distinctness, half_moment, values_apart
from dialogue.nlu.slots.names import is_place, place_named, sole_name
from dialogue.nlu.slots.objects import read_object
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.lexicons.lexicon import Phrase
from dialogue.nlu.text.phrases import ends_with, find_phrase, starts_with
from dialogue.nlu.text.tokens import fold, near, words

SENTENCE_END = re.compile(r"[.;!?\n]\s+")
MOST_SENTENCES = 5


@dataclass(frozen=True)
class Correction:
    """`explicit` when the message says that something is to be other than it was, or names the slot (`named`)."""

    commands: tuple[Command, ...]
    explicit: bool
    named: bool


def read_correction(said: Utterance) -> Correction | None:
    """New values for filled slots, and for the awaited one, of the topmost flow that they fit."""
    found = [correction for sense in said.senses() if (correction := _correction(sense, said))]
    return next((each for each in found if each.named), next(iter(found), None))


def read_change_of(sense: FlowSense, said: Utterance) -> tuple[Command, ...]:
    """New values with a form for what the flow has, and values for what it has not, without any cue."""
    changed = tuple(_changes(sense, said))
    return tuple(command for command in changed if not _is_unnamed_number(command, sense, said))


def _is_unnamed_number(command: Command, sense: FlowSense, said: Utterance) -> bool:
    """A bare number changes nothing where nobody asks and no word says what it counts."""
    slot = sense.slot(getattr(command, "slot", ""))
    counts = slot is not None and slot.type in ("integer", "number")
    return counts and not cued(said) and not names_slot([command], sense, said)


def _correction(sense: FlowSense, said: Utterance) -> Correction | None:
    commands = tuple(_new_object(sense, said)) or (*_changes(sense, said), *_new_place(sense, said))
    commands = commands or tuple(_named_text(sense, said))
    named = names_slot(commands, sense, said)
    explicit = named or cued(said) or refuses(sense, said)
    return Correction(commands, explicit, named) if commands else None


def cued(said: Utterance) -> bool:
    """Does the message begin, end or go on like a correction?"""
    cues = said.lexicon.cues
    plain = (cues.plain_corrections, cues.plain_negations)
    known = plain if said.awaited_slot is not None else (cues.corrections, cues.negations)
    begins = any(starts_with(folded, *known) for folded in _beginnings(said))
    return begins or ends_with(said.folded, said.lexicon.closers) > 0


def _beginnings(said: Utterance) -> Iterator[Sequence[str]]:
    """Of the message and of each further sentence, with and without politeness before it."""
    for sentence in (said, *map(said.part, SENTENCE_END.split(said.text)[1:MOST_SENTENCES])):
        yield sentence.folded
        yield sentence.folded[_polite(sentence) :]


def insists(said: Utterance) -> bool:
    """Does the message begin like a correction where a value is asked for? "It is" and "I want" answer then."""
    cues = said.lexicon.cues
    beginnings = (said.folded, said.folded[_polite(said) :])
    return any(starts_with(folded, cues.plain_corrections) for folded in beginnings)


def speaks_of_awaited(said: Utterance) -> bool:
    """Does the message hold words of the question, to which any text would be an answer?"""
    slot = said.awaited_slot
    if slot is None or not is_free(slot):
        return False
    asked = question_words(slot, said) - FUNCTION_WORDS
    return any(near(word, own) for word in said.folded for own in asked)


def refuses(sense: FlowSense, said: Utterance) -> bool:
    """Is a value turned down: "Hillcrest, not Riverside"?"""
    spans = (span for spans in values_apart(sense.asked, said).values() for span in spans)
    return any(turned_down(span, said) for span in spans)


def _polite(said: Utterance) -> int:
    acts = said.lexicon.acts
    place = 0
    while length := starts_with(said.folded[place:], acts.openers, acts.fillers):
        place += length
    return place


def names_slot(commands: Sequence[Command], sense: FlowSense, said: Utterance) -> bool:
    named = {slot.name for slot in slots_named(said.folded, sense.asked)}
    return any(getattr(command, "slot", None) in named for command in commands)


def slots_named(folded: Sequence[str], slots: Sequence[Slot]) -> list[Slot]:
    """The slots that the words speak of, those named by their own name first."""
    scored = [(_naming(folded, slot), slot) for slot in slots]
    return [slot for score, slot in sorted(scored, key=lambda pair: -pair[0]) if score]


def _naming(folded: Sequence[str], slot: Slot) -> int:
    own, other = set(words(slot.name.replace("_", " "))), slot_words(slot)
    by_name = sum(any(near(word, each) for each in own) for word in folded)
    return 2 * by_name + sum(any(near(word, each) for each in other - own) for word in folded)


def _changes(sense: FlowSense, said: Utterance) -> Iterator[Command]:
    slots = [slot for slot in sense.asked if not is_free(slot) and _may_change(sense, slot, said)]
    taken: list[Span] = []
    for slot, span in sorted(_new_values(sense, slots, said), key=lambda pair: _rank(sense, pair[0], pair[1], said)):
        if not any(map(span.overlaps, taken)) and slot in slots:
            slots.remove(slot)
            taken.append(span)
            yield _change(sense, slot, span, said)


def _may_change(sense: FlowSense, slot: Slot, said: Utterance) -> bool:
    awaited = said.awaited_slot
    return said.is_filled(sense, slot) or (awaited is not None and awaited.name == slot.name and sense is said.top)


def _new_values(sense: FlowSense, slots: Sequence[Slot], said: Utterance) -> Iterator[tuple[Slot, Span]]:
    """Per slot the last value that is neither turned down ("not Riverside") nor the one it has."""
    for name, wanted in {**strong_values(slots, said), **_half_moments(sense, slots, said)}.items():
        slot = next(slot for slot in slots if slot.name == name)
        new = [span for span in wanted if not _is_shown(sense, slot, span, said)]
        if wanted and (said.is_filled(sense, slot) or len({str(span.value) for span in wanted}) == 1):
            yield slot, (new or wanted)[-1]


def _half_moments(sense: FlowSense, slots: Sequence[Slot], said: Utterance) -> dict[str, list[Span]]:
    """ "At 12 instead": of a date and time only the one half is new."""
    moments = [slot for slot in slots if slot.type == "datetime" and said.is_filled(sense, slot)]
    halves = {slot.name: half_moment(slot, said.shown(sense, slot) or "", said) for slot in moments}
    return {name: [span] for name, span in halves.items() if span is not None}


def _is_shown(sense: FlowSense, slot: Slot, span: Span, said: Utterance) -> bool:
    option = slot.option(span.value)
    shown = words(said.shown(sense, slot) or "")
    return shown in (words(str(span.value)), words(option.label if option else ""))


def _rank(sense: FlowSense, slot: Slot, span: Span, said: Utterance) -> tuple[int, bool, int]:
    named = slots_named(said.folded, [slot])
    return -beside(slot, span, said) - bool(named), not said.is_filled(sense, slot), distinctness(slot)


def _change(sense: FlowSense, slot: Slot, span: Span, said: Utterance) -> Command:
    kind = CorrectSlot if said.is_filled(sense, slot) else SetSlot
    return kind(slot.name, span.value, said.text[span.start : span.end])


def _named_text(sense: FlowSense, said: Utterance) -> Iterator[Command]:
    """ "The title should be Dune", "I meant The Waves": free text behind what leads to it."""
    free = [slot for slot in sense.asked if is_free(slot) and said.is_filled(sense, slot)]
    named = slots_named(said.folded, free)
    text = text_behind_target(said) if named else ""
    if not text and not named and len(free) == 1 and (said.awaited_slot is None or insists(said)):
        named, text = free, _behind_cue(said)
    text = SENTENCE_END.split(text)[0].strip(" .!?") if text else ""
    if named and set(words(text)) - FUNCTION_WORDS:
        yield CorrectSlot(named[0].name, text, text)
    else:
        yield from _in_place_of(sense, free, said)


def _in_place_of(sense: FlowSense, free: Sequence[Slot], said: Utterance) -> Iterator[Command]:
    """ "Ibuprofen instead of codeine": the text beside a value that is there and turned down."""
    for slot in free:
        shown = words(said.shown(sense, slot) or "")
        place = next((at for at in range(len(said.folded)) if said.folded[at : at + len(shown)] == shown), None)
        before = said.tokens[: place or 0]
        refused = ends_with([token.folded for token in before], said.lexicon.cues.negations) if shown else 0
        text = _rest(said.part(said.text[: before[-refused].start]), _polite(said)) if 0 < refused < len(before) else ""
        if text:
            yield CorrectSlot(slot.name, text, text)


def _new_object(sense: FlowSense, said: Utterance) -> Iterator[Command]:
    """ "The address is 7 Mill Road": an object anew, when it is named."""
    slots = [slot for slot in sense.asked if slot.type == "object" and said.is_filled(sense, slot)]
    named = slots_named(said.folded, slots)
    place = find_phrase(said.folded[_polite(said) :], said.lexicon.cues.targets) if named else None
    if place is not None and _polite(said) + place[1] < len(said.tokens):
        start = said.tokens[_polite(said) + place[1]].start
        value = read_object(named[0], said.part(said.text[start:]))
        if value:
            yield CorrectSlot(named[0].name, dict(value), said.text[start:])


def _new_place(sense: FlowSense, said: Utterance) -> Iterator[Command]:
    """ "And a psychiatrist in Vacaville?": another name where the flow has one place that is filled."""
    slots = [slot for slot in sense.asked if is_free(slot) and is_place(slot, said) and said.is_filled(sense, slot)]
    name = place_named(said) if len(slots) == 1 and not _awaits_text(said) else ""
    if name and fold(name) != fold(said.shown(sense, slots[0]) or ""):
        yield CorrectSlot(slots[0].name, name, name)


def _awaits_text(said: Utterance) -> bool:
    return said.awaited_slot is not None and is_free(said.awaited_slot)


def text_behind_target(said: Utterance) -> str:
    """Of "the title should be Dune" the last word."""
    polite = _polite(said)
    place = find_phrase(said.folded[polite:], said.lexicon.cues.targets)
    return _rest(said, polite + place[1]) if place else ""


def _behind_cue(said: Utterance) -> str:
    """Only a name or a quotation, so that "make it quick" changes no title; also at the end of "it goes to …"."""
    length = _polite(said)
    while more := starts_with(said.folded[length:], said.lexicon.cues.corrections):
        length += more
    text = _rest(said, length) if length else ""
    if not text or text[:1].isupper():
        return text
    name = sole_name(said.part(text))
    return name if name and text.endswith(name) else ""


def text_corrected(said: Utterance) -> str:
    """What a correction puts in place of a text, whatever it is: "I meant aspirin", "can I have aspirin instead?"."""
    if insists(said):
        start = _polite(said)
        while more := starts_with(said.folded[start:], said.lexicon.cues.plain_corrections):
            start += more
    elif ends_with(said.folded, said.lexicon.closers):
        start = _polite(said)
        while start < len(said.folded) and said.folded[start] in FUNCTION_WORDS:
            start += 1
    else:
        return ""
    text = _rest(said, start).strip(" .!?")
    end = ends_with(words(text), said.lexicon.closers)
    return bare_text(text[: said.part(text).tokens[-end].start], said) if end else text


def _rest(said: Utterance, place: int) -> str:
    return bare_text(said.text[said.tokens[place].start :], said) if place < len(said.tokens) else ""


def read_change(said: Utterance) -> Command | None:
    """A filled slot to ask for again: "change the amount", "a different branch"; after "what?", its bare name."""
    cues = said.lexicon.cues
    if said.offer != "change" and find_phrase(said.folded, cues.another) is None:
        return None
    for sense in said.senses():
        filled = [slot for slot in sense.asked if said.is_filled(sense, slot)]
        named = slots_named(said.folded, filled)
        if named and _says_only_names(named, cues.another | cues.changes, said):
            return ClearSlot(named[0].name)
    return None


def _says_only_names(named: Sequence[Slot], around: frozenset[Phrase], said: Utterance) -> bool:
    own = frozenset().union(*(slot_words(slot) for slot in named), *around, small_words(said.lexicon))
    return all(word in own or any(near(word, each) for each in own) for word in said.folded)
