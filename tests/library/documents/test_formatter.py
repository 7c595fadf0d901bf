"""A document in even form."""

from pathlib import Path

import pytest

from dialogue.engine.source.parser import SourceRefused, read_source
from dialogue.library.documents.formatter import format_document
from tests.support.releases import DEMO


def test_comments_quotes_and_order_stay_and_indentation_becomes_even():
    text = "flow:  x   # first\nsteps:\n    -   step: a\n        type: say\n        message: 'Hi'\n"

    assert format_document(text) == "flow: x    # first\nsteps:\n  - step: a\n    type: say\n    message: 'Hi'\n"


@pytest.mark.parametrize("file", sorted(DEMO.glob("*/*.yaml")), ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_what_the_demo_says_is_not_changed_and_twice_is_as_once(file: Path):
    once = format_document(file.read_text())

    assert read_source(once).tree == read_source(file.read_text()).tree
    assert format_document(once) == once


def test_a_text_that_cannot_be_read_is_refused():
    with pytest.raises(SourceRefused):
        format_document("flow: [")
