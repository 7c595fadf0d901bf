"""The responses of an assistant: the author's texts, and built-in ones for the rest."""

from collections.abc import Sequence
from functools import cache

from dialogue.engine.language.documents import Assistant
from dialogue.engine.slots.builtin_responses import RESPONSES
from dialogue.engine.slots.templates import Lookup, Template, TemplateRefused, Translated

__all__ = ["Lookup", "Responses", "Template", "TemplateRefused", "Translated"]

_BUILT_IN = ("en", "es")


class Responses:
    """The texts of one assistant's responses, in its languages."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant

    def say(self, key: str, language: str, *, variation: int = 0, **values: object) -> str:
        """The text of a key such as "cancelled" or "cancelled:transfer_money", with its names filled in.

        `variation` counts through the texts that an author gave; a name without a value shows nothing. The assistant's
        text comes first, then the built-in one, each in this language; then the assistant's in its own.
        """
        texts = self._find_texts(key, language)
        template = texts[variation % len(texts)]
        all_values: dict[str, object] = {"assistant": self._assistant.title.in_language(language), **values}
        # The list of flows may be long, so it is made only for a text that shows it.
        if "flows" in template.names and "flows" not in values:
            startable = (flow for flow in self._assistant.flows.values() if flow.start)
            all_values["flows"] = ", ".join(flow.title.in_language(language) for flow in startable)
        return template.render(lambda name: None if all_values.get(name) is None else str(all_values[name]))

    def _find_texts(self, key: str, language: str) -> Sequence[Template]:
        base_key, base_language = key.split(":", maxsplit=1)[0], language.split("-", maxsplit=1)[0]
        if texts := self._author_texts(key, language) or self._author_texts(key, base_language):
            return texts
        if base_language not in _BUILT_IN and (texts := self._author_texts(key, self._assistant.language)):
            return texts
        return [_built_in(base_key, base_language)]

    def _author_texts(self, key: str, language: str) -> Sequence[Template]:
        """Return the author's texts in this language for the full key, or else for the part before its colon."""
        translations = (
            self._assistant.responses.get(response_key, {}) for response_key in (key, key.split(":", maxsplit=1)[0])
        )
        return next((texts[language] for texts in translations if language in texts), ())


@cache
def _built_in(key: str, language: str) -> Template:
    response = RESPONSES[key]
    return Template(response.spanish if language == "es" else response.english)
