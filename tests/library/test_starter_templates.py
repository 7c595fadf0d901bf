"""New assistants, each with a first flow that works."""

from typing import Any

import pytest
from django.test import Client

from dialogue.desk.figures.satisfaction import SATISFACTION_FLOW, SCORE_SLOT, SOLVED_SLOT
from dialogue.engine.language.compiler import check_documents, load_assistant
from dialogue.library.demo.starter_templates import (
    FIRST_FLOW_BY_TEMPLATE,
    TEMPLATE_NAMES,
    NameRefused,
    TemplateNotFound,
    create_assistant,
    name_from_title,
)
from dialogue.library.documents.versions import documents_of
from dialogue.library.releases.releases import publish
from dialogue.models import Assistant
from tests.support.releases import demo
from tests.support.transfers import person

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("template", TEMPLATE_NAMES)
def test_every_template_makes_an_assistant_that_can_be_published(template: str):
    made = create_assistant("mine", 'My "own": assistant', template, None)

    errors = [each for each in check_documents(documents_of(made)) if each.severity == "error"]
    assert errors == []
    assert made.title == 'My "own": assistant'
    assert made.active_release is None
    assert publish(made).number == 1


def test_comments_of_the_template_are_kept_but_for_name_and_title():
    made = create_assistant("mine", "Mine", "bank", None)

    before, after = demo("bank"), documents_of(made)
    assert {name for name in before if before[name] != after[name]} == {"assistant.yaml"}
    changed = zip(before["assistant.yaml"].splitlines(), after["assistant.yaml"].splitlines(), strict=True)
    assert [new for old, new in changed if old != new] == ["assistant: mine", 'title: "Mine"']


@pytest.mark.parametrize("name", ["", "Mine", "9lives", "my-bank", "x" * 65])
def test_a_name_that_is_none_is_refused(name: str):
    with pytest.raises(NameRefused):
        create_assistant(name, "Mine", "empty", None)


def test_a_name_that_is_taken_and_a_template_that_is_none_are_refused():
    create_assistant("mine", "Mine", "empty", None)

    with pytest.raises(NameRefused):
        create_assistant("mine", "Mine", "empty", None)
    with pytest.raises(TemplateNotFound):
        create_assistant("yours", "Yours", "castle", None)


def test_an_author_begins_one_in_the_browser_and_is_told_what_is_wrong(payments: object):
    browser: Any = Client()
    browser.force_login(person("arthur", "Arthur Penn", "flow authors"))

    refused = browser.post("/assistants/new/", {"name": "My Bank", "title": "Mine", "template": "empty"})
    made = browser.post("/assistants/new/", {"name": "mine", "title": "Mine", "template": "empty"})

    assert refused.status_code == 422
    assert 'value="My Bank"' in refused.content.decode()
    assert made["Location"] == "/flows/mine/take_note/"
    assert "ask_note" in browser.get(made["Location"]).content.decode()
    flows = Assistant.objects.get().flows.values_list("name", flat=True)
    assert len(flows) == 3 and {"take_note", "satisfaction"} <= set(flows)


@pytest.mark.parametrize(
    ("title", "name"),
    [("Harbour Bank", "harbour_bank"), ("Ángel's 2nd bank!", "angel_s_2nd_bank"), ("24 hours", "hours"), ("日本", "")],
)
def test_a_name_is_made_from_the_title(title: str, name: str):
    assert name_from_title(title) == name


def test_a_name_in_use_gets_a_number_and_a_refusal_stands_at_its_field(client: Client):
    create_assistant("harbour_bank", "Harbour Bank", "empty", None)
    client.force_login(person("arthur", "Arthur Penn", "flow authors"))

    made = client.post("/assistants/new/", {"title": "Harbour Bank", "template": "empty"})
    in_use = client.post("/assistants/new/", {"title": "x", "name": "harbour_bank", "template": "empty"})
    empty = client.post("/assistants/new/", {"title": " ", "template": "empty"})
    without = client.post("/assistants/new/", {"title": "Other", "template": "none"})

    assert made["Location"] == "/flows/harbour_bank_2/take_note/"
    refusals = [response.context["refusal"].field for response in (in_use, empty, without)]
    assert refusals == ["name", "title", "template"]
    assert "There is an assistant “harbour_bank” already." in in_use.content.decode()
    assert in_use.content.decode().count('id="refusal"') == 1


@pytest.mark.parametrize("template", TEMPLATE_NAMES)
def test_every_template_has_the_flow_that_its_author_looks_at_first(payments: object, template: str):
    assistant = create_assistant("mine", "Mine", template, None)

    assert assistant.flows.filter(name=FIRST_FLOW_BY_TEMPLATE[template]).exists()


@pytest.mark.parametrize("template", TEMPLATE_NAMES)
def test_every_template_brings_two_questions_about_satisfaction_that_no_message_begins(template: str):
    made = create_assistant("mine", "Mine", template, None)
    flow = load_assistant(documents_of(made)).flows[SATISFACTION_FLOW]

    assert not flow.start
    assert set(flow.slots) == {SCORE_SLOT, SOLVED_SLOT}


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_smallest_assistant_speaks_its_authors_language_and_begins_without_a_problem(language: str):
    home = create_assistant("mine", "Mine", "empty", None, language)

    assert check_documents(documents_of(home)) == []
    greeting = {"en": "What is your name?", "es": "¿Cómo se llama?"}[language]
    assert greeting in documents_of(home)["take_note.yaml"]


def test_the_offered_flow_that_no_flow_leads_to_yet_is_no_finding():
    made = create_assistant("mine", "Mine", "empty", None)

    assert "start: false" in documents_of(made)["satisfaction.yaml"]
    assert [each.rule for each in check_documents(documents_of(made))] == []
