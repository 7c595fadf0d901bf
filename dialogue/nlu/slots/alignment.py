"""Align an example such as "send {amount} to {beneficiary}" with a message, so that its holes show the values.

Dynamic programming over (element of the example, word of the message), from the end of both. Leaving out a word costs
on both sides. A hole of a typed slot takes one of the values found for it. A hole of free text needs a boundary at
both ends: a word of the example, another value, the end of the message, a mark, or the capitals of a name.
"""

from collections.abc import Callable, Container, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache, cached_property

from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.templates import Element, ExampleTemplate, Hole, Literal
from dialogue.nlu.text.tokens import MAX_NAME_PARTICLES, NAME_PARTICLES, Token, fuzzy_equal

# What an element that is found adds to the score; the share is the score over that of a perfect alignment.
CONTENT_GAIN, FUNCTION_GAIN = 1.0, 0.4
VALUE_GAIN, TEXT_GAIN = 1.2, 0.6
# What leaving out an element of the example, or a word of the message, costs.
SKIPPED_CONTENT, SKIPPED_FUNCTION, SKIPPED_HOLE, SKIPPED_TOKEN = 0.4, 0.1, 0.2, 0.12
# What makes free text unlikely: the flow's own words, values of other slots, no content, marks inside.
KNOWN_WORD_COST, TAKEN_COST, EMPTY_COST, MARK_COST = 0.3, 1.5, 2.0, 0.4
# Longer texts and messages would make the time of an alignment grow with their length squared.
MAX_TEXT_WORDS = 10
MAX_TOKENS = 48
MARKS = frozenset(',;:.!?"”»()')

Path = tuple[float, tuple[tuple[str, Span], ...]]
PathFrom = Callable[[int], Path]
"""The best way that begins with an element at this word."""
NO_PATH: Path = (float("-inf"), ())


@dataclass(frozen=True)
class TextCandidate:
    """Free text before the word `end`: its gain, and whether it ends there by itself."""

    span: Span
    end: int
    gain: float
    ends_by_itself: bool


@dataclass(frozen=True)
class Alignment:
    """`share` of the example that was found, up to 1, and the spans of the values by slot name."""

    share: float
    spans: Mapping[str, Span]


