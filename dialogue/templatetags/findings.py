"""Findings about documents in templates, in the reader's language."""

import re
from typing import Any

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from dialogue.web.shared.words.findings import in_field_words, in_words

register = template.Library()
register.filter("in_words", in_words)


# A name between backquotes, as in `static/js/shared/elements.js`. Other backquotes are an author's own and stay.
_NAME = re.compile(r"(?<![^\s(])`(\{?\w(?:[\w .!:/\[\]-]*[\w\]])?\}?)`(?![^\s.,:;?)])")
_BACKQUOTED = re.compile(r"`([^`]+)`")
_STEP_OF_PATH = re.compile(r".*\.steps\.([^.]+)")


@register.filter
def problem_step(problem: Any) -> str:
    """The name of the step that a problem is about, the innermost of nested ones; "" for the rest of a document."""
    step = _STEP_OF_PATH.match(problem.path)
    return step[1] if step else ""


@register.filter
def in_field_sentences(problem: Any) -> SafeString:
    """What a problem says and what to do, as sentences of HTML in the words of the editor's fields."""
    parts = [in_field_words(problem.text), in_field_words(problem.advice)]
    whole = " ".join(f"{part[:1].upper()}{part[1:].rstrip('.')}." for part in parts if part)
    return _with_code(whole)


@register.filter
def in_sentences(problem: Any) -> SafeString:
    """What a problem says and what to write instead, in the words of YAML, as the editor's script writes it too."""
    text, advice = in_words(problem.text), in_words(problem.advice)
    return _with_code(f"{text}. {advice}" if advice else text)


@register.filter
def backquoted_code(text: str) -> SafeString:
    """Our own text as HTML, with all that stands between backquotes as `<code>`."""
    return mark_safe(_BACKQUOTED.sub(r"<code>\1</code>", escape(text)))


def _with_code(text: str) -> SafeString:
    """HTML of a text in which names stand between backquotes: those as `<code>`."""
    return mark_safe(_NAME.sub(r"<code>\1</code>", escape(text)))
