"""What the classifier says counts only where the act is possible, and surely enough for what an error would cost."""

from collections.abc import Callable, Mapping

import pytest

from dialogue.engine.ports.commands import (
    Affirm,
    CancelFlow,
    CannotHandle,
    Chitchat,
    Command,
    Deny,
    Digress,
    HandOff,
    Repeat,
    Restart,
    ResumeFlow,
    SetSlot,
    SkipSlot,
)
from dialogue.nlu.slots import utterance
from tests.support.nlu.situations import assistant_named, nlu_of, situation

BOOKED = {"book_table.people": "4", "book_table.day": "27 Nov 2026", "book_table.time": "8:00 PM"}
Says = Callable[..., None]


@pytest.fixture
def classifier(monkeypatch: pytest.MonkeyPatch) -> Says:
    """A classifier that gives the probabilities of the test, and "other" the rest."""

    def says(**probabilities: float) -> None:
        rest = 1 - sum(probabilities.values())

        def classify(text: str, language: str, *, with_vector: bool) -> Mapping[str, float]:
            return {"other": rest, **probabilities}

        monkeypatch.setattr(utterance, "classify_act", classify)

    return says


async def meant(text: str, *stack: str, assistant: str = "restaurant") -> tuple[Command, ...]:
    context = situation(assistant_named(assistant), *stack, filled=BOOKED if stack else None)
    return (await nlu_of(assistant).understand(text, context)).commands


@pytest.mark.parametrize(
    ("act", "stack", "command"),
    [
        ("affirm", ["book_table!confirm"], Affirm()),
        ("deny", ["book_table!confirm"], Deny()),
        ("deny", ["book_table?wishes"], SkipSlot("wishes")),
        ("cancel", ["book_table?day"], CancelFlow()),
        ("skip", ["book_table?wishes"], SkipSlot("wishes")),
        ("correct", ["book_table!confirm"], Deny()),
        ("repeat", ["book_table?day"], Repeat()),
        ("help", ["book_table?day"], Digress("help")),
        ("person", ["book_table?day"], HandOff()),
        ("resume", ["order_food", "book_table?day"], ResumeFlow("order_food")),
        ("resume", ["book_table?day"], Repeat()),
        ("restart", ["book_table?day"], Restart()),
        ("why", ["book_table?day"], Digress("clarification", "day")),
        ("status", ["book_table?day"], Digress("status")),
        ("wait", ["book_table?day"], Repeat()),
        ("wait", [], Chitchat()),
        ("thanks", [], Chitchat()),
        ("greeting", ["book_table?day"], Chitchat()),
        ("insult", ["book_table?day"], Chitchat()),
    ],
)
async def test_an_act_means_its_command_in_the_context(
    classifier: Says, act: str, stack: list[str], command: Command
) -> None:
    classifier(**{act: 0.98})

    assert await meant("blah blaah", *stack) == (command,)


@pytest.mark.parametrize(
    ("act", "stack"),
    [("affirm", []), ("affirm", ["book_table?day"]), ("deny", ["book_table?day"]), ("cancel", []), ("why", [])],
)
async def test_an_act_that_is_not_possible_is_not_understood(classifier: Says, act: str, stack: list[str]) -> None:
    classifier(**{act: 0.98})

    assert isinstance((await meant("blah blaah", *stack))[0], CannotHandle)


@pytest.mark.parametrize(
    ("act", "doubtful", "sure"), [("affirm", 0.85, 0.95), ("person", 0.6, 0.7), ("cancel", 0.85, 0.95)]
)
async def test_what_has_an_effect_needs_a_sure_reading(
    classifier: Says, act: str, doubtful: float, sure: float
) -> None:
    classifier(**{act: doubtful})
    assert isinstance((await meant("blah blaah", "book_table!confirm"))[0], CannotHandle)

    classifier(**{act: sure})
    assert not isinstance((await meant("blah blaah", "book_table!confirm"))[0], CannotHandle)


async def test_acts_with_the_same_answer_count_together(classifier: Says) -> None:
    classifier(thanks=0.5, farewell=0.47)

    assert await meant("blah blaah", "book_table?day") == (Chitchat(),)


async def test_a_reply_to_a_question_needs_a_surer_reading(classifier: Says) -> None:
    classifier(small_talk=0.9)

    assert isinstance((await meant("is it purple?"))[0], CannotHandle)


@pytest.mark.parametrize("text", ["Cancel Culture", "May", '"cancel the whole thing"'])
async def test_a_title_a_name_and_a_quotation_stay_values(classifier: Says, text: str) -> None:
    classifier(cancel=0.99)

    assert isinstance((await meant(text, "book_table?name"))[0], SetSlot)


async def test_marks_without_a_word_are_no_act(classifier: Says) -> None:
    classifier(affirm=0.99)

    assert isinstance((await meant("...", "book_table!confirm"))[0], CannotHandle)
    assert await meant("👍", "book_table!confirm") == (Affirm(),)
