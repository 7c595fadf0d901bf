"""Nearest examples: TF-IDF over words, word pairs and pieces of words, in plain Python."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from dialogue.nlu.text.tokens import folded_words

# Shares of the evidence, tuned on CLINC150's validation part with ten examples an intent.
WORD_SHARE, NGRAM_SHARE = 1.0, 0.3
PAIR_SHARES_BY_DISTANCE = (0.9, 0.7)
# Of pairs with one function word and with two.
HALF_FUNCTION_PAIR_FACTOR, FUNCTION_PAIR_FACTOR = 0.9, 0.6
# What a function word says is assumed where documents are few; their rarity among many shows it.
FUNCTION_SHARE_OF_FEW, FUNCTION_SHARE_OF_MANY, MANY_DOCUMENTS = 0.6, 1.2, 500
NGRAM_SIZES = (3, 4)
NEAREST_WEIGHT, CENTROID_WEIGHT = 0.4, 0.6
MIN_NGRAM_WORD_LETTERS = 3
STEM_LETTERS, STEM_SHARE = 5, 0.5
# The parts of the documents' own scores at which thresholds lie.
ACCEPT_QUANTILE, ASK_QUANTILE = 0.05, 0.02
# As many examples as the defaults are worth.
DEFAULTS_WORTH_EXAMPLES = 60
MAX_SAMPLED_DOCUMENTS, MIN_SAMPLED_DOCUMENTS = 300, 50
# So many comparisons of examples are worth their time.
MAX_COMPARISONS = 450_000

Vector = Mapping[str, float]
Postings = Mapping[str, Sequence[tuple[int, float]]]


@dataclass(frozen=True)
class Document:
    """One way of asking for `label`; `weight` at most 1, less for texts that users do not say (descriptions)."""

    label: str
    text: str
    weight: float = 1.0


@dataclass(frozen=True)
class LabelMatch:
    """`score` blends nearest and centre; `nearest` is the likeness to one document alone."""

    label: str
    score: float
    nearest: float


@dataclass(frozen=True)
class Thresholds:
    """Scores from `accept` on decide, from `ask` on are worth a question, below nothing was understood."""

    accept: float
    ask: float


class SimilarityIndex(Protocol):
    """What compares messages with documents. `default_thresholds` thresholds hold where examples are few."""

    documents: tuple[Document, ...]
    default_thresholds: Thresholds

    def matches(self, text: str) -> tuple[LabelMatch, ...]: ...

    def leave_one_out(self, place: int) -> tuple[LabelMatch, ...]: ...


class TfIdfIndex:
    """Documents to compare a message with; scores are between 0 and 1.

    A label's score blends its nearest document with the centre of all its documents: the nearest knows the odd phrase,
    the centre what all phrases share.
    """

    default_thresholds = Thresholds(accept=0.30, ask=0.17)

    def __init__(self, documents: Sequence[Document], function_words: Set[str]) -> None:
        self.documents = tuple(documents)
        self._function_words = function_words
        self._function_share = _function_share(len(documents))
        counts = [self._features(document.text) for document in documents]
        self._rarity = _rarity(counts)
        self._unseen = math.log(len(documents) + 1) + 1
        self._vectors = tuple(_unit(self._weighed(count)) for count in counts)
        self._sums = self._summed()
        self._labels = tuple(self._sums)
        self._nearest = _posted(self._vectors)
        self._centres = _posted([_unit(total) for total in self._sums.values()])

    def _summed(self) -> Mapping[str, Vector]:
        sums: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        for document, vector in zip(self.documents, self._vectors, strict=True):
            for feature, weight in vector.items():
                sums[document.label][feature] += weight * document.weight
        return sums

    def similarities(self, text: str) -> Mapping[int, float]:
        """How like the text each document is that shares something with it, by the document's place."""
        found = self._near(_unit(self._weighed(self._features(text))))
        return {place: score for place, score in enumerate(found) if score}

    def matches(self, text: str) -> tuple[LabelMatch, ...]:
        """Every label that shares something with the text, the best first."""
        vector = _unit(self._weighed(self._features(text)))
        return self._ranked(self._near(vector), self._central(vector))

    def leave_one_out(self, place: int) -> tuple[LabelMatch, ...]:
        """How a document would be understood if it were not there."""
        document, vector = self.documents[place], self._vectors[place]
        nearest = self._near(vector)
        nearest[place] = 0.0
        rest = _minus(self._sums[document.label], vector, document.weight)
        return self._ranked(nearest, {**self._central(vector), document.label: _dot(vector, _unit(rest))})

    def _near(self, vector: Vector) -> list[float]:
        """The likeness to each document."""
        return _dots(vector, self._nearest, len(self.documents))

    def _central(self, vector: Vector) -> Mapping[str, float]:
        """The likeness to the centre of each label."""
        return dict(zip(self._labels, _dots(vector, self._centres, len(self._labels)), strict=True))

    def _ranked(self, nearest: Sequence[float], centres: Mapping[str, float]) -> tuple[LabelMatch, ...]:
        best: dict[str, float] = {}
        for document, score in zip(self.documents, nearest, strict=True):
            if score and score * document.weight > best.get(document.label, 0.0):
                best[document.label] = score * document.weight
        found = (LabelMatch(label, _blend(score, centres[label]), score) for label, score in best.items())
        return tuple(sorted(found, key=lambda match: (-match.score, match.label)))

    def _weighed(self, counts: Vector) -> Vector:
        return {feature: share * self._rarity.get(feature, self._unseen) for feature, share in counts.items()}

    def _features(self, text: str) -> Vector:
        shares: dict[str, float] = defaultdict(float)
        for feature, share in text_features(folded_words(text), self._function_words, self._function_share):
            shares[feature] = max(shares[feature], share)
        return shares


