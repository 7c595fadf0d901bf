"""What a language model has answered to the same message in the same context, so that it is not asked again.

The key covers everything that the model is shown, the model, its program and the day. An answer that holds values, or
was given where values were in view, stays within its conversation.
"""

import json
from collections.abc import Iterable
from dataclasses import fields

from dialogue.engine.ports.commands import BUILT_IN, Command, CorrectSlot, Digress, HandOff, OfferChange, SetSlot
from dialogue.nlu.llm.ports import ALONE, Backing
from dialogue.nlu.llm.programs import Artefact, digest, signature_digest
from dialogue.nlu.llm.prompts import Prompt, read_prompt
from dialogue.nlu.readers.proposal import Proposal
from dialogue.nlu.settings import NLUSettings
from dialogue.nlu.slots.utterance import Utterance

CONFIDENCE = 0.8
WITH_WORDS = (SetSlot, CorrectSlot, OfferChange, HandOff, Digress)
"""Commands that carry something of the message."""


class AnsweredBefore:
    """The part of the chain that stands before the language model."""

    name = "cache"

    def __init__(self, settings: NLUSettings, backing: Backing = ALONE) -> None:
        self._settings = settings
        self._backing = backing

    async def consider(self, utterance: Utterance) -> Proposal | None:
        if not may_be_asked(utterance):
            return None
        key = answer_key(read_prompt(utterance), self._settings, await self._backing.shelf.serving())
        commands = await self._backing.answers.recall(key)
        if commands is None:
            return None
        return Proposal(commands, CONFIDENCE, note=f"as {self._settings.model} answered before")


def may_be_asked(utterance: Utterance) -> bool:
    """Nothing, and what answers a sensitive question, is no language model's business."""
    slot = utterance.awaited_slot
    return bool(utterance.text) and not (slot is not None and slot.sensitive)


def answer_key(prompt: Prompt, settings: NLUSettings, program: Artefact | None) -> str:
    """Different wherever the answer might be; "tomorrow" is another day tomorrow."""
    made_by = [settings.model, settings.api_base, program.sha256 if program else "", signature_digest()]
    return digest(json.dumps([made_by, prompt.day, prompt.fields()], sort_keys=True))


def is_of_nobody(prompt: Prompt, commands: Iterable[Command]) -> bool:
    """Does the answer hold nothing of this user's, nor was anything of theirs in view?"""
    return prompt.has_no_values and not any(_may_hold_words(command) for command in commands)


def _may_hold_words(command: Command) -> bool:
    """Whatever a project's own command carries may be the user's."""
    return isinstance(command, WITH_WORDS) or (type(command) not in BUILT_IN and bool(fields(command)))
