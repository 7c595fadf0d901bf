import pytest

from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.ports.commands import Affirm, Clarify, Command, Digress, ResumeFlow, SetSlot, StartFlow
from dialogue.engine.understanding import NLUContext
from dialogue.nlu import build_nlu
from dialogue.nlu.readers.command_filter import filter_commands
from dialogue.nlu.slots.utterance import read_utterance
from tests.support.nlu.situations import assistant_named, nlu_of, situation

LIBRARY, BANK = assistant_named("library"), assistant_named("bank")


def reasons(text: str, context: NLUContext, *commands: Command) -> list[str]:
    said = read_utterance(text, context, nlu_of("library").assistant_index)
    return [dropped.reason for dropped in filter_commands(commands, said)[1]]


def test_a_value_that_nobody_said_is_dropped() -> None:
    context = situation(LIBRARY, "renew_loan?loan_id")

    assert reasons("renew it", context, SetSlot("loan_id", "L9999")) == ["the message does not hold this value"]


def test_a_normal_form_of_what_was_said_passes() -> None:
    context = situation(LIBRARY, "reserve_book?pickup")

    assert reasons("the big letters one", context, SetSlot("edition", "large_print")) == []
    assert reasons("five euros", context, StartFlow("pay_fine"), SetSlot("amount", 5)) == []


def test_unknown_names_are_dropped() -> None:
    context = situation(LIBRARY)

    assert reasons("hello", context, StartFlow("steal_book")) == ["steal_book is not a flow that can be started here"]
    assert reasons("hello", context, SetSlot("colour", "hello")) == ["colour is not a slot of the open flows"]
    assert reasons("hello", context, ResumeFlow("pay_fine")) == ["pay_fine is not on the stack"]
    assert reasons("hello", context, Digress("question", "weather")) == ["weather is not a topic of the knowledge"]


def test_yes_without_a_question_is_dropped() -> None:
    assert reasons("yes", situation(LIBRARY), Affirm()) == ["there is nothing to answer"]


def test_a_clarification_gives_way_to_anything_else() -> None:
    commands = (Clarify(("pay_fine", "renew_loan")), StartFlow("pay_fine"))

    assert reasons("pay", situation(LIBRARY), *commands) == ["another command came with it"]


@pytest.mark.parametrize(
    ("text", "agreed"),
    [
        ("yes please, go ahead", True),
        ("sounds great to me", True),
        ("what is that supposed to mean", False),
        ("I am not so certain about the whole of it", False),
        ("the letter that came on Monday says that yes is what I should write here but", False),
    ],
)
def test_nobody_agrees_for_the_user(text: str, agreed: bool) -> None:
    context = situation(LIBRARY, "reserve_book!confirm")
    said = read_utterance(text, context, nlu_of("library").assistant_index)

    kept, _ = filter_commands([Affirm()], said)

    assert (kept == (Affirm(),)) is agreed


def test_what_actions_fill_is_not_for_users_to_say() -> None:
    said = read_utterance("known is true", situation(BANK, "transfer_money?amount"), nlu_of("bank").assistant_index)

    kept, dropped = filter_commands([SetSlot("known", True)], said)

    assert kept == ()
    assert dropped[0].reason == "known is not a slot of the open flows"


HOTEL = load_assistant(
    {
        "assistant.yaml": "{version: 1, assistant: hotel, title: Hotel, description: Rooms., language: en}",
        "book.yaml": """
flow: book
title: Book a room
description: Book a hotel room.
examples: [book a room]
slots:
  place: {type: text, prompt: Where?}
  smoking_allowed: {type: boolean, prompt: Do you smoke?}
  view: {type: choice, description: What the windows look at, prompt: Which view?, options: [sea, yard]}
  health_insured: {type: boolean, sensitive: true, prompt: Are you insured?}
steps:
  - {step: ask_place, type: collect, slot: place}
  - {step: ask_smoking, type: collect, slot: smoking_allowed}
  - {step: ask_view, type: collect, slot: view}
  - {step: ask_insured, type: collect, slot: health_insured}
""",
    }
)


@pytest.mark.parametrize(
    ("text", "awaited", "command", "is_kept"),
    [
        ("somewhere in Rome where I may smoke", "place", SetSlot("smoking_allowed", True), True),
        ("no, a room in which nobody smokes", "place", SetSlot("smoking_allowed", False), True),
        ("somewhere in Rome", "place", SetSlot("smoking_allowed", True), False),
        ("that is not needed, thank you", "smoking_allowed", SetSlot("smoking_allowed", False), True),
        ("Rome, and big windows", "place", SetSlot("view", "sea"), True),
        ("Rome, beside the sea", "place", SetSlot("view", "sea"), True),
        ("Rome, and something nice", "place", SetSlot("view", "sea"), False),
        ("Rome, and big windows", "place", SetSlot("view", "penthouse"), False),
        ("I pay for my health myself", "place", SetSlot("health_insured", False), False),
    ],
)
def test_yes_no_and_options_are_set_where_the_message_speaks_of_them(
    text: str, awaited: str, command: Command, is_kept: bool
) -> None:
    said = read_utterance(text, situation(HOTEL, f"book?{awaited}"), build_nlu(HOTEL).assistant_index)

    kept, _ = filter_commands([command], said)

    assert (kept == (command,)) is is_kept
