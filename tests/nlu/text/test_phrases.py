import pytest

from dialogue.nlu.text.lexicons.lexicon import parse_phrases
from dialogue.nlu.text.phrases import consists_of, find_phrase, prefix_length, suffix_length

YES, POLITE = parse_phrases("yes, yes i do, i do"), parse_phrases("please, thank you, so")


@pytest.mark.parametrize(
    ("said", "length"), [("yes i do so", 3), ("yes i did", 1), ("please yes", 1), ("do it", 0), ("", 0)]
)
def test_the_longest_phrase_of_any_kind_at_the_beginning_counts(said: str, length: int) -> None:
    assert prefix_length(said.split(), YES, POLITE) == length


@pytest.mark.parametrize(("said", "length"), [("so i do", 2), ("well yes", 1), ("you do", 0), ("", 0)])
def test_the_longest_phrase_at_the_end_counts(said: str, length: int) -> None:
    assert suffix_length(said.split(), YES) == length


def test_the_first_phrase_in_a_message_is_found_with_its_end() -> None:
    assert find_phrase(["i", "think", "yes", "i", "do"], YES) == (2, 5)
    assert find_phrase(["i", "think", "i", "am"], YES) is None


@pytest.mark.parametrize(
    ("said", "whole"), [("yes", True), ("so yes please", True), ("please", False), ("yes but", False), ("", False)]
)
def test_a_message_is_made_of_phrases_with_others_only_around_them(said: str, whole: bool) -> None:
    assert consists_of(said.split(), YES, POLITE, parse_phrases("well")) is whole