def _blend(nearest: float, centre: float) -> float:
    return NEAREST_WEIGHT * nearest + CENTROID_WEIGHT * centre


def _posted(vectors: Sequence[Vector]) -> Postings:
    postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for place, vector in enumerate(vectors):
        for feature, weight in vector.items():
            postings[feature].append((place, weight))
    return {feature: tuple(places) for feature, places in postings.items()}


def _dots(vector: Vector, postings: Postings, size: int) -> list[float]:
    """The products with so many vectors, by their places; a list, since most of the time goes by here."""
    sums = [0.0] * size
    for feature, weight in vector.items():
        for place, other in postings.get(feature, ()):
            sums[place] += weight * other
    return sums


def _dot(left: Vector, right: Vector) -> float:
    return sum(weight * right.get(feature, 0.0) for feature, weight in left.items())


def _minus(total: Vector, vector: Vector, weight: float) -> Vector:
    return {feature: share - weight * vector.get(feature, 0.0) for feature, share in total.items()}


def _unit(vector: Vector) -> Vector:
    length = math.sqrt(sum(weight * weight for weight in vector.values())) or 1.0
    return {feature: weight / length for feature, weight in vector.items()}


def _function_share(documents: int) -> float:
    known = documents / (documents + MANY_DOCUMENTS)
    return known * FUNCTION_SHARE_OF_MANY + (1 - known) * FUNCTION_SHARE_OF_FEW


def text_features(
    tokens: Sequence[str], function_words: Set[str], function_share: float = FUNCTION_SHARE_OF_FEW
) -> Iterator[tuple[str, float]]:
    """What a text is compared by, with its share: words, neighbours, and pieces of the longer content words."""
    for token in tokens:
        yield token, function_share if token in function_words else WORD_SHARE
        if token not in function_words and len(token) >= MIN_NGRAM_WORD_LETTERS:
            yield from ((piece, NGRAM_SHARE) for piece in _pieces(token))
            yield f"{token[:STEM_LETTERS]}*", STEM_SHARE
    yield from _pairs(tokens, function_words)


def _pairs(tokens: Sequence[str], function_words: Set[str]) -> Iterator[tuple[str, float]]:
    """Neighbours, and with less weight words with one between them ("my overdue book")."""
    for distance, share in enumerate(PAIR_SHARES_BY_DISTANCE, 1):
        for left, right in zip(tokens, tokens[distance:], strict=False):
            known = (left in function_words) + (right in function_words)
            yield f"{left} {right}", share * (1.0, HALF_FUNCTION_PAIR_FACTOR, FUNCTION_PAIR_FACTOR)[known]


@lru_cache(maxsize=4096)
def _pieces(token: str) -> Sequence[str]:
    marked = f"#{token}#"
    return tuple(marked[start : start + size] for size in NGRAM_SIZES for start in range(len(marked) - size + 1))


def _rarity(counts: Iterable[Mapping[str, float]]) -> Mapping[str, float]:
    seen = list(counts)
    documents = Counter(feature for count in seen for feature in count)
    return {feature: math.log((len(seen) + 1) / (count + 1)) + 1 for feature, count in documents.items()}


def calibrate_thresholds(index: SimilarityIndex) -> Thresholds:
    """Quantiles of how examples are recognised without themselves, blended with the defaults by their number."""
    scores = sorted(_own_scores(index))
    share = len(scores) / (len(scores) + DEFAULTS_WORTH_EXAMPLES)
    accept = share * _quantile(scores, ACCEPT_QUANTILE) + (1 - share) * index.default_thresholds.accept
    ask = share * _quantile(scores, ASK_QUANTILE) + (1 - share) * index.default_thresholds.ask
    return Thresholds(accept, min(ask, accept))


def _own_scores(index: SimilarityIndex) -> Iterator[float]:
    count = len(index.documents)
    step = max(1, count // max(MIN_SAMPLED_DOCUMENTS, min(MAX_SAMPLED_DOCUMENTS, MAX_COMPARISONS // max(count, 1))))
    for place in range(0, len(index.documents), step):
        document = index.documents[place]
        if document.weight == 1.0:
            best = index.leave_one_out(place)[:1]
            yield from (match.score for match in best if match.label == document.label)


def _quantile(scores: Sequence[float], part: float) -> float:
    return scores[int(part * len(scores))] if scores else 0.0
