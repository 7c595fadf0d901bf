"""Numbers that count nothing, values that are not wanted, and alternatives: told by the words around them."""

from dataclasses import replace

import pytest

from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.ports.commands import Affirm, CancelFlow, Command, CorrectSlot, Deny, HandOff, SetSlot, SkipSlot
from dialogue.nlu import NLUPipeline, build_nlu
from dialogue.nlu.settings import NLUSettings
from tests.support.nlu.situations import situation

BAKERY = load_assistant(
    {
        "assistant.yaml": "{version: 1, assistant: bakery, title: Bakery, description: Bread, language: en}",
        "order_rolls.yaml": """
flow: order_rolls
title: {en: Order rolls, es: Pedir panecillos}
description: Have rolls delivered.
examples: [I want to order rolls, quiero pedir panecillos]
slots:
  amount: {type: integer, description: {en: Number of rolls, es: Número de panecillos}, prompt: How many rolls?}
  days: {type: integer, description: {en: Number of days, es: Número de días}, prompt: For how many days?}
  street: {type: text, description: {en: Delivery address, es: Dirección de entrega}, prompt: To which address?}
  day: {type: date, description: {en: First day, es: Primer día}, prompt: From which day?}
  sliced: {type: boolean, description: {en: Whether we slice them, es: Si los cortamos}, prompt: Shall we slice them?}
  note: {type: text, required: false, description: {en: Note, es: Nota}, prompt: Any note for the driver?}
steps:
  - {step: ask_amount, type: collect, slot: amount}
  - {step: ask_days, type: collect, slot: days}
  - {step: ask_street, type: collect, slot: street}
  - {step: ask_day, type: collect, slot: day}
  - {step: ask_sliced, type: collect, slot: sliced}
  - {step: ask_note, type: collect, slot: note}
  - {step: check, type: confirm, message: "Order them?"}
""",
    }
)
FILLED = {"order_rolls.amount": "12", "order_rolls.street": "4 Mill Lane", "order_rolls.day": "27 Nov 2026"}


@pytest.fixture(scope="module")
def bakery() -> NLUPipeline:
    return build_nlu(BAKERY, "learned", NLUSettings(use_embeddings=False))


async def meant(nlu: NLUPipeline, say: str, at: str, language: str = "en") -> tuple[Command, ...]:
    filled = FILLED if at in ("order_rolls!confirm", "order_rolls?note") else {}
    context = replace(situation(BAKERY, at, filled=filled), language=language)
    understanding = await nlu.understand(say, context)
    return understanding.commands


def changed(commands: tuple[Command, ...]) -> dict[str, object]:
    return {command.slot: command.value for command in commands if isinstance(command, SetSlot | CorrectSlot)}


@pytest.mark.parametrize(
    ("say", "language"),
    [
        ("the address is wrong, it's 14 Harbour Street", "en"),
        ("please send it to 27 Harbour Street instead", "en"),
        ("no, the address is Oak Close 5", "en"),
        ("no, envíalo a la Calle Mayor 14", "es"),
    ],
)
async def test_the_number_of_a_house_is_no_amount(bakery: NLUPipeline, say: str, language: str) -> None:
    assert "amount" not in changed(await meant(bakery, say, "order_rolls!confirm", language))


async def test_an_address_whose_old_one_is_called_wrong_is_taken_whole(bakery: NLUPipeline) -> None:
    commands = await meant(bakery, "the address is wrong, it's 14 Mill Road, Ashford", "order_rolls!confirm")
    assert changed(commands) == {"street": "14 Mill Road, Ashford"}


async def test_a_number_before_what_it_counts_is_an_amount(bakery: NLUPipeline) -> None:
    commands = await meant(bakery, "make it 15 rolls", "order_rolls!confirm")
    assert changed(commands) == {"amount": 15}


@pytest.mark.parametrize("say", ["that one", "the first one was better", "two or three"])
async def test_a_pronoun_and_alternatives_are_no_number(bakery: NLUPipeline, say: str) -> None:
    assert "amount" not in changed(await meant(bakery, say, "order_rolls?amount"))


@pytest.mark.parametrize("say", ["one", "just one please", "one roll"])
async def test_one_is_a_number_where_it_counts(bakery: NLUPipeline, say: str) -> None:
    assert changed(await meant(bakery, say, "order_rolls?amount")) == {"amount": 1}


@pytest.mark.parametrize(("say", "days"), [("una semana", 7), ("dos semanas", 14), ("tres días", 3)])
async def test_weeks_are_days_in_spanish_too(bakery: NLUPipeline, say: str, days: int) -> None:
    assert changed(await meant(bakery, say, "order_rolls?days", "es")) == {"days": days}


