"""Answers and help in a language model's words, with every value as it was: off unless the host wants it.

The model never sees a value. Numbers, addresses, quoted words and all that the conversation holds stand behind marks;
what comes back is sent only when each mark is in it once and nothing else was added that could be a value.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from time import perf_counter

from dialogue.engine.understanding import Usage
from dialogue.nlu.llm.component import breaker_of
from dialogue.nlu.llm.ports import ALONE, Backing, used_up
from dialogue.nlu.settings import NLUSettings

VALUES = re.compile(r"https?://\S+|\S+@\S+|“[^”]*”|\"[^\"]*\"|«[^»]*»|\S*\d\S*|[•*]{2,}\s?\S*")
MARK = re.compile(r"<v\d+>")
FOREIGN = re.compile(r"[<>{}\[\]\d]|https?:|@")
"""What no rephrased text may hold outside its marks."""

SHORTEST_VALUE = 2
ROOM = 60
"""So many characters, and half as many again, may be added."""


@dataclass(frozen=True)
class Marked:
    """A text whose values stand behind marks, and what each stands for."""

    text: str
    values: Mapping[str, str]

    def filled(self, text: str) -> str:
        return MARK.sub(lambda mark: self.values[mark[0]], text)


@dataclass(frozen=True)
class Rephrased:
    """What is to be said: the model's words, or the original where `note` says why."""

    text: str
    note: str = ""
    usage: Usage = field(default_factory=Usage)


class Rephraser:
    """Asks the language model, within the conversation's budget; whatever goes wrong, the original is said."""

    def __init__(self, settings: NLUSettings, backing: Backing = ALONE) -> None:
        self._settings = settings
        self._backing = backing

    async def rephrase(self, text: str, language: str, shown: Iterable[str] = ()) -> Rephrased:
        """`shown` are the values that the conversation holds, as users read them."""
        if breaker_of(self._settings).is_open or await used_up(self._settings.budget, self._backing.purse):
            return Rephrased(text, "not asked")
        return await self._asked(marked(text, shown), text, language)

    async def _asked(self, behind: Marked, text: str, language: str) -> Rephrased:
        from dialogue.nlu.llm.client import Conversation, Failure

        talk, began = Conversation(self._settings), perf_counter()
        try:
            said = await talk.rephrased(behind.text, language)
        except (Failure, TimeoutError) as why:
            return Rephrased(text, str(why) or "no answer in time", talk.usage())
        finally:
            await self._backing.purse.charge(talk.usage(), perf_counter() - began)
        objection = objection_to(said, behind)
        if objection:
            return Rephrased(text, objection, talk.usage())
        return Rephrased(behind.filled(said.strip()), usage=talk.usage())


def marked(text: str, shown: Iterable[str] = ()) -> Marked:
    """Every value behind a mark of its own, the longest first."""
    known = sorted({each for each in shown if len(each) >= SHORTEST_VALUE}, key=len, reverse=True)
    pattern = re.compile("|".join([*map(re.escape, known), VALUES.pattern])) if known else VALUES
    values: dict[str, str] = {}

    def hide(found: re.Match[str]) -> str:
        word = found[0].rstrip(".,;:!?") if found[0] not in known else found[0]
        mark = f"<v{len(values) + 1}>"
        values[mark] = word
        return mark + found[0][len(word) :]

    return Marked(pattern.sub(hide, text), values)


def objection_to(said: str, behind: Marked) -> str:
    """Why this may not be sent, or ""."""
    marks = MARK.findall(said)
    if sorted(marks) != sorted(behind.values):
        return "a value is missing, doubled or made up"
    plain = MARK.sub("", said)
    if not plain.strip() or FOREIGN.search(plain):
        return "there is something in it that could be a value"
    return "it is too long" if len(said) > len(behind.text) * 1.5 + ROOM else ""
