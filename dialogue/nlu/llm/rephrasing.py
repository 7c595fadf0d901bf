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

    def __init__(self, settings: NLUSettings, backing: ConversationStores = NO_STORES) -> None:
        self._settings = settings
        self._backing = backing

    async def rephrase(self, text: str, language: str, shown: Iterable[str] = ()) -> RephrasedText:
        """`shown` are the values that the conversation holds, as users read them."""
        if breaker_for(self._settings).is_open or await exhausted_budget(self._settings.budget, self._backing.spending):
            return RephrasedText(text, "not asked")
        return await self._asked(replace_values(text, shown), text, language)

    async def _asked(self, behind: PlaceholderText, text: str, language: str) -> RephrasedText:
        from dialogue.nlu.llm.client import ModelCallFailed, ModelCalls

        talk, began = ModelCalls(self._settings), perf_counter()
        try:
            said = await talk.ask_rephrasing(behind.text, language)
        except (ModelCallFailed, TimeoutError) as why:
            return RephrasedText(text, str(why) or "no answer in time", talk.usage())
        finally:
            await self._backing.spending.charge(talk.usage(), perf_counter() - began)
        objection = rejection_reason(said, behind)
        if objection:
            return RephrasedText(text, objection, talk.usage())
        return RephrasedText(behind.restore(said.strip()), usage=talk.usage())


def replace_values(text: str, shown: Iterable[str] = ()) -> PlaceholderText:
    """Every value behind a mark of its own, the longest first."""
    known = sorted({each for each in shown if len(each) >= MIN_VALUE_CHARACTERS}, key=len, reverse=True)
    pattern = re.compile("|".join([*map(re.escape, known), VALUE_PATTERN.pattern])) if known else VALUE_PATTERN
    values: dict[str, str] = {}

    def hide(found: re.Match[str]) -> str:
        word = found[0].rstrip(".,;:!?") if found[0] not in known else found[0]
        mark = f"<v{len(values) + 1}>"
        values[mark] = word
        return mark + found[0][len(word) :]

    return PlaceholderText(pattern.sub(hide, text), values)


def rejection_reason(said: str, behind: PlaceholderText) -> str:
    """Why this may not be sent, or ""."""
    marks = PLACEHOLDER.findall(said)
    if sorted(marks) != sorted(behind.values):
        return "a value is missing, doubled or made up"
    plain = PLACEHOLDER.sub("", said)
    if not plain.strip() or POSSIBLE_VALUE.search(plain):
        return "there is something in it that could be a value"
    return "it is too long" if len(said) > len(behind.text) * 1.5 + MAX_ADDED_CHARACTERS else ""
