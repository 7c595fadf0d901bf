"""The scorer of requests: probabilities that add up, from weights that were measured."""

import pytest

from dialogue.nlu.heads import artefact
from dialogue.nlu.heads.artefact import ArtefactNotGenuine
from dialogue.nlu.heads.request_scorer import request_networks, score_requests
from dialogue.nlu.readers.scoring.request_features import (
    MEANING_FEATURES,
    MEANING_MESSAGE_FEATURES,
    MESSAGE_FEATURES,
    WORD_FEATURES,
)


def test_the_networks_are_trained_on_the_features_that_the_readers_give() -> None:
    words, meaning = (request_networks()[name] for name in ("words", "meaning"))

    assert words.features == WORD_FEATURES
    assert words.message_features == MESSAGE_FEATURES
    assert meaning.features == (*WORD_FEATURES, *MEANING_FEATURES)
    assert meaning.message_features == (*MESSAGE_FEATURES, *MEANING_MESSAGE_FEATURES)


@pytest.mark.parametrize("by_meaning", [False, True])
def test_the_probabilities_of_all_labels_and_of_none_add_up(by_meaning: bool) -> None:
    network = request_networks()["meaning" if by_meaning else "words"]
    rows = [[0.1] * len(network.features), [0.4] * len(network.features)]

    chances = score_requests(rows, [0.5] * len(network.message_features), by_meaning=by_meaning)

    assert len(chances) == 3
    assert sum(chances) == pytest.approx(1)


def test_other_weights_are_refused() -> None:
    with pytest.raises(ArtefactNotGenuine):
        artefact.checked_bytes(artefact.REQUEST_FILE, "0" * 64)
