"""What a component of the pipeline proposes for a message, and how sure it is."""

from dataclasses import dataclass, field
from typing import Protocol

from dialogue.engine.ports.commands import Command
from dialogue.engine.understanding import Usage
from dialogue.nlu.slots.utterance import Utterance

# How sure the readers are, from 0 to 1. A proposal from SURE_CONFIDENCE on may leave a word unexplained before a
# language model is asked. Otherwise the number is for the record of the turn, and the surer of two undecided
# proposals is taken.
EXPLICIT_CONFIDENCE = 0.9  # the message names the command, and what it is about: "cancel the transfer"
CUED_CONFIDENCE = 0.85  # a word such as "yes" or "make it" shows the meaning, and the rest agrees
ANSWER_CONFIDENCE = 0.8  # what is asked for stands in the message, beside other words
SENTENCE_CONFIDENCE = 0.7  # text that a sentence gives for the question
LIKELY_CONFIDENCE = 0.6  # the likeliest of several meanings
WHOLE_MESSAGE_CONFIDENCE = 0.5  # it fits what is asked for, and nothing else fits
SURE_CONFIDENCE = 0.5
UNCUED_CONFIDENCE = 0.4  # the value fits a slot, and no word says that it is meant for it


@dataclass(frozen=True)
class Proposal:
    """Commands with a confidence between 0 and 1; `decided` when later components need not be asked.

    `note` is for the record of the turn, `prompt` is what a language model was shown. `is_story`: the message asks for
    a flow indirectly, so that values are read with care.
    """

    commands: tuple[Command, ...]
    confidence: float = 1.0
    decided: bool = True
    usage: Usage = field(default_factory=Usage)
    note: str = ""
    prompt: str = ""
    is_story: bool = False


class NLUComponent(Protocol):
    """One link of the chain: answers, or passes on with None."""

    name: str

    async def propose(self, utterance: Utterance) -> Proposal | None: ...
