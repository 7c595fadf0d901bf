"""Where a message is cut into clauses, and that one of a single clause is read once."""

from collections.abc import Iterator

import pytest

from dialogue.nlu.pipeline import examples
from dialogue.nlu.pipeline.nlu_pipeline import build_nlu
from dialogue.nlu.readers.clauses.splitting import MAX_CLAUSES, split_clauses
from dialogue.nlu.slots.utterance import Utterance, read_utterance
from tests.support.nlu.situations import assistant_named, nlu_of, situation


def utterance(text: str, assistant: str = "restaurant") -> Utterance:
    return read_utterance(text, situation(assistant_named(assistant)), nlu_of(assistant).assistant_index)


def texts(text: str, assistant: str = "restaurant") -> list[str]:
    return [clause.utterance.text for clause in split_clauses(utterance(text, assistant))]


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("Friday, and how much is it?", ["Friday", "how much is it?"]),
        ("Do you have parking? We are six.", ["Do you have parking?", "We are six."]),
        ("yes but make it five", ["yes", "make it five"]),
        ("Hillcrest - no, Central", ["Hillcrest", "no", "Central"]),
        ("8 pm. Oh, and make it Saturday", ["8 pm.", "make it Saturday"]),
        ("hold on... ok, 7 pm", ["ok", "7 pm"]),
        ("yes, wait", ["yes", "wait"]),
    ],
)
def test_marks_and_joining_words_end_a_clause(text: str, clauses: list[str]) -> None:
    assert texts(text) == clauses


@pytest.mark.parametrize(
    "text",
    [
        "the price is 1,000.50 EUR",
        "meet me at St. Mary at 5.30 p.m.",
        "mia.berg@example.org",
        "everything but green",
        '"Wait, what? And then?"',
        "seven o'clock",
    ],
)
def test_marks_inside_values_and_quotations_end_none(text: str) -> None:
    assert texts(text) == [text]


def test_spanish_questions_begin_a_clause() -> None:
    assert texts("sí, pero ¿cuánto cuesta?", "clinica") == ["sí", "¿cuánto cuesta?"]


def test_the_words_that_join_a_clause_are_known_with_it() -> None:
    yes, change = split_clauses(utterance("yes, but make it five"))

    assert (yes.joint, yes.is_contrast) == ((), False)
    assert (change.joint, change.is_contrast) == (("but",), True)


def test_a_long_story_is_one_clause() -> None:
    assert len(texts("we came late, " * (MAX_CLAUSES + 1))) == 1


@pytest.fixture
def texts_read(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The texts that the readers were asked for, in order."""
    asked: list[str] = []

    def first_reader(utterance: Utterance) -> None:
        asked.append(utterance.text)

    monkeypatch.setattr(examples, "READERS", (first_reader, *examples.READERS))
    yield asked


async def test_a_message_of_one_clause_is_read_once(texts_read: list[str]) -> None:
    await build_nlu(assistant_named("restaurant")).understand(
        "a quiet table near the window", situation(assistant_named("restaurant"), "book_table?day")
    )

    assert texts_read == ["a quiet table near the window"]


async def test_clauses_are_not_read_where_the_whole_explains_every_word(texts_read: list[str]) -> None:
    await build_nlu(assistant_named("restaurant")).understand(
        "a table for six on Friday, at 8 pm", situation(assistant_named("restaurant"))
    )

    assert texts_read == ["a table for six on Friday, at 8 pm"]
