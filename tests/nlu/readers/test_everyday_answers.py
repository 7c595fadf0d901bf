"""Everyday answers at a hire shop: what they say is stored, and what they only seem to say is not."""

from functools import cache

import pytest
from pydantic import JsonValue

from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.ports.commands import Affirm, CancelFlow, Command, CorrectSlot, Deny, SetSlot, SkipSlot, StartFlow
from dialogue.nlu import NLUPipeline, build_nlu
from dialogue.nlu.settings import NLUSettings
from tests.support.nlu.situations import situation

ASSISTANT = {
    "assistant.yaml": "{version: 1, assistant: mill, title: Mill, description: Bikes and a barn, language: en}",
    "hire_bike.yaml": """
flow: hire_bike
title: Hire a bike
description: Hire a bicycle for a day or more.
examples: [I'd like to rent a bike, Two e-bikes for the weekend please]
slots:
  bikes: {type: integer, description: How many bikes, prompt: How many bikes would you like?}
  kind:
    type: choice
    options: [{value: city, label: city bike}, {value: electric, label: e-bike}]
    description: The kind of bike
    prompt: A city bike or an e-bike?
  pick_up: {type: time, description: The time you pick it up, prompt: At what time will you pick it up?}
  helmet: {type: boolean, description: Whether you need a helmet, prompt: Do you need a helmet?}
steps:
  - {step: ask_bikes, type: collect, slot: bikes}
  - {step: ask_kind, type: collect, slot: kind}
  - {step: ask_pick_up, type: collect, slot: pick_up}
  - {step: ask_helmet, type: collect, slot: helmet}
""",
    "book_barn.yaml": """
flow: book_barn
title: Book the barn
description: Book the barn for a party or a wedding.
examples: [We want to have our wedding at yours, is the barn free in June]
slots:
  occasion: {type: text, description: What you celebrate, prompt: What's the occasion?}
  guests: {type: integer, description: How many guests, prompt: How many guests do you expect?}
  day: {type: date, description: The day of the party, prompt: For which day?}
  starts: {type: time, description: When it starts, prompt: What time does it start?}
  budget: {type: money, description: What you want to spend, prompt: What is your budget?}
steps:
  - {step: ask_occasion, type: collect, slot: occasion}
  - {step: ask_guests, type: collect, slot: guests}
  - {step: ask_day, type: collect, slot: day}
  - {step: ask_starts, type: collect, slot: starts}
  - {step: ask_budget, type: collect, slot: budget}
""",
    "report_damage.yaml": """
flow: report_damage
title: Report damage
description: Report something broken on a hired bike.
examples: [the chain came off my bike, I had a puncture]
slots:
  frame: {type: text, description: The number on the frame, prompt: What is the number on the frame?}
  when: {type: date, description: When it happened, prompt: When did it happen?}
  born: {type: date, required: false, description: Your date of birth, prompt: When were you born?}
  where: {type: text, description: Where you are, prompt: Where are you now?}
  hurt: {type: boolean, description: Whether somebody was hurt, prompt: Was anyone hurt?}
steps:
  - {step: ask_frame, type: collect, slot: frame}
  - {step: ask_when, type: collect, slot: when}
  - {step: ask_born, type: collect, slot: born}
  - {step: ask_where, type: collect, slot: where}
  - {step: ask_hurt, type: collect, slot: hurt}
""",
    "sell_bike.yaml": """
flow: sell_bike
title: Sell a bike
description: Sell us your own bicycle.
examples: [do you buy old bikes]
slots:
  bike: {type: text, description: make and model or number of the frame, prompt: Which bike is it?}
steps:
  - {step: ask_bike, type: collect, slot: bike}
""",
    "cancel_booking.yaml": """
flow: cancel_booking
title: Cancel a booking
description: Cancel a bike or the barn.
examples: [I need to cancel, please cancel my booking]
slots:
  reference: {type: text, description: The booking's number, prompt: What's your booking number?}
  reason: {type: text, required: false, description: Why you cancel, prompt: May I ask why?}
steps:
  - {step: ask_reference, type: collect, slot: reference}
  - {step: ask_reason, type: collect, slot: reason}
  - {step: confirm, type: confirm, message: Shall I cancel it?}
""",
}
SPANISH = {
    "assistant.yaml": "{version: 1, assistant: encina, title: La Encina, description: Una casa y vino, language: es}",
    "reservar_casa.yaml": """
flow: reservar_casa
title: Reservar la casa rural
description: Reserva la casa para unos días.
examples: [Quiero reservar la casa]
slots:
  entrada: {type: date, description: El día de llegada, prompt: "¿Qué día llegáis?"}
  salida: {type: date, description: El día de salida, prompt: "¿Y qué día os vais?"}
  personas: {type: integer, description: Cuántas personas, prompt: "¿Cuántos seréis?"}
  nombre: {type: text, description: A nombre de quién, prompt: "¿A nombre de quién la pongo?"}
steps:
  - {step: pedir_entrada, type: collect, slot: entrada}
  - {step: pedir_salida, type: collect, slot: salida}
  - {step: pedir_personas, type: collect, slot: personas}
  - {step: pedir_nombre, type: collect, slot: nombre}
""",
    "pedir_vino.yaml": """
flow: pedir_vino
title: Pedir vino
description: Envía vino a casa.
examples: [Quiero unas botellas]
slots:
  vino:
    type: choice
    options: [{value: tinto, label: tinto}, {value: blanco, label: blanco}]
    description: Qué vino
    prompt: "¿Tinto o blanco?"
steps:
  - {step: pedir_vino, type: collect, slot: vino}
""",
    "anular.yaml": """
flow: anular
title: Anular una reserva
description: Anula una reserva.
examples: [Quiero anular la reserva]
slots:
  referencia: {type: text, description: La referencia, prompt: "¿Cuál es la referencia?"}
  motivo: {type: text, description: El motivo, prompt: "¿Por qué motivo?"}
steps:
  - {step: pedir_referencia, type: collect, slot: referencia}
  - {step: pedir_motivo, type: collect, slot: motivo}
  - {step: confirmar, type: confirm, message: "¿La anulo?"}
""",
}


