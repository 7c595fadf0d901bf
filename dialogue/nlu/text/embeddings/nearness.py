"""Documents compared by meaning and by words together: kernel ridge regression over embeddings and TF-IDF.

One linear system is solved a release; leaving each document out then has a closed form (Rifkin & Lippert, "Notes on
regularized least squares", 2007), so that the confidence is calibrated without training again. With very many
documents nothing is solved: the nearest document and the centre of each label decide, as in the index of words.
"""

from collections.abc import Mapping, Sequence, Set
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dialogue.nlu.text.embeddings.minilm import embed
from dialogue.nlu.text.similarity import Document, Index, Match, Nearness, Thresholds

# Tuned on CLINC150's validation part with five and ten examples an intent.
SHARPNESS, RIDGE = 3.0, 0.1
# What equal words say beside meaning: half where documents are few, less where many show what belongs together.
WORDS_AMONG_FEW, WORDS_AMONG_MANY, MANY = 0.5, 0.1, 500
NEAREST, CENTRE = 0.5, 0.5
MOST_SOLVED = 4_000
# Below, the words that authors chose tell more than what is alike in general.
FEW = 150
# A likeness in meaning is worth less than one in words, which few examples show more surely.
SCALE = 0.67
# The thresholds of assistants with a few dozen examples, as `calibration` blends them in.
HABITUAL = Thresholds(accept=0.38, ask=0.24)
# What is less like the text than this is not worth a line.
FAINT = 0.02

Numbers = NDArray[np.float64]
Vectors = NDArray[np.float32]


class EmbeddedIndex:
    """As `Index`, by meaning too; scores are about 1 for what is like a label's documents and no other's."""

    habitual = HABITUAL

    def __init__(self, documents: Sequence[Document], function_words: Set[str], vectors: Vectors | None = None) -> None:
        self.documents = tuple(documents)
        self._words = Index(documents, function_words)
        self._words_share = _words_share(len(documents))
        self._labels = tuple(dict.fromkeys(document.label for document in documents))
        known = embed([document.text for document in documents]) if vectors is None else vectors
        self._vectors = known.astype(np.float64)
        self._weights = np.array([document.weight for document in documents])
        self._members = self._membership()
        self._kernel = self._own_kernel() if len(documents) <= MOST_SOLVED else None

    def _membership(self) -> Numbers:
        """1 where the document (row) is of the label (column)."""
        column = {label: place for place, label in enumerate(self._labels)}
        members = np.zeros((len(self.documents), len(self._labels)))
        for row, document in enumerate(self.documents):
            members[row, column[document.label]] = 1.0
        return members

    def _own_kernel(self) -> Numbers:
        return np.stack([self._compared(*pair) for pair in zip(self._texts, self._vectors, strict=True)])

    @cached_property
    def _columns(self) -> NDArray[np.int64]:
        """The column of each document's label."""
        columns: NDArray[np.int64] = self._members.argmax(axis=1)
        return columns

    @property
    def _texts(self) -> list[str]:
        return [document.text for document in self.documents]

    @cached_property
    def _inverse(self) -> Numbers:
        """Documents that users hardly say count less: they are allowed larger errors."""
        assert self._kernel is not None
        return np.asarray(np.linalg.inv(self._kernel + np.diag(RIDGE / self._weights**2)), np.float64)

    @cached_property
    def _shares(self) -> Numbers:
        """What each document adds to each label's score."""
        shares: Numbers = self._inverse @ self._members
        return shares

    @cached_property
    def _centres(self) -> Numbers:
        """One unit vector a label."""
        sums = (self._members * self._weights[:, None]).T @ self._vectors
        lengths = np.asarray(np.linalg.norm(sums, axis=1, keepdims=True), np.float64)
        return np.asarray(sums / np.maximum(lengths, 1e-12), np.float64)

    def matches(self, text: str) -> tuple[Match, ...]:
        """Every label that is at all like the text, the best first."""
        vector = embed([text])[0].astype(np.float64)
        row = self._compared(text, vector)
        scores = row @ self._shares if self._kernel is not None else self._blended(row, vector)
        return self._ranked(scores, row * self._weights)

    def left_out(self, place: int) -> tuple[Match, ...]:
        """How a document would be understood if it were not there."""
        if self._kernel is None:
            row = self._compared(self.documents[place].text, self._vectors[place])
            scores = self._blended(_without(row, place), self._vectors[place])
            return self._ranked(scores, _without(row * self._weights, place))
        scores = self._members[place] - self._shares[place] / self._inverse[place, place]
        return self._ranked(scores, _without(self._kernel[place] * self._weights, place))

    def _compared(self, text: str, vector: Numbers) -> Numbers:
        """How like the text every document is, between 0 and 1."""
        words = np.zeros(len(self.documents))
        for place, share in self._words.likeness(text).items():
            words[place] = share
        by_meaning: Numbers = np.exp(SHARPNESS * (self._vectors @ vector - 1.0))
        return (1 - self._words_share) * by_meaning + self._words_share * words

    def _blended(self, row: Numbers, vector: Numbers) -> Numbers:
        centres: Numbers = np.exp(SHARPNESS * (self._centres @ vector - 1.0))
        return NEAREST * self._best(row * self._weights) + CENTRE * centres

    def _best(self, row: Numbers) -> Numbers:
        """The nearest document of each label."""
        best = np.zeros(len(self._labels))
        np.maximum.at(best, self._columns, row)
        return best

    def _ranked(self, scores: Numbers, row: Numbers) -> tuple[Match, ...]:
        nearest: Mapping[str, float] = dict(zip(self._labels, self._best(row).tolist(), strict=True))
        found = zip(self._labels, np.clip(scores, 0.0, 1.0).tolist(), strict=True)
        kept = (Match(label, score, nearest[label]) for label, score in found if score >= FAINT)
        return tuple(sorted(kept, key=lambda match: (-match.score, match.label)))


