"""The demo assistants in Spanish: every text that a customer or an operator reads has its translation."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.utils.translation import override
from pydantic import BaseModel

from dialogue.engine.slots.templates import Template, Translated
from dialogue.library.demo.seed import seed_demo
from dialogue.models import Assistant
from tests.support.releases import demo

NOT_READ = {"description", "examples", "questions", "synonyms", "outcome"}
"""Descriptions are for authors and understanding; of what people say, all languages stand in one list; an action fills
`outcome`."""


def texts_of(part: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Translated]]:
    """Every text with translations below a part of the language, with its place."""
    text = part.text if isinstance(part, Template) else part
    if isinstance(text, Translated):
        yield ".".join(path), text
    for name, value in _parts_of(part):
        yield from texts_of(value, (*path, name))


def _parts_of(part: Any) -> list[tuple[str, Any]]:
    if isinstance(part, BaseModel):
        return [(name, getattr(part, name)) for name in type(part).model_fields]
    if isinstance(part, dict):
        return [(str(name), value) for name, value in part.items()]
    return [(str(number), value) for number, value in enumerate(part)] if isinstance(part, list | tuple) else []


@pytest.mark.parametrize("name", ["bank", "library"])
def test_every_text_that_people_read_has_its_spanish(name: str):
    assistant = compiled(name)
    texts = list(texts_of(assistant))
    for flow in assistant.flows.values():
        texts += texts_of(flow, (flow.flow,))
    read = {place: text for place, text in texts if text and not NOT_READ.intersection(place.split("."))}

    missing = [place for place, text in read.items() if "es" not in text.translations and not is_a_name(text)]
    assert missing == []
    assert len(read) > 20


def is_a_name(text: str) -> bool:
    """Names of places and of standards are the same in every language."""
    return text in {"IBAN", "Central", "Riverside", "Hillcrest"}


def compiled(name: str) -> Any:
    from dialogue.engine.language.compiler import load_assistant

    return load_assistant(demo(name))


@pytest.mark.django_db
def test_the_list_of_assistants_has_their_titles_in_the_language_of_the_page():
    seed_demo()
    bank = Assistant.objects.get(name="bank")

    with override("es-mx"):
        assert (bank.translated_title, bank.translated_description) == (
            "Banco del Puerto",
            "Transferencias, saldos y tarjetas.",
        )
    with override("en"):
        assert bank.translated_title == "Harbour Bank"
    with override("de"):
        assert bank.translated_title == "Harbour Bank"
