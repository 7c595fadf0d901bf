"""Documents compared by meaning and by words together: kernel ridge regression over embeddings and TF-IDF.

One linear system is solved for each release; leaving each document out then has a closed form (Rifkin & Lippert,
"Notes on regularized least squares", 2007), so that thresholds are calibrated without training again. With very many
documents nothing is solved: the nearest document and the centroid of each label decide, as in the TF-IDF index.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dialogue.nlu.text.embeddings import minilm
from dialogue.nlu.text.embeddings.minilm import DIMENSIONS, embed
from dialogue.nlu.text.embeddings.request_encoder import (
    KINDS,
    read_message,
    request_encoder,
    request_vectors,
    text_kind,
)
from dialogue.nlu.text.similarity import (
    Document,
    LabelMatch,
    Likeness,
    SimilarityIndex,
    TfIdfIndex,
    Thresholds,
    Vocabulary,
    nearest_of_label,
)

# Tuned on CLINC150's validation part with five and ten examples an intent.
KERNEL_SHARPNESS, RIDGE_PENALTY = 3.0, 0.1
# What equal words say beside meaning: half where documents are few, less where many show what belongs together.
WORDS_AMONG_FEW, WORDS_AMONG_MANY, MANY_DOCUMENTS = 0.5, 0.1, 500
NEAREST_WEIGHT, CENTROID_WEIGHT = 0.5, 0.5
MAX_SOLVED_DOCUMENTS = 4_000
# Below, the words that authors chose tell more than what is alike in general.
FEW_DOCUMENTS = 150
# A likeness in meaning is worth less than one in words; in openings only a weak one is.
EMBEDDING_SCALE, MIN_OPENING_SCORE = 0.67, 0.18
# The thresholds of assistants with a few dozen examples, as `calibration` blends them in.
DEFAULT_THRESHOLDS = Thresholds(accept=0.38, ask=0.24)
# What is less like the text than this is not worth a line.
MIN_SCORE = 0.02

Numbers = NDArray[np.float64]
Vectors = NDArray[np.float32]


def text_vectors(texts: Sequence[str]) -> Vectors:
    """Return one row for each text: its sentence vector, then its vector by what it asks for."""
    # One text after the other: both vectors come from one run of the sentence model's lower layers.
    rows: list[Vectors] = []
    for text in texts:
        vector = minilm.embed([text])
        rows.append(np.hstack([vector, request_vectors([text], vector)]))
    return np.vstack(rows) if rows else np.zeros((0, 2 * DIMENSIONS), np.float32)


class EmbeddingIndex:
    """Like TfIdfIndex, by meaning too. Scores are near 1 for what is like one label's documents only."""

    default_thresholds = DEFAULT_THRESHOLDS

    def __init__(self, documents: Sequence[Document], function_words: Set[str], vectors: Vectors | None = None) -> None:
        self.documents = tuple(documents)
        self._words = TfIdfIndex(documents, function_words)
        self._words_share = _words_share(len(documents))
        self._labels = tuple(dict.fromkeys(document.label for document in documents))
        embeddings = text_vectors(self._texts) if vectors is None else vectors
        self._vectors, self._request_vectors = np.split(embeddings.astype(np.float64), [DIMENSIONS], axis=1)
        self._weights = np.array([document.weight for document in documents])
        self._members = self._label_membership()
        self._kernel = (
            np.stack([self._document_similarities(*pair) for pair in zip(self._texts, self._vectors, strict=True)])
            if len(documents) <= MAX_SOLVED_DOCUMENTS
            else None
        )

    def _label_membership(self) -> Numbers:
        """1 where the document (row) is of the label (column)."""
        columns = {label: column for column, label in enumerate(self._labels)}
        members = np.zeros((len(self.documents), len(self._labels)))
        for row, document in enumerate(self.documents):
            members[row, columns[document.label]] = 1.0
        return members

    @cached_property
    def _label_columns(self) -> NDArray[np.int64]:
        """The column of each document's label."""
        columns: NDArray[np.int64] = self._members.argmax(axis=1)
        return columns

    @property
    def _texts(self) -> list[str]:
        return [document.text for document in self.documents]

    @cached_property
    def _kernel_inverse(self) -> Numbers:
        """Documents with less weight may have larger errors."""
        assert self._kernel is not None
        return np.asarray(np.linalg.inv(self._kernel + np.diag(RIDGE_PENALTY / self._weights**2)), np.float64)

    @cached_property
    def _label_weights(self) -> Numbers:
        """What each document adds to each label's score."""
        shares: Numbers = self._kernel_inverse @ self._members
        return shares

    @cached_property
    def _centroids(self) -> Numbers:
        """One unit vector a label."""
        sums = (self._members * self._weights[:, None]).T @ self._vectors
        lengths = np.asarray(np.linalg.norm(sums, axis=1, keepdims=True), np.float64)
        return np.asarray(sums / np.maximum(lengths, 1e-12), np.float64)

    def matches(self, text: str) -> tuple[LabelMatch, ...]:
        """Return every label that is at all similar to the text, the best first."""
        vector = embed([text])[0].astype(np.float64)
        row = self._document_similarities(text, vector)
        scores = row @ self._label_weights if self._kernel is not None else self._nearest_and_centroid(row, vector)
        return self._rank(scores, row * self._weights)

    def opening_matches(self, text: str) -> tuple[LabelMatch, ...]:
        """Return the matches."""
        return self.matches(text)

    def likeness(self, text: str) -> Likeness:
        """Return the likeness by words and by meaning."""
        by_words, vector = self._words.likeness(text), embed([text])[0].astype(np.float64)
        cosines = self._vectors @ vector
        row = self._mixed(cosines, np.asarray(by_words.words, np.float64))
        scores = row @ self._label_weights if self._kernel is not None else self._nearest_and_centroid(row, vector)
        fitted = dict(zip(self._labels, scores.tolist(), strict=True))
        asked = self._asked(text, cosines)
        return Likeness(by_words.words, by_words.centroids, cosines.tolist(), fitted, *asked)

    def _asked(self, text: str, cosines: Numbers) -> tuple[Mapping[str, float], Mapping[str, float], float]:
        """What the encoder of requests says of the labels, beside each other and each by itself, and of none."""
        message, positions = read_message(text), self._positions_with_text
        if not positions:
            return {}, {}, message.none
        labels = [self.documents[position].label for position in positions]
        tuned = self._request_vectors[positions] @ message.vector
        scores = request_encoder().label_scores(labels, self._kinds, tuned, cosines[positions])
        choose = {label: score.choose for label, score in scores.items()}
        return choose, {label: score.fit for label, score in scores.items()}, message.none

    @cached_property
    def _positions_with_text(self) -> list[int]:
        """The documents that have words."""
        return [position for position, document in enumerate(self.documents) if document.text.strip()]

    @cached_property
    def _kinds(self) -> list[int]:
        """What these documents are, as places in KINDS."""
        return [KINDS.index(text_kind(self.documents[position])) for position in self._positions_with_text]

    @property
    def vocabulary(self) -> Vocabulary:
        """The words of the documents."""
        return self._words.vocabulary

    def leave_one_out(self, index: int) -> tuple[LabelMatch, ...]:
        """Return the matches of a document as if it were not in the index."""
        if self._kernel is None:
            row = self._document_similarities(self.documents[index].text, self._vectors[index])
            scores = self._nearest_and_centroid(_without_document(row, index), self._vectors[index])
            return self._rank(scores, _without_document(row * self._weights, index))
        scores = self._members[index] - self._label_weights[index] / self._kernel_inverse[index, index]
        return self._rank(scores, _without_document(self._kernel[index] * self._weights, index))

    def nearest_document(self, text: str, label: str) -> Document | None:
        """Return the document of the label that is most similar to the text, or None."""
        row = self._document_similarities(text, embed([text])[0].astype(np.float64))
        return nearest_of_label(self.documents, dict(enumerate(row.tolist())), label)

    def _document_similarities(self, text: str, vector: Numbers) -> Numbers:
        """The similarity of the text to every document, between 0 and 1."""
        by_words = np.zeros(len(self.documents))
        for index, share in self._words.similarities(text).items():
            by_words[index] = share
        return self._mixed(self._vectors @ vector, by_words)

    def _mixed(self, cosines: Numbers, by_words: Numbers) -> Numbers:
        by_meaning: Numbers = np.exp(KERNEL_SHARPNESS * (cosines - 1.0))
        return (1 - self._words_share) * by_meaning + self._words_share * by_words

    def _nearest_and_centroid(self, row: Numbers, vector: Numbers) -> Numbers:
        centres: Numbers = np.exp(KERNEL_SHARPNESS * (self._centroids @ vector - 1.0))
        return NEAREST_WEIGHT * self._nearest_per_label(row * self._weights) + CENTROID_WEIGHT * centres

    def _nearest_per_label(self, row: Numbers) -> Numbers:
        """The nearest document of each label."""
        best = np.zeros(len(self._labels))
        np.maximum.at(best, self._label_columns, row)
        return best

    def _rank(self, scores: Numbers, row: Numbers) -> tuple[LabelMatch, ...]:
        nearest: Mapping[str, float] = dict(zip(self._labels, self._nearest_per_label(row).tolist(), strict=True))
        label_scores = zip(self._labels, np.clip(scores, 0.0, 1.0).tolist(), strict=True)
        matches = (LabelMatch(label, score, nearest[label]) for label, score in label_scores if score >= MIN_SCORE)
        return tuple(sorted(matches, key=lambda match: (-match.score, match.label)))


