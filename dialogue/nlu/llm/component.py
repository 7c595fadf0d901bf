"""Pipeline component that asks the language model, within the time limit and the budget.

After a failure (no answer, a bad answer, a refused key) the best proposal of the other components is used, and the
turn's record names the failure.
"""

import asyncio
import logging
import random
from collections.abc import Sequence
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING

from dialogue.circuit_breaker import CircuitBreaker
from dialogue.engine.ports.commands import Command, SetSlot, StartFlow
from dialogue.nlu.llm.answer_cache import answer_key, is_shareable, may_ask_model
from dialogue.nlu.llm.model_answer import Said, SlotSaid, TooManyCommands, read_commands, read_slot_values, stored_value
from dialogue.nlu.llm.ports import NO_STORES, ConversationStores, exhausted_budget
from dialogue.nlu.llm.programs import LLMProgram
from dialogue.nlu.llm.prompts import (
    MAX_DETAILED_FLOWS,
    Prompt,
    build_prompt,
    candidate_flows,
    collectable_slots,
    describe_slot,
)
from dialogue.nlu.llm.redaction import RedactedMessage
from dialogue.nlu.readers.proposal import Proposal
from dialogue.nlu.settings import NLUSettings
from dialogue.nlu.slots.utterance import Utterance

if TYPE_CHECKING:
    from dialogue.nlu.llm.client import ModelCalls

log = logging.getLogger(__name__)

CONFIDENCE = 0.8
# A refused key stays refused until an administrator changes it.
REFUSED_KEY_PAUSE_SECONDS = 300.0
RETRY_SECONDS = (0.1, 0.4)
"""Range of the random delay before the first retry; it doubles with each retry."""


@cache
def breaker_for(settings: NLUSettings) -> CircuitBreaker:
    """The circuit breaker for a model at an address. All assistants of the process share it."""
    return CircuitBreaker(settings.max_failures)


class LLMComponent:
    """Asks `SoniDU` with the likeliest flows, then `SlotExtractor` if the prompt lacked the started flow's slots."""

    name = "llm"

    def __init__(self, settings: NLUSettings, stores: ConversationStores = NO_STORES) -> None:
        self._settings = settings
        self._stores = stores
        self._breaker = breaker_for(settings)

    async def propose(self, utterance: Utterance) -> Proposal | None:
        if not may_ask_model(utterance):
            return None
        if self._breaker.is_open:
            return _not_asked("it failed before")
        exhausted = await exhausted_budget(self._settings.budget, self._stores.spending)
        if exhausted:
            return _not_asked(f"no more {exhausted}")
        return await self._ask_within_budget(utterance)

    async def _ask_within_budget(self, utterance: Utterance) -> Proposal:
        from dialogue.nlu.llm.client import ModelCalls

        prompt, program = build_prompt(utterance), await self._stores.programs.serving_program()
        calls = ModelCalls(self._settings, program)
        started = perf_counter()
        try:
            return await self._proposal(utterance, prompt, calls, program)
        finally:
            await self._stores.spending.charge(calls.usage(), perf_counter() - started)

    async def _proposal(
        self, utterance: Utterance, prompt: Prompt, calls: "ModelCalls", program: LLMProgram | None
    ) -> Proposal:
        from dialogue.nlu.llm.client import ModelCallFailed

        try:
            async with asyncio.timeout(self._settings.time_limit):
                commands = await self._ask_both_passes(utterance, prompt, calls)
        except TimeoutError:
            return self._failed_proposal("no answer in time", prompt, calls)
        except TooManyCommands as error:
            return self._failed_proposal(f"bad answer: {error}", prompt, calls)
        except ModelCallFailed as error:
            if error.is_key_refused:
                log.error("The provider refused the API key for %s. Check NLU_API_KEY.", self._settings.model)
                self._breaker.open_for(REFUSED_KEY_PAUSE_SECONDS)
                await self._stores.alerts.key_refused(self._settings.model)
            return self._failed_proposal(str(error), prompt, calls)
        except Exception as error:
            # An answer may be valid JSON and still break its reader. The turn must go on without it.
            log.exception("The answer of the language model could not be read.")
            return self._failed_proposal(f"bad answer: {type(error).__name__}", prompt, calls)
        self._breaker.record_success()
        await self._stores.alerts.key_works(self._settings.model)
        await self._store_answer(prompt, commands, program)
        return Proposal(commands, CONFIDENCE, usage=calls.usage(), note=calls.note, prompt=calls.prompt_text(prompt))

    async def _ask_both_passes(self, utterance: Utterance, prompt: Prompt, calls: "ModelCalls") -> tuple[Command, ...]:
        answer = await self._ask_with_retries(calls, prompt)
        commands = read_commands(answer, utterance, prompt.message.restore)
        flow = self._flow_without_values(commands, utterance)
        if flow is None:
            return commands
        return (*commands, *await _ask_values(flow, utterance, prompt.message, calls))

    async def _ask_with_retries(self, calls: "ModelCalls", prompt: Prompt) -> Sequence[Said]:
        """Retry with exponential backoff and jitter after a failure that may pass."""
        from dialogue.nlu.llm.client import ModelCallFailed

        for attempt in range(self._settings.retries):
            try:
                return await calls.ask_commands(prompt)
            except ModelCallFailed as error:
                if not error.is_retryable:
                    raise
            await asyncio.sleep(random.uniform(*RETRY_SECONDS) * 2**attempt)
        return await calls.ask_commands(prompt)

    def _flow_without_values(self, commands: Sequence[Command], utterance: Utterance) -> str | None:
        """The flow that was started without any value because the prompt did not show its slots, or None."""
        started = [command.flow for command in commands if isinstance(command, StartFlow)]
        if len(started) != 1 or any(isinstance(command, SetSlot) for command in commands):
            return None
        detailed = candidate_flows(utterance)[:MAX_DETAILED_FLOWS]
        flow_index = utterance.assistant_index.flows.get(started[0])
        return started[0] if flow_index and started[0] not in detailed and collectable_slots(flow_index) else None

    def _failed_proposal(self, reason: str, prompt: Prompt, calls: "ModelCalls") -> Proposal:
        self._breaker.record_failure()
        log.warning("The language model gave no usable answer: %s", reason)
        return Proposal((), 0.0, decided=False, usage=calls.usage(), note=reason, prompt=calls.prompt_text(prompt))

    async def _store_answer(self, prompt: Prompt, commands: tuple[Command, ...], program: LLMProgram | None) -> None:
        """Cache the answer, unless the message held sensitive values."""
        if not prompt.message.originals:
            key = answer_key(prompt, self._settings, program)
            await self._stores.answers.keep(key, commands, shared=is_shareable(prompt, commands))


def _not_asked(reason: str) -> Proposal:
    return Proposal((), 0.0, decided=False, note=f"not asked: {reason}")


async def _ask_values(flow: str, utterance: Utterance, message: RedactedMessage, calls: "ModelCalls") -> list[Command]:
    slots = {slot.name: slot for slot in collectable_slots(utterance.assistant_index.flows[flow])}
    answer: Sequence[SlotSaid] = await calls.ask_slot_values(
        [describe_slot(slot, utterance) for slot in slots.values()], message.text
    )
    pairs = [
        (slots[name], words) for name, words in read_slot_values(answer, utterance, message.restore) if name in slots
    ]
    return [SetSlot(slot.name, stored_value(slot, words, utterance), words) for slot, words in pairs]
