"""Aligning an example such as "send {amount} to {beneficiary}" with a message, so that its holes show the values.

A dynamic programme over (element of the example, word of the message), from the end of both. Words may be left out on
both sides at a price. A hole of a typed slot takes one of the values found for it; a hole of free text needs something
to hold on to at both ends: a word of the example, another value, the end of the message, a mark, or the capitals of a
name.
"""

from collections.abc import Callable, Container, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache, cached_property

from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.templates import Element, ExampleTemplate, Hole, Literal
from dialogue.nlu.text.tokens import MAX_NAME_PARTICLES, NAME_PARTICLES, Token, fuzzy_equal

CONTENT_GAIN, FUNCTION_GAIN = 1.0, 0.4
VALUE_GAIN, TEXT_GAIN = 1.2, 0.6
SKIPPED_CONTENT, SKIPPED_FUNCTION, SKIPPED_HOLE, SKIPPED_TOKEN = 0.4, 0.1, 0.2, 0.12
KNOWN_WORD_COST, TAKEN_COST, EMPTY_COST, MARK_COST = 0.3, 1.5, 2.0, 0.4
MAX_TEXT_WORDS = 10
MAX_TOKENS = 48
MARKS = frozenset(',;:.!?"”»()')

Path = tuple[float, tuple[tuple[str, Span], ...]]
PathFrom = Callable[[int], Path]
"""The best way that begins with an element at this word."""
NO_PATH: Path = (float("-inf"), ())


@dataclass(frozen=True)
class TextCandidate:
    """Free text before the word `end`: what it is worth, and whether it ends there by itself."""

    span: Span
    end: int
    gain: float
    closed: bool


@dataclass(frozen=True)
class Alignment:
    """`share` is how much of the example was found, up to 1; `spans` are the values by slot."""

    share: float
    spans: Mapping[str, Span]


