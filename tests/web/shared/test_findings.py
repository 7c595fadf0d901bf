"""Findings of the verifier in the reader's language and in the words of fields, while programs read English."""

import re
from pathlib import Path
from string import Formatter
from types import SimpleNamespace

import pytest
from django.utils.translation import gettext, override

from dialogue.engine.language.loader import load_documents
from dialogue.engine.source.phrases import Phrase, split_sentence
from dialogue.engine.source.problems import Problem
from dialogue.templatetags.findings import in_field_sentences, in_sentences
from dialogue.web.shared.words.findings import FIELD_WORDS, in_words, problem_words
from tests.support.engine.seeded_faults import Fault, seeded_faults
from tests.support.web.catalogue import in_python

ENGINE = Path(__file__).parents[3] / "dialogue"
TEMPLATES = sorted(
    {
        template
        for file in ENGINE.rglob("*.py")
        if "Phrase(" in (source := file.read_text()) and "gettext" not in source
        for (_context, template, _plural), _line in in_python(source)
    }
)
ASSISTANT = "version: 1\nassistant: desk\ntitle: Desk\n"
FLOW = """version: 1
flow: book
title: Book
examples: [book]
steps:
  - {step: pay, type: action, call: pay_it}
  - {step: ask, type: human, title: Ask, actions: [{id: yes_please, label: Yes}]}
"""


def names_of(template: str) -> set[str]:
    return {name for _text, name, _format, _conversion in Formatter().parse(template) if name}


@pytest.mark.parametrize("template", [template for template in TEMPLATES if re.search(r"(?<!\{)\{\w+\}", template)])
def test_every_translation_of_a_template_has_its_parameters(template: str):
    with override("es"):
        assert names_of(gettext(template)) == names_of(template)


@pytest.mark.parametrize(("template", "words"), FIELD_WORDS.items())
def test_words_of_fields_stand_for_a_template_and_need_none_of_its_other_parameters(template: str, words: str):
    assert template in TEMPLATES
    with override("es"):
        assert names_of(gettext(words)) == names_of(words)
    assert names_of(words) <= names_of(template) or "{" not in template


@pytest.mark.parametrize("fault", list(seeded_faults()), ids=lambda fault: fault.name)
def test_every_seeded_fault_is_told_in_spanish_and_stays_english_for_programs(fault: Fault):
    for problem in fault.findings:
        with override("es"):
            words = problem_words(problem)
        with override("en"):
            english = problem_words(problem)

        assert (english["text"], english["advice"]) == (problem.text, problem.advice)
        assert isinstance(problem.text, Phrase)
        assert words["text"] != problem.text
        assert words["advice"] != problem.advice or not problem.advice


def problems_of(flow: str) -> dict[str, Problem]:
    documents = load_documents({"assistant.yaml": ASSISTANT, "book.yaml": flow})
    return {problem.rule: problem for problem in documents.problems}


def test_a_finding_is_told_in_spanish_and_in_the_words_of_fields():
    with override("es"):
        words = problem_words(problems_of(FLOW)["human_without_expiry"])

    assert words["text"].startswith("este paso de personas no dice qué pasa al vencer")
    assert words["field_advice"].startswith("Elija un tiempo límite")


def test_the_words_of_fields_name_no_key_of_the_language():
    with override("en"):
        words = problem_words(problems_of(FLOW)["human_without_expiry"])

    assert words["advice"] == "Write timeout: 30m and on_timeout: <an action that refuses, or a step>"
    assert words["field_advice"].startswith("Choose a time limit, and what happens then")


def test_parameters_that_are_phrases_are_translated_too():
    phrase = Phrase("{kind} has no order. {advice}", kind=Phrase("a list").capitalize(), advice=Phrase("Delete it"))

    assert phrase == "A list has no order. Delete it"
    with override("es"):
        assert in_words(phrase) == "Una lista no tiene orden. Bórrelo"


def test_a_refusal_of_two_sentences_is_split_into_finding_and_advice_without_losing_its_template():
    text, advice = split_sentence(str(ValueError(Phrase("A `{closing}` is missing at the end. Add it", closing=")"))))

    assert (text, advice) == ("A `)` is missing at the end", "Add it")
    with override("es"):
        assert in_words(text) == "Falta `)` al final"


def test_a_name_with_braces_in_a_finding_stays_as_it_is():
    with override("es"):
        assert in_words(Phrase("there is no step `{target}`", target="{x}")) == "no existe el paso `{x}`"


def test_pages_show_a_finding_as_sentences_with_names_as_code_and_nothing_of_it_as_html():
    text = "`pay` fails on `<b>`, and the flow ends"
    problem = Problem("W-FLOW", "book.yaml", 1, 1, "", "warning", text, "Choose where it goes")

    assert in_field_sentences(problem) == (
        "<code>pay</code> fails on `&lt;b&gt;`, and the flow ends. Choose where it goes."
    )


def test_a_name_in_braces_is_set_as_code_too():
    problem = SimpleNamespace(text="the text names `{benificiary}`", advice="")

    assert in_sentences(problem) == "the text names <code>{benificiary}</code>"
