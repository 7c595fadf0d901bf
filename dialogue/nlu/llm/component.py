"""The part that asks a language model: only when the parts before it are not sure, and never for longer than allowed.

Whatever goes wrong – no answer, a bad one, a wrong key – the other parts' best answer is used, and the turn says so.
"""

import asyncio
import logging
import random
from collections.abc import Sequence
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING

from dialogue.engine.ports.commands import Command, SetSlot, StartFlow
from dialogue.nlu.llm.answer_cache import answer_key, is_of_nobody, may_be_asked
from dialogue.nlu.llm.breaker import Breaker
from dialogue.nlu.llm.model_answer import Said, SlotSaid, TooManyCommands, commands_from, stored_value, values_from
from dialogue.nlu.llm.ports import ALONE, Backing, used_up
from dialogue.nlu.llm.programs import Artefact
from dialogue.nlu.llm.prompts import MOST_DETAILED, Prompt, candidate_flows, described, open_slots, read_prompt
from dialogue.nlu.llm.redaction import Masked
from dialogue.nlu.readers.proposal import Proposal
from dialogue.nlu.settings import NLUSettings
from dialogue.nlu.slots.utterance import Utterance

if TYPE_CHECKING:
    from dialogue.nlu.llm.client import Conversation

log = logging.getLogger(__name__)

CONFIDENCE = 0.8
# A wrong key stays wrong until somebody does something about it.
WRONG_KEY_PAUSE = 300.0
RETRY_AFTER = (0.1, 0.4)


@cache
def breaker_of(settings: NLUSettings) -> Breaker:
    """One a model and address, shared by every assistant of the process."""
    return Breaker(settings.most_failures)


class LanguageModel:
    """`SoniDU` over the likeliest flows, then `SlotExtractor` where a started flow's slots were not in view."""

    name = "llm"

    def __init__(self, settings: NLUSettings, backing: Backing = ALONE) -> None:
        self._settings = settings
        self._backing = backing
        self._breaker = breaker_of(settings)

    async def consider(self, utterance: Utterance) -> Proposal | None:
        if not may_be_asked(utterance):
            return None
        if self._breaker.is_open:
            return _not_asked("it failed before")
        missing = await used_up(self._settings.budget, self._backing.purse)
        if missing:
            return _not_asked(f"no more {missing}")
        return await self._asked(utterance)

    async def _asked(self, utterance: Utterance) -> Proposal:
        from dialogue.nlu.llm.client import Conversation

        prompt, program = read_prompt(utterance), await self._backing.shelf.serving()
        talk = Conversation(self._settings, program)
        began = perf_counter()
        try:
            return await self._answered(utterance, prompt, talk, program)
        finally:
            await self._backing.purse.charge(talk.usage(), perf_counter() - began)

    async def _answered(
        self, utterance: Utterance, prompt: Prompt, talk: "Conversation", program: Artefact | None
    ) -> Proposal:
        from dialogue.nlu.llm.client import Failure

        try:
            async with asyncio.timeout(self._settings.time_limit):
                commands = await self._commands(utterance, prompt, talk)
        except TimeoutError:
            return self._failed("no answer in time", prompt, talk)
        except TooManyCommands as why:
            return self._failed(f"bad answer: {why}", prompt, talk)
        except Failure as why:
            if why.wrong_key:
                await self._refused_key()
            return self._failed(str(why), prompt, talk)
        except Exception as error:
            # An answer may be valid JSON and still break what reads it; the message must not fail with it.
            log.exception("an answer of the language model could not be read")
            return self._failed(f"bad answer: {type(error).__name__}", prompt, talk)
        await self._works()
        await self._keep(prompt, commands, program)
        return Proposal(commands, CONFIDENCE, usage=talk.usage(), note=talk.note, prompt=talk.prompt(prompt))

    async def _commands(self, utterance: Utterance, prompt: Prompt, talk: "Conversation") -> tuple[Command, ...]:
        answer = await self._patiently(talk, prompt)
        commands = commands_from(answer, utterance, prompt.message.undone)
        unseen = self._unseen(commands, utterance)
        if unseen is None:
            return commands
        return (*commands, *await _second_pass(unseen, utterance, prompt.message, talk))

    async def _patiently(self, talk: "Conversation", prompt: Prompt) -> Sequence[Said]:
        """Ask again after a failure that may pass, a little later each time, by chance."""
        from dialogue.nlu.llm.client import Failure

        for attempt in range(self._settings.retries):
            try:
                return await talk.commands(prompt)
            except Failure as why:
                if not why.may_pass:
                    raise
            await asyncio.sleep(random.uniform(*RETRY_AFTER) * 2**attempt)
        return await talk.commands(prompt)

    def _unseen(self, commands: Sequence[Command], utterance: Utterance) -> str | None:
        """The flow that was started without its slots in view and without any value."""
        started = [command.flow for command in commands if isinstance(command, StartFlow)]
        if len(started) != 1 or any(isinstance(command, SetSlot) for command in commands):
            return None
        seen = candidate_flows(utterance)[:MOST_DETAILED]
        sense = utterance.program.senses.get(started[0])
        return started[0] if sense and started[0] not in seen and open_slots(sense) else None

    def _failed(self, why: str, prompt: Prompt, talk: "Conversation") -> Proposal:
        self._breaker.failed()
        log.warning("the language model gave no answer: %s", why)
        return Proposal((), 0.0, decided=False, usage=talk.usage(), note=why, prompt=talk.prompt(prompt))

    async def _refused_key(self) -> None:
        log.error("the key for %s was refused; see NLU_API_KEY", self._settings.model)
        self._breaker.open_for(WRONG_KEY_PAUSE)
        await self._backing.bell.key_refused(self._settings.model)

    async def _works(self) -> None:
        self._breaker.succeeded()
        await self._backing.bell.key_works(self._settings.model)

    async def _keep(self, prompt: Prompt, commands: tuple[Command, ...], program: Artefact | None) -> None:
        """For the next time; a message that held sensitive values leaves nothing behind."""
        if not prompt.message.hidden:
            key = answer_key(prompt, self._settings, program)
            await self._backing.answers.keep(key, commands, shared=is_of_nobody(prompt, commands))


def _not_asked(why: str) -> Proposal:
    return Proposal((), 0.0, decided=False, note=f"not asked: {why}")


async def _second_pass(flow: str, utterance: Utterance, message: Masked, talk: "Conversation") -> list[Command]:
    slots = {slot.name: slot for slot in open_slots(utterance.program.senses[flow])}
    answer: Sequence[SlotSaid] = await talk.values([described(slot) for slot in slots.values()], message.text)
    pairs = [(slots[name], words) for name, words in values_from(answer, utterance, message.undone) if name in slots]
    return [SetSlot(slot.name, stored_value(slot, words, utterance), words) for slot, words in pairs]
