"""LangGraph: run a graph, and let people answer its interrupts.

    result = run_with_people(graph, {"order": "W-77"}, config, client=client, agent="refunds",
                             timeout="30m", on_timeout="reject")

The graph needs a checkpointer. After a restart call it again with None in place of the input: a pause that is still
open finds its request. Agents of LangChain are graphs; their middleware's pauses are understood too.
"""

from typing import Any

from langgraph.types import Command

from soni_client.adapters.pauses import NotDecided, decided, options_of_pause
from soni_client.async_client import AsyncClient
from soni_client.client import Client

__all__ = ["NotDecided", "arun_with_people", "run_with_people"]


def run_with_people(graph: Any, value: Any, config: Any, *, client: Client, agent: str, **options: Any) -> Any:
    """Invoke the graph until it ends; `options` are those of `ask`. Raises Refusal, NotDecided, StillWaiting."""
    result = graph.invoke(value, config)
    while interrupts := result.get("__interrupt__"):
        saved = graph.checkpointer.get_tuple(config)
        answer = client.ask(_ask_of(interrupts), **_options_of(interrupts, saved, config, agent, options))
        result = graph.invoke(Command(resume=decided(answer)), config)
    return result


async def arun_with_people(
    graph: Any, value: Any, config: Any, *, client: AsyncClient, agent: str, **options: Any
) -> Any:
    """The same with asyncio."""
    result = await graph.ainvoke(value, config)
    while interrupts := result.get("__interrupt__"):
        saved = await graph.checkpointer.aget_tuple(config)
        answer = await client.ask(_ask_of(interrupts), **_options_of(interrupts, saved, config, agent, options))
        result = await graph.ainvoke(Command(resume=decided(answer)), config)
    return result


def _ask_of(interrupts: Any) -> list[dict[str, Any]]:
    return [
        {"id": pause.id, "value": pause.value}
        | ({"response_schema": pause.response_schema} if isinstance(pause.response_schema, dict) else {})
        for pause in interrupts
    ]


def _options_of(interrupts: Any, saved: Any, config: Any, agent: str, options: dict[str, Any]) -> dict[str, Any]:
    thread = str(config["configurable"]["thread_id"])
    # Two interrupts of one node have the same id; the answers that the node has had so far tell them apart.
    resumes = [value for _task, channel, value in saved.pending_writes or () if channel == "__resume__"]
    return options_of_pause("langgraph", agent, thread, [_ask_of(interrupts), resumes], options)
