"""Ports to what the host stores for language models: answers, spending, programs and alerts.

Each port has a null object that stores nothing. `ConversationStores` holds the four of one conversation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from dialogue.engine.ports.commands import Command
from dialogue.engine.understanding import Usage
from dialogue.nlu.budgets import Budget, Spending
from dialogue.nlu.llm.programs import LLMProgram


class AnswerStore(Protocol):
    """Cache of answers by `answer_key`. A `shared` answer holds no user's values and serves other conversations too."""

    async def recall(self, key: str) -> tuple[Command, ...] | None: ...

    async def keep(self, key: str, commands: Sequence[Command], *, shared: bool) -> None: ...


class SpendingStore(Protocol):
    """What the conversation has spent so far, and its network address in the last day. `charge` adds one message."""

    async def conversation_spending(self) -> Spending: ...

    async def address_spending(self) -> Spending: ...

    async def charge(self, usage: Usage, seconds: float) -> None: ...


class ProgramStore(Protocol):
    """The optimised program that serves the assistant now; None means the built-in one."""

    async def serving_program(self) -> LLMProgram | None: ...


class AlertSink(Protocol):
    """Alerts the administrators about what only they can mend: once, until it works again."""

    async def key_refused(self, model: str) -> None: ...

    async def key_works(self, model: str) -> None: ...


class NullAnswerStore:
    """Null object: caches nothing."""

    async def recall(self, key: str) -> tuple[Command, ...] | None:
        return None

    async def keep(self, key: str, commands: Sequence[Command], *, shared: bool) -> None:
        return None


class NullSpendingStore:
    """Null object: counts nothing, so that no limit is reached."""

    async def conversation_spending(self) -> Spending:
        return Spending()

    async def address_spending(self) -> Spending:
        return Spending()

    async def charge(self, usage: Usage, seconds: float) -> None:
        return None


@dataclass(frozen=True)
class FixedProgramStore:
    """Serves the same program always."""

    program: LLMProgram | None = None

    async def serving_program(self) -> LLMProgram | None:
        return self.program


class NullAlertSink:
    """Null object: drops alerts."""

    async def key_refused(self, model: str) -> None:
        return None

    async def key_works(self, model: str) -> None:
        return None


@dataclass(frozen=True)
class ConversationStores:
    """The four stores of one conversation; null objects where the host gives none."""

    answers: AnswerStore = field(default_factory=NullAnswerStore)
    spending: SpendingStore = field(default_factory=NullSpendingStore)
    programs: ProgramStore = field(default_factory=FixedProgramStore)
    alerts: AlertSink = field(default_factory=NullAlertSink)


async def exhausted_budget(budget: Budget, store: SpendingStore) -> str:
    """Return which part of the budget is used up, such as "calls for this conversation", or ""."""
    for limits, spending, subject in (
        (budget.conversation, store.conversation_spending, "this conversation"),
        (budget.address, store.address_spending, "this address today"),
    ):
        name = limits.exhausted_by(await spending())
        if name:
            return f"{name} for {subject}"
    return ""


NO_STORES = ConversationStores()
"""For tests and evaluations, which store nothing."""
