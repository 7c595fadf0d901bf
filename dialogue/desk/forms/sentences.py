"""Sentences that are told now and read later, by people of other languages and time zones.

A refusal is told in the language of whoever was refused. The gate's history shows it to others, so it keeps its
template and what stands in it. Modules that write such sentences import `sentence` as `_`.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Self

from django.utils.translation import get_language, gettext, gettext_noop

from dialogue.desk.forms.deadlines import moment_text
from dialogue.engine.source.value_errors import ValueRefused
from dialogue.turns import clock


class Sentence(str):
    """A text in the current language, with its `source`: plain JSON, from which `in_reader_language` makes it again.

    A source is a text, a number, a list of sources (joined), or one of {text, facts}, {rule, shown, limits} and
    {moment, with}.
    """

    source: Any

    def __new__(cls, text: str, source: Any) -> Self:
        made = super().__new__(cls, text)
        made.source = source
        return made

    def __reduce__(self) -> tuple[type["Sentence"], tuple[str, Any]]:
        return Sentence, (str.__str__(self), self.source)  # copies keep the source too

    def __str__(self) -> str:
        # str(error) of an exception with a sentence is the sentence: a copy would lose the source.
        return self

    def __mod__(self, facts: Any) -> "Sentence":
        is_named = isinstance(facts, Mapping)
        kept = {name: _source_of(fact) for name, fact in facts.items()} if is_named else _source_of(facts)
        return Sentence(super().__mod__(facts), {**self.source, "facts": kept})


def sentence(template: str) -> Sentence:
    """Return the template in the current language. `%` puts facts into it, also sentences."""
    return Sentence(gettext(template), {"text": template})


def joined(parts: Iterable[str]) -> Sentence:
    """Return the parts one after the other."""
    texts = list(parts)
    return Sentence("".join(texts), [_source_of(text) for text in texts])


def value_sentence(refused: ValueRefused) -> Sentence:
    """Return why a value was refused."""
    source = {"rule": refused.rule, "shown": refused.value_text, "limits": refused.limits}
    return Sentence(refused.sentence(get_language() or "en"), source)


def clock_time(at: datetime | None) -> str:
    """Return "14:17", with the date before it unless it is today; "" for None."""
    return Sentence(moment_text(at, clock.now()), {"moment": at.isoformat()}) if at else ""


def at_moment(moment: str) -> Sentence:
    """Return a moment in words as a sentence has it: "at 14:17", or "on 23 November 2026, 14:17"."""
    if _CLOCK_TIME.fullmatch(moment):
        words = sentence(gettext_noop("at %(clock_time)s")) % {"clock_time": moment}
    else:
        words = sentence(gettext_noop("on %(date)s")) % {"date": moment}
    # A clock time of today is one with a date tomorrow.
    return Sentence(words, {**moment.source, "with": "preposition"}) if isinstance(moment, Sentence) else words


_CLOCK_TIME = re.compile(r"\d\d:\d\d")


def source_of(text: str) -> Any:
    """Return what `in_reader_language` needs; None for a text that is no sentence."""
    return text.source if isinstance(text, Sentence) else None


def in_reader_language(source: Any) -> str:
    """Return the sentence with this source in the current language and time zone."""
    return str(_read(source))


def _source_of(fact: Any) -> Any:
    if isinstance(fact, Sentence):
        return fact.source
    return fact if isinstance(fact, int | float) else str(fact)


def _read(source: Any) -> Any:
    match source:
        case list():
            return "".join(in_reader_language(part) for part in source)
        case {"rule": rule, "shown": shown, "limits": limits}:
            return ValueRefused("", rule, shown, limits).sentence(get_language() or "en")
        case {"moment": moment, "with": "preposition"}:
            return at_moment(clock_time(datetime.fromisoformat(moment)))
        case {"moment": moment}:
            return clock_time(datetime.fromisoformat(moment))
        case {"text": template, "facts": dict(facts)}:
            return gettext(template) % {name: _read(fact) for name, fact in facts.items()}
        case {"text": template, "facts": fact}:
            return gettext(template) % (_read(fact),)
        case {"text": template}:
            return gettext(template)
        case _:
            return source
