"""A name inside a sentence: "I am looking for a hotel in London, UK" answers "which city?" with the end of it.

Only sentences are cut: an answer that does not begin as one is the value as it stands ("In Cold Blood").
"""

from collections.abc import Iterator, Sequence

from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.extraction import bare_text, slot_words
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.tokens import MAX_NAME_PARTICLES, NAME_PARTICLES, Token

JOINING = frozenset({" ", "-", "'", "’", ". ", " & ", ", "})
# "St. Ives" is one name; a longer word before a full stop ends a sentence.
LONGEST_SHORT = 3
LAST_MARKS = ".!?"


def named_in_sentence(slot: Slot, said: Utterance) -> str:
    """The name that the sentence gives for the slot, or "" when it is no sentence or holds no one name."""
    cues = said.lexicon.cues
    if len(said.tokens) < 2:
        return ""
    names, place = list(names_in(said)), is_place(slot, said)
    if not (said.folded[0] in cues.sentences or (place and _leads_somewhere(names, said))):
        return ""
    if names:
        return _text(said, _likeliest(names, said))
    return _behind_whereabouts(said) if place else ""


def place_named(said: Utterance) -> str:
    """The one name in the message that a word such as "in" leads to, or ""."""
    led = [name for name in names_in(said) if said.folded[name.start - 1] in said.lexicon.cues.whereabouts]
    return _text(said, led[0]) if len(led) == 1 else ""


def sole_name(said: Utterance) -> str:
    """The one name in the message, or ""."""
    names = list(names_in(said))
    return _text(said, names[0]) if len(names) == 1 else ""


def _leads_somewhere(names: Sequence[range], said: Utterance) -> bool:
    return any(said.folded[name.start - 1] in said.lexicon.cues.whereabouts for name in names)


def is_place(slot: Slot, said: Utterance) -> bool:
    return bool(slot_words(slot) & said.lexicon.cues.places)


def _likeliest(names: Sequence[range], said: Utterance) -> range:
    """The last that a word leads to, else the longest of the last ones."""
    led = [name for name in names if said.folded[name.start - 1] in said.lexicon.cues.whereabouts]
    return led[-1] if led else max(reversed(list(names)), key=len)


def names_in(said: Utterance) -> Iterator[range]:
    """Runs of capitals, but for those that only begin a sentence."""
    place = 1
    while place < len(said.tokens):
        end = _end_of_name(said, place)
        if end > place:
            yield range(place, end)
        place = max(end, place + 1)


def _end_of_name(said: Utterance, start: int) -> int:
    """One behind the last word of the name that begins here; `start` when none does."""
    if not _opens(said, start):
        return start
    end = start + 1
    while (following := _next_of_name(said, end)) is not None:
        end = following + 1
    return end


def _opens(said: Utterance, place: int) -> bool:
    token, before = said.tokens[place], said.text[: said.tokens[place].start].rstrip()
    number = token.text.isdigit() and place + 1 < len(said.tokens) and _is_capital(said.tokens[place + 1], said)
    return (number or _is_capital(token, said)) and before[-1:] not in LAST_MARKS


def _is_capital(token: Token, said: Utterance) -> bool:
    return token.text[:1].isupper() and token.folded not in said.lexicon.cues.sentences


def _next_of_name(said: Utterance, place: int) -> int | None:
    """The next word that belongs to the same name: behind a hyphen, or a capital behind at most two small words."""
    if place < len(said.tokens) and said.text[said.tokens[place - 1].end : said.tokens[place].start] == "-":
        return place
    for ahead in range(place, min(place + MAX_NAME_PARTICLES + 1, len(said.tokens))):
        between = said.text[said.tokens[ahead - 1].end : said.tokens[ahead].start]
        if between not in JOINING or (between == ". " and len(said.tokens[ahead - 1].text) > LONGEST_SHORT):
            return None
        if _is_capital(said.tokens[ahead], said):
            return ahead
        if said.folded[ahead] not in NAME_PARTICLES:
            return None
    return None


def _text(said: Utterance, name: range) -> str:
    return said.text[said.tokens[name.start].start : said.tokens[name.stop - 1].end]


def _behind_whereabouts(said: Utterance) -> str:
    """ "find me one in santa clara": what follows the last word that leads to a place."""
    places = [place for place, word in enumerate(said.folded) if word in said.lexicon.cues.whereabouts]
    if not places or places[-1] + 1 >= len(said.tokens):
        return ""
    return bare_text(said.text[said.tokens[places[-1] + 1].start :], said)
