"""Cache for answers of the language model: the same message in the same context is not asked twice.

The key covers everything that the model is shown, the model, its program and the day. An answer that holds values, or
that was given where values were in view, is used in its own conversation only.
"""

import json
from collections.abc import Iterable
from dataclasses import fields

from dialogue.engine.ports.commands import (
    BUILT_IN,
    AddValues,
    Command,
    CorrectSlot,
    Digress,
    HandOff,
    Narrow,
    OfferChange,
    RemoveValues,
    SetSlot,
)
from dialogue.nlu.llm.ports import NO_STORES, ConversationStores
from dialogue.nlu.llm.programs import LLMProgram, sha256_of, signature_digest
from dialogue.nlu.llm.prompts import Prompt, build_prompt
from dialogue.nlu.readers.proposal import Proposal
from dialogue.nlu.settings import NLUSettings
from dialogue.nlu.slots.utterance import Utterance

CONFIDENCE = 0.8
COMMANDS_WITH_TEXT = (SetSlot, CorrectSlot, OfferChange, AddValues, RemoveValues, Narrow, HandOff, Digress)
"""Commands that carry text of the message."""


class AnswerCacheComponent:
    """Pipeline component before the language model: answers from the cache."""

    name = "cache"

    def __init__(self, settings: NLUSettings, stores: ConversationStores = NO_STORES) -> None:
        self._settings = settings
        self._stores = stores

    async def propose(self, utterance: Utterance) -> Proposal | None:
        if not may_ask_model(utterance):
            return None
        key = answer_key(build_prompt(utterance), self._settings, await self._stores.programs.serving_program())
        commands = await self._stores.answers.recall(key)
        if commands is None:
            return None
        return Proposal(commands, CONFIDENCE, note=f"as {self._settings.model} answered before")


def may_ask_model(utterance: Utterance) -> bool:
    """Whether a language model may see the message: not where a sensitive slot is awaited, nor when it is empty."""
    slot = utterance.awaited_slot
    return bool(utterance.text) and not (slot is not None and slot.hides_values)


def answer_key(prompt: Prompt, settings: NLUSettings, program: LLMProgram | None) -> str:
    """Cache key of a question. It includes the day, because "tomorrow" is another day tomorrow."""
    made_by = [settings.model, settings.api_base, program.sha256 if program else "", signature_digest()]
    return sha256_of(json.dumps([made_by, prompt.day, prompt.fields()], sort_keys=True))


def is_shareable(prompt: Prompt, commands: Iterable[Command]) -> bool:
    """Whether other conversations may use the answer: it holds no text of this user, and no value was in view."""
    if not prompt.has_no_values:
        return False
    for command in commands:
        # Any field of a project's own command may hold text of the user.
        if isinstance(command, COMMANDS_WITH_TEXT) or (type(command) not in BUILT_IN and fields(command)):
            return False
    return True
