"""Phrases in a row of words: whole messages made of them, beginnings, ends."""

from collections.abc import Iterator, Sequence, Set
from functools import lru_cache

from dialogue.nlu.lexicons.lexicon import Phrase


@lru_cache(maxsize=256)
def _longest(phrases: frozenset[Phrase]) -> int:
    return max(map(len, phrases), default=0)


def starts_with(folded: Sequence[str], phrases: frozenset[Phrase]) -> int:
    """How many words the longest phrase at the beginning has; 0 for none."""
    for length in range(min(_longest(phrases), len(folded)), 0, -1):
        if tuple(folded[:length]) in phrases:
            return length
    return 0


def ends_with(folded: Sequence[str], phrases: frozenset[Phrase]) -> int:
    for length in range(min(_longest(phrases), len(folded)), 0, -1):
        if tuple(folded[-length:]) in phrases:
            return length
    return 0


def find_phrase(folded: Sequence[str], phrases: frozenset[Phrase]) -> tuple[int, int] | None:
    """The first place where one of the phrases stands: its first word and the one behind it."""
    found = ((place, starts_with(folded[place:], phrases)) for place in range(len(folded)))
    return next(((place, place + length) for place, length in found if length), None)


def consists_of(folded: Sequence[str], phrases: frozenset[Phrase], around: frozenset[Phrase]) -> bool:
    """Is the whole made of these phrases, at least one of them, and else only of those around?"""
    return (len(folded), True) in _reached(folded, phrases, around)


def _reached(folded: Sequence[str], phrases: frozenset[Phrase], around: frozenset[Phrase]) -> Set[tuple[int, bool]]:
    """The places up to which the words are covered, each with whether one of the phrases was among them."""
    reached = {(0, False)}
    for place in range(len(folded)):
        for said in [said for at, said in reached if at == place]:
            reached |= {(end, True) for end in _ends(folded, place, phrases)}
            reached |= {(end, said) for end in _ends(folded, place, around)}
    return reached


def _ends(folded: Sequence[str], place: int, phrases: frozenset[Phrase]) -> Iterator[int]:
    for length in range(1, min(_longest(phrases), len(folded) - place) + 1):
        if tuple(folded[place : place + length]) in phrases:
            yield place + length
