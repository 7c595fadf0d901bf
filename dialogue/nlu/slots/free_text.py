"""Free text inside a sentence: what "I would love to see X", "the name is X" or "look in X" give for a question."""

from collections.abc import Iterator, Sequence

from dialogue.engine.slots.models import Slot
from dialogue.nlu.readers.free_text_check import is_narrative, is_title
from dialogue.nlu.readers.whole_answers import behind_name, calendar_words, question_words, small_words, words_asked_for
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, is_free
from dialogue.nlu.slots.extraction import bare_text, led, strong_values
from dialogue.nlu.slots.names import is_place, named_in_sentence, names_in, sole_name
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import starts_with
from dialogue.nlu.text.tokens import Token, near

MARKS = ",;:!?\n"
LONGEST_FIRST = 3
MOST_BEHIND = 2
LONGEST_BEFORE_LINK = 8
SHORTEST_WORD = 4


def text_for(slot: Slot, said: Utterance) -> str:
    """The text that the message gives for the slot, or the whole message without what surrounds an answer."""
    if is_narrative(slot, said):
        return said.text
    asking = said.text.rstrip().endswith("?")
    if is_title(said) and not asking and not led(said.tokens, said.lexicon.cues.leads):
        return _without_full_stop(said.text)
    return told_for(slot, said) or _stripped(slot, said)


def _without_full_stop(text: str) -> str:
    """A full stop ends the sentence, unless the last word has another ("S.L.")."""
    text = text.strip()
    return text if "." in text[:-1].rpartition(" ")[2] else text.removesuffix(".")


def told_for(slot: Slot, said: Utterance) -> str:
    """The text, when the message is plainly a sentence about it; else ""."""
    answer = _answering_part(said)
    return _before_link(answer) or _behind_link(slot, answer) or _whereabouts(slot, said) or _led_to(slot, answer)


def _answering_part(said: Utterance) -> Utterance:
    """The message without a yes and politeness before it, and without "oh, sorry." as a sentence."""
    rest = _first_sentence(said)
    acts = said.lexicon.acts
    length = starts_with(rest.folded, acts.yes, acts.fillers)
    if not 0 < length < len(rest.tokens) or rest.text[rest.tokens[length - 1].end :][:1] not in MARKS:
        return rest
    return rest.part(rest.text[rest.tokens[length].start :])


def _led_to(slot: Slot, said: Utterance) -> str:
    """Behind "I would love to see", "to" a person, or the one name of a sentence."""
    cut = _without_others(slot, said)
    lead = led(cut.tokens, said.lexicon.cues.leads)
    if lead and (lead > 1 or cut.tokens[lead].text[:1].isupper()):
        text = _to_clause(slot, cut, bare_text(_to_mark(cut, lead), said))
        return text if not _is_sentence(cut.part(text)) else _sole(slot, cut)
    first = next(iter(said.folded), "")
    if _asks_who(slot, said) and first in said.lexicon.cues.whereabouts | said.lexicon.cues.adding:
        return bare_text(_to_mark(cut, 1), said) if len(cut.tokens) > 1 else ""
    return _sole(slot, cut) if first in said.lexicon.cues.sentences else ""


def _is_sentence(said: Utterance) -> bool:
    """Is there still a small word behind the first that a value does not have in small letters?"""
    small = said.lexicon.cues.whereabouts | said.lexicon.cues.adding | said.lexicon.cues.pointing
    capital = said.tokens and said.tokens[0].text[:1].isupper()
    return not capital and any(word in small for word in said.folded[1:])


def _sole(slot: Slot, said: Utterance) -> str:
    """The one name, with the content words that belong to it ("Freshwater fish")."""
    names = list(names_in(said))
    if len(names) != 1:
        return ""
    end = names[0].stop
    while end < len(said.tokens) and end < names[0].stop + MOST_BEHIND and _belongs(end, said):
        end += 1
    return _without_common(slot, said, said.text[said.tokens[names[0].start].start : said.tokens[end - 1].end])


