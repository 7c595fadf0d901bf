"""Nearest examples by TF-IDF over words, word pairs and character n-grams, in plain Python."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
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
Postings = Mapping[str, tuple[Sequence[int], Sequence[float]]]


@dataclass(frozen=True)
class Document:
    """One way of asking for `label`; `weight` up to 1, less for texts that users do not say (descriptions)."""

    label: str
    text: str
    weight: float = 1.0
    source: str = field(default="", compare=False)
    """The author's text, where `text` has placeholders."""
    kind: str = field(default="example", compare=False)
    """What the text is: example (a question of a topic too), title, description, slots or options."""
    language: str = field(default="", compare=False)
    """The language of a translation; "" where the author does not say it."""


@dataclass(frozen=True)
class LabelMatch:
    """`score` blends nearest document and centroid; `nearest` is the similarity to one document alone."""

    label: str
    score: float
    nearest: float


@dataclass(frozen=True)
class Likeness:
    """How like the documents a text is: `words` and `meaning` by document, `centroids` and `fitted` by label.

    `words` are TF-IDF similarities, `centroids` those to all documents of a label, both 0 to 1; `meaning` are cosines,
    `fitted` the scores of the ridge regression, `choose` and `fit` those of the encoder of requests, `none` its score
    of asking for nothing. All but the first two are empty where texts are compared by words only.
    """

    words: Sequence[float]
    centroids: Mapping[str, float]
    meaning: Sequence[float] = ()
    fitted: Mapping[str, float] = field(default_factory=dict)
    choose: Mapping[str, float] = field(default_factory=dict)
    fit: Mapping[str, float] = field(default_factory=dict)
    none: float = 0.0


@dataclass(frozen=True)
class Thresholds:
    """Scores from `accept` on decide; from `ask` on they are worth a question to the user."""

    accept: float
    ask: float


class SimilarityIndex(Protocol):
    """Compares messages with documents. `default_thresholds` hold where examples are few."""

    documents: tuple[Document, ...]
    default_thresholds: Thresholds

    def __hash__(self) -> int: ...

    def matches(self, text: str) -> tuple[LabelMatch, ...]:
        """Return every label that is similar to the text, the best first."""
        ...

    def opening_matches(self, text: str) -> tuple[LabelMatch, ...]:
        """Return the matches of a message that answers no question."""
        ...

    def likeness(self, text: str) -> Likeness:
        """Return how like the documents the text is, in several ways."""
        ...

    @property
    def vocabulary(self) -> "Vocabulary":
        """The words of the documents."""
        ...

    def leave_one_out(self, index: int) -> tuple[LabelMatch, ...]:
        """Return the matches of the document at this position as if it were not in the index."""
        ...

    def nearest_document(self, text: str, label: str) -> Document | None:
        """Return the document of the label that is most similar to the text, or None."""
        ...


class DotProducts:
    """Multiplies a vector with each of `size` vectors. `postings` has the positions of those that have a feature, and
    what it counts in each.
    """

    def __init__(self, postings: Postings, size: int) -> None:
        self._postings, self._size = postings, size

    def __call__(self, vector: Vector) -> list[float]:
        """Return the products by position."""
        sums = [0.0] * self._size
        for feature, weight in vector.items():
            if feature in self._postings:
                for position, other in zip(*self._postings[feature], strict=True):
                    sums[position] += weight * other
        return sums


