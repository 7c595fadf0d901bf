"""What somebody said becomes an example of the flow that they meant."""

import pytest
from django.contrib.auth.models import User
from hypothesis import given, settings
from hypothesis import strategies as some

from dialogue.engine.source.parser import read_source
from dialogue.library.documents.flow_text import EditRefused, apply_changes
from dialogue.library.documents.versions import Edit, draft_of, keep_draft
from dialogue.library.nlu_programs.examples import ExampleKnown, add_example, example_change
from dialogue.models import Assistant, Flow

LISTED = """\
flow: water   # daily
description: Waters.
examples:   # how people ask
  - water the plants   # short
  - "splash: now"

# the questions
slots: {bed: {type: text}}
steps:
  - {step: ask, type: collect, slot: bed}
"""
BRACKETS = LISTED.replace(
    'examples:   # how people ask\n  - water the plants   # short\n  - "splash: now"\n',
    "examples: [water the plants]\n",
)
NONE = LISTED.replace('examples:   # how people ask\n  - water the plants   # short\n  - "splash: now"\n', "")


def changed(text: str, example: str) -> str:
    return apply_changes(text, [example_change(text, example)])


def test_it_stands_behind_the_others_and_nothing_else_changes():
    assert changed(LISTED, "my roses  are dry") == LISTED.replace(
        '  - "splash: now"\n', '  - "splash: now"\n  - my roses are dry\n'
    )
    assert 'examples: [water the plants, "dry, again"]\n' in changed(BRACKETS, "dry, again")
    assert "description: Waters.\nexamples:\n  - water {bed}\n" in changed(NONE, "water {bed}")


@settings(max_examples=40, deadline=None)
@given(some.text(some.characters(codec="utf-8", exclude_categories=("C", "Zl", "Zp")), min_size=1, max_size=30))
def test_whatever_was_said_is_read_again_as_it_was(said: str):
    words = " ".join(said.split())
    for text in (LISTED, BRACKETS, NONE):
        try:
            tree = read_source(changed(text, said)).tree
        except (EditRefused, ExampleKnown):
            continue
        assert tree["examples"][-1] == words


def test_an_example_that_is_there_is_not_written_twice():
    with pytest.raises(ExampleKnown):
        example_change(LISTED, "Water the plants")
    with pytest.raises(EditRefused):
        example_change(LISTED, "  ")


def test_it_goes_into_its_authors_draft_with_what_was_typed_there(bank: Assistant, arthur: User):
    flow = Flow.objects.select_related("head").get(assistant=bank, name="check_balance")
    assert flow.head
    keep_draft(bank, Edit("check_balance", flow.head.text + "# typed\n", base=1), arthur)

    line = add_example(bank, "check_balance", "am I rich", arthur)

    draft = draft_of(flow, arthur)
    assert draft is not None
    assert "am I rich" in draft.text.splitlines()[line - 1]
    assert draft.text.endswith("# typed\n")
    assert draft.base == 1
