"""What the host keeps for understanding by language models: answers, spending, programs, and a bell for its people.

Four small ports, and a double of each that keeps nothing; `Backing` holds those of one conversation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from dialogue.engine.ports.commands import Command
from dialogue.engine.understanding import Usage
from dialogue.nlu.llm.budgets import Budget, Spent
from dialogue.nlu.llm.programs import Artefact


class Answers(Protocol):
    """What was answered before in the same context, by key; a shared answer holds no value of anybody's."""

    async def recall(self, key: str) -> tuple[Command, ...] | None: ...

    async def keep(self, key: str, commands: Sequence[Command], *, shared: bool) -> None: ...


class Purse(Protocol):
    """What the conversation has spent so far, and all of its address in a day; and what this message adds to it."""

    async def spent(self) -> Spent: ...

    async def spent_by_address(self) -> Spent: ...

    async def charge(self, usage: Usage, seconds: float) -> None: ...


class Shelf(Protocol):
    """The program that serves the assistant now; None is the built-in one."""

    async def serving(self) -> Artefact | None: ...


class Bell(Protocol):
    """Tells whoever runs the installation what only they can mend, once, until it works again."""

    async def key_refused(self, model: str) -> None: ...

    async def key_works(self, model: str) -> None: ...


class NoAnswers:
    """Everything is asked anew."""

    async def recall(self, key: str) -> tuple[Command, ...] | None:
        return None

    async def keep(self, key: str, commands: Sequence[Command], *, shared: bool) -> None:
        return None


class OpenPurse:
    """Nobody counts."""

    async def spent(self) -> Spent:
        return Spent()

    async def spent_by_address(self) -> Spent:
        return Spent()

    async def charge(self, usage: Usage, seconds: float) -> None:
        return None


@dataclass(frozen=True)
class OneProgram:
    """Always the same program."""

    program: Artefact | None = None

    async def serving(self) -> Artefact | None:
        return self.program


class NoBell:
    """There is nobody to be told."""

    async def key_refused(self, model: str) -> None:
        return None

    async def key_works(self, model: str) -> None:
        return None


@dataclass(frozen=True)
class Backing:
    """The host's four, for one conversation; without a host nothing is kept."""

    answers: Answers = field(default_factory=NoAnswers)
    purse: Purse = field(default_factory=OpenPurse)
    shelf: Shelf = field(default_factory=OneProgram)
    bell: Bell = field(default_factory=NoBell)


async def used_up(budget: Budget, purse: Purse) -> str:
    """What of the budget is used up, such as "calls for this conversation"; "" when there is some left."""
    for limits, spent, whose in (
        (budget.conversation, purse.spent, "this conversation"),
        (budget.address, purse.spent_by_address, "this address today"),
    ):
        name = limits.reached(await spent())
        if name:
            return f"{name} for {whose}"
    return ""


ALONE = Backing()
"""Understanding by itself, as in tests and evaluations."""