@dataclass(frozen=True)
class AlignmentGround:
    """What alignments need of a message: its words, the values in it, and what is not part of free text.

    `labels` are the words that name the slots of other types: an "IBAN" leads to a value and is not part of a name.
    Several examples ask the same, so results are kept.
    """

    text: str
    words: Sequence[Token]
    values: Mapping[str, Sequence[Span]]
    function_words: Set[str]
    vocabulary: Set[str]
    labels: Set[str] = frozenset()
    _positions_by_word: dict[str, Set[int]] = field(default_factory=dict, init=False)
    _candidates_by_start: dict[int, Sequence[TextCandidate]] = field(default_factory=dict, init=False)

    def positions_of_word(self, word: str) -> Set[int]:
        """Return where a word of an example stands in the message; typing errors are allowed."""
        if word not in self._positions_by_word:
            self._positions_by_word[word] = {
                position for position, token in enumerate(self.tokens) if fuzzy_equal(token.folded, word)
            }
        return self._positions_by_word[word]

    def text_candidates(self, start: int) -> Sequence[TextCandidate]:
        """Return the free texts that may begin with this word."""
        if start not in self._candidates_by_start:
            ends = range(start + 1, min(start + MAX_TEXT_WORDS, len(self.tokens)) + 1)
            self._candidates_by_start[start] = [self._text_candidate(start, end) for end in ends]
        return self._candidates_by_start[start]

    @cached_property
    def tokens(self) -> Sequence[Token]:
        """The words that are aligned: the first MAX_TOKENS."""
        return self.words[:MAX_TOKENS]

    @cached_property
    def values_by_start(self) -> Mapping[str, Mapping[int, Sequence[tuple[Span, int]]]]:
        """By slot name and position of the first word: values with their numbers of words."""
        starts = {token.start: position for position, token in enumerate(self.tokens)}
        values: dict[str, dict[int, list[tuple[Span, int]]]] = {slot: {} for slot in self.values}
        for slot, spans in self.values.items():
            for span in (span for span in spans if span.start in starts):
                values[slot].setdefault(starts[span.start], []).append((span, len(self._positions_of(span))))
        return values

    @cached_property
    def name_starts(self) -> Set[int]:
        """Where free text may begin without a boundary before it: at the front and at a name."""
        names = {
            position
            for position in range(1, len(self.tokens))
            if self._is_name(position) and not self._is_name(position - 1)
        }
        return names | {0}

    @cached_property
    def _value_positions(self) -> Set[int]:
        return {position for spans in self.values.values() for span in spans for position in self._positions_of(span)}

    @cached_property
    def _is_marked_behind(self) -> Sequence[bool]:
        """Is there a mark behind the word?"""
        pairs = zip(self.tokens, self.tokens[1:], strict=False)
        return [not MARKS.isdisjoint(self.text[token.end : following.start]) for token, following in pairs]

    def _positions_of(self, span: Span) -> Sequence[int]:
        return [position for position, token in enumerate(self.tokens) if span.start <= token.start < span.end]

    def _text_candidate(self, start: int, end: int) -> TextCandidate:
        span = Span(self.tokens[start].start, self.tokens[end - 1].end, None)
        return TextCandidate(span, end, TEXT_GAIN - self._text_cost(start, end), self._ends_by_itself(start, end))

    def _text_cost(self, start: int, end: int) -> float:
        """Free text rarely holds the flow's own words, values of other slots, or function words only."""
        words = {token.folded for token in self.tokens[start:end]}
        flow_word_cost = sum(KNOWN_WORD_COST for token in self.tokens[start:end] if self._is_flow_word(token))
        value_cost = sum(TAKEN_COST for position in range(start, end) if position in self._value_positions)
        empty_cost = 0.0 if words - self.function_words - self.vocabulary else EMPTY_COST
        mark_cost = MARK_COST * sum(self._is_marked_behind[start : end - 1])
        return (
            flow_word_cost
            + value_cost
            + mark_cost
            + (0.0 if self._is_name(start) and not flow_word_cost else empty_cost)
        )

    def _is_flow_word(self, token: Token) -> bool:
        return token.folded in self.vocabulary and not token.text[:1].isupper()

    def _ends_by_itself(self, start: int, end: int) -> bool:
        """Return whether the text has a boundary here: the end, a mark, a value, or the end of a name."""
        if end == len(self.tokens) or self._is_marked_behind[end - 1]:
            return True
        if self._says_nothing(end - 1):
            return False
        following = next(
            (position for position in range(end, len(self.tokens)) if not self._says_nothing(position)), None
        )
        if following in self._value_positions:
            return True
        return self._is_name(start) and self._is_name(end - 1) and not self._is_name(end)

    def _says_nothing(self, position: int) -> bool:
        return position not in self._value_positions and self.tokens[position].folded in self.function_words

    def _is_name(self, position: int) -> bool:
        return self._is_capital(position) or position in self._particle_positions or self._is_joined_to_name(position)

    def _is_joined_to_name(self, position: int) -> bool:
        """Behind a hyphen: the number of "K-209 Ropes" is a part of the name."""
        if position == 0 or position in self._value_positions:
            return False
        before = self.tokens[position - 1]
        return self.text[before.end : self.tokens[position].start] == "-" and self._is_name(position - 1)

    def _is_capital(self, position: int) -> bool:
        return self.tokens[position].text[:1].isupper() and position not in self._value_positions

    @cached_property
    def _particle_positions(self) -> Set[int]:
        """The small words inside names: "Larch and Sons" is one name, "Anna and my card" none."""
        starts = [position for position in range(1, len(self.tokens)) if self._is_capital(position - 1)]
        return {position for start in starts for position in self._particles_from(start)}

    def _particles_from(self, start: int) -> range:
        """The small words from here on that lead, without a mark between, to more of the name."""
        for position in range(start, min(start + MAX_NAME_PARTICLES + 1, len(self.tokens))):
            if self._is_marked_behind[position - 1]:
                break
            if self._is_capital(position):
                return range(start, position) if self._continues_name(position) else range(0)
            if self.tokens[position].folded not in NAME_PARTICLES:
                break
        return range(0)

    def _continues_name(self, position: int) -> bool:
        """Not a new sentence ("and My card …"), a label ("and IBAN DE89…") or a request ("and Transfer 80 …")."""
        word = self.tokens[position].folded
        if word in self.function_words or word in self.labels:
            return False
        ends = position + 1 == len(self.tokens) or self._is_marked_behind[position] or self._is_capital(position + 1)
        return ends or word not in self.vocabulary


def align_template(template: ExampleTemplate, ground: AlignmentGround) -> Alignment:
    """Return the best alignment of one example with the message."""
    rest = _Rest([(0.0, ())] * (len(ground.tokens) + 1))
    for position, element in reversed(list(enumerate(template.elements))):
        rest = _add_element(element, ground, rest, waiting=SKIPPED_TOKEN if position else 0.0)
    score, spans = rest.paths[0]
    return Alignment(max(score, 0.0) / _ideal_score(template, ground), dict(spans))


def max_share(template: ExampleTemplate, ground: AlignmentGround) -> float:
    """Return an upper bound of the alignment's share: as if everything stood in the right order."""
    gains = (_max_gain(element, ground) for element in template.elements)
    return max(sum(gains), 0.0) / _ideal_score(template, ground)


