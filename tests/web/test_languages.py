"""The catalogues of the languages that the console speaks."""

import re
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po

from tests.support.transfers import person
from tests.support.web.catalogue import Text
from tests.support.web.catalogue import texts as translated_texts
from tests.support.web.pages import text_of

CATALOGUES = sorted((Path(__file__).parent.parent.parent / "locale").glob("*/LC_MESSAGES/django.po"))


@pytest.fixture(scope="module")
def texts() -> dict[Text, str]:
    """Every text of the console with a place where it stands."""
    return translated_texts()


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.parts[-3])
def test_every_text_of_the_sources_has_an_entry(path: Path, texts: dict[Text, str]):
    entries = {text_of_entry(message) for message in entries_of(path)}

    assert {place: text for text, place in texts.items() if text not in entries} == {}


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.parts[-3])
def test_every_entry_is_of_a_text_of_the_sources(path: Path, texts: dict[Text, str]):
    assert [message.id for message in entries_of(path) if text_of_entry(message) not in texts] == []


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.parts[-3])
def test_every_entry_has_its_translation(path: Path):
    assert [message.id for message in entries_of(path) if message.fuzzy or not all(words_of(message))] == []


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.parts[-3])
def test_every_translation_has_the_places_of_its_text(path: Path):
    """Another name in it would be an error of the page; one that lacks would be left out."""
    wrong = [message.id for message in entries_of(path) if not all(fits(message, words) for words in words_of(message))]

    assert wrong == []


PLACE = re.compile(r"%\(\w+\)[sd]|%[sd%]")


def fits(message: Message, words: str) -> bool:
    """Whether the places of a translation are those of the text; the singular may leave its number out."""
    singular, plural = texts_of_entry(message)
    places = sorted(PLACE.findall(words))
    return places in (sorted(PLACE.findall(singular)), sorted(PLACE.findall(plural or singular)))


def entries_of(path: Path) -> list[Message]:
    with path.open("rb") as file:
        return [message for message in read_po(file, locale=path.parts[-3]) if message.id]


def texts_of_entry(message: Message) -> tuple[str, str]:
    return (message.id, "") if isinstance(message.id, str) else (message.id[0], message.id[1])


def text_of_entry(message: Message) -> Text:
    return message.context or "", *texts_of_entry(message)


def words_of(message: Message) -> tuple[str, ...]:
    return (message.string,) if isinstance(message.string, str) else tuple(message.string or [""])


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.parts[-3])
def test_what_is_served_was_made_from_what_is_written(path):
    with path.open("rb") as file:
        written = BytesIO()
        write_mo(written, read_po(file, locale=path.parts[-3]))
    written.seek(0)
    with path.with_suffix(".mo").open("rb") as file:
        served = read_mo(file)

    assert texts_of(served) == texts_of(read_mo(written))


def texts_of(catalogue: Catalog) -> dict[str, object]:
    return {str(message.id): message.string for message in catalogue if message.id}


def test_the_console_speaks_the_language_that_was_chosen(browser_of, session, olga):
    browser = browser_of(olga)
    browser.post("/language/", {"language": "es", "next": "/gates/"})

    page = text_of(browser.get("/gates/"))

    assert 'lang="es"' in page
    assert "Las más urgentes primero" in page


def test_a_gate_in_spanish_names_types_and_limits_in_spanish(browser_of, session, payments):
    browser = browser_of(person("ines", "Inés Ruiz", "operators", "payments"))
    browser.post("/language/", {"language": "es", "next": "/"})

    page = text_of(browser.get(f"/gates/{session.name}/"))

    assert "número entero, de 0 a 10.000, opcional" in page
    assert "obligatorio para: Reject" in page
