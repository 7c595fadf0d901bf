"""Fields of records in words, without a language model: what is asked for, and one field that is corrected."""

from typing import Any

import pytest

from dialogue.engine.language.compiler import Assistant
from dialogue.nlu import build_nlu
from tests.engine.stack.test_record_fields import HEAD, SEND
from tests.support.engine.dialogue_harness import Talk, assistant_of

SHOP = assistant_of(
    SEND.replace("description: Send a parcel.", "description: Send a parcel.\nexamples: [send a parcel]"), head=HEAD
)
WHOLE = {"street": "12 Pine Street", "zip": "80204", "gate": False, "place": {"city": "Denver"}}


class Heard(Talk):
    """A conversation that is understood by words."""

    def __init__(self, assistant: Assistant = SHOP) -> None:
        super().__init__(assistant, {"ship": [{"returns": {}}]})
        self.understanding: Any = build_nlu(assistant, "learned")
        self.scripted = self.nlu

    async def hears(self, text: str) -> list[str]:
        self.nlu = self.understanding
        keys = await self.feed({"kind": "message", "id": self._id(), "text": text})
        self.nlu = self.scripted
        return keys

    @property
    def commands(self) -> list[Any]:
        return list(self.outcome.record["proposed"])


async def confirming() -> Heard:
    talk = Heard()
    await talk.does({"start_flow": "send"}, {"set_slot": {"address": WHOLE, "weight": 2}})
    assert talk.stack == ["send!confirm"]
    return talk


async def test_the_fields_are_asked_for_and_answered_in_words():
    talk = Heard()
    await talk.hears("send a parcel")
    assert talk.stack == ["send?address"]

    await talk.hears("12 Pine Street, 80204")
    assert talk.stack == ["send?address.gate"]
    await talk.hears("no")
    assert talk.stack == ["send?address.place.city"]
    await talk.hears("Denver")
    assert talk.stack == ["send?weight"]
    assert talk.value("send.address") == {**WHOLE, "place": {"city": "Denver", "country": None}, "note": None}


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ("no, the zip is 80205", "zip", "80205"),
        ("the zip code should be 80205", "zip", "80205"),
        ("actually 80205", "zip", "80205"),
        ("no, the street is 7 Mill Road", "street", "7 Mill Road"),
        ("the city should be Boulder", "place.city", "Boulder"),
    ],
)
async def test_one_field_is_corrected_in_words(text: str, path: str, value: str):
    talk = await confirming()

    await talk.hears(text)

    assert talk.commands == [{"correct_slot": {f"address.{path}": value}}]
    assert (talk.keys, talk.stack) == ([f"corrected:address.{path}", "confirm:send"], ["send!confirm"])


async def test_a_field_is_corrected_while_another_is_asked_for():
    talk = Heard()
    await talk.does({"start_flow": "send"}, {"set_slot": {"address.zip": "80204"}})

    await talk.hears("sorry, the zip is 80205")

    assert talk.commands == [{"correct_slot": {"address.zip": "80205"}}]
    assert talk.stack == ["send?address.street"]


async def test_change_and_the_name_of_the_field_asks_for_it_again():
    talk = await confirming()

    await talk.hears("I want another zip code")

    assert talk.stack == ["send?address.zip"]
    await talk.hears("80205")
    assert talk.stack == ["send!confirm"]


SPANISH_HEAD = "language: es\n" + HEAD.replace("the zip code", "el código postal").replace(
    "city: {type: text", "city: {type: text, description: la ciudad"
)
SPANISH = assistant_of(SEND, head=SPANISH_HEAD)


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ("no, el código postal es 80205", "zip", "80205"),
        ("la ciudad debería ser Boulder", "place.city", "Boulder"),
    ],
)
async def test_one_field_is_corrected_in_spanish_too(text: str, path: str, value: str):
    talk = Heard(SPANISH)
    await talk.does({"start_flow": "send"}, {"set_slot": {"address": WHOLE, "weight": 2}})

    await talk.hears(text)

    assert talk.commands == [{"correct_slot": {f"address.{path}": value}}]
    assert talk.keys == [f"corrected:address.{path}", "confirm:send"]
