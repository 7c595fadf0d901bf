"""Names inside sentences: "I am looking for a hotel in London, UK" answers "which city?" with the end of it.

An answer that does not begin as a sentence is the value as it stands ("In Cold Blood").
"""

from collections.abc import Iterator, Sequence

from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.extraction import bare_text, slot_words
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.tokens import MAX_NAME_PARTICLES, NAME_PARTICLES, Token

NAME_SEPARATORS = frozenset({" ", "-", "'", "’", ". ", " & ", ", "})
# "St. Ives" is one name; a longer word before a full stop ends a sentence.
MAX_ABBREVIATION_LETTERS = 3
SENTENCE_MARKS = ".!?"


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


def find_names(utterance: Utterance) -> Iterator[range]:
    """Yield runs of capitals as ranges of tokens, without a capital that only begins the sentence."""
    index = 1
    while index < len(utterance.tokens):
        end = _end_of_name(utterance, index)
        if end > index:
            yield range(index, end)
        index = max(end, index + 1)


def _end_of_name(utterance: Utterance, start: int) -> int:
    """Return the index behind the last word of the name that begins here; `start` without a name."""
    if not _is_start_of_name(utterance, start):
        return start
    end = start + 1
    while (following := _next_of_name(utterance, end)) is not None:
        end = following + 1
    return end


def _is_start_of_name(utterance: Utterance, index: int) -> bool:
    token, before = utterance.tokens[index], utterance.text[: utterance.tokens[index].start].rstrip()
    number = (
        token.text.isdigit()
        and index + 1 < len(utterance.tokens)
        and _is_capital(utterance.tokens[index + 1], utterance)
    )
    return (number or _is_capital(token, utterance)) and before[-1:] not in SENTENCE_MARKS


def _is_capital(token: Token, utterance: Utterance) -> bool:
    return token.text[:1].isupper() and token.folded not in utterance.lexicon.cues.sentence_starters


def _next_of_name(utterance: Utterance, index: int) -> int | None:
    """The next word that belongs to the same name: behind a hyphen, or a capital behind at most two small words."""
    if (
        index < len(utterance.tokens)
        and utterance.text[utterance.tokens[index - 1].end : utterance.tokens[index].start] == "-"
    ):
        return index
    for ahead in range(index, min(index + MAX_NAME_PARTICLES + 1, len(utterance.tokens))):
        between = utterance.text[utterance.tokens[ahead - 1].end : utterance.tokens[ahead].start]
        if between not in NAME_SEPARATORS or (
            between == ". " and len(utterance.tokens[ahead - 1].text) > MAX_ABBREVIATION_LETTERS
        ):
            return None
        if _is_capital(utterance.tokens[ahead], utterance):
            return ahead
        if utterance.folded[ahead] not in NAME_PARTICLES:
            return None
    return None


def _name_text(utterance: Utterance, name: range) -> str:
    return utterance.text[utterance.tokens[name.start].start : utterance.tokens[name.stop - 1].end]


def _text_behind_preposition(utterance: Utterance) -> str:
    """ "find me one in santa clara": what follows the last word that leads to a place."""
    places = [index for index, word in enumerate(utterance.folded) if word in utterance.lexicon.cues.place_prepositions]
    if not places or places[-1] + 1 >= len(utterance.tokens):
        return ""
    return bare_text(utterance.text[utterance.tokens[places[-1] + 1].start :], utterance)
