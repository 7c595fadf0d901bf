"""Phrases in a sequence of words: at the beginning, at the end, inside, or making up the whole."""

from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache

from dialogue.nlu.text.lexicons.lexicon import Phrase

FIRST_WORD, LAST_WORD = 0, -1


@lru_cache(maxsize=256)
def _longest_by_word(phrases: frozenset[Phrase], index: int) -> Mapping[str, int]:
    """The length of the longest phrase by its first, or last, word: most words of a message begin none."""
    return {phrase[index]: len(phrase) for phrase in sorted(phrases, key=len)}


def prefix_length(folded: Sequence[str], *kinds: frozenset[Phrase]) -> int:
    """Return how many words the longest phrase at the beginning has; 0 for none."""
    return max(_one_kind_prefix_length(folded, phrases) for phrases in kinds)


def _one_kind_prefix_length(folded: Sequence[str], phrases: frozenset[Phrase]) -> int:
    longest = _longest_by_word(phrases, FIRST_WORD).get(folded[0], 0) if folded else 0
    for length in range(min(longest, len(folded)), 0, -1):
        if tuple(folded[:length]) in phrases:
            return length
    return 0


def suffix_length(folded: Sequence[str], phrases: frozenset[Phrase]) -> int:
    """Return how many words the longest phrase at the end has; 0 for none."""
    longest = _longest_by_word(phrases, LAST_WORD).get(folded[-1], 0) if folded else 0
    for length in range(min(longest, len(folded)), 0, -1):
        if tuple(folded[-length:]) in phrases:
            return length
    return 0


def find_phrase(folded: Sequence[str], phrases: frozenset[Phrase]) -> tuple[int, int] | None:
    """Return the first and the end position of the first phrase found, or None."""
    begins = _longest_by_word(phrases, FIRST_WORD)
    lengths = (
        (start, _one_kind_prefix_length(folded[start:], phrases)) for start, word in enumerate(folded) if word in begins
    )
    return next(((start, start + length) for start, length in lengths if length), None)


def consists_of(folded: Sequence[str], phrases: frozenset[Phrase], *around: frozenset[Phrase]) -> bool:
    """Return whether the words are made of these phrases, at least one, and otherwise only of those around."""
    return (len(folded), True) in _covered_ends(folded, phrases, around)


def _covered_ends(
    folded: Sequence[str], phrases: frozenset[Phrase], around: Sequence[frozenset[Phrase]]
) -> Set[tuple[int, bool]]:
    """The positions up to which phrases cover the words, each with whether a wanted phrase was among them."""
    covered = {(0, False)}
    for start in range(len(folded)):
        for has_phrase in [has_phrase for end, has_phrase in covered if end == start]:
            covered |= {(end, True) for end in _phrase_ends(folded, start, phrases)}
            covered |= {(end, has_phrase) for kind in around for end in _phrase_ends(folded, start, kind)}
    return covered


def _phrase_ends(folded: Sequence[str], start: int, phrases: frozenset[Phrase]) -> Iterator[int]:
    longest = _longest_by_word(phrases, FIRST_WORD).get(folded[start], 0)
    for length in range(1, min(longest, len(folded) - start) + 1):
        if tuple(folded[start : start + length]) in phrases:
            yield start + length
