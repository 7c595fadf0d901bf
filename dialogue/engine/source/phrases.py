"""English phrases that keep their template and parameters, so that the console can show them in other languages."""

from collections.abc import Mapping
from typing import Any, Literal, Self


class Phrase(str):
    """An English text: to the engine and to programs a plain `str`, with what it was made of.

    `template` is the text with names in braces, as `str.format` takes it, and `parameters` are their values, some of
    them phrases. Without parameters the template is the text, and its braces mean nothing. `part` says which of the
    template's sentences the text is: the first one, or the rest.

    >>> Phrase("there is no step `{name}`", name="pay")
    'there is no step `pay`'
    """

    template: str
    parameters: Mapping[str, Any]
    is_capitalized: bool
    part: Literal["all", "first", "rest"]

    def __new__(cls, template: str, /, **parameters: Any) -> Self:
        phrase = super().__new__(cls, template.format_map(parameters) if parameters else template)
        phrase.template, phrase.parameters, phrase.is_capitalized, phrase.part = template, parameters, False, "all"
        return phrase

    def __str__(self) -> str:
        # str(error) of an exception with a phrase is the phrase: a copy would lose the template.
        return self

    def capitalize(self) -> "Phrase":
        """Return the phrase with a capital letter at its beginning."""
        return self._as(super().capitalize(), is_capitalized=True)

    def strip(self, characters: str | None = None) -> "Phrase":
        """Return the phrase without spaces around it."""
        return self._as(super().strip(characters))

    def split_sentence(self) -> "tuple[Phrase, Phrase]":
        """Return the first sentence without its full stop, and the rest."""
        first, _, rest = self.partition(". ")
        return self._as(first, part="first"), self._as(rest, part="rest")

    def _as(
        self, text: str, *, is_capitalized: bool = False, part: Literal["all", "first", "rest"] = "all"
    ) -> "Phrase":
        phrase = Phrase(text)
        phrase.template, phrase.parameters = self.template, self.parameters
        phrase.is_capitalized, phrase.part = is_capitalized, part
        return phrase


def split_sentence(sentences: str) -> tuple[str, str]:
    """Return the first sentence without its full stop, and the rest; those of a phrase are phrases."""
    if isinstance(sentences, Phrase):
        return sentences.split_sentence()
    first, _, rest = sentences.partition(". ")
    return first, rest
