"""Free text in sentences, as people answer in SGD's dialogues."""

from typing import Any

import pytest

from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.ports.commands import Affirm, Command, CorrectSlot, Deny, SetSlot
from dialogue.nlu import build_nlu
from tests.support.nlu.situations import situation

TRAVEL = load_assistant(
    {
        "assistant.yaml": "{version: 1, assistant: travel, title: Travel, description: Trips, language: en}",
        "find_hotel.yaml": """
flow: find_hotel
title: Find a hotel
description: Search for a hotel in a city.
examples: [find me a hotel]
slots:
  city: {type: text, description: City of the hotel, prompt: In which city?}
  film: {type: text, description: Title of a film, prompt: Which film?}
  laundry: {type: boolean, description: Is there a laundry?, prompt: Do you need a laundry?}
steps:
  - {step: ask_city, type: collect, slot: city}
  - {step: ask_film, type: collect, slot: film}
  - {step: ask_laundry, type: collect, slot: laundry}
""",
    }
)
NLU = build_nlu(TRAVEL, "learned")

ANSWERS = (
    ("city", "I am searching for hotels in London, UK.", "London, UK"),
    ("city", "Something around LA would be best.", "LA"),
    ("city", "In San Fran.", "San Fran"),
    ("city", "find me one in santa clara", "santa clara"),
    ("city", "Yes, I want to find it in London.", "London"),
    ("city", "Oh, sorry. I am in Vancouver, so anywhere near here is fine.", "Vancouver"),
    ("city", "I would stay in San Pablo on March 12th", "San Pablo"),
    ("city", "Rome", "Rome"),
    ("film", "I would like to see Pulp Fiction.", "Pulp Fiction"),
    ("film", "I was thinking about The Lord of the Rings.", "The Lord of the Rings"),
    ("film", "In Cold Blood", "In Cold Blood"),
    ("film", "The Waves", "The Waves"),
)


async def told(text: str, *stack: str, **situated: Any) -> tuple[Command, ...]:
    return (await NLU.understand(text, situation(TRAVEL, *stack, **situated))).commands


@pytest.mark.parametrize(("slot", "text", "name"), ANSWERS)
async def test_a_sentence_answers_with_the_name_in_it(slot: str, text: str, name: str) -> None:
    assert await told(text, f"find_hotel?{slot}") == (SetSlot(slot, name, name),)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("yes, I think it's a good idea", Affirm()),
        ("Nope, skip it.", Deny()),
        ("I won't need any laundry", Deny()),
        ("I would like a laundry", Affirm()),
    ],
)
async def test_a_sentence_answers_yes_or_no(text: str, command: Command) -> None:
    assert await told(text, "find_hotel?laundry") == (command,)


async def test_a_question_about_a_yes_or_no_is_no_answer() -> None:
    assert await told("is the laundry free?", "find_hotel?laundry") != (Affirm(),)


async def test_another_place_corrects_the_one_there_is() -> None:
    commands = await told("Sorry, rather in Vacaville", "find_hotel?laundry", filled={"find_hotel.city": "Pittsburg"})

    assert commands == (CorrectSlot("city", "Vacaville", "Vacaville"),)
