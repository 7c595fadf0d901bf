"""Where something goes from and to: "from Chester to Derby", where a flow asks for both places as text."""

from collections.abc import Mapping, Sequence, Set

from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, is_free_text
from dialogue.nlu.slots.slot_words import PUNCTUATION
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.tokens import folded_words

MAX_PLACE_WORDS = 6


def route_spans(slots: Sequence[Slot], utterance: Utterance, taken: Sequence[Span]) -> Mapping[str, Span]:
    """Return where both places stand by slot name, or nothing; `taken` are the values of other slots."""
    cues = utterance.lexicon.cues
    origin, destination = _slot_named(slots, cues.origin_words), _slot_named(slots, cues.destination_words)
    if not origin or not destination or origin == destination:
        return {}
    leads = [index for index, word in enumerate(utterance.folded) if word in cues.origin_leads]
    for lead in leads:
        middle = _place_of_destination(lead, utterance)
        first = _span(lead + 1, middle, utterance)
        second = _span(middle + 1, _end_of_place(middle + 1, utterance, taken), utterance)
        if first and second and not any(map(first.overlaps, taken)) and not any(map(second.overlaps, taken)):
            return {origin: first, destination: second}
    return {}


def _slot_named(slots: Sequence[Slot], words: Set[str]) -> str:
    """Return the only slot of free text whose name has one of the words; "" if there is none, or more."""
    names = [slot.name for slot in slots if is_free_text(slot)]
    found = [name for name in names if not words.isdisjoint(folded_words(name.replace("_", " ")))]
    return found[0] if len(found) == 1 else ""


def _place_of_destination(lead: int, utterance: Utterance) -> int:
    """Return the index of the "to" a few words behind the "from"; of the last token without one."""
    last = len(utterance.tokens) - 1
    near = range(lead + 2, min(lead + MAX_PLACE_WORDS + 2, last))
    leads = utterance.lexicon.cues.destination_leads
    return next((index for index in near if utterance.folded[index] in leads), last)


def _end_of_place(start: int, utterance: Utterance, taken: Sequence[Span]) -> int:
    """Return the index behind the last word of the place: a mark, a small word or another value ends it."""
    tokens, index = utterance.tokens, start
    while index < min(start + MAX_PLACE_WORDS, len(tokens)):
        is_marked = index > start and PUNCTUATION.search(utterance.text[tokens[index - 1].end : tokens[index].start])
        is_small = index > start and tokens[index].folded in FUNCTION_WORDS
        is_taken = any(span.start <= tokens[index].start < span.end for span in taken)
        if is_marked or is_small or is_taken:
            break
        index += 1
    return index


def _span(start: int, end: int, utterance: Utterance) -> Span | None:
    """Return the words from `start` to `end`; None without any but small ones."""
    words = utterance.folded[start:end]
    if FUNCTION_WORDS.issuperset(words):
        return None
    return Span(utterance.tokens[start].start, utterance.tokens[end - 1].end, None)
