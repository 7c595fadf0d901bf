"""One message asked of a language model that does not serve yet, to see its answer, its time and its cost."""

import asyncio
from dataclasses import dataclass, replace
from decimal import Decimal
from importlib.util import find_spec
from time import perf_counter

from dialogue.engine.ports.commands import Command, to_plain
from dialogue.engine.understanding import NLUContext, Usage
from dialogue.nlu.budgets import Budget
from dialogue.nlu.llm.model_answer import TooManyCommands, read_commands
from dialogue.nlu.llm.prompts import build_prompt
from dialogue.nlu.readers.command_filter import filter_commands
from dialogue.nlu.settings import NLUSettings
from dialogue.nlu.slots.assistant_index import AssistantIndex
from dialogue.nlu.slots.utterance import read_utterance


@dataclass(frozen=True)
class ModelTrial:
    """The answer to one message. `failure` says why there is none; then `commands` is empty.

    `commands` are in the form of scenarios, `seconds` the time of the whole call, `cost` the money by the prices of
    the budget, in their currency; 0 where no prices are set.
    """

    commands: tuple[object, ...]
    seconds: float
    usage: Usage
    cost: Decimal
    failure: str = ""


def is_dspy_installed() -> bool:
    """Return whether the extra `llm` is installed, without importing it."""
    return find_spec("dspy") is not None


async def try_model(settings: NLUSettings, message: str, context: NLUContext) -> ModelTrial:
    """Ask the model of `settings` what the message means. Nothing is stored, cached or charged to a conversation.

    Raises ModuleNotFoundError without the extra `llm`.
    """
    from dialogue.nlu.llm.client import ModelCallFailed, ModelCalls

    # Without prices of tokens the cost is 0. The limits of conversations do not apply to one call.
    single = replace(settings, budget=Budget(prices=settings.budget.prices))
    utterance = read_utterance(message, context, AssistantIndex(context.assistant))
    calls, prompt, started = ModelCalls(single), build_prompt(utterance), perf_counter()
    commands: tuple[Command, ...] = ()
    failure = ""
    try:
        async with asyncio.timeout(settings.time_limit):
            answer = await calls.ask_commands(prompt)
        commands, _dropped = filter_commands(read_commands(answer, utterance, prompt.message.restore), utterance)
    except TimeoutError:
        failure = f"no answer in {settings.time_limit:g} seconds"
    except (ModelCallFailed, TooManyCommands) as error:
        failure = str(error)
    usage = calls.usage()
    return ModelTrial(
        tuple(map(to_plain, commands)), perf_counter() - started, usage, settings.budget.prices.cost(usage), failure
    )
