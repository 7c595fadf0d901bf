import numpy as np
import pytest

from dialogue.nlu.text.embeddings import embedding_index
from dialogue.nlu.text.embeddings.embedding_index import (
    ArrayDotProducts,
    EmbeddingIndex,
    WordsFirstIndex,
    build_index,
    text_vectors,
)
from dialogue.nlu.text.similarity import Document, TfIdfIndex

FUNCTION_WORDS = frozenset({"i", "want", "to", "my", "a", "can"})
DOCUMENTS = (
    Document("pay", "I want to pay my fine"),
    Document("pay", "pay an overdue charge"),
    Document("pay", "settle what I owe", 0.75),
    Document("renew", "extend my loan"),
    Document("renew", "can I keep my book longer?"),
    Document("renew", "renew a book"),
)


def test_meaning_counts_where_no_word_is_shared() -> None:
    index = EmbeddingIndex(DOCUMENTS, FUNCTION_WORDS)

    assert index.matches("how much money is outstanding")[0].label == "pay"
    assert index.matches("more time with this novel")[0].label == "renew"


def test_documents_are_like_each_other_as_messages_with_their_texts_are() -> None:
    index = EmbeddingIndex(
        (*DOCUMENTS, Document("renew", "???"), Document("pay", "pay an overdue charge")), FUNCTION_WORDS
    )
    assert index._kernel is not None

    for position, document in enumerate(index.documents):
        assert index._kernel[position] == pytest.approx(index._compare_text(document.text).row, abs=1e-6)


@pytest.mark.parametrize("text", ["I want to pay my fine", "renew a book, pay", "quack", ""])
def test_words_are_compared_as_exactly_as_without_numpy(text: str) -> None:
    with_numpy = TfIdfIndex(DOCUMENTS, FUNCTION_WORDS, ArrayDotProducts).likeness(text)

    assert with_numpy == TfIdfIndex(DOCUMENTS, FUNCTION_WORDS).likeness(text)


def test_the_progress_of_embedding_ends_with_all_texts() -> None:
    progress: list[tuple[int, int]] = []

    vectors = text_vectors(
        [document.text for document in DOCUMENTS], lambda done, total: progress.append((done, total))
    )

    assert len(vectors) == 6
    assert progress[-1] == (6, 6)
    assert [done for done, _ in progress] == sorted({done for done, _ in progress})


def test_leaving_a_document_out_is_as_training_without_it() -> None:
    whole = EmbeddingIndex(DOCUMENTS, FUNCTION_WORDS)
    assert whole._kernel is not None

    for place, left in enumerate(DOCUMENTS):
        rest = whole._kernel[np.ix_(*[[each for each in range(6) if each != place]] * 2)]
        others = [each for each in range(6) if each != place]
        shares = (
            np.linalg.inv(rest + np.diag(embedding_index.RIDGE_PENALTY / whole._weights[others] ** 2))
            @ whole._members[others]
        )
        scores = dict(zip(("pay", "renew"), (whole._kernel[place, others] @ shares).tolist(), strict=True))
        found = {match.label: match.score for match in whole.leave_one_out(place)}
        assert found[left.label] == pytest.approx(np.clip(scores[left.label], 0, 1), abs=1e-9)


def test_very_many_documents_are_compared_without_training(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding_index, "MAX_SOLVED_DOCUMENTS", 3)

    index = EmbeddingIndex(DOCUMENTS, FUNCTION_WORDS)

    assert index.matches("how much money is outstanding")[0].label == "pay"
    assert index.leave_one_out(5)[0].label == "renew"


def test_of_few_documents_words_decide_first() -> None:
    index = build_index(DOCUMENTS, FUNCTION_WORDS)

    assert isinstance(index, WordsFirstIndex)
    assert index.matches("pay my fine")[0].score > 0.5
    assert index.matches("how much money is outstanding")[0].label == "pay"


def test_many_documents_are_compared_by_meaning_at_once() -> None:
    many = tuple(Document(f"label {place % 50}", f"{place} things") for place in range(160))

    assert isinstance(build_index(many, FUNCTION_WORDS), EmbeddingIndex)


@pytest.mark.parametrize("kind", [EmbeddingIndex, WordsFirstIndex])
def test_the_nearest_document_of_a_label_is_the_one_that_means_most_alike(kind) -> None:
    nearest = kind(DOCUMENTS, FUNCTION_WORDS).nearest_document("settle my debts", "pay")

    assert nearest is not None and nearest.text == "settle what I owe"
