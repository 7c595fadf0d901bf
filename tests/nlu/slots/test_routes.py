"""Two places in one message: where something goes from and to."""

import pytest

from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.ports.commands import SetSlot
from dialogue.nlu import NLUPipeline, build_nlu
from tests.support.nlu.situations import situation

MOVE = """
flow: move
title: Quote for a move
description: A price for moving a home.
examples: [I need a quote for a move]
slots:
  from_address: {type: text, description: Where the move starts, prompt: Where are you moving from?}
  to_address: {type: text, description: Where the move goes, prompt: Where are you moving to?}
  day: {type: date, description: Day of the move, prompt: On which day?}
steps:
  - {step: ask_from, type: collect, slot: from_address}
  - {step: ask_to, type: collect, slot: to_address}
  - {step: ask_day, type: collect, slot: day}
"""


@pytest.fixture(scope="module")
def movers() -> NLUPipeline:
    head = "{version: 1, assistant: movers, title: Movers, language: en}"
    return build_nlu(load_assistant({"assistant.yaml": head, "move.yaml": MOVE}), "learned")


@pytest.mark.parametrize(
    ("text", "place", "values"),
    [
        ("I need a quote for a move from Chester to Derby", "", ("Chester", "Derby")),
        ("a quote for a move from Chester to Derby on Friday please", "", ("Chester", "Derby")),
        ("from Chester to Derby", "move?from_address", ("Chester", "Derby")),
        ("we're moving from 12 Hill Road, Chester to Derby", "move?from_address", ("12 Hill Road, Chester", "Derby")),
        ("from Chester to Derby", "move?to_address", ("Chester", "Derby")),
        ("from Chester to Derby on Friday", "move?from_address", ("Chester", "Derby")),
        ("from Chester", "move?from_address", ("Chester", None)),
        ("a quote for a move from Monday to Friday", "", (None, None)),
    ],
)
async def test_both_places_are_found(movers: NLUPipeline, text: str, place: str, values: tuple[str | None, ...]):
    context = situation(movers.assistant_index.assistant, *([place] if place else []))

    commands = (await movers.understand(text, context)).commands

    found = {command.slot: command.value for command in commands if isinstance(command, SetSlot)}
    assert (found.get("from_address"), found.get("to_address")) == values


async def test_a_place_that_is_filled_is_not_overwritten_by_an_answer(movers: NLUPipeline):
    filled = {"move.to_address": "York"}
    context = situation(movers.assistant_index.assistant, "move?from_address", filled=filled)

    commands = (await movers.understand("from Chester to Derby", context)).commands

    assert commands[0] == SetSlot("from_address", "Chester", "Chester")
    assert not any(isinstance(command, SetSlot) for command in commands[1:])
