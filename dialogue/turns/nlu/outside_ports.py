"""A project's knowledge and help ports in turns: while one is awaited, the slot goes to the next turn."""

from collections.abc import Sequence
from dataclasses import dataclass

from dialogue.engine.knowledge import HelpGenerator, KnowledgeBase, Passage, Question, call_port
from dialogue.engine.understanding import NLUContext
from dialogue.turns.process.turn_limiter import waiting_outside


@dataclass(frozen=True)
class OutsideKnowledge:
    """The knowledge port that the settings name; records show `name`."""

    inner: KnowledgeBase

    @property
    def name(self) -> str:
        return type(self.inner).__name__

    async def answer(self, question: Question) -> Sequence[Passage]:
        with waiting_outside():
            passages: Sequence[Passage] | None = await call_port(self.inner.answer, question)
            return passages or ()


@dataclass(frozen=True)
class OutsideHelp:
    """The help port that the settings name; records show `name`."""

    inner: HelpGenerator

    @property
    def name(self) -> str:
        return type(self.inner).__name__

    async def help(self, context: NLUContext) -> str:
        with waiting_outside():
            return str(await call_port(self.inner.help, context) or "")
