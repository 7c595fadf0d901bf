"""Findings about steps that were added and not finished: first texts, and answers that all do the same."""

import pytest

from dialogue.engine.language.compiler import check_documents
from dialogue.engine.language.first_texts import ALL_FIRST_TEXTS, FIRST_TEXTS, first_text

HEAD = "version: 1\nassistant: desk\ntitle: Desk\n"
FLOW = """flow: book
title: Book
description: DESCRIPTION
examples: [EXAMPLE]
steps:
  - {step: hello, type: say, message: MESSAGE}
  - {step: approval, type: human, title: DECISION, timeout: 30m, on_timeout: reject,
     actions: [{id: approve, label: Approve}, {id: reject, label: Reject}] NEXT}
  - STEP
  - {step: sorry, type: say, message: Sorry.}
"""
OWN_WORDS = {"DESCRIPTION": "Book a room", "EXAMPLE": "book", "MESSAGE": "Hello.", "DECISION": "Give the room?"}
DONE = "{step: done, type: say, message: Done., next: end}"
DIFFERENT = ", next: {approve: done, reject: sorry}"


def findings(words: dict[str, str] = OWN_WORDS, ways: str = DIFFERENT, step: str = DONE) -> list[tuple[str, str]]:
    flow = FLOW.replace("NEXT", ways).replace("STEP", step)
    for place, text in {**OWN_WORDS, **words}.items():
        flow = flow.replace(place, text)
    problems = check_documents({"assistant.yaml": HEAD, "book.yaml": flow})
    return [(each.severity, each.rule) for each in problems if each.rule != "unreachable"]


def test_a_finished_step_has_no_finding():
    assert findings() == []


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("purpose", sorted(FIRST_TEXTS))
def test_a_first_text_that_was_left_as_it_was_is_a_warning(purpose: str, language: str):
    assert findings({purpose.upper(): first_text(purpose, language)}) == [("warning", "first_text")]


def test_a_text_that_only_begins_like_a_first_text_is_the_authors_own():
    assert findings({"MESSAGE": first_text("message", "en") + " or there"}) == []
    assert len(ALL_FIRST_TEXTS) == 2 * len(FIRST_TEXTS)


def test_an_approval_and_a_refusal_that_do_the_same_are_a_warning():
    assert findings(ways="") == [("warning", "same_way")]
    assert findings(ways=", next: {approve: done, reject: done}") == [("warning", "same_way")]


@pytest.mark.parametrize(
    "step",
    [
        "{step: which, type: branch, cases: [{when: approval.action == 'approve', next: end}], else: sorry}",
        "{step: told, type: say, message: 'It was {approval.action}.', next: end}",
    ],
)
def test_answers_may_lead_to_one_step_that_asks_which_it_was(step: str):
    assert findings(ways="", step=step) == []


def test_several_ways_to_take_note_are_no_approval_and_refusal():
    flow = FLOW.replace("{id: approve, label: Approve}", "{id: noted, label: Noted}").replace("NEXT", "")
    flow = flow.replace("STEP", DONE)

    rules = [each.rule for each in check_documents({"assistant.yaml": HEAD, "book.yaml": flow})]
    assert "same_way" not in rules