def _words_share(documents: int) -> float:
    many_share = documents / (documents + MANY_DOCUMENTS)
    return many_share * WORDS_AMONG_MANY + (1 - many_share) * WORDS_AMONG_FEW


def _without_document(row: Numbers, index: int) -> Numbers:
    rest = row.copy()
    rest[index] = 0.0
    return rest


class WordsFirstIndex:
    """For few documents: words decide; where they say nothing, meaning, scaled to the scores of words.

    In openings, meaning counts as much as words. On CLINC150 with 5 to 20 intents of two to five examples, the nearest
    label is right in 97 % of the sentences then, by words alone in 88 %.
    """

    default_thresholds = TfIdfIndex.default_thresholds

    def __init__(self, documents: Sequence[Document], function_words: Set[str], vectors: Vectors | None = None) -> None:
        self.documents = tuple(documents)
        self._words = TfIdfIndex(documents, function_words)
        self._meaning = EmbeddingIndex(documents, function_words, vectors)

    def matches(self, text: str) -> tuple[LabelMatch, ...]:
        """Return the matches by words when one reaches the ask threshold, else those by meaning."""
        by_words = self._words.matches(text)
        if by_words and by_words[0].score >= self.default_thresholds.ask:
            return by_words
        return _scaled(self._meaning.matches(text), EMBEDDING_SCALE)

    def opening_matches(self, text: str) -> tuple[LabelMatch, ...]:
        """Return every label that is similar by words or by meaning, the best first.

        Which documents are near is left to words where they say enough.
        """
        by_words, by_meaning = self._words.matches(text), self._meaning.matches(text)
        is_weak = not by_meaning or by_meaning[0].score < MIN_OPENING_SCORE
        meaning = _scaled(by_meaning, EMBEDDING_SCALE) if is_weak else by_meaning
        if by_words and by_words[0].score >= self.default_thresholds.ask:
            meaning = tuple(replace(match, nearest=0.0) for match in meaning)
        return _higher_scores(by_words, meaning)

    def likeness(self, text: str) -> Likeness:
        """Return the likeness by words and by meaning."""
        return self._meaning.likeness(text)

    @property
    def vocabulary(self) -> Vocabulary:
        """The words of the documents."""
        return self._words.vocabulary

    def leave_one_out(self, index: int) -> tuple[LabelMatch, ...]:
        """Return the matches of a document by words as if it were not in the index."""
        return self._words.leave_one_out(index)

    def nearest_document(self, text: str, label: str) -> Document | None:
        """Return the document of the label that is most similar by words, or else by meaning."""
        return self._words.nearest_document(text, label) or self._meaning.nearest_document(text, label)


