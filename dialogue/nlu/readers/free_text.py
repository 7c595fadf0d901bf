"""Free text inside a sentence: what "I would love to see X", "the name is X" or "look in X" give for a question."""

from collections.abc import Iterator, Sequence

from dialogue.engine.slots.models import Slot
from dialogue.nlu.readers.free_text_check import is_narrative, is_title
from dialogue.nlu.readers.whole_answers import (
    asked_words,
    calendar_words,
    question_words,
    small_words,
    text_behind_slot_name,
)
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, is_free_text
from dialogue.nlu.slots.extraction import bare_text, lead_length, strong_values
from dialogue.nlu.slots.names import find_names, is_place_slot, name_in_sentence, sole_name
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import prefix_length
from dialogue.nlu.text.tokens import Token, fuzzy_equal

MARKS = ",;:!?\n"
LONGEST_FIRST = 3
MOST_BEHIND = 2
LONGEST_BEFORE_LINK = 8
SHORTEST_WORD = 4


def text_for(slot: Slot, utterance: Utterance) -> str:
    """The text that the message gives for the slot, or the whole message without what surrounds an answer."""
    if is_narrative(slot, utterance):
        return utterance.text
    asking = utterance.text.rstrip().endswith("?")
    if is_title(utterance) and not asking and not lead_length(utterance.tokens, utterance.lexicon.cues.leads):
        return _without_full_stop(utterance.text)
    return told_for(slot, utterance) or _stripped(slot, utterance)


def _without_full_stop(text: str) -> str:
    """A full stop ends the sentence, unless the last word has another ("S.L.")."""
    text = text.strip()
    return text if "." in text[:-1].rpartition(" ")[2] else text.removesuffix(".")


def told_for(slot: Slot, utterance: Utterance) -> str:
    """The text, when the message is plainly a sentence about it; else ""."""
    answer = _answering_part(utterance)
    return _before_link(answer) or _behind_link(slot, answer) or _whereabouts(slot, utterance) or _led_to(slot, answer)


def _answering_part(utterance: Utterance) -> Utterance:
    """The message without a yes and politeness before it, and without "oh, sorry." as a sentence."""
    rest = _first_sentence(utterance)
    acts = utterance.lexicon.acts
    length = prefix_length(rest.folded, acts.yes, acts.fillers)
    if not 0 < length < len(rest.tokens) or rest.text[rest.tokens[length - 1].end :][:1] not in MARKS:
        return rest
    return rest.with_text(rest.text[rest.tokens[length].start :])


def _led_to(slot: Slot, utterance: Utterance) -> str:
    """Behind "I would love to see", "to" a person, or the one name of a sentence."""
    cut = _without_others(slot, utterance)
    lead = lead_length(cut.tokens, utterance.lexicon.cues.leads)
    if lead and (lead > 1 or cut.tokens[lead].text[:1].isupper()):
        text = _to_clause(slot, cut, bare_text(_to_mark(cut, lead), utterance))
        return text if not _is_sentence(cut.with_text(text)) else _sole(slot, cut)
    first = next(iter(utterance.folded), "")
    if (
        _asks_who(slot, utterance)
        and first in utterance.lexicon.cues.place_prepositions | utterance.lexicon.cues.adding_words
    ):
        return bare_text(_to_mark(cut, 1), utterance) if len(cut.tokens) > 1 else ""
    return _sole(slot, cut) if first in utterance.lexicon.cues.sentence_starters else ""


def _is_sentence(utterance: Utterance) -> bool:
    """Is there still a small word behind the first that a value does not have in small letters?"""
    small = (
        utterance.lexicon.cues.place_prepositions
        | utterance.lexicon.cues.adding_words
        | utterance.lexicon.cues.pointing_words
    )
    capital = utterance.tokens and utterance.tokens[0].text[:1].isupper()
    return not capital and any(word in small for word in utterance.folded[1:])


def _sole(slot: Slot, utterance: Utterance) -> str:
    """The one name, with the content words that belong to it ("Freshwater fish")."""
    names = list(find_names(utterance))
    if len(names) != 1:
        return ""
    end = names[0].stop
    while end < len(utterance.tokens) and end < names[0].stop + MOST_BEHIND and _belongs(end, utterance):
        end += 1
    return _without_common(
        slot, utterance, utterance.text[utterance.tokens[names[0].start].start : utterance.tokens[end - 1].end]
    )


