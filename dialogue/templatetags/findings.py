"""Findings about documents in templates, in the reader's language."""

import re
from typing import Any

from django import template

from dialogue.web.shared.finding_words import in_field_words, in_words

register = template.Library()
register.filter("in_words", in_words)


_STEP_OF_PATH = re.compile(r".*\.steps\.([^.]+)")


@register.filter
def problem_step(problem: Any) -> str:
    """The name of the step that a problem is about, the innermost of nested ones; "" for the rest of a document."""
    step = _STEP_OF_PATH.match(problem.path)
    return step[1] if step else ""


@register.filter
def in_field_sentences(problem: Any) -> str:
    """What a problem says and what to do, in the words of the editor's fields."""
    text, advice = in_field_words(problem.text), in_field_words(problem.advice)
    return f"{text}. {advice}" if advice else text


@register.filter
def in_sentences(problem: Any) -> str:
    """What a problem says and what to write instead, in the words of YAML."""
    text, advice = in_words(problem.text), in_words(problem.advice)
    return f"{text}. {advice}" if advice else text
