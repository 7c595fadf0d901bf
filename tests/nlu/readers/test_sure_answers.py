"""The words of an answer for which a text was asked, where the message says more than them."""

from functools import cache
from typing import Any

import pytest

from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.ports.commands import Digress, SetSlot
from dialogue.nlu import NLUPipeline, build_nlu
from dialogue.nlu.settings import NLUSettings
from tests.support.nlu.situations import situation

FLOWS = {
    "en": """
flow: return_shoes
title: Return shoes
description: Sends a pair of shoes back.
examples: [I want to return my shoes, these boots go back]
slots:
  customer: {type: text, description: name of the customer, prompt: What is the name on the order?}
  model: {type: text, description: the shoes that go back, prompt: Which shoes are it?}
  pickup_address: {type: text, description: where the parcel is picked up, prompt: Where do we pick it up?}
  wish: {type: text, description: what else you would like, prompt: Is there anything else that you would like?}
  reason: {type: text, description: why they go back, prompt: Why do you return them?}
  pickup_day: {type: date, prompt: On which day?}
  size: {type: choice, options: [small, medium, large], prompt: Which size would you like instead?}
  phone: {type: phone, prompt: What is your telephone number?}
  pairs: {type: integer, prompt: How many pairs?}
  way: {type: choice, options: [post, courier], prompt: By post or by courier?}
steps:
  - {step: ask_customer, type: collect, slot: customer}
  - {step: ask_model, type: collect, slot: model}
  - {step: ask_pickup_address, type: collect, slot: pickup_address}
  - {step: ask_wish, type: collect, slot: wish}
  - {step: ask_reason, type: collect, slot: reason}
  - {step: ask_pickup_day, type: collect, slot: pickup_day}
  - {step: ask_size, type: collect, slot: size}
  - {step: ask_phone, type: collect, slot: phone}
  - {step: ask_pairs, type: collect, slot: pairs}
  - {step: ask_way, type: collect, slot: way}
  - {step: done, type: say, message: Done.}
""",
    "es": """
flow: return_shoes
title: Devolver zapatos
description: Devuelve un par de zapatos.
examples: [quiero devolver mis zapatos, estas botas no me quedan bien]
slots:
  customer: {type: text, description: nombre del cliente, prompt: ¿A nombre de quién está el pedido?}
  number: {type: text, description: número del pedido, prompt: ¿Cuál es el número del pedido?}
  fault: {type: text, description: qué les pasa, prompt: ¿Qué les pasa?}
  day: {type: date, prompt: ¿Qué día los recogemos?}
  taste: {type: text, description: lo que busca ahora, prompt: ¿Qué busca ahora?}
steps:
  - {step: ask_customer, type: collect, slot: customer}
  - {step: ask_number, type: collect, slot: number}
  - {step: ask_taste, type: collect, slot: taste}
  - {step: ask_fault, type: collect, slot: fault}
  - {step: ask_day, type: collect, slot: day}
  - {step: done, type: say, message: Hecho.}
""",
}
HOURS = {
    "en": "{hours: {questions: [When are you open?], answer: From nine to five.}}",
    "es": "{hours: {questions: [¿A qué hora abren?], answer: De nueve a cinco.}}",
}


@cache
def shop(language: str) -> NLUPipeline:
    files = {
        "assistant.yaml": f"version: 1\nassistant: shoes\ntitle: Shoes\nlanguage: {language}\n"
        f"knowledge: {HOURS[language]}\n",
        "return_shoes.yaml": FLOWS[language],
    }
    nlu = build_nlu(load_assistant(files), "learned", NLUSettings(use_embeddings=True))
    nlu.prepare()
    return nlu


async def stored(text: str, slot: str, language: str = "en") -> dict[str, Any]:
    commands = await understood(text, slot, language)
    return {command.slot: command.value for command in commands if isinstance(command, SetSlot)}


async def understood(text: str, slot: str, language: str = "en") -> tuple[Any, ...]:
    context = situation(shop(language).assistant_index.assistant, f"return_shoes?{slot}")
    return (await shop(language).understand(text, context)).commands


