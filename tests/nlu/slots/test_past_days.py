"""Days without a year, for slots whose texts tell that the day is over."""

import pytest

from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.extractors import looks_back


def day_slot(name: str, prompt: str, *, description: str = "a day", not_future: bool = False) -> Slot:
    flow = f"""
flow: ask
title: Ask
description: Asks for a day.
examples: [ask me]
slots:
  {name}: {{type: date, prompt: "{prompt}", description: "{description}", not_future: {str(not_future).lower()}}}
steps:
  - {{step: ask_day, type: collect, slot: {name}}}
"""
    head = "{version: 1, assistant: days, title: Days, language: en}"
    slot = load_assistant({"assistant.yaml": head, "ask.yaml": flow}).slot("ask", name)
    assert slot is not None
    return slot


@pytest.mark.parametrize(
    ("name", "prompt"),
    [
        ("day", "When did it happen?"),
        ("bought_on", "Which day is on the receipt?"),
        ("fault_since", "Since when has it been broken?"),
        ("dia", "¿Cuándo ocurrió?"),
        ("cuando", "¿Cuándo te llegó?"),
        ("arrived_on", "On which day was it?"),
        ("fecha_accidente", "¿Qué día?"),
    ],
)
def test_a_question_about_the_past_is_answered_with_a_day_that_is_over(name: str, prompt: str) -> None:
    assert looks_back(day_slot(name, prompt))


@pytest.mark.parametrize(
    ("name", "prompt"),
    [
        ("day", "When shall we come?"),
        ("visit_day", "When would you like to look at it?"),
        ("day", "Which day did you want to come?"),
        ("dia", "¿Qué día quiere que pasemos?"),
    ],
)
def test_a_question_about_a_plan_is_answered_with_a_day_to_come(name: str, prompt: str) -> None:
    assert not looks_back(day_slot(name, prompt))


def test_the_description_tells_it_too() -> None:
    assert looks_back(day_slot("day", "Which day?", description="when the purchase was made"))


def test_an_author_says_it_by_a_rule() -> None:
    assert looks_back(day_slot("day", "Which day?", not_future=True))
