"""What a digression is answered from: two ports, and the assistant's own documents behind them."""

from typing import Protocol

from dialogue.engine.language import Assistant


class KnowledgeBase(Protocol):
    """Answers a question by its topic; None when it has no answer."""

    def answer(self, topic: str, language: str) -> str | None: ...


class HelpGenerator(Protocol):
    """Says what the assistant can do; the text goes into the response `help` as {flows}."""

    def help(self, language: str) -> str: ...


class AssistantKnowledge:
    """The knowledge that the assistant's author wrote down."""

    def __init__(self, assistant: Assistant) -> None:
        self._entries = assistant.knowledge

    def answer(self, topic: str, language: str) -> str | None:
        entry = self._entries.get(topic)
        return entry.answer.into(language).render(lambda name: None) if entry else None


class AssistantHelp:
    """The titles of the flows that a user can start."""

    def __init__(self, assistant: Assistant) -> None:
        self._flows = [each for each in assistant.flows.values() if each.start]

    def help(self, language: str) -> str:
        return ", ".join(each.title.into(language) for each in self._flows)
