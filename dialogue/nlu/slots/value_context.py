"""What the words around a value say of it: part of an address, an alternative, something that is not wanted."""

import re
from collections.abc import Iterable, Iterator, Sequence

from dialogue.engine.slots.definitions.slot_types import NUMBER_TYPES
from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, words_about
from dialogue.nlu.slots.people_counts import counts_a_thing
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.glosses import GLOSSED_LANGUAGE, word_gloss
from dialogue.nlu.text.lexicons import LEXICONS
from dialogue.nlu.text.similarity import word_stem
from dialogue.nlu.text.tokens import Token, folded_words, fuzzy_in

# "Calle Mayor 14" has two capitals before the number; one alone may only begin the sentence.
SENTENCE_MARKS, CLAUSE_MARKS = ".!?¿¡:", ",;.!?:\n"
# How the English of what others do or did begins.
OTHERS = ("they ", "you ")
# Types of which "after" and "until" give a limit.
BOUNDED_TYPES = NUMBER_TYPES | {"date", "time", "datetime"}
MAX_WORDS_BEFORE_VALUE = 4
CLAUSE_END = re.compile(r"[,;.!?\n]")
YEAR = re.compile(r"(?:19|20)[0-9]{2}")
# In what authors call a slot for a number of days, months or years.
TIME_WORDS = frozenset({"long", "duration", "time", "age", "old", "nights", "tiempo", "duracion", "edad", "noches"})
PRICE_WORDS = frozenset({"amount", "price", "cost", "budget", "money", "importe", "precio", "coste", "presupuesto"})
MIN_LONG_NUMBER = 6
# "That one": a bare "one" behind a pointing word stands for a thing.
ONE = "1"


def counts_nothing(slot: Slot, span: Span, known_words: Iterable[str], utterance: Utterance) -> bool:
    """Return whether a number is part of a name ("14 Mill Lane"), a pronoun ("that one"), an age or a duration.

    `known_words` are the folded words that the number may count or belong to: those of slots and of the flow.
    """
    if _is_price(slot, span, utterance):
        return True
    if slot.type not in NUMBER_TYPES or not utterance.text[span.start : span.end].strip().isalnum():
        return False
    index = next((index for index, token in enumerate(utterance.tokens) if token.start >= span.start), None)
    if index is None or utterance.tokens[index].end != span.end:
        return False
    words = frozenset(known_words)
    if (
        _is_year(index, utterance)
        or _is_in_time_units(index, slot, utterance)
        or _is_in_long_number(index, utterance)
        or _is_former(index, utterance)
        or _counts_other_than_time(index, slot, utterance)
        or _is_name_of_one(index, words, utterance)
    ):
        return True
    return _is_pronoun(span, index, words, utterance) or _is_in_name(index, words, utterance)


def _is_year(index: int, utterance: Utterance) -> bool:
    """ "Since 2019": four digits behind a word for a moment count nothing."""
    is_led = index > 0 and utterance.folded[index - 1] in utterance.lexicon.cues.year_leads
    return is_led and bool(YEAR.fullmatch(utterance.tokens[index].text))


def _is_former(index: int, utterance: Utterance) -> bool:
    """ "It was 50, now 57": what was, where another number follows."""
    cues = utterance.lexicon.cues
    is_past = index > 0 and utterance.folded[index - 1] in cues.former_words
    return is_past and any(token.text.isdigit() for token in utterance.tokens[index + 1 :])


def _counts_other_than_time(index: int, slot: Slot, utterance: Utterance) -> bool:
    """ "A 3 bed flat": where the slot counts months, what stands behind the number is counted instead."""
    calendar = utterance.lexicon.calendar
    units = calendar.units.keys() | calendar.clock_units.keys()
    name_words = frozenset(folded_words(slot.name.replace("_", " ")))
    is_of_time = slot.type in NUMBER_TYPES and not units.isdisjoint(name_words)
    following = utterance.folded[index + 1 : index + 2]
    is_unit = bool(following) and (following[0] in units or fuzzy_in(following[0], words_about(slot)))
    return is_of_time and counts_a_thing(index, utterance) and not is_unit


def _is_in_long_number(index: int, utterance: Utterance) -> bool:
    """ "0171 5550923": digits beside other digits are a phone number or the like."""
    tokens = utterance.tokens
    pairs = [(tokens[other], tokens[other + 1]) for other in (index - 1, index) if 0 <= other < len(tokens) - 1]
    return any(
        first.text.isdigit()
        and second.text.isdigit()
        and utterance.text[first.end : second.start] == " "
        and len(first.text) + len(second.text) >= MIN_LONG_NUMBER
        for first, second in pairs
    )


