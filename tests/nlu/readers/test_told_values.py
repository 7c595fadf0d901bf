"""Values in first messages that tell of more than their request: what is not clearly said is left to be asked for."""

from collections.abc import Mapping
from typing import Any

import pytest

from dialogue.engine.ports.commands import Command, SetSlot, StartFlow
from dialogue.nlu.readers.proposal import Proposal
from dialogue.nlu.readers.told_values import without_unclear_values
from dialogue.nlu.slots.utterance import Utterance, read_utterance
from tests.support.nlu.situations import assistant_named, nlu_of, situation


def message(text: str, *stack: str, assistant: str = "restaurant") -> Utterance:
    return read_utterance(text, situation(assistant_named(assistant), *stack), nlu_of(assistant).assistant_index)


def kept(text: str, *values: SetSlot, is_story: bool = False) -> Mapping[str, Any]:
    """The values of a table to book that are left of the message."""
    commands: tuple[Command, ...] = (StartFlow("book_table"), *values)
    proposal = without_unclear_values(Proposal(commands, 0.9, is_story=is_story), message(text))

    assert proposal is not None and proposal.commands[0] == StartFlow("book_table")
    return {command.slot: command.value for command in proposal.commands if isinstance(command, SetSlot)}


@pytest.mark.parametrize(
    "text",
    [
        "My parents leave on Friday, could we have a table on Saturday?",
        "a table for Friday, no sorry, Saturday",
        "We were there on Friday. A table on Saturday again, please.",
    ],
)
def test_of_several_days_for_one_slot_none_is_taken(text: str) -> None:
    assert kept(text, SetSlot("day", "2026-11-27", "Friday")) == {}


def test_the_only_day_is_taken_also_if_it_is_said_twice() -> None:
    day = SetSlot("day", "2026-11-28", "Saturday")

    assert kept("A table on Saturday, please. Saturday is my birthday.", day) == {"day": "2026-11-28"}


def test_of_several_hours_for_one_slot_none_is_taken() -> None:
    text = "our show ends at 7:30 pm, a table at 8 pm please"

    assert kept(text, SetSlot("time", "19:30", "7:30 pm")) == {}


def test_a_day_that_is_over_is_no_day_to_come() -> None:
    text = "You turned us away yesterday. We want a table for this evening."

    assert kept(text, SetSlot("day", "2026-11-22", "yesterday")) == {}


@pytest.mark.parametrize(
    ("text", "number"),
    [("Lost my people. 63.", "63"), ("We have been coming since 1998. Can we have a table?", "1998")],
)
def test_a_number_of_a_story_needs_the_words_of_its_slot(text: str, number: str) -> None:
    assert kept(text, SetSlot("people", int(number), number)) == {}


@pytest.mark.parametrize(
    "text", ["It is our wedding day. We are 6 guests.", "We love your place. Please book a table for 6 on Friday."]
)
def test_a_number_beside_its_slots_words_or_as_in_an_example_is_taken(text: str) -> None:
    assert kept(text, SetSlot("people", 6, "6")) == {"people": 6}


def test_a_number_of_a_plain_request_is_taken() -> None:
    assert kept("a table for 6", SetSlot("people", 6, "6")) == {"people": 6}


@pytest.mark.parametrize("words", ["this week", "you've", "on Friday"])
def test_small_words_and_days_are_no_text(words: str) -> None:
    text = f"a table {words} if you've one"

    assert kept(text, SetSlot("wishes", words, words)) == {}


def test_a_title_of_small_words_is_a_text() -> None:
    assert kept("a table for The Who", SetSlot("name", "The Who", "The Who")) == {"name": "The Who"}


def test_greetings_make_no_story() -> None:
    assert not message("Hi there! A table for 6").has_sentences
    assert message("Hi there! We are 6. A table please").has_sentences


def test_an_answer_keeps_its_values() -> None:
    proposal = Proposal((StartFlow("book_table"), SetSlot("day", "2026-11-27", "Friday")), 0.9)
    answer = message("not Friday. Saturday.", "cancel_booking")

    assert without_unclear_values(proposal, answer) == proposal
    assert without_unclear_values(None, answer) is None