def _words_share(documents: int) -> float:
    known = documents / (documents + MANY)
    return known * WORDS_AMONG_MANY + (1 - known) * WORDS_AMONG_FEW


def _without(row: Numbers, place: int) -> Numbers:
    rest = row.copy()
    rest[place] = 0.0
    return rest


class WordsFirst:
    """For few documents: the author's words decide, and meaning where they say nothing, on the scale of words."""

    habitual = Index.habitual

    def __init__(self, documents: Sequence[Document], function_words: Set[str], vectors: Vectors | None = None) -> None:
        self.documents = tuple(documents)
        self._words = Index(documents, function_words)
        self._meaning = EmbeddedIndex(documents, function_words, vectors)

    def matches(self, text: str) -> tuple[Match, ...]:
        """By words when any label is worth a question, else by meaning."""
        by_words = self._words.matches(text)
        if by_words and by_words[0].score >= self.habitual.ask:
            return by_words
        return tuple(map(_on_scale_of_words, self._meaning.matches(text)))

    def left_out(self, place: int) -> tuple[Match, ...]:
        return self._words.left_out(place)


def likeness_of(text: str, others: Sequence[str]) -> list[float]:
    """How near in meaning each of the others is to the text, by the cosine."""
    vectors = embed([text, *others])
    likeness: list[float] = (vectors[1:] @ vectors[0]).tolist()
    return likeness


def _on_scale_of_words(match: Match) -> Match:
    return Match(match.label, SCALE * match.score, SCALE * match.nearest)


def compared_by_meaning(
    documents: Sequence[Document], function_words: Set[str], vectors: Vectors | None = None
) -> Nearness:
    """The index for so many documents; without their vectors it embeds them all, at some milliseconds each."""
    kind = WordsFirst if len(documents) < FEW else EmbeddedIndex
    return kind(documents, function_words, vectors)
