"""Options that a text names, and what only looks like one."""

import pytest

from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.typed.options import find_options
from dialogue.nlu.text.tokens import tokenize

KIND = Slot.model_validate({"type": "choice", "options": [{"value": "check_up", "label": "check-up"}, "music"]})


@pytest.mark.parametrize(
    ("text", "is_sure"), [("a check-up please", True), ("let me check", False), ("a musical one", True)]
)
def test_a_longer_word_says_an_option_and_a_shorter_one_hints_at_it(text: str, is_sure: bool) -> None:
    spans = find_options(KIND, tokenize(text))

    assert [span.weak for span in spans] == [not is_sure]
