import pytest

from dialogue.nlu.slots.typed.numbers import find_numbers
from dialogue.nlu.text.lexicons import lexicon_of


@pytest.mark.parametrize(
    ("language", "text", "numbers"),
    [
        ("en", "send 8450 to Bob", ["8450"]),
        ("en", "8,450.00 euros", ["8450"]),
        ("en", "about €5.50", ["5.5"]),
        ("en", "9k", ["9000"]),
        ("en", "five k please", ["5000"]),
        ("en", "a hundred and twenty", ["120"]),
        ("en", "two thousand three hundred and five", ["2305"]),
        ("en", "twenty five and thirty", ["25", "30"]),
        ("en", "-5", ["-5"]),
        ("en", "20kg and 3 bags", ["20", "3"]),
        ("en", "two dozen eggs", ["24"]),
        ("en", "half a dozen, please", ["6"]),
        ("es", "media docena", ["6"]),
        ("es", "tres docenas", ["36"]),
        ("es", "8.450 euros", ["8450"]),
        ("es", "1,5", ["1.5"]),
        ("es", "treinta y cinco", ["35"]),
        ("es", "ocho mil cuatrocientos cincuenta", ["8450"]),
    ],
)
def test_numbers_are_read_in_digits_and_in_words(language: str, text: str, numbers: list[str]) -> None:
    found = find_numbers(text, lexicon_of(language).numerals)

    assert [span.value for span in found] == numbers


@pytest.mark.parametrize(
    "text", ["L1234", "12a", "5th", "DE89370400440532013000", "2026-12-01", "10:30", "mia2@example.org", "٣"]
)
def test_digits_inside_something_else_are_no_number(text: str) -> None:
    assert find_numbers(text, lexicon_of("en").numerals) == ()


def test_a_couple_needs_its_question() -> None:
    (couple,) = find_numbers("a couple of questions", lexicon_of("en").numerals)

    assert (couple.value, couple.weak) == ("2", True)


def test_a_lone_one_needs_its_question() -> None:
    (one,) = find_numbers("this one", lexicon_of("en").numerals)

    assert one.weak
