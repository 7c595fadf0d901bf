"""What the host keeps for understanding by language models: answers, spending, programs, and a bell for its people.

Four small ports, and a double of each that keeps nothing; `ConversationStores` holds those of one conversation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from dialogue.engine.ports.commands import Command
from dialogue.engine.understanding import Usage
from dialogue.nlu.budgets import Budget, Spending
from dialogue.nlu.llm.programs import LLMProgram


class AnswerStore(Protocol):
    """What was answered before in the same context, by key; a shared answer holds no value of anybody's."""

    async def recall(self, key: str) -> tuple[Command, ...] | None: ...

    async def keep(self, key: str, commands: Sequence[Command], *, shared: bool) -> None: ...


class SpendingStore(Protocol):
    """What the conversation has spent so far, and all of its address in a day; and what this message adds to it."""

    async def conversation_spending(self) -> Spending: ...

    async def address_spending(self) -> Spending: ...

    async def charge(self, usage: Usage, seconds: float) -> None: ...


class ProgramStore(Protocol):
    """The program that serves the assistant now; None is the built-in one."""

    async def serving_program(self) -> LLMProgram | None: ...


class AlertSink(Protocol):
    """Tells whoever runs the installation what only they can mend, once, until it works again."""

    async def key_refused(self, model: str) -> None: ...

    async def key_works(self, model: str) -> None: ...


class NullAnswerStore:
    """Everything is asked anew."""

    async def recall(self, key: str) -> tuple[Command, ...] | None:
        return None

    async def keep(self, key: str, commands: Sequence[Command], *, shared: bool) -> None:
        return None


class NullSpendingStore:
    """Nobody counts."""

    async def conversation_spending(self) -> Spending:
        return Spending()

    async def address_spending(self) -> Spending:
        return Spending()

    async def charge(self, usage: Usage, seconds: float) -> None:
        return None


@dataclass(frozen=True)
class FixedProgramStore:
    """Always the same program."""

    program: LLMProgram | None = None

    async def serving_program(self) -> LLMProgram | None:
        return self.program


class NullAlertSink:
    """There is nobody to be told."""

    async def key_refused(self, model: str) -> None:
        return None

    async def key_works(self, model: str) -> None:
        return None


@dataclass(frozen=True)
class ConversationStores:
    """The host's four, for one conversation; without a host nothing is kept."""

    answers: AnswerStore = field(default_factory=NullAnswerStore)
    spending: SpendingStore = field(default_factory=NullSpendingStore)
    programs: ProgramStore = field(default_factory=FixedProgramStore)
    alerts: AlertSink = field(default_factory=NullAlertSink)


async def exhausted_budget(budget: Budget, store: SpendingStore) -> str:
    """What of the budget is used up, such as "calls for this conversation"; "" when there is some left."""
    for limits, spending, subject in (
        (budget.conversation, store.conversation_spending, "this conversation"),
        (budget.address, store.address_spending, "this address today"),
    ):
        name = limits.exhausted_by(await spending())
        if name:
            return f"{name} for {subject}"
    return ""


NO_STORES = ConversationStores()
"""Understanding by itself, as in tests and evaluations."""