def _belongs(place: int, said: Utterance) -> bool:
    between = said.text[said.tokens[place - 1].end : said.tokens[place].start]
    return between == " " and said.folded[place] not in FUNCTION_WORDS | calendar_words(said.lexicon)


def _to_clause(slot: Slot, said: Utterance, text: str) -> str:
    """Up to a comma behind which a new clause begins ("Ramen, that sounds good")."""
    head, comma, tail = text.partition(", ")
    clause = (
        comma and said.part(tail).folded[:1] and said.part(tail).folded[0] in said.lexicon.cues.sentences | {"that"}
    )
    return _without_common(slot, said, head if clause or _maybe(said.part(tail)) else text)


def _maybe(said: Utterance) -> bool:
    return bool(said.folded) and (said.folded[0],) in said.lexicon.acts.fillers


def _asks_who(slot: Slot, said: Utterance) -> bool:
    return not said.lexicon.cues.whos.isdisjoint(question_words(slot, said))


def gives_name(slot: Slot, said: Utterance) -> bool:
    """Does a place or a name stand where it answers the question, so that little else can be meant?"""
    return bool(_whereabouts(slot, said)) or _is_all_name(said) or bool(sole_name(said))


def _is_all_name(said: Utterance) -> bool:
    content = [token for token in said.tokens if token.folded not in FUNCTION_WORDS]
    return bool(content) and all(token.text[:1].isupper() or token.text.isdigit() for token in content)


def _before_link(said: Utterance) -> str:
    """ "Santa Rosa is where I would like you to look"."""
    cues = said.lexicon.cues
    for place in range(1, min(len(said.tokens) - 1, LONGEST_BEFORE_LINK)):
        turned = said.folded[place] in cues.links and said.folded[place + 1] in cues.question_words
        if turned and said.folded[0] not in cues.question_words | cues.sentences:
            start = said.part(said.text[: said.tokens[place].start])
            return _place_behind(start) or bare_text(start.text, said, lead=True)
    return ""


def _behind_link(slot: Slot, said: Utterance) -> str:
    """ "The person I'm requesting is Rachel": what follows the link of a sentence about what was asked."""
    behind = behind_name(slot, said)
    if behind != said.text:
        return _stripped(slot, said.part(behind))
    for place in range(2, min(len(said.tokens) - 1, LONGEST_BEFORE_LINK)):
        asked = set(said.folded[1:place]) & question_words(slot, said) - FUNCTION_WORDS
        small = not any(_is_capital(token, said) for token in said.tokens[1:place])
        if (
            said.folded[place] in said.lexicon.cues.links
            and _points(said)
            and small
            and (asked or _is_name(said, place))
        ):
            return _stripped(slot, said.part(said.text[said.tokens[place + 1].start :]))
    return ""


def _is_capital(token: Token, said: Utterance) -> bool:
    return token.text[:1].isupper() and token.folded not in said.lexicon.cues.sentences


def _points(said: Utterance) -> bool:
    return said.folded[0] in said.lexicon.cues.articles | said.lexicon.cues.pointing


def _is_name(said: Utterance, place: int) -> bool:
    return place + 1 < len(said.tokens) and said.tokens[place + 1].text[:1].isupper()


def _whereabouts(slot: Slot, said: Utterance) -> str:
    """For a place: what "in" or "from" leads to, up to the next mark or small word."""
    if not is_place(slot, said) and said.lexicon.cues.places.isdisjoint(question_words(slot, said)):
        return ""
    return _place_behind(said)


def _place_behind(said: Utterance) -> str:
    cues = said.lexicon.cues
    names = {name.start: name for name in names_in(said)}
    led_to = [place for place in range(len(said.tokens) - 1) if said.folded[place] in cues.whereabouts]
    for place in reversed(led_to):
        start = place + 1
        while start < len(said.tokens) - 1 and start not in names and said.folded[start] in cues.determiners:
            start += 1
        name = names.get(start)
        if name is not None:
            return _with_kind(said, name)
    return _plain_place(said, led_to)


