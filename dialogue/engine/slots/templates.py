"""Texts for people: translated texts, and message templates with placeholders for slots."""

import re
from collections.abc import Callable, Mapping
from typing import Self

from dialogue.engine.expressions.conditions import Condition, ConditionRefused
from dialogue.engine.source.phrases import Phrase

_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_NAME = r"[a-z][a-z0-9_]{0,63}"
_PATH = rf"{_NAME}(?:\.{_NAME}){{0,6}}"
_PLACEHOLDER = re.compile(rf"\{{({_PATH}(?:\|{_PATH})*|=[^{{}}]{{1,500}})\}}")
_MAX_MESSAGE_CHARACTERS = 4_000

Lookup = Callable[[str], str | None]


class TemplateRefused(ValueError):
    """The text is not a template: it is too long, or a brace is not part of a placeholder such as {slot}."""


class Translated(str):
    """A text in the assistant's own language, with its translations by language tag."""

    translations: Mapping[str, str]

    def __new__(cls, text: str, translations: Mapping[str, str] | None = None) -> Self:
        instance = super().__new__(cls, text)
        instance.translations = dict(translations or {})
        return instance

    def in_language(self, language: str) -> str:
        """Return the text in this language, in its parent language ("es" for "es-MX"), or untranslated."""
        return self.translations.get(language) or self.translations.get(language.split("-", maxsplit=1)[0]) or str(self)


class Template:
    """A message with placeholders: `{slot}`, `{slot|other}` (the first that is filled) and `{slot.field}`,
    which may go deeper: `{order.address.zip}`. `{=sum(items, price)}` is an expression.

    Rendering is one pass over the text, without attributes, formats or filters. `slot_names` holds the names of its
    placeholders, translations included, `names` also those that its expressions read; `groups` the alternatives of each
    placeholder, `expressions` the compiled expressions by their placeholder. Raises TemplateRefused.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._pieces = _split_placeholders(text)
        self.translations = {language: Template(words) for language, words in _translations_of(text).items()}
        self.groups = tuple(_alternatives(names) for names in self._pieces[1::2])
        others = self.translations.values()
        own = {name for group in self.groups for name in group}
        computed = {name: _compile(name) for name in sorted(own) if name.startswith("=")}
        self.expressions: dict[str, Condition] = {
            name: expression for part in others for name, expression in part.expressions.items()
        } | computed
        self.slot_names: frozenset[str] = frozenset(own - computed.keys()).union(*(part.slot_names for part in others))
        read = (expression.slots for expression in self.expressions.values())
        self.names: frozenset[str] = self.slot_names.union(*read)

    def in_language(self, language: str) -> "Template":
        """Return the template in this language, in its parent language, or in the assistant's own."""
        return self.translations.get(language) or self.translations.get(language.split("-", maxsplit=1)[0]) or self

    def render(self, lookup: Lookup) -> str:
        """Return the text with each placeholder replaced by what `lookup` returns for its name, or by nothing."""
        texts = list(self._pieces)
        # Every second piece holds the names of a placeholder; the first name with a text wins.
        texts[1::2] = [next(filter(None, map(lookup, names)), "") for names in self.groups]
        return "".join(texts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Template) and self.as_written() == other.as_written()

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return str(self.text)

    def __repr__(self) -> str:
        return f"Template({str(self.text)!r})"

    def as_written(self) -> str | dict[str, str]:
        """Return what the author wrote: a text, or a dict of language tag to text."""
        translations = _translations_of(self.text)
        return {**translations} if translations else str(self.text)


def _alternatives(names: str) -> tuple[str, ...]:
    return (names,) if names.startswith("=") else tuple(names.split("|"))


def _compile(placeholder: str) -> Condition:
    try:
        return Condition(placeholder.removeprefix("="))
    except ConditionRefused as error:
        raise TemplateRefused(
            Phrase("`{{{placeholder}}}` is not an expression: {error}", placeholder=placeholder[:40], error=error)
        ) from error


def _translations_of(text: str) -> Mapping[str, str]:
    return text.translations if isinstance(text, Translated) else {}


def _split_placeholders(text: str) -> list[str]:
    """Split into plain text and placeholder names, alternately."""
    if len(text) > _MAX_MESSAGE_CHARACTERS:
        raise TemplateRefused(
            Phrase(
                "This text has {count} characters. Write at most {max_message_characters}",
                count=f"{len(text):,}",
                max_message_characters=f"{_MAX_MESSAGE_CHARACTERS:,}",
            )
        )
    pieces = _PLACEHOLDER.split(text)
    for plain in pieces[0::2]:
        if "{" in plain or "}" in plain:
            raise TemplateRefused(_brace_advice(text))
    return pieces


def _brace_advice(text: str) -> str:
    if "{{" in text:
        return Phrase("Found `{{`. Write a placeholder with one pair of braces and no spaces: {slot}")
    match = re.search(r"\{[^{}]{0,40}\}?|\}", text)
    excerpt = match.group() if match else "{"
    return Phrase(
        "`{excerpt}` is not a placeholder. Write {{slot}}, {{slot|other}} or {{slot.field}}, and no other braces",
        excerpt=excerpt,
    )


def is_language_tag(tag: str) -> bool:
    """Return whether this has the form of a BCP 47 tag, such as "en" or "es-MX"."""
    return _LANGUAGE.fullmatch(tag) is not None
