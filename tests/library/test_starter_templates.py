"""New assistants, each with a first flow that works."""

from typing import Any

import pytest
from django.test import Client

from dialogue.engine.language.compiler import check_documents
from dialogue.library.demo.starter_templates import TEMPLATE_NAMES, NameRefused, TemplateNotFound, create_assistant
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
    assert made["Location"] == "/test/mine/?new"
    assert Assistant.objects.get().flows.count() == 2