def _is_name_of_one(index: int, known_words: frozenset[str], utterance: Utterance) -> bool:
    """ "Bike 33" is one of the bikes, where the slot counts bikes."""
    before = utterance.folded[index - 1] if index else ""
    is_singular = (
        bool(before) and before not in known_words and not known_words.isdisjoint({f"{before}s", f"{before}es"})
    )
    is_beside = index > 0 and utterance.text[utterance.tokens[index - 1].end : utterance.tokens[index].start] == " "
    return is_singular and is_beside and utterance.tokens[index].text.isdigit()


def _is_in_time_units(index: int, slot: Slot, utterance: Utterance) -> bool:
    """ "2 days", "a 6 year old", "one a day": a number of days or years, for a slot that says nothing of time."""
    following = utterance.folded[index + 1 : index + 3]
    if following and following[0] in utterance.lexicon.cues.rate_words:
        following = following[1:]
    calendar = utterance.lexicon.calendar
    if not following or following[0] not in calendar.units.keys() | calendar.clock_units.keys():
        return False
    if len(following) > 1 and following[1] in words_about(slot) - FUNCTION_WORDS:
        return False  # "2 day passes"
    # The slot may be described in another language than that of the conversation.
    calendars = [lexicon.calendar for lexicon in LEXICONS.values()]
    units = frozenset().union(*(each.units.keys() | each.clock_units.keys() for each in calendars))
    return words_about(slot).isdisjoint(units | TIME_WORDS)


def _is_price(slot: Slot, span: Span, utterance: Utterance) -> bool:
    """ "As many as fit in 100 euros": money counts nothing, unless the slot speaks of money."""
    currencies = utterance.lexicon.numerals.currencies
    inside = [token.folded for token in utterance.tokens if span.start <= token.start < span.end]
    behind = [token.folded for token in utterance.tokens if token.start >= span.end][:1]
    is_counted = slot.type == "integer" and words_about(slot).isdisjoint(currencies | PRICE_WORDS)
    return is_counted and not currencies.isdisjoint([*inside, *behind])


def _is_pronoun(span: Span, index: int, known_words: frozenset[str], utterance: Utterance) -> bool:
    before = utterance.folded[index - 1] if index else ""
    cues, numerals = utterance.lexicon.cues, utterance.lexicon.numerals
    points = before in cues.pointing_words or before in numerals.ordinals
    is_word = not utterance.tokens[index].text.isdigit() and str(span.value) == ONE
    others = {*utterance.folded[:index], *utterance.folded[index + 1 :]}
    if others <= cues.lone_words | cues.articles | utterance.lexicon.filler_words:
        return False  # "just the one"
    return is_word and (points or _is_article(index, known_words, utterance))


def _is_article(index: int, known_words: frozenset[str], utterance: Utterance) -> bool:
    """ "Un par", "una amiga": where the word for one is also an article, another noun than the slot's follows."""
    following = utterance.folded[index + 1 : index + 2]
    is_noun = bool(following) and following[0] not in FUNCTION_WORDS and not fuzzy_in(following[0], known_words)
    return is_noun and utterance.folded[index] in utterance.lexicon.numerals.single


def _is_in_name(index: int, known_words: frozenset[str], utterance: Utterance) -> bool:
    tokens = utterance.tokens
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    before = tokens[index - 1] if index and not _begins_sentence(index - 1, utterance) else None
    follows = following is not None and utterance.text[tokens[index].end : following.start] == " "
    precedes = before is not None and utterance.text[before.end : tokens[index].start] == " "
    neighbours = (following if follows else None, before if precedes else None)
    return any(_is_name_word(token, known_words, utterance) for token in neighbours if token is not None)


def _is_name_word(token: Token, known_words: frozenset[str], utterance: Utterance) -> bool:
    calendar = utterance.lexicon.calendar
    other_words = (calendar.months, calendar.weekdays, calendar.days, calendar.units, calendar.afternoon)
    is_small = token.folded in FUNCTION_WORDS or token.folded in utterance.lexicon.numerals.currencies
    is_known = token.folded in known_words or any(token.folded in words for words in other_words)
    # "10 PM", "5 GB": a unit in capitals.
    return token.text[:1].isupper() and not token.text[1:].isupper() and not is_small and not is_known


def _begins_sentence(index: int, utterance: Utterance) -> bool:
    before = utterance.text[: utterance.tokens[index].start].rstrip()
    return not before or before[-1] in SENTENCE_MARKS


def is_denied(span: Span, utterance: Utterance) -> bool:
    """Return whether the clause says before the value that it is not wanted: "I don't need a ladder"."""
    # "Can't you come on Friday?" asks for it; "can't make it on Friday, is there another day?" does not.
    if (end := CLAUSE_END.search(utterance.text, span.end)) is not None and end[0] == "?":
        return False
    cues = utterance.lexicon.cues
    for token in reversed([token for token in utterance.tokens if token.end <= span.start]):
        behind = utterance.text[token.end : span.start]
        joins = token.folded in cues.contrasts | cues.clause_joints or (token.folded,) in cues.prefaces
        if any(mark in behind for mark in CLAUSE_MARKS) or joins:
            return False
        if token.folded in cues.denials and not _is_other(token, utterance):
            return True
    return False


