"""Names for the free text slots of a flow, by the words before them: "to" a person, "from" a place, "called"."""

from collections.abc import Iterator, Mapping, Sequence, Set

from dialogue.engine.ports.commands import Command, CorrectSlot, SetSlot
from dialogue.engine.slots.models import Slot
from dialogue.nlu.readers.corrections import has_correction_cue
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowIndex, is_free_text
from dialogue.nlu.slots.name_ranges import find_names
from dialogue.nlu.slots.slot_words import slot_words
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.strong_values import strong_values
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.tokens import fold, folded_words

MAX_DETERMINERS = 2


def read_name_slots(flow_index: FlowIndex, utterance: Utterance, *, sole: bool = False) -> Iterator[Command]:
    """Yield a command for each slot that one name, and no other slot, is for, unless it has that value already.

    With `sole`, a name without a leading word is for the one slot that is left.
    """
    free_slots = [slot for slot in flow_index.slots if is_free_text(slot)]
    formed_slots = [slot for slot in flow_index.slots if not is_free_text(slot)]
    typed = [span for spans in strong_values(formed_slots, utterance).values() for span in spans]
    for slot, text in _assign_names(
        flow_index,
        free_slots,
        list(_find_name_ranges(utterance, typed)),
        utterance,
        sole=sole or has_correction_cue(utterance),
    ).items():
        slot_found = flow_index.slot(slot)
        filled_text = utterance.filled_text(flow_index, slot_found) if slot_found else None
        if filled_text is None:
            yield SetSlot(slot, text, text)
        elif fold(filled_text) != fold(text):
            yield CorrectSlot(slot, text, text)


def _find_name_ranges(utterance: Utterance, typed: Sequence[Span]) -> Iterator[range]:
    """Yield names that are not values of another type; behind "called" also what is in small letters."""
    for name in find_names(utterance):
        start, end = utterance.tokens[name.start].start, utterance.tokens[name.stop - 1].end
        if not any(span.start < end and start < span.end for span in typed):
            yield name
    for index, word in enumerate(utterance.folded[:-1]):
        small = utterance.tokens[index + 1].text[:1].islower() and utterance.folded[index + 1] not in FUNCTION_WORDS
        if word in utterance.lexicon.cues.naming_words and small:
            yield range(index + 1, _end_of_clause(utterance, index + 1))


def _end_of_clause(utterance: Utterance, start: int) -> int:
    cues = utterance.lexicon.cues
    for index in range(start + 1, len(utterance.tokens)):
        between = utterance.text[utterance.tokens[index - 1].end : utterance.tokens[index].start]
        if between.strip() or utterance.folded[index] in cues.joining_words | cues.adding_words:
            return index
    return len(utterance.tokens)


def _assign_names(
    flow_index: FlowIndex, free_slots: Sequence[Slot], names: Sequence[range], utterance: Utterance, *, sole: bool
) -> Mapping[str, str]:
    texts_by_slot: dict[str, str] = {}
    unassigned_texts: list[str] = []
    for name in sorted(names, key=lambda name: _word_before(name, utterance) not in utterance.lexicon.cues.directions):
        text = utterance.text[utterance.tokens[name.start].start : utterance.tokens[name.stop - 1].end]
        slots = [slot for slot in _slots_for_name(free_slots, name, utterance) if slot.name not in texts_by_slot]
        # Of several slots, a name replaces the value of one that is filled rather than fill another.
        filled = [slot for slot in slots if utterance.is_filled(flow_index, slot)]
        fitting = filled if len(slots) > 1 and filled else slots
        if len(fitting) == 1:
            texts_by_slot[fitting[0].name] = text
        else:
            unassigned_texts.append(text)
    open_slots = [slot for slot in free_slots if slot.name not in texts_by_slot]
    remaining_slots = [slot for slot in open_slots if not _is_place(slot, utterance)] or open_slots
    if len(unassigned_texts) == len(remaining_slots) == 1 and sole:
        texts_by_slot[remaining_slots[0].name] = unassigned_texts[0]
    return texts_by_slot


def _slots_for_name(free_slots: Sequence[Slot], name: range, utterance: Utterance) -> list[Slot]:
    """The slots that the words before the name are for."""
    cues, before = utterance.lexicon.cues, _word_before(name, utterance)
    if before in cues.naming_words:
        return _slots_about(free_slots, cues.naming_words)
    places = [slot for slot in free_slots if _is_place(slot, utterance)]
    persons = _slots_about(free_slots, cues.persons_named)
    if before in cues.directions:
        directed = _slots_about(places, cues.directions[before])
        if directed and len(places) > 1:
            return directed
    if before in cues.place_prepositions and places:
        return places
    return persons if before in cues.companions else []


def _word_before(name: range, utterance: Utterance) -> str:
    """The word that leads to the name, articles aside."""
    index = name.start - 1
    while (
        index >= max(name.start - 1 - MAX_DETERMINERS, 0)
        and utterance.folded[index] in utterance.lexicon.cues.determiners
    ):
        index -= 1
    return utterance.folded[index] if index >= 0 else ""


def _is_place(slot: Slot, utterance: Utterance) -> bool:
    return not utterance.lexicon.cues.place_words.isdisjoint(slot_words(slot, small=True))


def _slots_about(slots: Sequence[Slot], cue_words: Set[str]) -> list[Slot]:
    """Return the slots with one of these words in their names, else in their descriptions."""
    named_slots = [slot for slot in slots if not cue_words.isdisjoint(folded_words(slot.name.replace("_", " ")))]
    return named_slots or [slot for slot in slots if not cue_words.isdisjoint(slot_words(slot, small=True))]
