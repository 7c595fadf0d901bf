"""Client for language models: the calls for one message, through DSPy. Imports DSPy: import this module lazily."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache
from typing import Any

# Must be set before DSPy is imported; otherwise it downloads a list of prices at its first call.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

import dspy
from dspy.lm15 import AccessPolicy, ModelSupport, OpenAIChatCompat, ProviderDefinition, register_provider

from dialogue.engine.understanding import Usage
from dialogue.nlu.llm.few_shot import with_nearest_demos
from dialogue.nlu.llm.model_answer import Said, SlotSaid
from dialogue.nlu.llm.programs import LLMProgram
from dialogue.nlu.llm.prompts import Prompt
from dialogue.nlu.llm.signatures import Rephrasing, SlotExtractor, SoniDU
from dialogue.nlu.settings import NLUSettings

ENDPOINT = "soni-endpoint"


class ModelCallFailed(Exception):
    """The model gave no usable answer. `is_retryable`: asking again may help; `is_key_refused`: the key is wrong."""

    def __init__(self, message: str, *, is_retryable: bool = False, is_key_refused: bool = False) -> None:
        super().__init__(message)
        self.is_retryable = is_retryable
        self.is_key_refused = is_key_refused


class ModelCalls:
    """The calls for one message and their usage; at most as many as the budget of a turn allows."""

    def __init__(self, settings: NLUSettings, program: LLMProgram | None = None) -> None:
        self._lm = dspy_model(settings)
        self._settings = settings
        self._program = program
        self._calls: list[dict[str, Any]] = []
        self.note = f"{settings.model}, {program_label(program)}, DSPy {dspy.__version__}"

    async def ask_commands(self, prompt: Prompt) -> Sequence[Said]:
        """Pass 1: the commands of the message. Raises ModelCallFailed."""
        limit = self._settings.budget.turn.calls
        module = SoniDU(
            with_nearest_demos(self._program, prompt.fields()), repairs=int(not limit or len(self._calls) + 1 < limit)
        )
        return list((await self._call(lambda: module.acall(**prompt.fields()))).commands)

    async def ask_slot_values(self, slots: list[dict[str, Any]], message: str) -> Sequence[SlotSaid]:
        """Pass 2: values for these slots, each a dict as made by `describe_slot`. Raises ModelCallFailed."""
        answer = await self._call(lambda: SlotExtractor().acall(slots=slots, message=message))
        return list(answer["values"])  # `answer.values` would be the method, as of a dictionary

    async def ask_rephrasing(self, text: str, language: str) -> str:
        """The text in other words. Raises ModelCallFailed and TimeoutError."""
        async with asyncio.timeout(self._settings.time_limit):
            answer = await self._call(lambda: Rephrasing().acall(text=text, language=language))
        return str(answer.rephrased)

    async def _call(self, module: Callable[[], Awaitable[Any]]) -> Any:
        budget = self._settings.budget
        exhausted = budget.turn.exhausted_by(budget.spending_of(self.usage()))
        if exhausted:
            raise ModelCallFailed(f"no more {exhausted} for this message")
        lm = self._lm.copy()  # a copy has its own history, from which the usage of this call is read
        try:
            with dspy.context(lm=lm, adapter=dspy.JSONAdapter()):
                return await module()
        except dspy.AdapterParseError as error:
            raise ModelCallFailed("bad answer, twice" if len(lm.history) > 1 else "bad answer") from error
        except dspy.LMAuthError as error:
            raise ModelCallFailed("the key was refused", is_key_refused=True) from error
        except dspy.LMNotConfiguredError as error:
            raise ModelCallFailed("there is no key or address for this model") from error
        except (dspy.LMError, dspy.DSPyError) as error:
            status = getattr(error, "status", None)
            label = f"{type(error).__name__}{f' ({status})' if status else ''}"
            raise ModelCallFailed(label, is_retryable=dspy.is_retryable_lm_error(error)) from error
        except Exception as error:  # a JSON decoder's RecursionError, whatever a provider's client raises
            raise ModelCallFailed(f"bad answer: {type(error).__name__}") from error
        finally:
            self._calls += lm.history

    def usage(self) -> Usage:
        """The calls made so far and their tokens."""
        usages = [call.get("usage") or {} for call in self._calls]
        prompt = sum(int(usage.get("prompt_tokens") or 0) for usage in usages)
        completion = sum(int(usage.get("completion_tokens") or 0) for usage in usages)
        return Usage(len(self._calls), prompt, completion, self._settings.model)

    def prompt_text(self, prompt: Prompt) -> str:
        """The part of the prompt that differs between messages, for the turn's record; `note` names the program."""
        return "\n\n".join(f"{name}:\n{text}" for name, text in prompt.fields().items())


def program_label(program: LLMProgram | None) -> str:
    """The name of a program in the turn's record."""
    return f"program {program.sha256[:12]}" if program else "built-in program"


# Few, since a key that was only tried should not stay in memory.
@lru_cache(maxsize=4)
def dspy_model(settings: NLUSettings) -> Any:
    """Return the DSPy model for these settings. DSPy's cache and retries are off: this package has its own."""
    options: dict[str, Any] = {"api_key": settings.api_key} if settings.api_key else {}
    return dspy.LM(
        _registered_model_name(settings),
        cache=False,
        num_retries=0,
        temperature=0.0,
        max_tokens=settings.max_tokens,
        timeout=settings.time_limit,
        **options,
    )


def _registered_model_name(settings: NLUSettings) -> str:
    """Register the server at `api_base` with DSPy, and return the model's name there.

    The server is sent the JSON schema of the answer. Small models fail without it.
    """
    if not settings.api_base:
        return settings.model
    access = AccessPolicy(provider=ENDPOINT, base_url=settings.api_base)
    definition = ProviderDefinition.chat(
        access, compat=OpenAIChatCompat(max_tokens_field="max_tokens"), placeholder_key="none"
    )
    register_provider(definition, supports=ModelSupport(response_schema=True), replace=True)
    return f"{ENDPOINT}/{settings.model.rpartition('/')[2]}"
