"""Knowledge and help: two ports that answer digressions, and the assistant's own texts as their fallback."""

import asyncio
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from dialogue.engine.language.compiler import Assistant
from dialogue.engine.understanding import NLUContext


@dataclass(frozen=True)
class Question:
    """What a user asked. `text` is in the user's words, without the sensitive values that are known.

    `topic` is what understanding took it for: a key of the assistant's `knowledge`, a word of one's own understanding,
    or "". `context` is where the conversation stands.
    """

    text: str
    topic: str
    context: NLUContext

    @property
    def language(self) -> str:
        """The conversation's language."""
        return self.context.language


@dataclass(frozen=True)
class Passage:
    """A part of an answer. `source` tells the user where it comes from; `link` leads there."""

    text: str
    source: str = ""
    link: str = ""


class KnowledgeBase(Protocol):
    """Answers a question with passages, the best first, or with none."""

    async def answer(self, question: Question) -> Sequence[Passage]: ...


class HelpGenerator(Protocol):
    """Tells what the assistant can do. The text goes into the response `help` as {flows}."""

    async def help(self, context: NLUContext) -> str: ...


async def call_port(method: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of a port's method. A method that is not async runs in a thread, so that it blocks no turn."""
    if inspect.iscoroutinefunction(method):
        return await method(*arguments)
    result = await asyncio.to_thread(method, *arguments)
    return await result if inspect.isawaitable(result) else result


class AssistantKnowledge:
    """The assistant's own `knowledge`, by topic."""

    def __init__(self, assistant: Assistant) -> None:
        self._entries = assistant.knowledge

    async def answer(self, question: Question) -> Sequence[Passage]:
        entry = self._entries.get(question.topic)
        return (Passage(entry.answer.in_language(question.language).render(lambda name: None)),) if entry else ()


class AssistantHelp:
    """The titles of the flows that a user can start."""

    def __init__(self, assistant: Assistant) -> None:
        self._flows = [flow for flow in assistant.flows.values() if flow.start]

    async def help(self, context: NLUContext) -> str:
        return ", ".join(flow.title.in_language(context.language) for flow in self._flows)