def _belongs(place: int, utterance: Utterance) -> bool:
    between = utterance.text[utterance.tokens[place - 1].end : utterance.tokens[place].start]
    return between == " " and utterance.folded[place] not in FUNCTION_WORDS | calendar_words(utterance.lexicon)


def _to_clause(slot: Slot, utterance: Utterance, text: str) -> str:
    """Up to a comma behind which a new clause begins ("Ramen, that sounds good")."""
    head, comma, tail = text.partition(", ")
    clause = (
        comma
        and utterance.with_text(tail).folded[:1]
        and utterance.with_text(tail).folded[0] in utterance.lexicon.cues.sentence_starters | {"that"}
    )
    return _without_common(slot, utterance, head if clause or _maybe(utterance.with_text(tail)) else text)


def _maybe(utterance: Utterance) -> bool:
    return bool(utterance.folded) and (utterance.folded[0],) in utterance.lexicon.acts.fillers


def _asks_who(slot: Slot, utterance: Utterance) -> bool:
    return not utterance.lexicon.cues.person_question_words.isdisjoint(question_words(slot, utterance))


def gives_name(slot: Slot, utterance: Utterance) -> bool:
    """Does a place or a name stand where it answers the question, so that little else can be meant?"""
    return bool(_whereabouts(slot, utterance)) or _is_all_name(utterance) or bool(sole_name(utterance))


def _is_all_name(utterance: Utterance) -> bool:
    content = [token for token in utterance.tokens if token.folded not in FUNCTION_WORDS]
    return bool(content) and all(token.text[:1].isupper() or token.text.isdigit() for token in content)


def _before_link(utterance: Utterance) -> str:
    """ "Santa Rosa is where I would like you to look"."""
    cues = utterance.lexicon.cues
    for place in range(1, min(len(utterance.tokens) - 1, LONGEST_BEFORE_LINK)):
        turned = utterance.folded[place] in cues.link_verbs and utterance.folded[place + 1] in cues.question_words
        if turned and utterance.folded[0] not in cues.question_words | cues.sentence_starters:
            start = utterance.with_text(utterance.text[: utterance.tokens[place].start])
            return _place_behind(start) or bare_text(start.text, utterance, lead=True)
    return ""


def _behind_link(slot: Slot, utterance: Utterance) -> str:
    """ "The person I'm requesting is Rachel": what follows the link of a sentence about what was asked."""
    behind = text_behind_slot_name(slot, utterance)
    if behind != utterance.text:
        return _stripped(slot, utterance.with_text(behind))
    for place in range(2, min(len(utterance.tokens) - 1, LONGEST_BEFORE_LINK)):
        asked = set(utterance.folded[1:place]) & question_words(slot, utterance) - FUNCTION_WORDS
        small = not any(_is_capital(token, utterance) for token in utterance.tokens[1:place])
        if (
            utterance.folded[place] in utterance.lexicon.cues.link_verbs
            and _points(utterance)
            and small
            and (asked or _is_name(utterance, place))
        ):
            return _stripped(slot, utterance.with_text(utterance.text[utterance.tokens[place + 1].start :]))
    return ""


def _is_capital(token: Token, utterance: Utterance) -> bool:
    return token.text[:1].isupper() and token.folded not in utterance.lexicon.cues.sentence_starters


def _points(utterance: Utterance) -> bool:
    return utterance.folded[0] in utterance.lexicon.cues.articles | utterance.lexicon.cues.pointing_words


def _is_name(utterance: Utterance, place: int) -> bool:
    return place + 1 < len(utterance.tokens) and utterance.tokens[place + 1].text[:1].isupper()


def _whereabouts(slot: Slot, utterance: Utterance) -> str:
    """For a place: what "in" or "from" leads to, up to the next mark or small word."""
    if not is_place_slot(slot, utterance) and utterance.lexicon.cues.place_words.isdisjoint(
        question_words(slot, utterance)
    ):
        return ""
    return _place_behind(utterance)


def _place_behind(utterance: Utterance) -> str:
    cues = utterance.lexicon.cues
    names = {name.start: name for name in find_names(utterance)}
    led_to = [place for place in range(len(utterance.tokens) - 1) if utterance.folded[place] in cues.place_prepositions]
    for place in reversed(led_to):
        start = place + 1
        while start < len(utterance.tokens) - 1 and start not in names and utterance.folded[start] in cues.determiners:
            start += 1
        name = names.get(start)
        if name is not None:
            return _with_kind(utterance, name)
    return _plain_place(utterance, led_to)


