"""Yes and no in short sentences, and with an explanation behind them."""

from functools import cache

import pytest

from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.ports.commands import Affirm, CancelFlow, Command, Deny, HandOff, StartFlow
from dialogue.nlu import NLUPipeline, build_nlu
from dialogue.nlu.settings import NLUSettings
from tests.support.nlu.situations import situation

ASSISTANT = {
    "assistant.yaml": "{version: 1, assistant: tables, title: Tables, language: en}",
    "cancel_booking.yaml": """
flow: cancel_booking
title: Cancel a booking
description: Cancels a table that was booked.
examples: [I want to cancel my booking, please cancel my table]
slots:
  paid: {type: boolean, description: whether it is paid, prompt: Have you paid already?}
steps:
  - {step: ask_paid, type: collect, slot: paid}
  - {step: confirm, type: confirm, message: Shall I do that?}
  - {step: done, type: say, message: Done.}
""",
    "move_booking.yaml": """
flow: move_booking
title: Move a booking
description: Moves a table to another day.
examples: [I want to move my booking, another day for my table]
slots:
  day: {type: date, prompt: Which day?}
steps:
  - {step: ask_day, type: collect, slot: day}
  - {step: confirm, type: confirm, message: Shall I do that?}
  - {step: done, type: say, message: Done.}
""",
}


@cache
def tables() -> NLUPipeline:
    nlu = build_nlu(load_assistant(ASSISTANT), "learned", NLUSettings(use_embeddings=True))
    nlu.prepare()
    return nlu


async def understood(text: str, place: str) -> tuple[Command, ...]:
    context = situation(tables().assistant_index.assistant, place)
    return (await tables().understand(text, context)).commands


@pytest.mark.parametrize(
    "text",
    ["I did", "we have, luckily", "I did, twice, but you won't answer", "Yes please, I'm not one for computers"],
)
async def test_a_yes_is_read_with_what_stands_behind_it(text: str) -> None:
    assert await understood(text, "cancel_booking?paid") == (Affirm(),)


@pytest.mark.parametrize("text", ["I haven't", "we don't", "they aren't, sorry", "I did not", "yes, not really"])
async def test_a_no_is_read_in_a_short_sentence(text: str) -> None:
    assert await understood(text, "cancel_booking?paid") == (Deny(),)


@pytest.mark.parametrize("text", ["I have to think about it", "we would like to know"])
async def test_the_beginning_of_another_sentence_is_no_yes(text: str) -> None:
    assert not {Affirm(), Deny()} & set(await understood(text, "cancel_booking?paid"))


@pytest.mark.parametrize("text", ["yes, cancel it please", "Yes please, cancel it", "yes cancel"])
async def test_a_yes_to_a_cancellation_is_a_yes(text: str) -> None:
    assert await understood(text, "cancel_booking!confirm") == (Affirm(),)


@pytest.mark.parametrize("text", ["cancel", "no, don't cancel it"])
async def test_without_a_yes_nothing_is_cancelled(text: str) -> None:
    assert Affirm() not in await understood(text, "cancel_booking!confirm")


async def test_a_yes_that_cancels_something_else_does_nothing_of_it() -> None:
    assert await understood("yes, cancel it", "move_booking!confirm") == (CancelFlow(),)


async def test_nothing_to_cancel_starts_the_flow_that_cancels() -> None:
    understanding = await tables().understand("I want to cancel", situation(tables().assistant_index.assistant))

    assert understanding.commands == (StartFlow("cancel_booking"),)


@pytest.mark.parametrize("text", ["are you a real person or one of those robots?", "are you human?"])
async def test_the_question_for_a_person_behind_the_chat_is_no_wish_for_one(text: str) -> None:
    understanding = await tables().understand(text, situation(tables().assistant_index.assistant))

    assert HandOff() not in understanding.commands
