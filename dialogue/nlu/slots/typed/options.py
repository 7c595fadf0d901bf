"""Options of a choice in running text: by value, label or synonym; typing errors are allowed."""

from collections.abc import Iterator, Sequence, Set
from functools import lru_cache
from itertools import chain, product, takewhile

from dialogue.engine.slots.definitions.options import Option
from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.spans import Span, without_overlaps
from dialogue.nlu.text.lexicons import LEXICONS
from dialogue.nlu.text.tokens import Token, fold, folded_words, fuzzy_equal_phrase

# A phrase of two words may have a pronoun between them: "pick it up".
PAIR_WORDS = 2
# So many equal letters at the beginning, and this part of the longer word, make a common root.
ROOT_LETTERS, MIN_ROOT_SHARE = 5, 0.55
PRONOUNS = frozenset({"it", "them", "that", "this", "those", "lo", "la", "los", "las"})
SIZE_LETTERS = {label: letters for lexicon in LEXICONS.values() for label, letters in lexicon.cues.size_letters.items()}
OptionPhrase = tuple[tuple[str, ...], str]


def find_options(slot: Slot, tokens: Sequence[Token]) -> tuple[Span, ...]:
    """Return a span for every option that the text names; of two in one place the longer, else the exact one."""
    phrases = option_phrases(slot)
    folded = [token.folded for token in tokens]
    exact = _option_spans(tokens, folded, phrases, exactly=True)
    # The "bike" of "kind of bike" is no typing error for the option "ebike".
    own_words = _own_words(slot.name, str(slot.description or ""))
    similar = (
        span
        for span in _option_spans(tokens, folded, phrases, exactly=False)
        if not own_words.issuperset(token.folded for token in tokens if span.start <= token.start < span.end)
    )
    return without_overlaps((*exact, *similar))


@lru_cache(maxsize=512)
def _own_words(name: str, description: str) -> frozenset[str]:
    return frozenset(folded_words(f"{name.replace('_', ' ')} {description}"))


def option_phrases(slot: Slot) -> tuple[OptionPhrase, ...]:
    """Return (words, value) for every text that stands for an option, the longest first."""
    return _sorted_phrases(slot.options)


@lru_cache(maxsize=512)
def _sorted_phrases(options: tuple[Option, ...]) -> tuple[OptionPhrase, ...]:
    phrases = {(folded_words(text), option.value) for option in options for text in option_texts(option)}
    sizes = {(SIZE_LETTERS[label], option.value) for option in options if (label := fold(option.label)) in SIZE_LETTERS}
    if len(sizes) > 1:
        phrases |= {((letters,), value) for letters, value in sizes}
    phrases |= {(variant, value) for phrase, value in phrases for variant in _with_other_ordinals(phrase)}
    phrases |= _in_other_words(phrases)
    return tuple(sorted((phrase for phrase in phrases if phrase[0]), key=lambda phrase: -len(phrase[0])))


def _with_other_ordinals(phrase: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """ "2nd floor" for "second floor"."""
    for place, word in enumerate(phrase):
        for lexicon in LEXICONS.values():
            number = lexicon.numerals.ordinals.get(word)
            others = (other for other, each in lexicon.numerals.ordinals.items() if each == number)
            yield from ((*phrase[:place], other, *phrase[place + 1 :]) for other in others)


def _in_other_words(phrases: Set[OptionPhrase]) -> Set[OptionPhrase]:
    """What people say for options of common kinds, where only one of the options is meant: "every week" for weekly."""
    words = {phrase for phrase, _ in phrases}
    found = set()
    for group in chain.from_iterable(lexicon.cues.same_options for lexicon in LEXICONS.values()):
        values = {value for phrase, value in phrases if phrase in group}
        if len(values) == 1:
            found |= {(phrase, value) for phrase, value in product(group - words, values)}
    return found


def option_texts(option: Option) -> Iterator[str]:
    """Yield the texts that stand for an option: its value, its label in every language, its synonyms."""
    yield option.value
    yield option.value.replace("_", " ")
    yield option.label
    yield from option.label.translations.values()
    yield from option.synonyms


def _option_spans(
    tokens: Sequence[Token], folded: Sequence[str], phrases: Sequence[OptionPhrase], *, exactly: bool
) -> Iterator[Span]:
    for phrase, value in phrases:
        for start in range(len(folded) - len(phrase) + 1):
            window = tuple(folded[start : start + len(phrase)])
            if window == phrase if exactly else fuzzy_equal_phrase(window, phrase):
                span = Span(tokens[start].start, tokens[start + len(phrase) - 1].end, value)
                yield span if _is_strong(phrase, tokens[start]) else Span(span.start, span.end, value, weak=True)
            elif not exactly and _is_split_by_pronoun(phrase, folded[start : start + len(phrase) + 1]):
                yield Span(tokens[start].start, tokens[start + len(phrase)].end, value)
            elif not exactly and _shares_root(phrase, window[0]):
                # "Monthly" says "month"; "check" does not say "checkup".
                is_shorter = len(window[0]) < len(phrase[0])
                yield Span(tokens[start].start, tokens[start].end, value, weak=is_shorter)


def _shares_root(phrase: Sequence[str], word: str) -> bool:
    """ "Musical" has the root of "music"."""
    if len(phrase) != 1 or phrase[0][:ROOT_LETTERS] != word[:ROOT_LETTERS]:
        return False
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(phrase[0], word, strict=False)))
    return alike >= max(ROOT_LETTERS, MIN_ROOT_SHARE * max(len(word), len(phrase[0])))


def _is_split_by_pronoun(phrase: Sequence[str], window: Sequence[str]) -> bool:
    """ "Pick it up" is "pick up" with what it is about in the middle."""
    if len(phrase) != PAIR_WORDS or len(window) != PAIR_WORDS + 1:
        return False
    return window[0] == phrase[0] and window[2] == phrase[1] and window[1] in PRONOUNS


def _is_strong(phrase: Sequence[str], token: Token) -> bool:
    """A size "s" or "m" in a sentence is an option only as a capital letter."""
    return len("".join(phrase)) > 1 or token.text.isupper()