def _is_other(token: Token, utterance: Utterance) -> bool:
    """ "A skip" to a flow about skips, and "no vaciaron": what others did not do is a fact and no refusal."""
    if word_stem(token.folded) in utterance.assistant_index.title_stems:
        return True
    following = next((other.text.lower() for other in utterance.tokens if other.start >= token.end), "")
    is_glossed = utterance.context.language.startswith(GLOSSED_LANGUAGE)
    return is_glossed and (word_gloss(following) or "").startswith(OTHERS)


def is_bounded(slot: Slot, span: Span, known_words: frozenset[str], utterance: Utterance) -> bool:
    """Return whether a word before the value says that it only limits what is meant: "after the 5th", "until Friday".

    `known_words` are those of the slot: an end date is what "until" leads to.
    """
    if slot.type not in BOUNDED_TYPES:
        return False
    cues = utterance.lexicon.cues
    before = [token for token in utterance.tokens if token.end <= span.start][-MAX_WORDS_BEFORE_VALUE:]
    if any(token.folded in cues.range_words for token in before) and _is_joined(span, before, utterance):
        return True
    while before and before[-1].folded in cues.articles | cues.determiners:
        before.pop()
    before = _without_event(before, utterance)
    if not before or before[-1].folded not in cues.bound_words:
        return False
    is_marked = any(mark in utterance.text[before[-1].end : span.start] for mark in CLAUSE_MARKS)
    # "I'm not leaving until the 9th" says when it begins.
    is_marked = is_marked or (before[-1].folded in cues.limits and _is_negated_before(before[-1], utterance))
    return not is_marked and cues.limits.get(before[-1].folded, frozenset()).isdisjoint(known_words)


def _without_event(before: list[Token], utterance: Utterance) -> list[Token]:
    """Leave out "my wedding" of "before my wedding on the 12th"."""
    cues = utterance.lexicon.cues
    if len(before) < 2 or before[-1].folded in FUNCTION_WORDS:
        return before
    rest = before[:-1]
    while rest and rest[-1].folded in cues.articles | cues.determiners:
        rest = rest[:-1]
    return rest if rest and rest[-1].folded in cues.bound_words and len(rest) < len(before) - 1 else before


def _is_negated_before(limit: Token, utterance: Utterance) -> bool:
    words = [token.folded for token in utterance.tokens if token.end <= limit.start]
    negations = {word for phrase in utterance.lexicon.cues.negations for word in phrase if len(phrase) == 1}
    return not (utterance.lexicon.cues.denials | negations).isdisjoint(words)


def _is_joined(span: Span, before: Sequence[Token], utterance: Utterance) -> bool:
    """ "Between 10 and 15": "and" stands behind the first value, and before the second."""
    following = [token.folded for token in utterance.tokens if token.start >= span.end][:2]
    is_first = len(following) == 2 and following[0] in utterance.lexicon.cues.joining_words
    return is_first or any(token.folded in utterance.lexicon.cues.joining_words for token in before)


def without_alternatives(slot: Slot, spans: Sequence[Span], utterance: Utterance) -> Iterator[Span]:
    """Yield the spans that are not one of several possible values: none of "Friday or Saturday", "9 or 10".

    Nor is one of several that only together are meant: "2 for us and 3 for the kids", "a city bike and an e-bike".
    """
    for span in spans:
        if not any(_is_alternative(slot, span, other, utterance) for other in spans if other is not span):
            yield span


def _is_alternative(slot: Slot, span: Span, other: Span, utterance: Utterance) -> bool:
    first, last = sorted((span, other), key=lambda pair: pair.start)
    between = [token.folded for token in utterance.tokens if first.end <= token.start < last.start]
    cues = utterance.lexicon.cues
    if span.value != other.value and not cues.alternatives.isdisjoint(between):
        return FUNCTION_WORDS.issuperset(between)
    is_summed = slot.type in NUMBER_TYPES or (slot.type == "choice" and span.value != other.value)
    people = cues.relatives | cues.people_nouns | cues.children
    joints = cues.joining_words | people
    is_joined = not joints.isdisjoint(between) and (FUNCTION_WORDS | people).issuperset(between)
    # "40 and 1500 euros": the second number counts something else.
    words = [index for index, token in enumerate(utterance.tokens) if last.start <= token.start < last.end]
    is_amount = not utterance.lexicon.numerals.currencies.isdisjoint(utterance.folded[index] for index in words)
    is_of_thing = counts_a_thing(words[-1], utterance) and people.isdisjoint(utterance.folded[words[-1] + 1 :][:1])
    return is_summed and is_joined and not (slot.type in NUMBER_TYPES and (is_amount or is_of_thing))
