"""What is said beside other things: codes by name, periods, floors, and reasons behind an act."""

from functools import cache

import pytest
from pydantic import JsonValue

from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.ports.commands import (
    Affirm,
    CancelFlow,
    Command,
    CorrectSlot,
    Deny,
    Digress,
    HandOff,
    Restart,
    SetSlot,
)
from dialogue.nlu import NLUPipeline, build_nlu
from dialogue.nlu.settings import NLUSettings
from tests.support.nlu.situations import situation

ASSISTANT = {
    "assistant.yaml": "{version: 1, assistant: desk, title: Desk, description: Rooms and repairs, language: en}",
    "pay_invoice.yaml": """
flow: pay_invoice
title: Pay an invoice
description: Pay an invoice of ours.
examples: [I want to pay my invoice, pay a bill]
slots:
  invoice_number: {type: text, description: Number of the invoice, prompt: Which invoice is it?}
  amount: {type: money, description: Amount to pay, prompt: How much do you want to pay?}
steps:
  - {step: ask_number, type: collect, slot: invoice_number}
  - {step: ask_amount, type: collect, slot: amount}
  - {step: confirm, type: confirm, message: "Shall I pay {amount}?"}
""",
    "book_room.yaml": """
flow: book_room
title: Book a meeting room
description: Book a room for a meeting.
examples: [I need a meeting room, book a room for tomorrow]
slots:
  hours: {type: integer, description: How many hours, prompt: For how many hours?}
  start_time: {type: time, description: When the meeting starts, prompt: What time does it start?}
  frequency:
    type: choice
    options: [weekly, fortnightly, monthly]
    description: How often the meeting is
    prompt: How often do you meet?
  floor:
    type: choice
    options: [ground floor, first floor, second floor, roof terrace]
    description: Floor of the room
    prompt: On which floor?
  part_of_day:
    type: choice
    options: [morning, evening]
    description: Part of the day
    prompt: In the morning or in the evening?
  size: {type: choice, options: [small, large], required: false, description: Size of the room, prompt: How large?}
  needs_parking: {type: boolean, description: Whether they need parking, prompt: Do they need parking?}
steps:
  - {step: ask_hours, type: collect, slot: hours}
  - {step: ask_start, type: collect, slot: start_time}
  - {step: ask_frequency, type: collect, slot: frequency}
  - {step: ask_floor, type: collect, slot: floor}
  - {step: ask_part, type: collect, slot: part_of_day}
  - {step: ask_size, type: collect, slot: size}
  - {step: ask_parking, type: collect, slot: needs_parking}
  - {step: confirm, type: confirm, message: Shall I book it?}
""",
    "report_leak.yaml": """
flow: report_leak
title: Report a leak
description: Send somebody for a leak.
examples: [I have a burst pipe, water is coming in]
slots:
  make: {type: text, description: Make of the boiler, prompt: What make is your boiler?}
  water_off: {type: boolean, description: Whether the water is turned off, prompt: Have you turned the water off?}
  phone: {type: phone, description: Phone number, prompt: What number can we ring?}
  visit: {type: date, description: Day of the visit, prompt: Which day suits you?}
steps:
  - {step: ask_make, type: collect, slot: make}
  - {step: ask_off, type: collect, slot: water_off}
  - {step: ask_phone, type: collect, slot: phone}
  - {step: ask_visit, type: collect, slot: visit}
""",
}


@cache
def desk() -> NLUPipeline:
    nlu = build_nlu(load_assistant(ASSISTANT), "learned", NLUSettings(use_embeddings=True))
    nlu.prepare()
    return nlu


async def understood(text: str, *place: str) -> tuple[Command, ...]:
    return (await desk().understand(text, situation(desk().assistant_index.assistant, *place))).commands


