"""A project's knowledge and help as turns use them: while one is waited for, the turn's place goes to the next turn."""

from collections.abc import Sequence
from dataclasses import dataclass

from dialogue.engine.knowledge import HelpGenerator, KnowledgeBase, Passage, Question, call_port
from dialogue.engine.understanding import NLUContext
from dialogue.turns.process.turn_limiter import waiting_outside


@dataclass(frozen=True)
class OutsideKnowledge:
    """The knowledge that the settings name; `name` is what records call it."""

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
    """The help that the settings name; `name` is what records call it."""

    inner: HelpGenerator

    @property
    def name(self) -> str:
        return type(self.inner).__name__

    async def help(self, context: NLUContext) -> str:
        with waiting_outside():
            return str(await call_port(self.inner.help, context) or "")
