"""Pydantic AI: run an agent, and let people decide its deferred calls of tools.

    assistant = Agent(model, output_type=[str, DeferredToolRequests])
    result = run_with_people(assistant, "Refund W-77", client=client, agent="refunds", thread="th_7d21c9",
                             timeout="30m", on_timeout="reject")

Calls of tools with `requires_approval` are approved, changed or denied; people answer calls of external tools. To go on
after a restart, store the messages and the `DeferredToolRequests` of a paused run yourself, and call `ask_people`.
"""

from typing import Any

from pydantic import TypeAdapter
from pydantic_ai import DeferredToolRequests, DeferredToolResults

from soni_client.adapters.pauses import NotDecided, decided, options_of_pause
from soni_client.async_client import AsyncClient
from soni_client.client import Client
from soni_client.shapes import AgentAnswer

__all__ = ["NotDecided", "aask_people", "arun_with_people", "ask_people", "run_with_people"]


def run_with_people(assistant: Any, prompt: Any, *, run: dict[str, Any] | None = None, **people: Any) -> Any:
    """Run the agent until it ends. `run` has further arguments of `assistant.run`; `people` are those of `ask_people`.

    Raises Refusal, NotDecided, StillWaiting.
    """
    result = assistant.run_sync(prompt, **(run or {}))
    while isinstance(result.output, DeferredToolRequests):
        results = ask_people(result.output, **people)
        result = assistant.run_sync(**_next_run(run, result, results))
    return result


async def arun_with_people(assistant: Any, prompt: Any, *, run: dict[str, Any] | None = None, **people: Any) -> Any:
    """The same with asyncio."""
    result = await assistant.run(prompt, **(run or {}))
    while isinstance(result.output, DeferredToolRequests):
        results = await aask_people(result.output, **people)
        result = await assistant.run(**_next_run(run, result, results))
    return result


def ask_people(requests: Any, *, client: Client, agent: str, thread: str, **options: Any) -> Any:
    """Ask about `DeferredToolRequests`, and return `DeferredToolResults`; `options` are those of `ask`."""
    answer = client.ask(_ask_of(requests), **_options_of(requests, agent, thread, options))
    return _results_of(requests, answer)


async def aask_people(requests: Any, *, client: AsyncClient, agent: str, thread: str, **options: Any) -> Any:
    """The same with asyncio."""
    answer = await client.ask(_ask_of(requests), **_options_of(requests, agent, thread, options))
    return _results_of(requests, answer)


def _next_run(run: dict[str, Any] | None, result: Any, results: Any) -> dict[str, Any]:
    return {**(run or {}), "message_history": result.all_messages(), "deferred_tool_results": results}


def _ask_of(requests: Any) -> dict[str, Any]:
    ask = TypeAdapter(DeferredToolRequests).dump_python(requests, mode="json")
    return {"approvals": ask["approvals"], "calls": ask["calls"]}


def _call_ids(requests: Any) -> list[str]:
    return [part.tool_call_id for part in (*requests.approvals, *requests.calls)]


def _options_of(requests: Any, agent: str, thread: str, options: dict[str, Any]) -> Any:
    return options_of_pause("pydantic-ai", agent, thread, _call_ids(requests), options)


def _results_of(requests: Any, answer: AgentAnswer) -> Any:
    results = decided(answer)
    # The framework wants a result for every call.
    if {*results["approvals"], *results["calls"]} != {*_call_ids(requests)}:
        raise NotDecided(answer)
    return TypeAdapter(DeferredToolResults).validate_python(results)
