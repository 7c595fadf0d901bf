from pathlib import Path

import numpy as np
import pytest

from dialogue.nlu.text.embeddings.minilm import (
    DIMENSIONS,
    MAX_BATCH_TEXTS,
    WeightsNotGenuine,
    embed,
    is_installed,
    read_texts,
    read_weights,
    token_states,
)


def test_the_extra_is_there() -> None:
    assert is_installed()


def test_vectors_have_length_one() -> None:
    vectors = embed(["reserve a book", "", "¿qué tal?"])

    assert vectors.shape == (3, DIMENSIONS)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_what_means_the_same_is_nearer_than_what_sounds_the_same() -> None:
    lost, stolen, found = embed(["I lost my card", "somebody took my debit card", "I lost my patience"])

    assert lost @ stolen > lost @ found


def test_no_text_has_no_vector() -> None:
    assert embed([]).shape == (0, DIMENSIONS)


def test_other_weights_are_refused(tmp_path: Path) -> None:
    forged = tmp_path / "model.onnx"
    forged.write_bytes(b"not the model")

    with pytest.raises(WeightsNotGenuine):
        read_weights(forged)


def test_a_text_has_the_same_vector_beside_others_as_alone() -> None:
    texts = [f"{verb} my {thing}" for verb in ("block", "order", "find") for thing in ("card", "new card", "lost key")]
    texts += [f"room {number}" for number in range(MAX_BATCH_TEXTS + 1)]

    readings = {place: reading for part in read_texts(texts) for place, reading in part}

    assert sorted(readings) == list(range(len(texts)))
    for place, text in enumerate(texts):
        assert np.array_equal(readings[place].vector, embed([text])[0])
        assert np.array_equal(readings[place].states, token_states(text))
