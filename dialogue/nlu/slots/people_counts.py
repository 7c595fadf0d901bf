"""Numbers of people: "for 4", "five of us", "we are 6" are the value of the slot that counts people, and no hour."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, words_about
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import prefix_length, suffix_length
from dialogue.nlu.text.tokens import folded_words

# In what authors call a slot, in their language: a number of years, and of people without the children.
AGE_WORDS, ADULTS = frozenset({"age", "old", "edad"}), frozenset({"adults", "adultos"})
MAX_LONE_WORDS = 2


@dataclass(frozen=True)
class _People:
    """So many people, up to the token `end`."""

    number: int
    end: int


def counts_people(span: Span, utterance: Utterance) -> bool:
    """Return whether the words around a number say that it counts people."""
    inside = [index for index, token in enumerate(utterance.tokens) if span.start <= token.start < span.end]
    if not inside:
        return False
    first, last = inside[0], inside[-1]
    behind, cues = utterance.folded[last + 1 :], utterance.lexicon.cues
    if prefix_length(behind, cues.people_ends) or not cues.people_nouns.isdisjoint(behind[:1]):
        return True
    return bool(suffix_length(utterance.folded[:first], cues.people_leads)) and not counts_a_thing(last, utterance)


def is_people_slot(slot: Slot, utterance: Utterance) -> bool:
    """Return whether the slot holds a number of people, by what it is called and asked."""
    if slot.type != "integer":
        return False
    words = words_about(slot)
    cues = utterance.lexicon.cues
    return not words.isdisjoint(cues.people_nouns | cues.places_for_people) and words.isdisjoint(AGE_WORDS)


def find_people_sums(slot: Slot, numbers: Sequence[Span], utterance: Utterance) -> Sequence[Span]:
    """Return people that are told one by one as their number: "2 adults and a child", "me and my wife".

    () for a slot of the adults alone, and where one of `numbers` says the sum too: "me and my mum, so two".
    """
    sums = list(_people_sums(slot, utterance))
    others = [number for number in numbers if not any(map(number.overlaps, sums))]
    return () if any(not _counts_what_follows(number, utterance) for number in others) else sums


def _counts_what_follows(number: Span, utterance: Utterance) -> bool:
    last = max(index for index, token in enumerate(utterance.tokens) if token.start < number.end)
    return counts_a_thing(last, utterance)


def _people_sums(slot: Slot, utterance: Utterance) -> Iterator[Span]:
    if not is_people_slot(slot, utterance) or not ADULTS.isdisjoint(folded_words(slot.name.replace("_", " "))):
        return
    start = 0
    while start < len(utterance.tokens):
        people = _people_from(start, utterance)
        if len(people) > 1 or (people and _is_speaker_alone(utterance)):
            end = utterance.tokens[people[-1].end - 1].end
            yield Span(utterance.tokens[start].start, end, sum(each.number for each in people))
        start = max(people[-1].end if people else 0, start + 1)


def _people_from(start: int, utterance: Utterance) -> list[_People]:
    """The people that are joined to each other from this token on."""
    people: list[_People] = []
    while following := _people_at(start, utterance, is_further=bool(people)):
        people.append(following)
        start = following.end
        if start < len(utterance.folded) and utterance.folded[start] in utterance.lexicon.cues.people_joints:
            start += 1
    return people


def _is_speaker_alone(utterance: Utterance) -> bool:
    """ "Just me", "only myself"."""
    rest = set(utterance.folded) - utterance.lexicon.cues.speakers
    return len(utterance.tokens) <= MAX_LONE_WORDS and rest <= utterance.lexicon.cues.lone_words


def _people_at(start: int, utterance: Utterance, *, is_further: bool) -> _People | None:
    """The people that the words from this token on name; a bare number counts them behind others: "me plus three"."""
    words, cues = utterance.folded, utterance.lexicon.cues
    if start < len(words) and words[start] in cues.speakers:
        return _People(1, start + 1)
    at = start
    while (
        at < len(words) and words[at] in cues.determiners | cues.pointing_words and not _number_of(words[at], utterance)
    ):
        at += 1
    number = _number_of(words[at], utterance) if at < len(words) else 0
    noun_at = at + 1 if number else at
    noun = words[noun_at] if noun_at < len(words) else ""
    if noun in cues.relatives or (number and noun in cues.people_nouns | cues.children):
        return _People(number or 1, noun_at + 1)
    return _People(number, noun_at) if is_further and number > 1 and not counts_a_thing(at, utterance) else None


def _number_of(word: str, utterance: Utterance) -> int:
    numerals = utterance.lexicon.numerals
    return int(word) if word.isdecimal() else numerals.units.get(word) or numerals.single.get(word, 0)


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
    following = tokens[last + 1].folded
    return following not in FUNCTION_WORDS and following not in utterance.lexicon.filler_words