@cache
def house() -> NLUPipeline:
    nlu = build_nlu(load_assistant(SPANISH), "learned", NLUSettings(use_embeddings=True))
    nlu.prepare()
    return nlu


@cache
def mill() -> NLUPipeline:
    nlu = build_nlu(load_assistant(ASSISTANT), "learned", NLUSettings(use_embeddings=True))
    nlu.prepare()
    return nlu


async def understood(text: str, *place: str) -> tuple[Command, ...]:
    context = situation(mill().assistant_index.assistant, *place)
    return (await mill().understand(text, context)).commands


async def stored(text: str, *place: str) -> dict[str, JsonValue]:
    commands = await understood(text, *place)
    return {command.slot: command.value for command in commands if isinstance(command, SetSlot | CorrectSlot)}


@pytest.mark.parametrize(
    ("text", "place", "values"),
    [
        ("just the one", "hire_bike?bikes", {"bikes": 1}),
        ("how about two?", "hire_bike?bikes", {"bikes": 2}),
        ("2 and three helmets", "hire_bike?bikes", {"bikes": 2, "helmet": True}),
        ("60, of which 12 are children", "book_barn?guests", {"guests": 60}),
        ("me and my wife, so two", "book_barn?guests", {"guests": 2}),
        ("40 and 1500 euros", "book_barn?guests", {"guests": 40, "budget": "1500"}),
        ("doors at 7, band at 9", "book_barn?starts", {"starts": "07:00"}),
        ("my dad's 60th", "book_barn?occasion", {"occasion": "dad's 60th"}),
        ("later today", "book_barn?day", {"day": "2026-11-23"}),
        ("a week today", "book_barn?day", {"day": "2026-11-30"}),
        ("our wedding", "book_barn?occasion", {"occasion": "our wedding"}),
        ("M-17, I think", "report_damage?frame", {"frame": "M-17"}),
        ("3 May 1961", "report_damage?born", {"born": "1961-05-03"}),
        ("thirty three", "report_damage?frame", {"frame": "thirty three"}),
        ("because of the rain", "cancel_booking?reason", {"reason": "because of the rain"}),
        ("change of plans", "cancel_booking?reason", {"reason": "change of plans"}),
        ("I don't want it anymore", "cancel_booking?reason", {"reason": "I don't want it anymore"}),
    ],
)
async def test_an_answer_is_stored_and_nothing_beside_it(text: str, place: str, values: dict[str, JsonValue]) -> None:
    assert await stored(text, place) == values


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("how much is one?", "hire_bike?bikes"),
        ("one for me and one for my son", "hire_bike?bikes"),
        ("2 adults and 3 kids", "hire_bike?bikes"),
        ("for a 6 year old", "hire_bike?kind"),
        ("as many as fit in 100 euros", "hire_bike?bikes"),
        ("one a day for a month", "hire_bike?bikes"),
        ("any day but monday", "book_barn?day"),
        ("an e-bike for me and a city bike for my wife", "hire_bike?kind"),
        ("it's scratched off", "report_damage?frame"),
        ("2231 or 2213", "cancel_booking?reference"),
        ("a saturday in may", "book_barn?day"),
        ("on thursday", "report_damage?born"),
    ],
)
async def test_what_does_not_answer_stores_nothing(text: str, place: str) -> None:
    assert await stored(text, place) == {}


async def test_a_name_answers_where_a_number_may_answer_too() -> None:
    assert await stored("it's the blue Brompton", "sell_bike?bike") == {"bike": "the blue Brompton"}