def _max_gain(element: Element, ground: AlignmentGround) -> float:
    if isinstance(element, Literal):
        return (
            _element_gain(element, ground) if ground.positions_of_word(element.word) else -_skip_cost(element, ground)
        )
    return -SKIPPED_HOLE if ground.values_by_start.get(element.slot) == {} else _element_gain(element, ground)


def _ideal_score(template: ExampleTemplate, ground: AlignmentGround) -> float:
    return sum(_element_gain(element, ground) for element in template.elements) or 1.0


def _element_gain(element: Element, ground: AlignmentGround) -> float:
    if isinstance(element, Literal):
        return FUNCTION_GAIN if element.word in ground.function_words else CONTENT_GAIN
    return VALUE_GAIN if element.slot in ground.values else TEXT_GAIN


def _skip_cost(element: Element, ground: AlignmentGround) -> float:
    if isinstance(element, Hole):
        return SKIPPED_HOLE
    return SKIPPED_FUNCTION if element.word in ground.function_words else SKIPPED_CONTENT


def _add_element(element: Element, ground: AlignmentGround, rest: "_Rest", waiting: float) -> "_Rest":
    costs = _skip_cost(element, ground), waiting
    if isinstance(element, Literal):
        return _Element(
            rest, ground.positions_of_word(element.word), _word_path(_element_gain(element, ground), rest), costs
        )
    if element.slot in ground.values:
        values = ground.values_by_start[element.slot]
        return _Element(rest, values.keys(), _value_path(element.slot, values, rest), costs)
    return _TextElement(rest, ground.name_starts, _text_path(element.slot, ground, rest), costs)


def _word_path(gain: float, rest: "_Rest") -> PathFrom:
    return lambda token: _extend(gain, rest.path_right_behind(token + 1))


def _value_path(slot: str, values: Mapping[int, Sequence[tuple[Span, int]]], rest: "_Rest") -> PathFrom:
    def path_from(token: int) -> Path:
        ways = (
            _extend(VALUE_GAIN, rest.path_right_behind(token + length), (slot, span)) for span, length in values[token]
        )
        return max(ways, key=_path_score)

    return path_from


def _text_path(slot: str, ground: AlignmentGround, rest: "_Rest") -> PathFrom:
    @cache
    def path_from(token: int) -> Path:
        texts = (
            (text, rest.path_right_behind if text.ends_by_itself else rest.path_starting_at)
            for text in ground.text_candidates(token)
        )
        ways = (_extend(text.gain, path_after(text.end), (slot, text.span)) for text, path_after in texts)
        return max((NO_PATH, *ways), key=_path_score)

    return path_from


class _Rest:
    """The best paths through the rest of an example, by the word of the message where they begin; here its end.

    `paths` may leave words out before they begin, and `path_right_behind` goes on right behind a match.
    `path_starting_at` begins at once, since the free text before it ends nowhere else.
    """

    def __init__(self, loose: Sequence[Path]) -> None:
        self.paths = list(loose)

    def path_right_behind(self, token: int) -> Path:
        return self.paths[token]

    def path_starting_at(self, token: int) -> Path:
        return NO_PATH


class _Element(_Rest):
    """An element, which can be taken at its openings, and all behind it. Of equal paths, the one that skips it wins."""

    def __init__(self, rest: _Rest, openings: Container[int], path_from: PathFrom, costs: tuple[float, float]) -> None:
        super().__init__(rest.paths)
        self._left_out = list(rest.paths)
        self._openings, self._path_from = openings, path_from
        self._fill_paths(*costs)

    def _fill_paths(self, skipping: float, waiting: float) -> None:
        """Fill from the last word to the first: without the element, without a word before it, with it."""
        later = NO_PATH
        for token in range(len(self.paths) - 1, -1, -1):
            path = _better_path(_extend(-skipping, self.paths[token]), _extend(-waiting, later))
            later = _better_path(path, self._path_from(token)) if token in self._openings else path
            self._left_out[token], self.paths[token] = path, later

    def path_starting_at(self, token: int) -> Path:
        return self._path_from(token) if token in self._openings else NO_PATH


class _TextElement(_Element):
    """Right behind a match, free text may begin with any word."""

    def path_right_behind(self, token: int) -> Path:
        return _better_path(self._left_out[token], self._path_from(token))

    def path_starting_at(self, token: int) -> Path:
        return self._path_from(token)


def _extend(gain: float, rest: Path, filled: tuple[str, Span] | None = None) -> Path:
    score, spans = rest
    return gain + score, ((filled, *spans) if filled else spans)


def _better_path(first: Path, other: Path) -> Path:
    return other if other[0] > first[0] else first


def _path_score(path: Path) -> float:
    return path[0]