class TfIdfIndex:
    """Documents to compare a message with; scores are between 0 and 1.

    A label's score blends its nearest document with the centroid of all its documents: the nearest knows the odd
    phrase, the centroid what all phrases share. `dot_products` multiplies vectors; most of the time is spent there.
    """

    default_thresholds = Thresholds(accept=0.30, ask=0.17)

    def __init__(
        self,
        documents: Sequence[Document],
        function_words: Set[str],
        dot_products: Callable[[Postings, int], DotProducts] = DotProducts,
    ) -> None:
        self.documents = tuple(documents)
        self._function_words = function_words
        self._function_share = _function_share(len(documents))
        counts = [self._features(document.text) for document in documents]
        self._idf = _inverse_document_frequencies(counts)
        self._unseen_idf = math.log(len(documents) + 1) + 1
        self._vectors = tuple(_normalise(self._weigh(count)) for count in counts)
        self._sums_by_label = self._label_sums()
        self._labels = tuple(self._sums_by_label)
        self.postings = _build_postings(self._vectors)
        centroids = [_normalise(total) for total in self._sums_by_label.values()]
        self._with_documents = dot_products(self.postings, len(documents))
        self._with_centroids = dot_products(_build_postings(centroids), len(centroids))

    def _label_sums(self) -> Mapping[str, Vector]:
        sums: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        for document, vector in zip(self.documents, self._vectors, strict=True):
            for feature, weight in vector.items():
                sums[document.label][feature] += weight * document.weight
        return sums

    def similarities(self, text: str) -> Mapping[int, float]:
        """Return the similarity of each document that shares a feature with the text, by its position."""
        scores = self._document_scores(_normalise(self._weigh(self._features(text))))
        return {index: score for index, score in enumerate(scores) if score}

    def matches(self, text: str) -> tuple[LabelMatch, ...]:
        """Return every label that shares a feature with the text, the best first."""
        vector = _normalise(self._weigh(self._features(text)))
        return self._rank(self._document_scores(vector), self._centroid_scores(vector))

    def opening_matches(self, text: str) -> tuple[LabelMatch, ...]:
        """Return the matches."""
        return self.matches(text)

    def likeness(self, text: str) -> Likeness:
        """Return the likeness by words."""
        vector = _normalise(self._weigh(self._features(text)))
        return Likeness(self._document_scores(vector), self._centroid_scores(vector))

    @cached_property
    def vocabulary(self) -> "Vocabulary":
        """The content words of the documents."""
        words: dict[str, set[str]] = defaultdict(set)
        for document in self.documents:
            words[document.label].update(map(word_stem, content_words(document.text, self._function_words)))
        counts = Counter(stem for stems in words.values() for stem in stems)
        rarity = {stem: math.log((len(words) + 1) / (count + 0.5)) for stem, count in counts.items()}
        return Vocabulary(words, rarity, math.log((len(words) + 1) / 0.5), self._function_words)

    def leave_one_out(self, index: int) -> tuple[LabelMatch, ...]:
        """Return the matches of a document as if it were not in the index."""
        document, vector = self.documents[index], self._vectors[index]
        nearest = self._document_scores(vector)
        nearest[index] = 0.0
        rest = {
            feature: share - document.weight * vector.get(feature, 0.0)
            for feature, share in self._sums_by_label[document.label].items()
        }
        return self._rank(
            nearest, {**self._centroid_scores(vector), document.label: _dot_product(vector, _normalise(rest))}
        )

    def nearest_document(self, text: str, label: str) -> Document | None:
        """Return the document of the label that is most similar to the text, or None."""
        scores = self.similarities(text)
        return nearest_of_label(self.documents, scores, label)

    def _document_scores(self, vector: Vector) -> list[float]:
        """The similarity to each document."""
        return self._with_documents(vector)

    def _centroid_scores(self, vector: Vector) -> Mapping[str, float]:
        """The similarity to the centroid of each label."""
        return dict(zip(self._labels, self._with_centroids(vector), strict=True))

    def _rank(self, nearest: Sequence[float], centres: Mapping[str, float]) -> tuple[LabelMatch, ...]:
        best: dict[str, float] = {}
        for document, score in zip(self.documents, nearest, strict=True):
            if score and score * document.weight > best.get(document.label, 0.0):
                best[document.label] = score * document.weight
        matches = (
            LabelMatch(label, NEAREST_WEIGHT * score + CENTROID_WEIGHT * centres[label], score)
            for label, score in best.items()
        )
        return tuple(sorted(matches, key=lambda match: (-match.score, match.label)))

    def _weigh(self, counts: Vector) -> Vector:
        return {feature: share * self._idf.get(feature, self._unseen_idf) for feature, share in counts.items()}

    def _features(self, text: str) -> Vector:
        shares: dict[str, float] = defaultdict(float)
        for feature, share in text_features(folded_words(text), self._function_words, self._function_share):
            shares[feature] = max(shares[feature], share)
        return shares


@dataclass(frozen=True)
class Vocabulary:
    """The stems of the content words by label, and how rare each is among the labels (a logarithm, at least 0)."""

    stems_by_label: Mapping[str, Set[str]]
    rarity: Mapping[str, float]
    unseen_rarity: float
    function_words: Set[str]

    def weigh(self, text: str) -> Mapping[str, float]:
        """Return the rarity of each stem of the text's content words."""
        stems = map(word_stem, content_words(text, self.function_words))
        return {stem: self.rarity.get(stem, self.unseen_rarity) for stem in stems}


