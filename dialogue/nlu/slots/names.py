"""Names inside sentences: "I am looking for a hotel in London, UK" answers "which city?" with the end of it.

An answer that does not begin as a sentence is the value as it stands ("In Cold Blood").
"""

from collections.abc import Sequence

from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.bare_text import bare_text
from dialogue.nlu.slots.name_ranges import find_names
from dialogue.nlu.slots.slot_words import slot_words
from dialogue.nlu.slots.utterance import Utterance


def name_in_sentence(slot: Slot, utterance: Utterance) -> str:
    """Return the name that the sentence gives for the slot; "" without a sentence or without one name."""
    cues = utterance.lexicon.cues
    if len(utterance.tokens) < 2:
        return ""
    names, asks_for_place = list(find_names(utterance)), is_place_slot(slot, utterance)
    if not (utterance.folded[0] in cues.sentence_starters or (asks_for_place and _leads_somewhere(names, utterance))):
        return ""
    if names:
        return _name_text(utterance, _likeliest_name(names, utterance))
    return _text_behind_preposition(utterance) if asks_for_place else ""


def sole_place_name(utterance: Utterance) -> str:
    """Return the one name that a word such as "in" leads to, or ""."""
    led = [
        name
        for name in find_names(utterance)
        if utterance.folded[name.start - 1] in utterance.lexicon.cues.place_prepositions
    ]
    return _name_text(utterance, led[0]) if len(led) == 1 else ""


def sole_name(utterance: Utterance) -> str:
    """Return the one name in the message, or ""."""
    names = list(find_names(utterance))
    return _name_text(utterance, names[0]) if len(names) == 1 else ""


def _leads_somewhere(names: Sequence[range], utterance: Utterance) -> bool:
    return any(utterance.folded[name.start - 1] in utterance.lexicon.cues.place_prepositions for name in names)


def is_place_slot(slot: Slot, utterance: Utterance) -> bool:
    """Return whether the slot's name or description says that it holds a place."""
    return bool(slot_words(slot) & utterance.lexicon.cues.place_words)


def _likeliest_name(names: Sequence[range], utterance: Utterance) -> range:
    """The last that a word leads to, else the longest of the last ones."""
    led = [name for name in names if utterance.folded[name.start - 1] in utterance.lexicon.cues.place_prepositions]
    return led[-1] if led else max(reversed(list(names)), key=len)


def _name_text(utterance: Utterance, name: range) -> str:
    return utterance.text[utterance.tokens[name.start].start : utterance.tokens[name.stop - 1].end]


def _text_behind_preposition(utterance: Utterance) -> str:
    """ "find me one in santa clara": what follows the last word that leads to a place."""
    places = [index for index, word in enumerate(utterance.folded) if word in utterance.lexicon.cues.place_prepositions]
    if not places or places[-1] + 1 >= len(utterance.tokens):
        return ""
    return bare_text(utterance.text[utterance.tokens[places[-1] + 1].start :], utterance)
