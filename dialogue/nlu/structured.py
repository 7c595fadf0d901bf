"""What needs no language at all: nothing, too much, lines for a gate, and the values and labels of buttons."""

import re

from dialogue.engine.choices import commands_of_choice
from dialogue.engine.commands import CannotHandle, Command
from dialogue.nlu.proposal import Proposal
from dialogue.nlu.utterance import Utterance

LONGEST_MESSAGE = 4_000
GATE_LINE = re.compile(r"@g[0-9]")


class Structured:
    """Buttons and lines; no model."""

    name = "structured"

    async def consider(self, said: Utterance) -> Proposal | None:
        commands = _refusal(said) or commands_of_choice(said.context.awaited, said.text)
        return Proposal(commands) if commands else None


def _refusal(said: Utterance) -> tuple[Command, ...]:
    if not said.text:
        return (CannotHandle("empty message"),)
    if len(said.text) > LONGEST_MESSAGE:
        return (CannotHandle("message too long"),)
    if GATE_LINE.match(said.text):
        return (CannotHandle("a line for a gate"),)
    return ()
