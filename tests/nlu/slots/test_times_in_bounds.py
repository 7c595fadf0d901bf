"""The half of the day that a bare hour means, where only one of them keeps the slot's limits."""

import pytest

from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.ports.commands import SetSlot
from dialogue.nlu import build_nlu
from tests.support.nlu.situations import situation

FLOW = """
flow: book
title: Book a visit
description: Books a visit.
examples: [book a visit]
slots:
  hour: {type: time, minimum: "09:00", maximum: "18:00", prompt: At what time?}
steps:
  - {step: ask_hour, type: collect, slot: hour}
"""


async def hour_of(text: str, language: str) -> list[object]:
    head = f"{{version: 1, assistant: visits, title: Visits, language: {language}}}"
    assistant = load_assistant({"assistant.yaml": head, "book.yaml": FLOW})
    understanding = await build_nlu(assistant, "learned").understand(text, situation(assistant, "book?hour"))
    return [command.value for command in understanding.commands if isinstance(command, SetSlot)]


@pytest.mark.parametrize(
    ("language", "text", "hour"),
    [
        ("en", "at 5", "17:00"),
        ("en", "half past two", "14:30"),
        ("en", "11", "11:00"),
        ("en", "at 9", "09:00"),
        ("es", "a las cinco", "17:00"),
        ("es", "a las diez", "10:00"),
    ],
)
async def test_a_bare_hour_is_the_one_that_the_slot_takes(language: str, text: str, hour: str) -> None:
    assert await hour_of(text, language) == [hour]


@pytest.mark.parametrize("text", ["5 am", "5 in the morning", "05:00", "at 7"])
async def test_a_time_that_cannot_be_meant_otherwise_is_left_to_be_refused(text: str) -> None:
    assert (await hour_of(text, "en"))[0] not in ("17:00", "19:00")
