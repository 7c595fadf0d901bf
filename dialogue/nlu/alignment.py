"""Aligning an example such as "send {amount} to {beneficiary}" with a message, so that its holes show the values.

A dynamic programme over (element of the example, word of the message). Words may be left out on both sides at a price.
A hole of a typed slot takes one of the values found for it; a hole of free text needs something to hold on to at both
ends: a word of the example, another value, the end of the message, a mark, or the capitals of a name.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import IntEnum

from dialogue.nlu.spans import Span
from dialogue.nlu.templates import Element, ExampleTemplate, Hole, Literal
from dialogue.nlu.tokens import Token, near

CONTENT_GAIN, FUNCTION_GAIN = 1.0, 0.4
VALUE_GAIN, TEXT_GAIN = 1.2, 0.6
SKIPPED_CONTENT, SKIPPED_FUNCTION, SKIPPED_HOLE, SKIPPED_TOKEN = 0.4, 0.1, 0.2, 0.12
KNOWN_WORD_COST, TAKEN_COST = 0.3, 1.5
LONGEST_TEXT = 10
MOST_TOKENS = 48
NOTHING = float("-inf")


class Hold(IntEnum):
    """What joins the next element to the words before it."""

    LOOSE = 0
    TIGHT = 1
    DEMANDED = 2


@dataclass(frozen=True)
class Ground:
    """What an alignment stands on: the words, where values were found, and what cannot be part of free text."""

    text: str
    tokens: Sequence[Token]
    values: Mapping[str, Sequence[Span]]
    function_words: Set[str]
    vocabulary: Set[str]


@dataclass(frozen=True)
class Alignment:
    """`share` is how much of the example was found, up to 1; `spans` are the values by slot."""

    share: float
    spans: Mapping[str, Span]


Way = tuple[float, tuple[tuple[str, Span], ...]]


def align(template: ExampleTemplate, ground: Ground) -> Alignment:
    score, spans = _Aligner(template.elements, ground).best(0, 0, Hold.LOOSE)
    ideal = sum(_ideal(element, ground) for element in template.elements) or 1.0
    return Alignment(max(score, 0.0) / ideal, dict(spans))


def _ideal(element: Element, ground: Ground) -> float:
    if isinstance(element, Literal):
        return _literal_gain(element.word, ground)
    return VALUE_GAIN if element.slot in ground.values else TEXT_GAIN


def _literal_gain(word: str, ground: Ground) -> float:
    return FUNCTION_GAIN if word in ground.function_words else CONTENT_GAIN


class _Aligner:
    """The programme's table, filled as it is asked."""

    def __init__(self, elements: Sequence[Element], ground: Ground) -> None:
        self._elements = elements
        self._ground = ground
        self._tokens = ground.tokens[:MOST_TOKENS]
        self._known: dict[tuple[int, int, Hold], Way] = {}
        self._starts = {token.start: place for place, token in enumerate(self._tokens)}
        self._taken = {place for spans in ground.values.values() for span in spans for place in self._covered(span)}

    def best(self, element: int, token: int, hold: Hold) -> Way:
        """The best way through the rest of the example and of the message."""
        key = (element, token, hold)
        if key not in self._known:
            self._known[key] = max(self._ways(*key), key=lambda way: way[0])
        return self._known[key]

    def _ways(self, place: int, token: int, hold: Hold) -> Iterator[Way]:
        if place == len(self._elements):
            yield (NOTHING if hold is Hold.DEMANDED else 0.0), ()
            return
        element = self._elements[place]
        if hold is not Hold.DEMANDED:
            yield from self._skips(element, place, token)
        yield NOTHING, ()
        if token < len(self._tokens):
            yield from self._takes(element, place, token, hold)

    def _skips(self, element: Element, place: int, token: int) -> Iterator[Way]:
        yield _after(-self._skip_cost(element), self.best(place + 1, token, Hold.LOOSE))
        if token < len(self._tokens):
            yield _after(-SKIPPED_TOKEN if place else 0.0, self.best(place, token + 1, Hold.LOOSE))

    def _skip_cost(self, element: Element) -> float:
        if isinstance(element, Hole):
            return SKIPPED_HOLE
        return SKIPPED_FUNCTION if element.word in self._ground.function_words else SKIPPED_CONTENT

    def _takes(self, element: Element, place: int, token: int, hold: Hold) -> Iterator[Way]:
        if isinstance(element, Literal):
            if near(self._tokens[token].folded, element.word):
                yield _after(_literal_gain(element.word, self._ground), self.best(place + 1, token + 1, Hold.TIGHT))
        elif element.slot in self._ground.values:
            yield from self._values(element.slot, place, token)
        elif hold is not Hold.LOOSE or token == 0 or self._opens_name(token):
            yield from self._texts(element.slot, place, token)

    def _values(self, slot: str, place: int, token: int) -> Iterator[Way]:
        for span in self._ground.values[slot]:
            if self._starts.get(span.start) == token:
                rest = self.best(place + 1, token + len(self._covered(span)), Hold.TIGHT)
                yield _after(VALUE_GAIN, rest, (slot, span))

    def _covered(self, span: Span) -> Sequence[int]:
        return [place for place, token in enumerate(self._tokens) if span.start <= token.start < span.end]

    def _texts(self, slot: str, place: int, token: int) -> Iterator[Way]:
        for end in range(token + 1, min(token + LONGEST_TEXT, len(self._tokens)) + 1):
            hold = Hold.TIGHT if self._closes(token, end) else Hold.DEMANDED
            span = Span(self._tokens[token].start, self._tokens[end - 1].end, None)
            rest = self.best(place + 1, end, hold)
            yield _after(TEXT_GAIN - self._text_cost(token, end), rest, (slot, span))

    def _text_cost(self, start: int, end: int) -> float:
        """Free text is no place for the flow's own words, for values of other slots, or for words that say nothing."""
        words = {token.folded for token in self._tokens[start:end]}
        own = sum(KNOWN_WORD_COST for token in self._tokens[start:end] if self._is_own(token))
        taken = sum(TAKEN_COST for place in range(start, end) if place in self._taken)
        empty = 0.0 if words - self._ground.function_words - self._ground.vocabulary else 2.0
        marks = 0.4 * sum(self._mark_behind(place) for place in range(start, end - 1))
        return own + taken + marks + (0.0 if self._is_name(start) and not own else empty)

    def _is_own(self, token: Token) -> bool:
        return token.folded in self._ground.vocabulary and not token.text[:1].isupper()

    def _closes(self, start: int, end: int) -> bool:
        """Does the text end by itself here: at the message's end, a mark, a value, or where a name's capitals end?"""
        if end == len(self._tokens) or self._mark_behind(end - 1):
            return True
        if self._says_nothing(end - 1):
            return False
        following = next((place for place in range(end, len(self._tokens)) if not self._says_nothing(place)), None)
        if following in self._taken:
            return True
        return self._is_name(start) and self._is_name(end - 1) and not self._is_name(end)

    def _says_nothing(self, place: int) -> bool:
        return place not in self._taken and self._tokens[place].folded in self._ground.function_words

    def _mark_behind(self, place: int) -> bool:
        between = self._ground.text[self._tokens[place].end : self._tokens[place + 1].start]
        return any(mark in between for mark in ',;:.!?"”»()')

    def _opens_name(self, place: int) -> bool:
        return place > 0 and self._is_name(place) and not self._is_name(place - 1)

    def _is_name(self, place: int) -> bool:
        return self._tokens[place].text[:1].isupper() and place not in self._taken


def _after(gain: float, rest: Way, filled: tuple[str, Span] | None = None) -> Way:
    score, spans = rest
    return gain + score, ((filled, *spans) if filled else spans)
