"""The page that explains the flow language to its authors."""

import pytest
import yaml
from pydantic import BaseModel

from dialogue.engine.language import compiler
from dialogue.library.documents.versions import store_documents
from dialogue.web.operations.reference_examples import EXAMPLES, TITLES
from tests.support.releases import demo
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


def subclasses(model: type[BaseModel]):
    for subclass in model.__subclasses__():
        yield subclass
        yield from subclasses(subclass)


MODELS = {model.__name__: model for model in subclasses(BaseModel) if model.__module__.startswith("dialogue.engine")}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_valid(name):
    assert compiler
    MODELS[name].model_validate(yaml.safe_load(EXAMPLES[name]))


def test_every_step_has_an_example_and_every_part_a_title():
    from dialogue.engine.language.reference import language_reference

    chapters = language_reference()
    assert [chapter.name for chapter in chapters if chapter.step and chapter.name not in EXAMPLES] == []
    assert [chapter.name for chapter in chapters if chapter.name not in TITLES] == []


def test_the_descriptions_are_in_the_readers_language(browser_of, db):
    browser = browser_of(person("anna", "Anna", "flow authors"))
    browser.post("/language/", {"language": "es", "next": "/"})

    page = text_of(browser.get("/reference/"))

    assert "Los datos que ve el personal." in page
    assert "The slots that staff see." not in page
    assert "lista de “<a" in page
    assert "uno de: low, normal, high, urgent o expresión" in page
    for english in ("list of “", "whole number", "true or false", "each with its value", "human action"):
        assert english not in page


def test_a_search_leaves_the_chapters_that_have_the_words(browser_of, db):
    browser = browser_of(person("anna", "Anna", "flow authors"))

    found = text_of(browser.get("/reference/", {"q": "on_timeout"}))
    nothing = text_of(browser.get("/reference/", {"q": "nonsense"}))

    assert "type: human<" in found
    assert "type: say<" not in found
    assert "Nothing found" in nothing


def test_a_step_names_the_flows_that_use_it(browser_of, db):
    store_documents(demo("bank"))
    browser = browser_of(person("anna", "Anna", "flow authors"))

    assert 'href="/flows/bank/transfer_money/">Transfer money</a>' in text_of(browser.get("/reference/"))


def test_the_contents_name_every_chapter_under_a_heading(browser_of, db):
    page = browser_of(person("anna", "Anna", "flow authors")).get("/reference/")

    titles = [group.title for group in page.context["groups"]]
    assert titles[:3] == ["Documents", "Steps", "Data"]
    assert "Other parts" not in titles


def test_the_kind_of_a_key_is_said_in_words_and_leads_to_its_chapter(chapters):
    assert 'list of “<a class="link" href="/reference/#HumanAction">An answer that staff may give</a>”' in chapters
    assert "list of steps" in chapters
    assert "names, each with its value: text" in chapters and "map of names" not in chapters


def test_names_of_the_language_are_code_and_not_in_backquotes(chapters):
    assert "and that <code>wait</code> steps wait for." in chapters
    assert "`" not in chapters
