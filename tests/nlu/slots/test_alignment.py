import pytest

from dialogue.nlu.slots.alignment import AlignmentGround, align_template, max_share
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.templates import parse_template
from dialogue.nlu.text.tokens import tokenize

SEND = "send {amount} to {beneficiary}"


def ground_of(text: str, amount: str = "50") -> AlignmentGround:
    """The first place of the amount, if there is one, is its value."""
    start = text.find(amount)
    values = {"amount": [Span(start, start + len(amount), amount)] if start >= 0 else []}
    return AlignmentGround(text, tokenize(text), values, FUNCTION_WORDS, frozenset({"send", "money"}))


def shown(text: str, amount: str = "50") -> dict[str, str]:
    spans = align_template(parse_template(SEND), ground_of(text, amount)).spans
    return {slot: text[span.start : span.end] for slot, span in spans.items()}


def test_the_holes_of_an_example_show_the_values_of_a_message() -> None:
    assert shown("please send 50 euros to Grace Lovelace", amount="50 euros") == {
        "amount": "50 euros",
        "beneficiary": "Grace Lovelace",
    }


@pytest.mark.parametrize("name", ["K-209 Ropes", "Dock-12 Marine Services", "B-52"])
def test_a_number_behind_a_hyphen_is_a_part_of_the_name(name: str) -> None:
    assert shown(f"send 50 to {name}") == {"amount": "50", "beneficiary": name}


def test_a_hole_of_which_no_value_is_said_shows_nothing() -> None:
    assert shown("send it to Ana") == {"beneficiary": "Ana"}


@pytest.mark.parametrize(
    "text",
    ["", "send", "send 50 to Ana", "50 to Ana, send", "to Ana send money 50", "Ana 50", "sned 50 too Ana", "to " * 60],
)
def test_no_example_fits_better_than_all_of_its_words_in_any_order(text: str) -> None:
    template, ground = parse_template(SEND), ground_of(text)

    assert align_template(template, ground).share <= max_share(template, ground)


def test_an_example_of_which_no_word_is_said_cannot_fit() -> None:
    assert max_share(parse_template("pay my fine"), ground_of("what is the weather")) == 0.0
