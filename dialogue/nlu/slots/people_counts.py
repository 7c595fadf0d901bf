"""Numbers of people: "for 4", "five of us", "we are 6" are the value of the slot that counts people, and no hour."""

from collections.abc import Sequence
from functools import lru_cache

from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.lexicons.lexicon import Lexicon
from dialogue.nlu.text.phrases import suffix_length
from dialogue.nlu.text.tokens import Token, folded_words

AGE_WORDS = frozenset({"age", "old", "edad"})
OF_US = (("of", "us"), ("de", "nosotros"), ("de", "nosotras"))


def counts_people(span: Span, utterance: Utterance) -> bool:
    """Return whether the words around a number say that it counts people."""
    inside = [index for index, token in enumerate(utterance.tokens) if span.start <= token.start < span.end]
    if not inside:
        return False
    first, last = inside[0], inside[-1]
    behind = tuple(utterance.folded[last + 1 : last + 3])
    cues = utterance.lexicon.cues
    if behind in OF_US or (behind and behind[0] in cues.people_nouns):
        return True
    return bool(suffix_length(utterance.folded[:first], cues.people_leads)) and not counts_a_thing(last, utterance)


def is_people_slot(slot: Slot, utterance: Utterance) -> bool:
    """Return whether the slot holds a number of people, by what it is called and asked."""
    if slot.type != "integer":
        return False
    words = _words_about(" ".join(str(text) for text in (slot.name, slot.title, slot.description, slot.prompt) if text))
    return not words.isdisjoint(utterance.lexicon.cues.people_nouns) and words.isdisjoint(AGE_WORDS)


def is_of_other_slot(slot: Slot, span: Span, slots: Sequence[Slot], utterance: Utterance) -> bool:
    """Return whether the number counts people, for another slot than this one."""
    return (
        not is_people_slot(slot, utterance)
        and any(is_people_slot(other, utterance) for other in slots)
        and counts_people(span, utterance)
    )


def counts_a_thing(last: int, utterance: Utterance) -> bool:
    """Return whether right behind the number, at this word, stands what is counted: "for 3 nights"."""
    tokens = utterance.tokens
    if last + 1 == len(tokens) or utterance.text[tokens[last].end : tokens[last + 1].start].strip():
        return False
    return not _is_small(tokens[last + 1], utterance.lexicon)


def _is_small(token: Token, lexicon: Lexicon) -> bool:
    calendar = lexicon.calendar
    fillers = {word for phrase in lexicon.acts.fillers for word in phrase}
    return (
        token.folded in FUNCTION_WORDS | fillers or token.folded in calendar.days or token.folded in calendar.weekdays
    )


@lru_cache(maxsize=1024)
def _words_about(text: str) -> frozenset[str]:
    return frozenset(folded_words(text.replace("_", " ")))