def _with_kind(utterance: Utterance, name: range) -> str:
    """ "New York city" with the kind of place that follows it in small letters, but for "area"."""
    end = name.stop
    if end < len(utterance.tokens) and utterance.folded[end] in utterance.lexicon.cues.kind_words:
        end += 1
    start = utterance.tokens[name.start].start
    if (
        name.start
        and utterance.folded[name.start - 1] == "the"
        and len(name) > 1
        and "of" in utterance.folded[name.start : end]
    ):
        start = utterance.tokens[name.start].start
    return utterance.text[start : utterance.tokens[end - 1].end]


def _plain_place(utterance: Utterance, led_to: Sequence[int]) -> str:
    """ "Look in chicago for a hotel": in small letters, as far as nothing else begins."""
    for place in led_to:
        rest = list(_until_small(utterance, place + 1))
        if place and rest and not _starts_with_capital(utterance, place):
            return utterance.text[rest[0].start : rest[-1].end]
    return ""


def _until_small(utterance: Utterance, start: int) -> Iterator[Token]:
    for place in range(start, len(utterance.tokens)):
        token = utterance.tokens[place]
        between = utterance.text[utterance.tokens[place - 1].end : token.start]
        if token.folded in FUNCTION_WORDS or token.text.isdigit() or any(mark in between for mark in MARKS):
            return
        yield token


def _starts_with_capital(utterance: Utterance, place: int) -> bool:
    return any(token.text[:1].isupper() for token in utterance.tokens[1 : place + 1] if len(token.text) > 1)


def _stripped(slot: Slot, utterance: Utterance) -> str:
    """Without leads, other slots' values, a second sentence, and the common nouns of the question behind it."""
    first = _first_sentence(_without_others(slot, utterance))
    lead = lead_length(first.tokens, utterance.lexicon.cues.leads)
    if lead and first.tokens[lead].text[:1].isupper():
        return _without_common(slot, first, bare_text(_to_mark(first, lead), utterance))
    named = name_in_sentence(slot, first)
    return named or _without_common(slot, first, bare_text(first.text, utterance, lead=True))


def _to_mark(utterance: Utterance, lead: int) -> str:
    return utterance.text[utterance.tokens[lead].start :]


def _first_sentence(utterance: Utterance) -> Utterance:
    """ "Sushi. Something reasonably priced": the first words when they end like a sentence."""
    head, _, tail = utterance.text.partition(". ")
    first = utterance.with_text(head)
    whole = first.tokens and len(first.tokens[-1].text) >= SHORTEST_WORD and len(first.tokens) <= LONGEST_FIRST
    rest = utterance.with_text(tail)
    if (
        first.tokens
        and rest.tokens
        and not set(first.folded) - small_words(utterance.lexicon) - {"yes", "sure", "sorry"}
    ):
        return rest
    return first if tail and whole else utterance


def _without_others(slot: Slot, utterance: Utterance) -> Utterance:
    """The message up to the small word that leads to another slot's value: "X with French subtitles"."""
    others = [
        each
        for each in (utterance.running_flow.slots if utterance.running_flow else ())
        if each.name != slot.name and not is_free_text(each)
    ]
    starts = [span.start for spans in strong_values(others, utterance).values() for span in spans]
    for start in sorted(starts):
        before = [place for place, token in enumerate(utterance.tokens) if token.end <= start]
        turn = next(
            (
                place
                for place in reversed(before[-3:])
                if utterance.folded[place] in utterance.lexicon.cues.adding_words
            ),
            None,
        )
        if turn:
            return utterance.with_text(utterance.text[: utterance.tokens[turn].start].rstrip(" ,"))
    return utterance


def _without_common(slot: Slot, utterance: Utterance, text: str) -> str:
    """ "Comedy movies" to "what kind of movie?" is comedy; capitals stay as they are."""
    piece = utterance.with_text(text)
    asked = asked_words(slot, utterance) - FUNCTION_WORDS
    end = len(piece.tokens)
    while end > 1 and any(fuzzy_equal(piece.folded[end - 1], word) for word in asked):
        end -= 1
    while (
        end > 1
        and end < len(piece.tokens)
        and piece.folded[end - 1] in utterance.lexicon.cues.kind_words | FUNCTION_WORDS
    ):
        end -= 1
    small = any(not token.text[:1].isupper() for token in piece.tokens[end:])
    if FUNCTION_WORDS.issuperset(piece.folded[:end]):
        return text
    return text[: piece.tokens[end - 1].end] if small and end < len(piece.tokens) else text
