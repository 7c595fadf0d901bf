"""Values that people say beside other things: durations, hours after a day, wishes, free text, and what they show."""

import pytest

from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.ports.commands import Command, SetSlot, StartFlow
from dialogue.nlu import NLUPipeline, build_nlu
from dialogue.nlu.settings import NLUSettings
from tests.support.nlu.situations import situation

BOATS = load_assistant(
    {
        "assistant.yaml": "{version: 1, assistant: boats, title: Boats, description: Boats for hire, language: en}",
        "hire_boat.yaml": """
flow: hire_boat
title: Hire a boat
description: Hire boats for some days.
examples: [I want to hire a boat, "hire {boats} boats"]
slots:
  boats: {type: integer, description: Number of boats, prompt: How many boats?}
  days: {type: integer, description: Number of days, prompt: For how many days?}
  day: {type: date, description: First day, prompt: From which day?}
  time: {type: time, description: When it starts, prompt: At what time?}
  skipper: {type: boolean, description: Whether somebody steers, prompt: Do you need a skipper?}
  name: {type: text, description: Name of the guest, prompt: Under which name?}
steps:
  - {step: ask_boats, type: collect, slot: boats}
  - {step: ask_days, type: collect, slot: days}
  - {step: ask_day, type: collect, slot: day}
  - {step: ask_time, type: collect, slot: time}
  - {step: ask_skipper, type: collect, slot: skipper}
  - {step: ask_name, type: collect, slot: name}
""",
        "buy_rope.yaml": """
flow: buy_rope
title: Order from the store
description: Have things sent.
examples: [I need something from your store]
slots:
  thing:
    type: choice
    options: [{value: rope, label: rope}, {value: anchor, label: anchor}]
    description: Kind of thing
    prompt: What shall it be?
  email: {type: email, description: Address for the bill, prompt: Which address?}
steps:
  - {step: ask_thing, type: collect, slot: thing}
  - {step: ask_email, type: collect, slot: email}
""",
        "learn_to_sail.yaml": """
flow: learn_to_sail
title: Learn to sail
description: Take a course.
examples: [teach me how to sail]
slots:
  level: {type: text, description: What you know, prompt: What do you know already?}
steps:
  - {step: ask_level, type: collect, slot: level}
""",
    }
)


async def read(message: str, *stack: str, nlu: NLUPipeline | None = None) -> tuple[Command, ...]:
    understanding = await (nlu or build_nlu(BOATS, "learned")).understand(message, situation(BOATS, *stack))
    return understanding.commands


@pytest.mark.parametrize(
    ("message", "days"), [("a week", 7), ("two weeks", 14), ("for a fortnight", 14), ("3 days", 3)]
)
async def test_weeks_answer_a_question_for_days(message: str, days: int) -> None:
    (command,) = await read(message, "hire_boat?days")

    assert isinstance(command, SetSlot) and (command.slot, command.value) == ("days", days)


async def test_a_number_before_what_another_slot_counts_is_for_that_slot() -> None:
    commands = await read("I want to hire a boat for 4 days")

    assert commands == (StartFlow("hire_boat"), SetSlot("days", 4, "4"))


async def test_a_lone_hour_right_behind_a_day_is_a_time() -> None:
    commands = await read("tomorrow at 11", "hire_boat?day")

    assert {(each.slot, each.value) for each in commands if isinstance(each, SetSlot)} == {
        ("day", "2026-11-24"),
        ("time", "11:00"),
    }


@pytest.mark.parametrize(
    ("message", "wished"),
    [
        ("hire 2 boats, no skipper", [False]),
        ("hire 2 boats without a skipper", [False]),
        ("hire 2 boats with a skipper", [True]),
        ("could you hire me 2 boats with a skipper?", [True]),
        ("hire 2 boats and we need a skipper", [True]),
        ("hire 2 boats, we don't need any skippers", [False]),
        ("hire 2 boats, my brother is the skipper", []),
        ("hire 2 boats, we bring our own skipper", []),
        ("hire 2 boats. Is a skipper included?", []),
        ("hire 2 boats, not sure about a skipper", []),
    ],
)
async def test_a_request_says_yes_or_no_beside_other_values(message: str, wished: list[bool]) -> None:
    commands = await read(message)

    assert StartFlow("hire_boat") in commands
    assert [each.value for each in commands if isinstance(each, SetSlot) and each.slot == "skipper"] == wished


async def test_values_that_only_one_flow_asks_for_show_which_flow_is_meant() -> None:
    commands = await read("could I have an anchor, the bill goes to kim@sea.example")

    assert StartFlow("buy_rope") in commands


async def test_without_the_model_the_extractor_finds_nothing() -> None:
    commands = await read("I want to hire a boat under the name of Okafor")

    assert StartFlow("hire_boat") in commands


async def test_the_extractor_finds_a_name_in_a_request() -> None:
    nlu = build_nlu(BOATS, "learned", NLUSettings(use_embeddings=True))
    nlu.prepare()

    commands = await read("I want to hire a boat tomorrow, under the name of Okafor", nlu=nlu)

    assert SetSlot("name", "Okafor", "Okafor") in commands
