"""What a part of the chain says about a message."""

from dataclasses import dataclass, field
from typing import Protocol

from dialogue.engine.ports.commands import Command
from dialogue.engine.understanding import Usage
from dialogue.nlu.slots.utterance import Utterance


@dataclass(frozen=True)
class Proposal:
    """Commands with a confidence between 0 and 1; `decided` when no further part needs to be asked.

    `note` is what the turn's record says about the part, `prompt` what a language model was shown.
    """

    commands: tuple[Command, ...]
    confidence: float = 1.0
    decided: bool = True
    usage: Usage = field(default_factory=Usage)
    note: str = ""
    prompt: str = ""


class NLUComponent(Protocol):
    """One link of the chain: answers, or passes on with None."""

    name: str

    async def propose(self, utterance: Utterance) -> Proposal | None: ...
