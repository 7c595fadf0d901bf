"""The page that explains the flow language to its authors."""

import pytest

from tests.support.transfers import person
from tests.support.web.pages import text_of


@pytest.fixture
def chapters(browser_of, db):
    return text_of(browser_of(person("anna", "Anna", "flow authors")).get("/reference/"))


@pytest.mark.parametrize(
    "step",
    ["say", "collect", "confirm", "action", "set", "branch", "while", "for_each", "call", "link", "human", "handoff"],
)
def test_every_type_of_step_has_its_chapter(chapters, step):
    assert f"type: {step}<" in chapters


def test_a_duration_stands_there_as_an_author_writes_it(chapters):
    assert "default 30d" in chapters


def test_a_chapter_begins_with_one_sentence(chapters):
    assert "Sets slots." in chapters
    assert "Condition is an expression" not in chapters