def content_words(text: str, function_words: Set[str]) -> Iterator[str]:
    """Yield the words that are no function words, numbers or placeholders."""
    return (word for word in folded_words(text) if word not in function_words and not word[:1].isdigit())


def word_stem(word: str) -> str:
    """Return the first letters, which forms of a word share."""
    return word[:STEM_LETTERS]


def _build_postings(vectors: Sequence[Vector]) -> Postings:
    postings: dict[str, tuple[list[int], list[float]]] = defaultdict(lambda: ([], []))
    for index, vector in enumerate(vectors):
        for feature, weight in vector.items():
            positions, weights = postings[feature]
            positions.append(index)
            weights.append(weight)
    return dict(postings)


def _dot_product(vector: Vector, other: Vector) -> float:
    return sum(weight * other.get(feature, 0.0) for feature, weight in vector.items())


def _normalise(vector: Vector) -> Vector:
    length = math.sqrt(sum(weight * weight for weight in vector.values())) or 1.0
    return {feature: weight / length for feature, weight in vector.items()}


def _function_share(documents: int) -> float:
    many_share = documents / (documents + MANY_DOCUMENTS)
    return many_share * FUNCTION_SHARE_OF_MANY + (1 - many_share) * FUNCTION_SHARE_OF_FEW


def text_features(
    tokens: Sequence[str], function_words: Set[str], function_share: float = FUNCTION_SHARE_OF_FEW
) -> Iterator[tuple[str, float]]:
    """Yield (feature, share) for words, word pairs, and n-grams of the longer content words."""
    for token in tokens:
        yield token, function_share if token in function_words else WORD_SHARE
        if token not in function_words and len(token) >= MIN_NGRAM_WORD_LETTERS:
            yield from ((piece, NGRAM_SHARE) for piece in _ngrams(token))
            yield f"{token[:STEM_LETTERS]}*", STEM_SHARE
    # Neighbours, and with less weight words with one between them ("my overdue book").
    for distance, share in enumerate(PAIR_SHARES_BY_DISTANCE, 1):
        for first, second in zip(tokens, tokens[distance:], strict=False):
            function_count = (first in function_words) + (second in function_words)
            yield f"{first} {second}", share * (1.0, HALF_FUNCTION_PAIR_FACTOR, FUNCTION_PAIR_FACTOR)[function_count]


@lru_cache(maxsize=4096)
def _ngrams(token: str) -> Sequence[str]:
    marked = f"#{token}#"
    return tuple(marked[start : start + size] for size in NGRAM_SIZES for start in range(len(marked) - size + 1))


def _inverse_document_frequencies(counts: Iterable[Mapping[str, float]]) -> Mapping[str, float]:
    documents_seen = list(counts)
    documents = Counter(feature for count in documents_seen for feature in count)
    return {feature: math.log((len(documents_seen) + 1) / (count + 1)) + 1 for feature, count in documents.items()}


def nearest_of_label(documents: Sequence[Document], scores: Mapping[int, float], label: str) -> Document | None:
    """Return the document of the label with the highest score, weighted; None if none of them has one."""
    weighted = {index: score * documents[index].weight for index, score in scores.items()}
    indexes = [index for index in weighted if documents[index].label == label]
    return documents[max(indexes, key=weighted.__getitem__)] if indexes else None


def calibrate_thresholds(index: SimilarityIndex) -> Thresholds:
    """Return thresholds from the scores of examples left out, blended with the defaults where they are few."""
    scores = sorted(_own_scores(index))
    share = len(scores) / (len(scores) + DEFAULTS_WORTH_EXAMPLES)
    accept = share * _quantile(scores, ACCEPT_QUANTILE) + (1 - share) * index.default_thresholds.accept
    ask = share * _quantile(scores, ASK_QUANTILE) + (1 - share) * index.default_thresholds.ask
    return Thresholds(accept, min(ask, accept))


def _own_scores(index: SimilarityIndex) -> Iterator[float]:
    count = len(index.documents)
    step = max(1, count // max(MIN_SAMPLED_DOCUMENTS, min(MAX_SAMPLED_DOCUMENTS, MAX_COMPARISONS // max(count, 1))))
    for position in range(0, len(index.documents), step):
        document = index.documents[position]
        if document.weight == 1.0:
            best = index.leave_one_out(position)[:1]
            yield from (match.score for match in best if match.label == document.label)


def _quantile(scores: Sequence[float], part: float) -> float:
    return scores[int(part * len(scores))] if scores else 0.0
