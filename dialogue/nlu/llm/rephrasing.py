"""Rephrase answers and help with a language model, and keep every value as it is. The host switches it on.

The model never sees a value: numbers, addresses, quoted words and the values of the conversation are replaced by
placeholders. Its text is used only if each placeholder occurs once and nothing was added that could be a value.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from time import perf_counter

from dialogue.engine.understanding import Usage
from dialogue.nlu.llm.component import breaker_for
from dialogue.nlu.llm.ports import NO_STORES, ConversationStores, exhausted_budget
from dialogue.nlu.settings import NLUSettings

VALUE_PATTERN = re.compile(r"https?://\S+|\S+@\S+|“[^”]*”|\"[^\"]*\"|«[^»]*»|\S*\d\S*|[•*]{2,}\s?\S*")
PLACEHOLDER = re.compile(r"<v\d+>")
POSSIBLE_VALUE = re.compile(r"[<>{}\[\]\d]|https?:|@")
"""A rephrased text must not hold these outside its placeholders."""

MIN_VALUE_CHARACTERS = 2
MAX_ADDED_CHARACTERS = 60
"""The text may grow by these and by half of its length."""


@dataclass(frozen=True)
class PlaceholderText:
    """A text with placeholders, and the value of each."""

    text: str
    values: Mapping[str, str]

    def restore(self, text: str) -> str:
        return PLACEHOLDER.sub(lambda mark: self.values[mark[0]], text)


@dataclass(frozen=True)
class RephrasedText:
    """The text to send: the model's, or the original one; `note` says why it is the original."""

    text: str
    note: str = ""
    usage: Usage = field(default_factory=Usage)


class Rephraser:
    """Asks the language model within the conversation's budget, and falls back to the original text."""

    def __init__(self, settings: NLUSettings, stores: ConversationStores = NO_STORES) -> None:
        self._settings = settings
        self._stores = stores

    async def rephrase(self, text: str, language: str, known_values: Iterable[str] = ()) -> RephrasedText:
        """Rephrase one text. `known_values` are the values of the conversation as users read them."""
        if breaker_for(self._settings).is_open or await exhausted_budget(self._settings.budget, self._stores.spending):
            return RephrasedText(text, "not asked")
        return await self._ask_model(replace_values(text, known_values), text, language)

    async def _ask_model(self, hidden: PlaceholderText, text: str, language: str) -> RephrasedText:
        from dialogue.nlu.llm.client import ModelCallFailed, ModelCalls

        calls, started = ModelCalls(self._settings), perf_counter()
        try:
            rephrased = await calls.ask_rephrasing(hidden.text, language)
        except (ModelCallFailed, TimeoutError) as error:
            return RephrasedText(text, str(error) or "no answer in time", calls.usage())
        finally:
            await self._stores.spending.charge(calls.usage(), perf_counter() - started)
        rejection = rejection_reason(rephrased, hidden)
        if rejection:
            return RephrasedText(text, rejection, calls.usage())
        return RephrasedText(hidden.restore(rephrased.strip()), usage=calls.usage())


def replace_values(text: str, known_values: Iterable[str] = ()) -> PlaceholderText:
    """Replace every value by a placeholder. Longer values are replaced before those they contain."""
    literals = sorted(
        {known_value for known_value in known_values if len(known_value) >= MIN_VALUE_CHARACTERS}, key=len, reverse=True
    )
    pattern = re.compile("|".join([*map(re.escape, literals), VALUE_PATTERN.pattern])) if literals else VALUE_PATTERN
    values: dict[str, str] = {}

    def replace_match(match: re.Match[str]) -> str:
        value = match[0].rstrip(".,;:!?") if match[0] not in literals else match[0]
        placeholder = f"<v{len(values) + 1}>"
        values[placeholder] = value
        return placeholder + match[0][len(value) :]

    return PlaceholderText(pattern.sub(replace_match, text), values)


def rejection_reason(text: str, hidden: PlaceholderText) -> str:
    """Return why the rephrased text must not be sent, or ""."""
    placeholders = PLACEHOLDER.findall(text)
    if sorted(placeholders) != sorted(hidden.values):
        return "a value is missing, repeated or invented"
    remainder = PLACEHOLDER.sub("", text)
    if not remainder.strip() or POSSIBLE_VALUE.search(remainder):
        return "it holds something that could be a value"
    return "it is too long" if len(text) > len(hidden.text) * 1.5 + MAX_ADDED_CHARACTERS else ""