@dataclass(frozen=True)
class AlignmentGround:
    """What alignments stand on: the words, where values were found, and what cannot be part of free text.

    `labels` are the words that name the slots of other types: an "IBAN" leads to a value and is no part of a name.
    What several examples ask about a message is worked out once.
    """

    text: str
    words: Sequence[Token]
    values: Mapping[str, Sequence[Span]]
    function_words: Set[str]
    vocabulary: Set[str]
    labels: Set[str] = frozenset()
    _places: dict[str, Set[int]] = field(default_factory=dict, init=False)
    _texts: dict[int, Sequence[TextCandidate]] = field(default_factory=dict, init=False)

    def places(self, word: str) -> Set[int]:
        """Where a word of an example stands in the message, slips of the keyboard allowed."""
        if word not in self._places:
            self._places[word] = {place for place, token in enumerate(self.tokens) if fuzzy_equal(token.folded, word)}
        return self._places[word]

    def texts(self, start: int) -> Sequence[TextCandidate]:
        """The free texts that may begin with this word."""
        if start not in self._texts:
            ends = range(start + 1, min(start + MAX_TEXT_WORDS, len(self.tokens)) + 1)
            self._texts[start] = [self._free(start, end) for end in ends]
        return self._texts[start]

    @cached_property
    def tokens(self) -> Sequence[Token]:
        return self.words[:MAX_TOKENS]

    @cached_property
    def found(self) -> Mapping[str, Mapping[int, Sequence[tuple[Span, int]]]]:
        """By slot and by first word the values, each with the number of its words."""
        starts = {token.start: place for place, token in enumerate(self.tokens)}
        found: dict[str, dict[int, list[tuple[Span, int]]]] = {slot: {} for slot in self.values}
        for slot, spans in self.values.items():
            for span in (span for span in spans if span.start in starts):
                found[slot].setdefault(starts[span.start], []).append((span, len(self._covered(span))))
        return found

    @cached_property
    def openings(self) -> Set[int]:
        """Where free text may begin without a word or a value before it: in front, and where a name begins."""
        names = {place for place in range(1, len(self.tokens)) if self._is_name(place) and not self._is_name(place - 1)}
        return names | {0}

    @cached_property
    def _taken(self) -> Set[int]:
        return {place for spans in self.values.values() for span in spans for place in self._covered(span)}

    @cached_property
    def _marked(self) -> Sequence[bool]:
        """Is there a mark behind the word?"""
        pairs = zip(self.tokens, self.tokens[1:], strict=False)
        return [not MARKS.isdisjoint(self.text[left.end : right.start]) for left, right in pairs]

    def _covered(self, span: Span) -> Sequence[int]:
        return [place for place, token in enumerate(self.tokens) if span.start <= token.start < span.end]

    def _free(self, start: int, end: int) -> TextCandidate:
        span = Span(self.tokens[start].start, self.tokens[end - 1].end, None)
        return TextCandidate(span, end, TEXT_GAIN - self._cost(start, end), self._closes(start, end))

    def _cost(self, start: int, end: int) -> float:
        """Free text is no place for the flow's own words, for values of other slots, or for words that say nothing."""
        words = {token.folded for token in self.tokens[start:end]}
        own = sum(KNOWN_WORD_COST for token in self.tokens[start:end] if self._is_own(token))
        taken = sum(TAKEN_COST for place in range(start, end) if place in self._taken)
        empty = 0.0 if words - self.function_words - self.vocabulary else EMPTY_COST
        marks = MARK_COST * sum(self._marked[start : end - 1])
        return own + taken + marks + (0.0 if self._is_name(start) and not own else empty)

    def _is_own(self, token: Token) -> bool:
        return token.folded in self.vocabulary and not token.text[:1].isupper()

    def _closes(self, start: int, end: int) -> bool:
        """Does the text end by itself here: at the message's end, a mark, a value, or where a name's capitals end?"""
        if end == len(self.tokens) or self._marked[end - 1]:
            return True
        if self._says_nothing(end - 1):
            return False
        following = next((place for place in range(end, len(self.tokens)) if not self._says_nothing(place)), None)
        if following in self._taken:
            return True
        return self._is_name(start) and self._is_name(end - 1) and not self._is_name(end)

    def _says_nothing(self, place: int) -> bool:
        return place not in self._taken and self.tokens[place].folded in self.function_words

    def _is_name(self, place: int) -> bool:
        return self._is_capital(place) or place in self._particles

    def _is_capital(self, place: int) -> bool:
        return self.tokens[place].text[:1].isupper() and place not in self._taken

    @cached_property
    def _particles(self) -> Set[int]:
        """The small words inside names: "Larch and Sons" is one name, "Anna and my card" none."""
        starts = [place for place in range(1, len(self.tokens)) if self._is_capital(place - 1)]
        return {place for start in starts for place in self._particles_from(start)}

    def _particles_from(self, start: int) -> range:
        """The small words from here on that lead, without a mark between, to more of the name."""
        for place in range(start, min(start + MAX_NAME_PARTICLES + 1, len(self.tokens))):
            if self._marked[place - 1]:
                break
            if self._is_capital(place):
                return range(start, place) if self._continues_name(place) else range(0)
            if self.tokens[place].folded not in NAME_PARTICLES:
                break
        return range(0)

    def _continues_name(self, place: int) -> bool:
        """No new sentence ("and My card …"), label of a value ("and IBAN DE89…") or request ("and Transfer 80 …")."""
        word = self.tokens[place].folded
        if word in self.function_words or word in self.labels:
            return False
        ends = place + 1 == len(self.tokens) or self._marked[place] or self._is_capital(place + 1)
        return ends or word not in self.vocabulary


def align(template: ExampleTemplate, ground: AlignmentGround) -> Alignment:
    rest = _Rest([(0.0, ())] * (len(ground.tokens) + 1))
    for place, element in reversed(list(enumerate(template.elements))):
        rest = _stretch(element, ground, rest, waiting=SKIPPED_TOKEN if place else 0.0)
    score, spans = rest.loose[0]
    return Alignment(max(score, 0.0) / _ideal(template, ground), dict(spans))


def max_share(template: ExampleTemplate, ground: AlignmentGround) -> float:
    """What the share of the alignment cannot be above: as if all that is in the message stood in the right order."""
    gains = (_most_gain(element, ground) for element in template.elements)
    return max(sum(gains), 0.0) / _ideal(template, ground)


def _most_gain(element: Element, ground: AlignmentGround) -> float:
    if isinstance(element, Literal):
        return _gain(element, ground) if ground.places(element.word) else -_skip_cost(element, ground)
    return -SKIPPED_HOLE if ground.found.get(element.slot) == {} else _gain(element, ground)


