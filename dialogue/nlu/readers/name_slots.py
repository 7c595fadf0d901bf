"""Names for the free text slots of a flow, by the words before them: "to" a person, "from" a place, "called" so."""

from collections.abc import Iterator, Mapping, Sequence, Set

from dialogue.engine.ports.commands import Command, CorrectSlot, SetSlot
from dialogue.engine.slots.models import Slot
from dialogue.nlu.readers.corrections import has_correction_cue
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowIndex, is_free_text
from dialogue.nlu.slots.extraction import slot_words, strong_values
from dialogue.nlu.slots.names import find_names
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.tokens import fold, folded_words

MOST_BETWEEN = 2


def read_names(flow_index: FlowIndex, utterance: Utterance, *, sole: bool = False) -> Iterator[Command]:
    """A command for every slot that one name, and no other slot, is for; the value it has already is none.

    With `sole`, one name that no word leads to is for the one slot that is left.
    """
    free = [slot for slot in flow_index.slots if is_free_text(slot)]
    formed = [slot for slot in flow_index.slots if not is_free_text(slot)]
    typed = [span for spans in strong_values(formed, utterance).values() for span in spans]
    for slot, text in _assigned(
        flow_index, free, list(_names(utterance, typed)), utterance, sole=sole or has_correction_cue(utterance)
    ).items():
        known = flow_index.slot(slot)
        shown = utterance.filled_text(flow_index, known) if known else None
        if shown is None:
            yield SetSlot(slot, text, text)
        elif fold(shown) != fold(text):
            yield CorrectSlot(slot, text, text)


def _names(utterance: Utterance, typed: Sequence[Span]) -> Iterator[range]:
    """Names that are no values of another kind; behind "called" also what is written small."""
    for name in find_names(utterance):
        start, end = utterance.tokens[name.start].start, utterance.tokens[name.stop - 1].end
        if not any(span.start < end and start < span.end for span in typed):
            yield name
    for place, word in enumerate(utterance.folded[:-1]):
        small = utterance.tokens[place + 1].text[:1].islower() and utterance.folded[place + 1] not in FUNCTION_WORDS
        if word in utterance.lexicon.cues.naming_words and small:
            yield range(place + 1, _end_of_clause(utterance, place + 1))


def _end_of_clause(utterance: Utterance, start: int) -> int:
    cues = utterance.lexicon.cues
    for place in range(start + 1, len(utterance.tokens)):
        between = utterance.text[utterance.tokens[place - 1].end : utterance.tokens[place].start]
        if between.strip() or utterance.folded[place] in cues.joining_words | cues.adding_words:
            return place
    return len(utterance.tokens)


def _had(flow_index: FlowIndex, slots: list[Slot], utterance: Utterance) -> list[Slot]:
    """Of several those that have a value, which this one may replace."""
    filled = [slot for slot in slots if utterance.is_filled(flow_index, slot)]
    return filled if len(slots) > 1 and filled else slots


def _assigned(
    flow_index: FlowIndex, free: Sequence[Slot], names: Sequence[range], utterance: Utterance, *, sole: bool
) -> Mapping[str, str]:
    given: dict[str, str] = {}
    left: list[str] = []
    for name in sorted(names, key=lambda name: _before(name, utterance) not in utterance.lexicon.cues.directions):
        text = utterance.text[utterance.tokens[name.start].start : utterance.tokens[name.stop - 1].end]
        fitting = _had(
            flow_index, [slot for slot in _fitting(free, name, utterance) if slot.name not in given], utterance
        )
        if len(fitting) == 1:
            given[fitting[0].name] = text
        else:
            left.append(text)
    open_slots = [slot for slot in free if slot.name not in given]
    plain = [slot for slot in open_slots if not _is_place(slot, utterance)] or open_slots
    if len(left) == len(plain) == 1 and sole:
        given[plain[0].name] = left[0]
    return given


def _fitting(free: Sequence[Slot], name: range, utterance: Utterance) -> list[Slot]:
    """The slots that the words before the name are for."""
    cues, before = utterance.lexicon.cues, _before(name, utterance)
    if before in cues.naming_words:
        return _about(free, cues.naming_words)
    places = [slot for slot in free if _is_place(slot, utterance)]
    persons = _about(free, cues.persons_named)
    if before in cues.directions:
        directed = _about(places, cues.directions[before])
        if directed and len(places) > 1:
            return directed
    if before in cues.place_prepositions and places:
        return places
    return persons if before in cues.companions else []


def _before(name: range, utterance: Utterance) -> str:
    """The word that leads to the name, articles aside."""
    place = name.start - 1
    while (
        place >= max(name.start - 1 - MOST_BETWEEN, 0) and utterance.folded[place] in utterance.lexicon.cues.determiners
    ):
        place -= 1
    return utterance.folded[place] if place >= 0 else ""


def _is_place(slot: Slot, utterance: Utterance) -> bool:
    return not utterance.lexicon.cues.place_words.isdisjoint(slot_words(slot, small=True))


def _about(slots: Sequence[Slot], wanted: Set[str]) -> list[Slot]:
    """The slots with one of these words in their names; else in what they are."""
    named = [slot for slot in slots if not wanted.isdisjoint(folded_words(slot.name.replace("_", " ")))]
    return named or [slot for slot in slots if not wanted.isdisjoint(slot_words(slot, small=True))]
