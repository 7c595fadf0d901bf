"""A flow with errors is drawn as far as its text can be read."""

from typing import Any

from django.contrib.auth.models import User

from dialogue.library.demo.starter_templates import create_assistant
from dialogue.library.documents.versions import Edit, keep_draft
from dialogue.web.flows.sketch import sketch_of
from tests.support.web.pages import text_of

UNFINISHED = """flow: book
title: Book
slots:
  room: {type: choice, prompt: Which?}
steps:
  - {step: ask, type: collect, slot: room, on_failure: sorry}
  - step: size
    type: branch
    cases: [{when: room == 'big', next: approval}]
  - step: approval
    type: human
    title: {en: Give it?, es: ¿Darla?}
    actions: [{id: approve}]
    next: {approve: done}
  - step: each
    type: while
    do:
      - {step: inner, type: say, message: Hi}
  - {step: done, type: say, message: Done., next: end}
  - {step: sorry, type: nothing_known}
  - just a text
"""


def ways_of(text: str) -> set[tuple[str, str, str]]:
    sketch = sketch_of(text, {})
    assert sketch is not None
    return {(edge.source, edge.target, edge.exit_key) for edge in sketch.edges}


def test_the_steps_and_ways_of_a_text_that_makes_no_flow_are_drawn_from_its_keys():
    assert ways_of(UNFINISHED) == {
        ("ask", "size", "next"),
        ("ask", "sorry", "on_failure"),
        ("size", "approval", "cases.0.next"),
        ("size", "approval", "else"),
        ("approval", "done", "next.approve"),
        ("each", "done", "next"),
        ("each", "inner", ""),
        ("inner", "each", "next"),
        ("done", "end", "next"),
        ("sorry", "end", "next"),
    }


def test_a_text_that_is_no_yaml_or_has_no_steps_has_no_sketch():
    assert sketch_of("flow: [", {}) is None
    assert sketch_of("flow: book\nsteps: nothing\n", {}) is None
    assert sketch_of("flow: book\nsteps: [{type: say}, 3]\n", {}) is None


def test_ways_to_steps_that_do_not_exist_are_not_drawn():
    text = "flow: x\nsteps:\n  - {step: a, type: say, next: nowhere}\n  - {step: b, type: [1], next: 3}\n"

    assert ways_of(text) == set()


def test_a_flow_that_was_never_saved_shows_its_steps_although_it_has_errors(browser_of: Any, arthur: Any):
    home = create_assistant("desk", "Desk", "empty", None)
    keep_draft(home, Edit("book", UNFINISHED), User.objects.get(pk=arthur.user))

    page = text_of(browser_of(arthur).get("/flows/desk/book/"))

    assert 'data-step="approval"' in page
    assert "drawn as far as it can be read" in page


def test_a_draft_that_cannot_be_read_says_why_there_is_no_graph(browser_of: Any, arthur: Any):
    home = create_assistant("desk", "Desk", "empty", None)
    keep_draft(home, Edit("book", "flow: ["), User.objects.get(pk=arthur.user))

    page = text_of(browser_of(arthur).get("/flows/desk/book/"))

    note = page[page.index("data-no-graph") :]
    assert "hidden" not in note[: note.index(">")]