def _higher_scores(first: Sequence[LabelMatch], second: Sequence[LabelMatch]) -> tuple[LabelMatch, ...]:
    """Return the higher score and the nearer document of each label, the best first."""
    best = {match.label: match for match in first}
    for match in second:
        other = best.get(match.label, match)
        best[match.label] = LabelMatch(match.label, max(match.score, other.score), max(match.nearest, other.nearest))
    return tuple(sorted(best.values(), key=lambda match: (-match.score, match.label)))


def cosine_similarities(text: str, others: Sequence[str]) -> list[float]:
    """Return the cosine similarity of the text with each of the others."""
    vectors = embed([text, *others])
    likeness: list[float] = (vectors[1:] @ vectors[0]).tolist()
    return likeness


def _scaled(matches: Sequence[LabelMatch], scale: float) -> tuple[LabelMatch, ...]:
    return tuple(LabelMatch(match.label, scale * match.score, scale * match.nearest) for match in matches)


def build_index(
    documents: Sequence[Document], function_words: Set[str], vectors: Vectors | None = None
) -> SimilarityIndex:
    """Return the index for so many documents; without `vectors` it embeds them, at some milliseconds each."""
    kind = WordsFirstIndex if len(documents) < FEW_DOCUMENTS else EmbeddingIndex
    return kind(documents, function_words, vectors)