def _ideal(template: ExampleTemplate, ground: AlignmentGround) -> float:
    return sum(_gain(element, ground) for element in template.elements) or 1.0


def _gain(element: Element, ground: AlignmentGround) -> float:
    if isinstance(element, Literal):
        return FUNCTION_GAIN if element.word in ground.function_words else CONTENT_GAIN
    return VALUE_GAIN if element.slot in ground.values else TEXT_GAIN


def _skip_cost(element: Element, ground: AlignmentGround) -> float:
    if isinstance(element, Hole):
        return SKIPPED_HOLE
    return SKIPPED_FUNCTION if element.word in ground.function_words else SKIPPED_CONTENT


def _stretch(element: Element, ground: AlignmentGround, rest: "_Rest", waiting: float) -> "_Rest":
    costs = _skip_cost(element, ground), waiting
    if isinstance(element, Literal):
        return _Stretch(rest, ground.places(element.word), _word_taker(_gain(element, ground), rest), costs)
    if element.slot in ground.values:
        found = ground.found[element.slot]
        return _Stretch(rest, found.keys(), _value_taker(element.slot, found, rest), costs)
    return _TextStretch(rest, ground.openings, _text_taker(element.slot, ground, rest), costs)


def _word_taker(gain: float, rest: "_Rest") -> PathFrom:
    return lambda token: _after(gain, rest.tight(token + 1))


def _value_taker(slot: str, found: Mapping[int, Sequence[tuple[Span, int]]], rest: "_Rest") -> PathFrom:
    def taken(token: int) -> Path:
        ways = (_after(VALUE_GAIN, rest.tight(token + length), (slot, span)) for span, length in found[token])
        return max(ways, key=_score)

    return taken


def _text_taker(slot: str, ground: AlignmentGround, rest: "_Rest") -> PathFrom:
    @cache
    def taken(token: int) -> Path:
        texts = ((text, rest.tight if text.closed else rest.demanded) for text in ground.texts(token))
        ways = (_after(text.gain, behind(text.end), (slot, text.span)) for text, behind in texts)
        return max((NO_PATH, *ways), key=_score)

    return taken


class _Rest:
    """The best ways through the rest of an example, by the word of the message that they begin at; here its end.

    `loose` ways may leave words out before they begin; `tight` ones go on right behind what was found; `demanded` ones
    begin at once, since the free text before them ends nowhere else.
    """

    def __init__(self, loose: Sequence[Path]) -> None:
        self.loose = list(loose)

    def tight(self, token: int) -> Path:
        return self.loose[token]

    def demanded(self, token: int) -> Path:
        return NO_PATH


class _Stretch(_Rest):
    """An element, which can be taken at its openings, and all behind it. Of ways as good, what leaves out counts."""

    def __init__(self, rest: _Rest, openings: Container[int], taken: PathFrom, costs: tuple[float, float]) -> None:
        super().__init__(rest.loose)
        self._left = list(rest.loose)
        self._openings, self._taken = openings, taken
        self._fill(*costs)

    def _fill(self, skipping: float, waiting: float) -> None:
        """From the last word to the first: without the element, without a word before it, with it."""
        later = NO_PATH
        for token in range(len(self.loose) - 1, -1, -1):
            way = _better(_after(-skipping, self.loose[token]), _after(-waiting, later))
            later = _better(way, self._taken(token)) if token in self._openings else way
            self._left[token], self.loose[token] = way, later

    def demanded(self, token: int) -> Path:
        return self._taken(token) if token in self._openings else NO_PATH


class _TextStretch(_Stretch):
    """Behind what was found, free text may begin with any word."""

    def tight(self, token: int) -> Path:
        return _better(self._left[token], self._taken(token))

    def demanded(self, token: int) -> Path:
        return self._taken(token)


def _after(gain: float, rest: Path, filled: tuple[str, Span] | None = None) -> Path:
    score, spans = rest
    return gain + score, ((filled, *spans) if filled else spans)


def _better(first: Path, other: Path) -> Path:
    return other if other[0] > first[0] else first


def _score(way: Path) -> float:
    return way[0]
