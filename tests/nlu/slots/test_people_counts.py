"""Numbers of people beside days and hours, and which of two days something is moved to."""

from collections.abc import Mapping
from typing import Any

import pytest

from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.ports.commands import SetSlot
from dialogue.nlu import build_nlu
from tests.support.nlu.situations import situation

FLOWS = {
    "book_table.yaml": """
flow: book_table
title: {en: Book a table, es: Reservar una mesa}
description: {en: Book a table for a meal., es: Reservar una mesa para comer.}
examples: [I want to book a table, quiero reservar una mesa]
slots:
  day: {type: date, prompt: {en: For which day?, es: "¿Para qué día?"}}
  diners: {type: integer, prompt: {en: How many people are coming?, es: "¿Cuántas personas vienen?"}}
  hour: {type: time, prompt: {en: At what time?, es: "¿A qué hora?"}}
steps:
  - {step: ask_day, type: collect, slot: day}
  - {step: ask_diners, type: collect, slot: diners}
  - {step: ask_hour, type: collect, slot: hour}
""",
    "move_booking.yaml": """
flow: move_booking
title: {en: Move a booking, es: Cambiar una reserva}
description: {en: Another day for a booking., es: Otro día para una reserva.}
examples: [I want to move my booking, quiero cambiar mi reserva]
slots:
  old_day: {type: date, prompt: {en: For which day is it now?, es: "¿Para qué día es ahora?"}}
  new_day: {type: date, prompt: {en: Which day would be better?, es: "¿Qué día sería mejor?"}}
steps:
  - {step: ask_old, type: collect, slot: old_day}
  - {step: ask_new, type: collect, slot: new_day}
""",
}


async def values(text: str, language: str = "en") -> Mapping[str, Any]:
    """What a first message fills; today is Monday, 23 November 2026."""
    head = f"{{version: 1, assistant: bistro, title: Bistro, description: Meals., language: {language}}}"
    assistant = load_assistant({"assistant.yaml": head, **FLOWS})
    understanding = await build_nlu(assistant, "learned").understand(text, situation(assistant))
    return {command.slot: command.value for command in understanding.commands if isinstance(command, SetSlot)}


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("I want to book a table on Friday for 2 people", {"day": "2026-11-27", "diners": 2}),
        ("I want to book a table on Friday for 2", {"day": "2026-11-27", "diners": 2}),
        ("I want to book a table on Friday. There will be five of us.", {"day": "2026-11-27", "diners": 5}),
        ("I want to book a table tonight at 8", {"day": "2026-11-23", "hour": "20:00"}),
        ("I want to book a table at 8 tonight", {"day": "2026-11-23", "hour": "20:00"}),
        ("I want to book a table for 4 tonight at 8", {"day": "2026-11-23", "diners": 4, "hour": "20:00"}),
        (
            "I want to book a table on Saturday at 8, we are 6 adults",
            {"day": "2026-11-28", "diners": 6, "hour": "08:00"},
        ),
        ("I want to book a table for 3 hours", {}),
    ],
)
async def test_a_number_of_people_is_no_hour(text: str, filled: Mapping[str, Any]) -> None:
    assert await values(text) == filled


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("I want to book a table for me and my wife", 2),
        ("I want to book a table for 2 adults and a child", 3),
        ("I want to book a table for myself, my partner and two kids", 4),
        ("I want to book a table for me plus three", 4),
        ("I want to book a table for me, my mum and my best mate, so three", 3),
        ("quiero reservar una mesa para mi mujer y yo", 2),
    ],
)
async def test_people_who_are_told_one_by_one_are_counted(text: str, number: int) -> None:
    assert await values(text, "es" if text.startswith("quiero") else "en") == {"diners": number}


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("quiero reservar una mesa para el viernes a las 21:00, somos 4", ("2026-11-27", 4, "21:00")),
        ("quiero reservar una mesa esta noche a las 9 para 2 personas", ("2026-11-23", 2, "21:00")),
    ],
)
async def test_spanish_numbers_of_people_are_no_hours(text: str, filled: tuple[str, int, str]) -> None:
    assert await values(text, "es") == dict(zip(("day", "diners", "hour"), filled, strict=True))


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("I want to move my booking to Friday", {"new_day": "2026-11-27"}),
        ("I want to move my booking to Friday please", {"new_day": "2026-11-27"}),
        ("I want to move my booking on Friday please", {"old_day": "2026-11-27"}),
        ("I want to move my booking, the 10th instead", {"new_day": "2026-12-10"}),
        ("I want to move my booking from the 8th to the 10th", {"old_day": "2026-12-08", "new_day": "2026-12-10"}),
        (
            "I want to move my booking to the 10th, it is for the 8th",
            {"old_day": "2026-12-08", "new_day": "2026-12-10"},
        ),
    ],
)
async def test_the_day_that_something_is_moved_to_is_the_new_one(text: str, filled: Mapping[str, Any]) -> None:
    assert await values(text) == filled