def _with_kind(said: Utterance, name: range) -> str:
    """ "New York city" with the kind of place that follows it in small letters, but for "area"."""
    end = name.stop
    if end < len(said.tokens) and said.folded[end] in said.lexicon.cues.kinds:
        end += 1
    start = said.tokens[name.start].start
    if name.start and said.folded[name.start - 1] == "the" and len(name) > 1 and "of" in said.folded[name.start : end]:
        start = said.tokens[name.start].start
    return said.text[start : said.tokens[end - 1].end]


def _plain_place(said: Utterance, led_to: Sequence[int]) -> str:
    """ "Look in chicago for a hotel": in small letters, as far as nothing else begins."""
    for place in led_to:
        rest = list(_until_small(said, place + 1))
        if place and rest and not _starts_with_capital(said, place):
            return said.text[rest[0].start : rest[-1].end]
    return ""


def _until_small(said: Utterance, start: int) -> Iterator[Token]:
    for place in range(start, len(said.tokens)):
        token = said.tokens[place]
        between = said.text[said.tokens[place - 1].end : token.start]
        if token.folded in FUNCTION_WORDS or token.text.isdigit() or any(mark in between for mark in MARKS):
            return
        yield token


def _starts_with_capital(said: Utterance, place: int) -> bool:
    return any(token.text[:1].isupper() for token in said.tokens[1 : place + 1] if len(token.text) > 1)


def _stripped(slot: Slot, said: Utterance) -> str:
    """Without leads, other slots' values, a second sentence, and the common nouns of the question behind it."""
    first = _first_sentence(_without_others(slot, said))
    lead = led(first.tokens, said.lexicon.cues.leads)
    if lead and first.tokens[lead].text[:1].isupper():
        return _without_common(slot, first, bare_text(_to_mark(first, lead), said))
    named = named_in_sentence(slot, first)
    return named or _without_common(slot, first, bare_text(first.text, said, lead=True))


def _to_mark(said: Utterance, lead: int) -> str:
    return said.text[said.tokens[lead].start :]


def _first_sentence(said: Utterance) -> Utterance:
    """ "Sushi. Something reasonably priced": the first words when they end like a sentence."""
    head, _, tail = said.text.partition(". ")
    first = said.part(head)
    whole = first.tokens and len(first.tokens[-1].text) >= SHORTEST_WORD and len(first.tokens) <= LONGEST_FIRST
    rest = said.part(tail)
    if first.tokens and rest.tokens and not set(first.folded) - small_words(said.lexicon) - {"yes", "sure", "sorry"}:
        return rest
    return first if tail and whole else said


def _without_others(slot: Slot, said: Utterance) -> Utterance:
    """The message up to the small word that leads to another slot's value: "X with French subtitles"."""
    others = [each for each in (said.top.asked if said.top else ()) if each.name != slot.name and not is_free(each)]
    starts = [span.start for spans in strong_values(others, said).values() for span in spans]
    for start in sorted(starts):
        before = [place for place, token in enumerate(said.tokens) if token.end <= start]
        turn = next((place for place in reversed(before[-3:]) if said.folded[place] in said.lexicon.cues.adding), None)
        if turn:
            return said.part(said.text[: said.tokens[turn].start].rstrip(" ,"))
    return said


def _without_common(slot: Slot, said: Utterance, text: str) -> str:
    """ "Comedy movies" to "what kind of movie?" is comedy; capitals stay as they are."""
    piece = said.part(text)
    asked = words_asked_for(slot, said) - FUNCTION_WORDS
    end = len(piece.tokens)
    while end > 1 and any(near(piece.folded[end - 1], word) for word in asked):
        end -= 1
    while end > 1 and end < len(piece.tokens) and piece.folded[end - 1] in said.lexicon.cues.kinds | FUNCTION_WORDS:
        end -= 1
    small = any(not token.text[:1].isupper() for token in piece.tokens[end:])
    if FUNCTION_WORDS.issuperset(piece.folded[:end]):
        return text
    return text[: piece.tokens[end - 1].end] if small and end < len(piece.tokens) else text
