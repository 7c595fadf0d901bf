"""Answers and help in a language model's words, with every value as it was: off unless the host wants it.

The model never sees a value. Numbers, addresses, quoted words and all that the conversation holds stand behind marks;
what comes back is sent only when each mark is in it once and nothing else was added that could be a value.
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
"""What no rephrased text may hold outside its marks."""

MIN_VALUE_CHARACTERS = 2
MAX_ADDED_CHARACTERS = 60
"""So many characters, and half as many again, may be added."""


@dataclass(frozen=True)
class PlaceholderText:
    """A text whose values stand behind marks, and what each stands for."""

    text: str
    values: Mapping[str, str]

    def restore(self, text: str) -> str:
        return PLACEHOLDER.sub(lambda mark: self.values[mark[0]], text)


@dataclass(frozen=True)
class RephrasedText:
    """What is to be said: the model's words, or the original where `note` says why."""

    text: str
    note: str = ""
    usage: Usage = field(default_factory=Usage)


class Rephraser:
    """Asks the language model, within the conversation's budget; whatever goes wrong, the original is said."""

    def __init__(self, settings: NLUSettings, stores: ConversationStores = NO_STORES) -> None:
        self._settings = settings
        self._stores = stores

    async def rephrase(self, text: str, language: str, known_values: Iterable[str] = ()) -> RephrasedText:
        """`known_values` are the values that the conversation holds, as users read them."""
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
    """Every value behind a mark of its own, the longest first."""
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
    """Why this may not be sent, or ""."""
    placeholders = PLACEHOLDER.findall(text)
    if sorted(placeholders) != sorted(hidden.values):
        return "a value is missing, doubled or made up"
    remainder = PLACEHOLDER.sub("", text)
    if not remainder.strip() or POSSIBLE_VALUE.search(remainder):
        return "there is something in it that could be a value"
    return "it is too long" if len(text) > len(hidden.text) * 1.5 + MAX_ADDED_CHARACTERS else ""