@pytest.mark.parametrize(
    ("slot", "text", "value"),
    [
        ("customer", "Okafor, sorry to bother you", "Okafor"),
        ("customer", "should be under my wife's name, Gwen Pryce", "Gwen Pryce"),
        ("pickup_address", "Flat 9, Harbour Court, there's a key safe by the door", "Flat 9, Harbour Court"),
        ("pickup_address", "she lives at Rose Cottage, Hill Road 2", "Rose Cottage, Hill Road 2"),
        ("wish", "soap, laces and a brush", "soap, laces and a brush"),
    ],
)
async def test_only_the_words_that_answer_are_stored(slot: str, text: str, value: str) -> None:
    assert await stored(text, slot) == {slot: value}


async def test_a_day_behind_the_answer_is_stored_too() -> None:
    assert (await stored("Okafor, and Friday would suit me best", "customer")).keys() == {"customer", "pickup_day"}


async def test_a_choice_behind_the_answer_is_stored_too() -> None:
    assert await stored("Gwen Pryce, by post please", "customer") == {"customer": "Gwen Pryce", "way": "post"}


@pytest.mark.parametrize(("text", "size"), [("L", "large"), ("M please", "medium"), ("the small one", "small")])
async def test_sizes_have_letters(text: str, size: str) -> None:
    assert await stored(text, "size") == {"size": size}


async def test_the_digits_of_a_telephone_number_fill_no_other_number() -> None:
    assert await stored("it's 0 double seven 00 900123", "phone") == {}


async def test_a_question_behind_the_answer_is_answered_too() -> None:
    commands = await understood("Gwen Pryce. When are you open?", "customer")

    assert SetSlot("customer", "Gwen Pryce", "Gwen Pryce") in commands
    assert any(isinstance(command, Digress) and command.topic == "hours" for command in commands), commands


@pytest.mark.parametrize("text", ["I'd prefer to keep that to myself", "that's none of your business"])
async def test_a_refusal_to_say_why_is_not_stored_as_the_reason(text: str) -> None:
    assert await stored(text, "reason") == {}


@pytest.mark.parametrize("text", ["one heel has been glued on upside down", "my toes hurt"])
async def test_a_sentence_is_a_reason(text: str) -> None:
    assert await stored(text, "reason") == {"reason": text}


async def test_a_text_behind_words_about_something_else_is_no_value() -> None:
    values = await stored("Gwen Pryce. While I think of it, we lost an umbrella there", "customer")

    assert values == {"customer": "Gwen Pryce"}


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("tomorrow's no good, Thursday", "2026-11-26"),
        ("the 24th is bad, how about the 26th", "2026-11-26"),
        ("tomorrow I'm busy, so Friday", "2026-11-27"),
        ("both tomorrow... no, only next Friday", "2026-12-04"),
    ],
)
async def test_a_day_that_does_not_suit_gives_way_to_the_next(text: str, day: str) -> None:
    assert await stored(text, "pickup_day") == {"pickup_day": day}


async def test_the_number_that_sums_up_is_the_value() -> None:
    assert await stored("enough for three months... so six", "pairs") == {"pairs": 6}


async def test_a_year_is_no_number_of_pairs() -> None:
    assert await stored("since 2019", "pairs") == {}


@pytest.mark.parametrize(
    ("slot", "text", "value"),
    [
        ("customer", "marta ibáñez", "marta ibáñez"),
        ("fault", "no cierra la cremallera", "no cierra la cremallera"),
        ("fault", "se me ha roto un tacón", "se me ha roto un tacón"),
        ("day", "el quince", "2026-12-15"),
        ("day", "mañana no puedo, el jueves", "2026-11-26"),
        ("day", "el 24 no, el 26", "2026-11-26"),
    ],
)
async def test_answers_are_read_as_people_in_spain_give_them(slot: str, text: str, value: str) -> None:
    assert await stored(text, slot, "es") == {slot: value}


@pytest.mark.parametrize(
    ("slot", "text", "value"),
    [
        ("customer", "está a nombre de mi madre, Carmen Ugarte", "Carmen Ugarte"),
        ("customer", "es para mi suegra, Amparo Gil Soto", "Amparo Gil Soto"),
        ("number", "F-1002, lo pagué con tarjeta", "F-1002"),
    ],
)
async def test_names_and_codes_are_found_in_spanish_answers(slot: str, text: str, value: str) -> None:
    assert await stored(text, slot, "es") == {slot: value}


async def test_a_spanish_description_is_stored_whole() -> None:
    text = "unas botas de piel, con poco tacón, pero que no resbalen"

    assert await stored(text, "taste", "es") == {"taste": text}
