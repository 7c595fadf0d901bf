import numpy as np
import pytest

from dialogue.nlu.text import trained_files
from dialogue.nlu.text.embeddings import minilm, request_encoder
from dialogue.nlu.text.embeddings.embedding_index import text_vectors
from dialogue.nlu.text.embeddings.minilm import DIMENSIONS
from dialogue.nlu.text.embeddings.request_encoder import LabelledTexts, read_message, text_kind
from dialogue.nlu.text.similarity import Document


def vectors_of(*texts: str) -> "minilm.Vectors":
    return text_vectors(texts)[:, DIMENSIONS:]


def test_texts_have_vectors_of_length_one() -> None:
    vectors = vectors_of("block my card", "When are you open?", "x")

    assert vectors.shape == (3, DIMENSIONS)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-4)


def test_no_text_has_no_vector() -> None:
    assert vectors_of().shape == (0, DIMENSIONS)


def test_a_text_has_the_same_vector_wherever_it_stands() -> None:
    assert np.array_equal(vectors_of("a", "block my card")[1], vectors_of("block my card")[0])


def test_a_message_has_the_same_vector_as_an_authors_text() -> None:
    assert np.array_equal(read_message("block my card").vector, vectors_of("block my card")[0])


@pytest.mark.parametrize(
    ("said", "meant", "other"),
    [
        ("somebody took my wallet at the market", "Block a stolen card", "Order another card"),
        ("water is dripping through the ceiling", "Report a leak", "Change my address"),
        ("my daughter is afraid of the deep end", "Join a swimming course", "Buy a season pass"),
    ],
)
def test_what_is_said_indirectly_is_nearer_to_what_it_asks_for(said: str, meant: str, other: str) -> None:
    message, wanted, unwanted = vectors_of(said, meant, other)
    plain = minilm.embed([said, meant, other])

    assert message @ wanted - message @ unwanted > plain[0] @ plain[1] - plain[0] @ plain[2]
    assert message @ wanted > message @ unwanted


def test_small_talk_asks_for_nothing_rather_than_a_request() -> None:
    assert read_message("what a lovely day it is").none > read_message("I'd like to book a table for two").none


def test_another_file_is_refused() -> None:
    with pytest.raises(trained_files.ArtefactNotGenuine):
        trained_files.checked_bytes(request_encoder.__package__, request_encoder.FILE, "0" * 64)


def test_the_examples_of_a_topic_are_questions() -> None:
    assert text_kind(Document("topic hours", "When are you open?")) == "question"
    assert text_kind(Document("flow book", "a table for two")) == "example"
    assert text_kind(Document("flow book", "Book a table", kind="title")) == "title"


def test_a_label_with_more_texts_scores_higher_only_by_what_they_say() -> None:
    encoder = request_encoder.request_encoder()
    cosines = np.array([0.6, 0.6, 0.6, 0.2, 0.2])

    scores = encoder.label_scores(LabelledTexts(["a", "b", "b", "c", "c"], [0] * 5), cosines, cosines).choose

    assert scores["b"] > scores["a"] > scores["c"]
    assert scores["b"] - scores["a"] == pytest.approx(np.log(2) / 2)