async def stored(text: str, *place: str) -> dict[str, JsonValue]:
    commands = await understood(text, *place)
    return {command.slot: command.value for command in commands if isinstance(command, SetSlot | CorrectSlot)}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("pay invoice 5567", {"invoice_number": "5567"}),
        ("I want to pay 80 pounds for invoice 5567", {"invoice_number": "5567", "amount": "80"}),
        ("pay my invoice, number 5567, 80 pounds", {"invoice_number": "5567", "amount": "80"}),
        ("book a meeting room from 14:00 for 3 hours", {"start_time": "14:00", "hours": 3}),
        ("book a room on the 2nd floor every two weeks", {"floor": "second floor", "frequency": "fortnightly"}),
    ],
)
async def test_a_request_says_values_for_their_slots(text: str, values: dict[str, JsonValue]) -> None:
    assert await stored(text) == values


@pytest.mark.parametrize(
    ("text", "place", "values"),
    [
        ("invoice 5567", "pay_invoice?amount", {"invoice_number": "5567"}),
        ("every other week", "book_room?frequency", {"frequency": "fortnightly"}),
        ("once a month", "book_room?frequency", {"frequency": "monthly"}),
        ("the second one", "book_room?floor", {"floor": "second floor"}),
        ("2nd", "book_room?floor", {"floor": "second floor"}),
        ("before lunch", "book_room?part_of_day", {"part_of_day": "morning"}),
        ("a big one", "book_room?size", {"size": "large"}),
        ("3ish", "book_room?start_time", {"start_time": "15:00"}),
        ("5 in the morning", "book_room?start_time", {"start_time": "05:00"}),
        ("it was 2, now 3", "book_room?hours", {"hours": 3}),
        ("any chance of wednesday?", "report_leak?visit", {"visit": "2026-11-25"}),
        ("not sure, a Vaillant I think", "report_leak?make", {"make": "Vaillant"}),
    ],
)
async def test_an_answer_in_other_words_is_stored(text: str, place: str, values: dict[str, JsonValue]) -> None:
    assert await stored(text, place) == values


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("no idea, it's just a white box", "report_leak?make"),
        ("afternoon", "book_room?part_of_day"),
        ("could I see them first actually", "book_room?floor"),
        ("I sat on it", "report_leak?visit"),
        ("a little later than that", "book_room?size"),
        ("can't make it on thursday, is there anything later?", "report_leak?visit"),
    ],
)
async def test_what_only_sounds_like_a_value_is_not_stored(text: str, place: str) -> None:
    assert await stored(text, place) == {}


async def test_water_that_runs_does_not_say_that_it_is_off() -> None:
    assert "water_off" not in await stored("water is coming through the ceiling, I have a burst pipe")


@pytest.mark.parametrize(
    ("text", "place", "command"),
    [
        ("no she's cycling", "book_room?needs_parking", Deny()),
        ("no got the bus", "book_room?needs_parking", Deny()),
        ("they come by train so no", "book_room?needs_parking", Deny()),
        ("pretty much", "report_leak?water_off", Affirm()),
        ("don't book it please", "book_room!confirm", Deny()),
        ("nope, leave it, too expensive", "book_room!confirm", CancelFlow()),
        ("forget it, my neighbour is a plumber and he fixed it", "report_leak?phone", CancelFlow()),
        ("can we start again, I messed this up", "book_room?hours", Restart()),
        ("why's that needed?", "report_leak?phone", Digress("clarification", "phone")),
    ],
)
async def test_a_remark_beside_an_act_changes_nothing_of_it(text: str, place: str, command: Command) -> None:
    assert await understood(text, place) == (command,)


async def test_a_no_and_the_number_that_is_asked_for_next_are_both_taken() -> None:
    commands = await understood("not yet, my number is 07700 900112", "report_leak?water_off")

    assert Deny() in commands
    assert SetSlot("phone", "07700 900112", "07700 900112") in commands


@pytest.mark.parametrize("text", ["could you send somebody round", "can I get somebody to have a look at a leak"])
async def test_sending_somebody_round_is_no_wish_to_talk(text: str) -> None:
    assert HandOff() not in await understood(text)


@pytest.mark.parametrize("text", ["can I speak to somebody", "get me someone to talk to"])
async def test_somebody_to_talk_to_is_a_wish_for_a_person(text: str) -> None:
    assert await understood(text) == (HandOff(),)