async def test_an_hour_behind_to_is_no_number_of_things() -> None:
    assert await stored("from 9 to 5", "hire_bike?pick_up") == {"pick_up": "09:00"}


@pytest.mark.parametrize(("text", "place"), [("I'm 65", "book_barn?day"), ("15", "hire_bike?kind")])
async def test_a_number_alone_is_for_no_other_question(text: str, place: str) -> None:
    values = await stored(text, place)

    assert set(values) <= {place.partition("?")[2]}, values  # an answer that is refused says why


async def test_the_number_of_a_bike_counts_no_bikes() -> None:
    assert "bikes" not in await stored("puncture! bike 33, we're stuck by the river")


@pytest.mark.parametrize(
    ("text", "place"), [("if it's free", "hire_bike?helmet"), ("at the weekend", "report_damage?when")]
)
async def test_a_condition_or_a_time_starts_no_other_flow(text: str, place: str) -> None:
    commands = await understood(text, place)

    assert not any(isinstance(command, StartFlow | SetSlot) for command in commands), commands


@pytest.mark.parametrize("text", ["nobody", "nobody, luckily", "thank god no"])
async def test_nobody_is_a_no(text: str) -> None:
    assert await understood(text, "report_damage?hurt") == (Deny(),)


@pytest.mark.parametrize("text", ["that would be great", "I'd appreciate that"])
async def test_thanks_for_an_offer_are_a_yes(text: str) -> None:
    assert await understood(text, "hire_bike?helmet") == (Affirm(),)


@pytest.mark.parametrize("text", ["forget it", "please cancel", "never mind"])
async def test_an_order_cancels_where_a_reason_is_asked_for(text: str) -> None:
    assert await understood(text, "cancel_booking?reason") == (CancelFlow(),)


@pytest.mark.parametrize("text", ["if it's free, yes", "yes, if it's free"])
async def test_a_yes_under_a_condition_confirms_nothing(text: str) -> None:
    assert Affirm() not in await understood(text, "cancel_booking!confirm")


@pytest.mark.parametrize(
    ("text", "place", "values"),
    [
        ("blanco no, tinto", "pedir_vino?vino", {"vino": "tinto"}),
        ("del 12 al 15", "reservar_casa?entrada", {"entrada": "2026-12-12", "salida": "2026-12-15"}),
        ("12-15 diciembre", "reservar_casa?entrada", {"entrada": "2026-12-12", "salida": "2026-12-15"}),
        ("ponla a nombre de Jorge Ruiz", "reservar_casa?nombre", {"nombre": "Jorge Ruiz"}),
        ("porque se casa mi hermana", "anular?motivo", {"motivo": "porque se casa mi hermana"}),
        ("2231 o 2213", "anular?referencia", {}),
        ("si no cobráis, sí", "anular!confirmar", {}),
    ],
)
async def test_a_spanish_answer_is_stored_as_it_was_meant(text: str, place: str, values: dict[str, JsonValue]) -> None:
    context = situation(house().assistant_index.assistant, place)
    commands = (await house().understand(text, context)).commands

    assert {each.slot: each.value for each in commands if isinstance(each, SetSlot | CorrectSlot)} == values
    assert Affirm() not in commands


async def test_a_range_of_days_is_stored_from_a_first_message() -> None:
    context = situation(house().assistant_index.assistant)
    commands = (await house().understand("quería la casa del 5 al 8 de diciembre para seis", context)).commands

    values = {each.slot: each.value for each in commands if isinstance(each, SetSlot)}
    assert values == {"entrada": "2026-12-05", "salida": "2026-12-08", "personas": 6}


async def test_a_request_in_the_plural_starts_its_flow() -> None:
    context = situation(house().assistant_index.assistant)
    commands = (await house().understand("anulad mi reserva", context)).commands

    assert StartFlow("anular") in commands


async def test_a_day_before_an_event_is_not_the_day_of_the_event() -> None:
    assert "day" not in await stored("we need the barn for a party before my wedding on the 12th")


@pytest.mark.parametrize("text", ["not anymore", "not any more", "no longer"])
async def test_what_is_no_longer_so_is_a_no(text: str) -> None:
    assert await understood(text, "hire_bike?helmet") == (Deny(),)


@pytest.mark.parametrize("text", ["no, I meant at the lake", "oh no, at the lake, not the mill"])
async def test_a_no_before_a_correction_skips_nothing(text: str) -> None:
    filled = {"report_damage.frame": "M-17", "report_damage.where": "the mill"}
    context = situation(mill().assistant_index.assistant, "report_damage?born", filled=filled)
    commands = (await mill().understand(text, context)).commands

    assert [command.slot for command in commands if isinstance(command, CorrectSlot)] == ["where"]
    assert not any(isinstance(command, SkipSlot) for command in commands)


async def test_a_no_to_what_may_stay_open_skips_it() -> None:
    assert await understood("no", "report_damage?born") == (SkipSlot("born"),)
