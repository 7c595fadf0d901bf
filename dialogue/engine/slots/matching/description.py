"""One description of an option, word by word, and what is known of it so far."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from datetime import date

from dialogue.engine.slots.matching.candidate_index import CandidateIndex, Mask, Measure
from dialogue.engine.slots.matching.vocabulary import Phrase, Vocabulary
from dialogue.engine.slots.matching.word_forms import Word, forms_of

MAX_PHRASE_WORDS = 6


@dataclass(frozen=True)
class Constraint:
    """The candidates that some of the words fit. A `strict` one that fits none leaves no candidate."""

    mask: Mask
    words: frozenset[int]
    how: str
    strict: bool = False


@dataclass(frozen=True)
class Ranking:
    """ "The second cheapest": candidates in the order of `column`, of which `places` are meant."""

    column: Sequence[Measure | None]
    direction: int
    words: frozenset[int]
    places: range = range(1)
    indefinite: bool = False


@dataclass(frozen=True)
class Position:
    """ "The last two": places in the order in which the candidates are listed; negative ones count from the end."""

    places: tuple[int, ...]
    words: frozenset[int]


@dataclass
class Description:
    """The words of one description, `words[i]` with position i, and what is known of them. Filled by `describe`."""

    text: str
    words: Sequence[Word]
    lexicon: Vocabulary
    index: CandidateIndex
    today: date | None = None
    constraints: list[Constraint] = field(default_factory=list)
    ranking: Ranking | None = None
    position: Position | None = None
    used: set[int] = field(default_factory=set)
    cardinal: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        self.forms = forms_of(self.words)

    def free(self, start: int, end: int) -> bool:
        """Return whether none of these words has a meaning yet."""
        return self.used.isdisjoint(range(start, end))

    def add(self, mask: Mask, words: Set[int], how: str, *, strict: bool = False) -> None:
        """Note that these words fit the candidates of the mask."""
        self.constraints.append(Constraint(mask, frozenset(words), how, strict))
        self.used |= words

    def between(self, start: int, end: int) -> str:
        """Return the characters between the words at `start` and `end`."""
        return self.text[self.words[start].end : self.words[end].start]

    def is_ignored(self, place: int) -> bool:
        """Return whether the word says nothing about an option."""
        form = self.forms[place]
        # A number counts, in digits, or as an option writes it: "three things".
        if form.isdecimal() or (form in self.lexicon.numbers and self.index.has_word(form)):
            return False
        return form in self.lexicon.ignored or form in self.lexicon.command_words

    @property
    def explained(self) -> list[int]:
        """The places of the words that mean something here."""
        fitting = {place for constraint in self.constraints if constraint.mask for place in constraint.words}
        return sorted(self.used & (fitting | self._structural_words()))

    @property
    def unexplained(self) -> list[int]:
        """The places of the content words that mean nothing here."""
        explained = self.explained
        return [place for place in range(len(self.words)) if place not in explained and not self.is_ignored(place)]

    def _structural_words(self) -> Set[int]:
        parts = (self.ranking, self.position)
        constrained = {place for constraint in self.constraints for place in constraint.words}
        return frozenset().union(*(part.words for part in parts if part)) | (self.used - constrained)


def find_phrases(forms: Sequence[str], phrases: frozenset[Phrase]) -> Iterator[tuple[int, int]]:
    """Yield start and end of each phrase in the words; of two that begin together the longer one."""
    start = 0
    while start < len(forms):
        length = phrase_length(forms, start, phrases)
        if length:
            yield start, start + length
        start += max(length, 1)


def phrase_length(forms: Sequence[str], start: int, phrases: frozenset[Phrase]) -> int:
    """Return the number of words of the longest phrase at this place, or 0."""
    for length in range(min(MAX_PHRASE_WORDS, len(forms) - start), 0, -1):
        if tuple(forms[start : start + length]) in phrases:
            return length
    return 0


def phrase_length_before(forms: Sequence[str], end: int, phrases: frozenset[Phrase]) -> int:
    for length in range(min(MAX_PHRASE_WORDS, end), 0, -1):
        if tuple(forms[end - length : end]) in phrases:
            return length
    return 0
