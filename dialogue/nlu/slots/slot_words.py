"""The words that speak of a slot: those of its name, title and description, and how many stand beside a value."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS
from dialogue.nlu.slots.people_counts import counts_people, is_people_slot
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import prefix_length
from dialogue.nlu.text.tokens import folded_words, fuzzy_in

NEIGHBOUR_WORDS = 2
PUNCTUATION = re.compile("[,;.:!?]")


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
