"""Options of a choice in running text: by value, label or synonym, also slightly misspelt."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import takewhile

from dialogue.engine.slots.models import Option, Slot
from dialogue.nlu.slots.spans import Span, without_overlaps
from dialogue.nlu.text.tokens import Token, folded_words, fuzzy_equal_phrase

PAIR_WORDS = 2
ROOT_LETTERS, MIN_ROOT_SHARE = 5, 0.55
PRONOUNS = frozenset({"it", "them", "that", "this", "those", "lo", "la", "los", "las"})
OptionPhrase = tuple[tuple[str, ...], str]


def find_options(slot: Slot, tokens: Sequence[Token]) -> tuple[Span, ...]:
    """Every option that the text names; of two in one place the longer name, else the one named exactly."""
    surfaces = option_phrases(slot)
    folded = [token.folded for token in tokens]
    exact = _placed(tokens, folded, surfaces, exactly=True)
    return without_overlaps((*exact, *_placed(tokens, folded, surfaces, exactly=False)))


def option_phrases(slot: Slot) -> tuple[OptionPhrase, ...]:
    """(words, value) for everything that stands for an option, the longest first."""
    return _sorted_surfaces(slot.options)


@lru_cache(maxsize=512)
def _sorted_surfaces(options: tuple[Option, ...]) -> tuple[OptionPhrase, ...]:
    named = {(folded_words(text), option.value) for option in options for text in option_texts(option)}
    return tuple(sorted((surface for surface in named if surface[0]), key=lambda surface: -len(surface[0])))


def option_texts(option: Option) -> Iterator[str]:
    yield option.value
    yield option.value.replace("_", " ")
    yield option.label
    yield from option.label.translations.values()
    yield from option.synonyms


def _placed(
    tokens: Sequence[Token], folded: Sequence[str], surfaces: Sequence[OptionPhrase], *, exactly: bool
) -> Iterator[Span]:
    for surface, value in surfaces:
        for start in range(len(folded) - len(surface) + 1):
            window = tuple(folded[start : start + len(surface)])
            if window == surface if exactly else fuzzy_equal_phrase(window, surface):
                span = Span(tokens[start].start, tokens[start + len(surface) - 1].end, value)
                yield span if _strong(surface, tokens[start]) else Span(span.start, span.end, value, weak=True)
            elif not exactly and _around(surface, folded[start : start + len(surface) + 1]):
                yield Span(tokens[start].start, tokens[start + len(surface)].end, value)
            elif not exactly and _rooted(surface, window[0]):
                yield Span(tokens[start].start, tokens[start].end, value)


def _rooted(surface: Sequence[str], word: str) -> bool:
    """ "Musical" has the root of "music"."""
    if len(surface) != 1 or surface[0][:ROOT_LETTERS] != word[:ROOT_LETTERS]:
        return False
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(surface[0], word, strict=False)))
    return alike >= max(ROOT_LETTERS, MIN_ROOT_SHARE * max(len(word), len(surface[0])))


def _around(surface: Sequence[str], window: Sequence[str]) -> bool:
    """ "Pick it up" is "pick up" with what it is about in the middle."""
    if len(surface) != PAIR_WORDS or len(window) != PAIR_WORDS + 1:
        return False
    return window[0] == surface[0] and window[2] == surface[1] and window[1] in PRONOUNS


def _strong(surface: Sequence[str], token: Token) -> bool:
    """A size "s" or "m" in a sentence is an option only as a capital letter."""
    return len("".join(surface)) > 1 or token.text.isupper()
