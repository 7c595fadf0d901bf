"""The catalogues of the languages that the console speaks."""

from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po

from tests.transfers import person
from tests.web.pages import text_of

CATALOGUES = sorted((Path(__file__).parent.parent.parent / "locale").glob("*/LC_MESSAGES/django.po"))


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.parts[-3])
def test_every_text_has_its_translation(path):
    with path.open("rb") as file:
        catalogue = read_po(file, locale=path.parts[-3])

    assert [message.id for message in catalogue if message.id and (message.fuzzy or not message.string)] == []


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
