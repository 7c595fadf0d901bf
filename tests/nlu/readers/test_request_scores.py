"""How likely a first message asks for each flow, and what is done about it."""

import pytest

from dialogue.nlu.readers.intents import classify_intent
from dialogue.nlu.readers.scoring.request_scores import RequestScores, score_labels
from dialogue.nlu.slots.utterance import Utterance, read_utterance
from tests.support.nlu.situations import assistant_named, nlu_of, situation

BANK_LABELS = frozenset({"flow transfer_money", "flow check_balance", "flow block_card", "topic transfer_time"})


def message(text: str, assistant: str = "bank") -> Utterance:
    return read_utterance(text, situation(assistant_named(assistant)), nlu_of(assistant).assistant_index)


def scores(text: str) -> RequestScores:
    return score_labels(message(text), text, BANK_LABELS)


def test_an_authors_own_words_are_nearly_sure() -> None:
    best = scores("what is my balance").likely[0]

    assert best.label == "flow check_balance"
    assert best.probability > 0.9


def test_the_probabilities_of_the_labels_and_of_none_add_up() -> None:
    found = scores("I want to transfer money")

    assert found.none + sum(request.probability for request in found.likely) == pytest.approx(1)


def test_only_labels_that_may_be_meant_are_scored() -> None:
    only_cards = score_labels(message("what is my balance"), "what is my balance", frozenset({"flow block_card"}))

    assert [request.label for request in only_cards.likely] == ["flow block_card"]


def test_without_labels_nothing_is_asked_for() -> None:
    assert score_labels(message("what is my balance"), "what is my balance", frozenset()) == RequestScores((), 1.0)


def test_a_likely_flow_is_started_and_another_message_is_none() -> None:
    request = classify_intent(message("I lost my card, please block it"))

    assert request is not None
    assert (request.name, request.decided, request.accepted) == ("block_card", True, True)
    assert classify_intent(message("tell me a bedtime story")) is None


def test_a_number_alone_asks_for_nothing() -> None:
    assert classify_intent(message("300")) is None