async def test_an_article_is_no_number_before_another_noun(bakery: NLUPipeline) -> None:
    assert not changed(await meant(bakery, "un montón", "order_rolls?days", "es"))
    assert changed(await meant(bakery, "un par", "order_rolls?days", "es")) == {"days": 2}


async def test_a_day_that_does_not_suit_is_not_taken(bakery: NLUPipeline) -> None:
    assert not changed(await meant(bakery, "I don't want it on Friday", "order_rolls?day"))


@pytest.mark.parametrize("say", ["never had them like that", "don't know what you mean"])
async def test_a_negated_sentence_is_no_answer_to_yes_or_no(bakery: NLUPipeline, say: str) -> None:
    commands = await meant(bakery, say, "order_rolls?sliced")
    assert [getattr(command, "kind", "") for command in commands] != ["deny"]
    assert not changed(commands)


async def test_a_skip_before_a_correction_is_no_note(bakery: NLUPipeline) -> None:
    commands = await meant(bakery, "skip that, and it's 15 rolls not 12", "order_rolls?note")
    assert SkipSlot("note") in commands
    assert changed(commands) == {"amount": 15}


@pytest.mark.parametrize("say", ["between 10 and 15", "after 10"])
async def test_a_limit_is_no_number(bakery: NLUPipeline, say: str) -> None:
    assert "amount" not in changed(await meant(bakery, say, "order_rolls?amount"))


@pytest.mark.parametrize(
    ("say", "language"), [("after the 5th", "en"), ("until Friday", "en"), ("hasta el viernes", "es")]
)
async def test_a_limit_is_no_day(bakery: NLUPipeline, say: str, language: str) -> None:
    assert not changed(await meant(bakery, say, "order_rolls?day", language))


@pytest.mark.parametrize(
    ("say", "language"),
    [
        ("the same as last time", "en"),
        ("just browsing actually", "en"),
        ("let me look at the map", "en"),
        ("la misma de siempre", "es"),
        ("ya la tenéis", "es"),
    ],
)
async def test_what_puts_the_answer_off_is_no_address(bakery: NLUPipeline, say: str, language: str) -> None:
    assert not changed(await meant(bakery, say, "order_rolls?street", language))


@pytest.mark.parametrize(
    ("say", "street", "language"),
    [
        ("No Through Road", "No Through Road", "en"),
        ("Sure Start Nursery", "Sure Start Nursery", "en"),
        ("not Mill Lane, Oak Close 5", "Oak Close 5", "en"),
        ("Avenida de la Constitución 25", "Avenida de la Constitución 25", "es"),
    ],
)
async def test_a_name_keeps_its_first_word(bakery: NLUPipeline, say: str, street: str, language: str) -> None:
    assert changed(await meant(bakery, say, "order_rolls?street", language)) == {"street": street}


@pytest.mark.parametrize(
    ("say", "street"),
    [
        ("Find in Oakham", "Oakham"),
        ("I will be going to Bosque de Chapultepec.", "Bosque de Chapultepec"),
    ],
)
async def test_a_sentence_with_a_name_is_no_title(bakery: NLUPipeline, say: str, street: str) -> None:
    assert changed(await meant(bakery, say, "order_rolls?street")) == {"street": street}


async def test_not_before_a_day_begins_on_that_day(bakery: NLUPipeline) -> None:
    say = "I'm not baking until November 27th"
    assert changed(await meant(bakery, say, "order_rolls?day")) == {"day": "2026-11-27"}


@pytest.mark.parametrize(("say", "language"), [("yes, if they are fresh", "en"), ("vale, sí, si son de hoy", "es")])
async def test_a_yes_under_a_condition_agrees_to_nothing(bakery: NLUPipeline, say: str, language: str) -> None:
    assert Affirm() not in await meant(bakery, say, "order_rolls!confirm", language)


@pytest.mark.parametrize(
    "say", ["oh my neighbour has baked some, never mind!", "scrap that, we're not having rolls any more"]
)
async def test_a_cancel_beside_its_reason_ends_the_flow_and_starts_nothing(bakery: NLUPipeline, say: str) -> None:
    commands = await meant(bakery, say, "order_rolls?street")
    assert [type(command) for command in commands] == [CancelFlow]


async def test_a_wish_for_a_person_is_no_note(bakery: NLUPipeline) -> None:
    assert await meant(bakery, "I'd prefer to explain this to a person", "order_rolls?note") == (HandOff(),)


async def test_a_no_and_the_action_denied_is_a_no(bakery: NLUPipeline) -> None:
    assert await meant(bakery, "no, don't order them", "order_rolls!confirm") == (Deny(),)


async def test_a_day_later_than_an_unknown_one_is_no_day(bakery: NLUPipeline) -> None:
    assert "day" not in changed(await meant(bakery, "yes but a day later please", "order_rolls!confirm"))
