"""Entries of a list in words: values for several of them, corrections of one, and leaving one out."""

from typing import Any

import pytest

from dialogue.engine.ports import events
from dialogue.nlu import build_nlu
from tests.support.engine.dialogue_harness import Talk
from tests.support.engine.loop_flows import choosing_assistant

KEYBOARD = {
    "name": "Mechanical keyboard",
    "variants": [{"id": "k1", "name": "clicky switches"}, {"id": "k2", "name": "quiet switches"}],
}
THERMOSTAT = {
    "name": "Smart thermostat",
    "variants": [{"id": "t1", "name": "Apple HomeKit"}, {"id": "t2", "name": "Google Home"}],
}
SPANISH = [
    {"name": "Teclado", "variants": [{"id": "k1", "name": "ruidoso"}, {"id": "k2", "name": "silencioso"}]},
    {"name": "Termostato", "variants": [{"id": "t1", "name": "Apple"}, {"id": "t2", "name": "Google"}]},
]


class _SpokenTalk(Talk):
    async def writes(self, text: str) -> list[str]:
        return await self.feed(events.message(self._id(), text))


async def _talk(*messages: str, language: str = "en", things: Any = (KEYBOARD, THERMOSTAT)) -> _SpokenTalk:
    assistant = choosing_assistant(language)
    talk = _SpokenTalk(assistant, {"load": [{"returns": {"things": list(things)}}]})
    await talk.does({"start_flow": "exchange"})
    talk.nlu = build_nlu(assistant)  # type: ignore[assignment]
    for message in messages:
        await talk.writes(message)
    return talk


@pytest.mark.parametrize(
    "message",
    [
        "the keyboard for a clicky one and the thermostat for Google Home",
        "keyboard: I want it with clicky switches, thermostat with Google",
        "Google Home for the thermostat and clicky for the keyboard",
        "clicky instead of the keyboard, and Google instead of the thermostat",
        "the thermostat for the Google one, the keyboard for the clicky one please",
    ],
)
async def test_values_for_several_entries_in_one_message(message: str):
    talk = await _talk(message)
    assert talk.texts == ["Take clicky switches, Google Home?"]


async def test_a_value_for_the_second_entry_while_the_first_is_asked_about():
    talk = await _talk("the thermostat for Google Home")
    assert talk.texts == ["Which Mechanical keyboard?"]
    await talk.chooses("k2")
    assert talk.texts == ["Take quiet switches, Google Home?"]


@pytest.mark.parametrize(
    "message", ["no, the keyboard for the quiet one", "quiet for the keyboard", "the quiet one for the first"]
)
async def test_a_correction_of_one_entry(message: str):
    talk = await _talk()
    await talk.chooses("k1")
    await talk.chooses("t2")
    await talk.writes(message)
    assert talk.texts[-1] == "Take quiet switches, Google Home?"


@pytest.mark.parametrize(
    "message", ["skip this one", "skip", "leave this one out", "not this one", "next item please", "keep it as it is"]
)
async def test_leaving_out_an_entry(message: str):
    talk = await _talk(message)
    assert talk.keys[0] == "item_skipped:each_swap"
    assert talk.texts[-1] == "Which Smart thermostat?"


@pytest.mark.parametrize("message", ["salta este", "sáltate este", "este no", "deja este como está", "el siguiente"])
async def test_leaving_out_an_entry_in_spanish(message: str):
    talk = await _talk(message, language="es", things=SPANISH)
    assert talk.keys[0] == "item_skipped:each_swap"
    assert talk.texts[-1] == "Which Termostato?"


@pytest.mark.parametrize(
    "message",
    [
        "el teclado por uno silencioso y el termostato por Google",
        "el silencioso en lugar del teclado, y Google en vez del termostato",
        "Google para el termostato y el silencioso para el teclado",
    ],
)
async def test_values_for_several_entries_in_spanish(message: str):
    talk = await _talk(message, language="es", things=SPANISH)
    assert talk.texts == ["Take silencioso, Google?"]


async def test_outside_of_a_loop_there_is_nothing_to_leave_out():
    talk = await _talk()
    await talk.chooses("k1")
    await talk.chooses("t2")
    await talk.writes("skip this one")
    assert "item_skipped:each_swap" not in talk.keys
    assert talk.stack == ["exchange!confirm"]


@pytest.mark.parametrize(
    ("language", "message", "chosen"),
    [
        (
            "en",
            "I want to exchange my items: the keyboard for a quiet one and the thermostat for Google Home",
            "quiet switches, Google Home",
        ),
        (
            "en",
            "swap what I bought, the thermostat for the Apple one and the keyboard for the clicky one",
            "clicky switches, Apple HomeKit",
        ),
        (
            "es",
            "quiero cambiar mis productos: el teclado por uno silencioso y el termostato por Google",
            "silencioso, Google",
        ),
    ],
)
async def test_values_for_entries_in_the_message_that_asks_for_the_flow(language: str, message: str, chosen: str):
    things = SPANISH if language == "es" else [KEYBOARD, THERMOSTAT]
    assistant = choosing_assistant(language)
    talk = _SpokenTalk(assistant, {"load": [{"returns": {"things": things}}]})
    talk.nlu = build_nlu(assistant)  # type: ignore[assignment]
    await talk.writes(message)
    assert talk.texts == [f"Take {chosen}?"]


async def test_a_request_without_entries_keeps_nothing_for_them():
    assistant = choosing_assistant()
    talk = _SpokenTalk(assistant, {"load": [{"returns": {"things": [KEYBOARD]}}]})
    talk.nlu = build_nlu(assistant)  # type: ignore[assignment]
    await talk.writes("I want to exchange my items")
    assert talk.keys == ["ask:replacement"]
