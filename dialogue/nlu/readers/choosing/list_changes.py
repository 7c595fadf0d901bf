"""Filled lists of texts, numbers and dates that are changed in words: "also a bottle", "not the boots after all"."""

from collections.abc import Iterator, Sequence

from dialogue.engine.ports.commands import AddValues, Command, RemoveValues
from dialogue.engine.slots.candidates import Candidate
from dialogue.engine.slots.matching.description import find_phrases
from dialogue.engine.slots.matching.languages import vocabulary_of
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.option_matching import match_several
from dialogue.nlu.readers.objects_and_lists import read_list
from dialogue.nlu.readers.proposal import CUED_CONFIDENCE, Proposal
from dialogue.nlu.slots.assistant_index import FlowIndex, is_free_text
from dialogue.nlu.slots.choices import choice_candidates
from dialogue.nlu.slots.extractors import find_values
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.lexicons.lexicon import Phrase

DISPLAYED_SEPARATOR = ", "
# The cue stands at the beginning, behind a few small words, or at the end: "oh, and also the mug", "the mug too".
MAX_WORDS_BEFORE_CUE = 3
EDGE_MARKS = " ,;.!"


def read_changed_list(utterance: Utterance) -> Proposal | None:
    """More or fewer values for a filled list whose values are not options."""
    if utterance.is_question or (utterance.awaited_slot is not None and is_free_text(utterance.awaited_slot)):
        return None
    for flow_index in utterance.open_flows():
        # A number is first looked for in lists of numbers: any text is one, too.
        for slot in sorted(flow_index.slots, key=lambda slot: slot.items is None or is_free_text(slot.items)):
            commands = tuple(_changes_of(slot, flow_index, utterance))
            if commands:
                return Proposal(commands, CUED_CONFIDENCE)
    return None


def _changes_of(slot: Slot, flow_index: FlowIndex, utterance: Utterance) -> Iterator[Command]:
    is_asked = utterance.awaited_slot is not None and utterance.awaited_slot.name == slot.name
    shown = utterance.filled_text(flow_index, slot)
    if slot.type != "list" or slot.items is None or shown is None or is_asked or choice_candidates(slot, utterance):
        return
    if slot.items.type == "object":
        return
    vocabulary = vocabulary_of(utterance.context.language)
    added = _text_behind(utterance, vocabulary.additions - vocabulary.removals, vocabulary.ignored)
    if added:
        values = read_list(slot, utterance.with_text(added))
        if values:
            yield AddValues(slot.name, tuple(values), added)
            return
    removed = _removed_values(slot, shown, utterance)
    if removed:
        yield RemoveValues(slot.name, removed, utterance.text)


def _text_behind(utterance: Utterance, phrases: frozenset[Phrase], ignored: frozenset[str]) -> str:
    """Return what follows the cue at the beginning, or stands before the cue at the end; "" without a cue."""
    if (
        utterance.folded[:1]
        and utterance.folded[0] in utterance.lexicon.cues.joining_words
        and len(utterance.tokens) > 1
    ):
        return utterance.text[utterance.tokens[1].start :].strip(EDGE_MARKS)
    for start, end in find_phrases(utterance.folded, phrases):
        tokens = utterance.tokens
        if end == len(tokens) and start:
            return utterance.text[: tokens[start].start].strip(EDGE_MARKS)
        if start <= MAX_WORDS_BEFORE_CUE and end < len(tokens) and ignored.issuperset(utterance.folded[:start]):
            return utterance.text[tokens[end].start :].strip(EDGE_MARKS)
    return ""


def _removed_values(slot: Slot, shown: str, utterance: Utterance) -> tuple[object, ...]:
    """Return the values of the list that the message takes out."""
    held = [text for text in shown.split(DISPLAYED_SEPARATOR) if text]
    entries = tuple(Candidate(key=text, value=text, label=text) for text in dict.fromkeys(held))
    selection = match_several(utterance.text, entries, utterance.context.language, current=held)
    is_removed = selection.operation in ("remove", "change", "clear") and bool(selection.removed)
    if slot.items is None or not is_removed:
        return ()
    if is_free_text(slot.items):
        return tuple(candidate.key for candidate in selection.removed)
    return _typed_values(slot.items, utterance)


def _typed_values(items: Slot, utterance: Utterance) -> tuple[object, ...]:
    spans: Sequence[object] = [span.value for span in find_values(items, utterance) if not span.weak]
    return tuple(spans)
