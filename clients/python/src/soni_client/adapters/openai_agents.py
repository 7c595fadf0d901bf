"""OpenAI Agents: run an agent, and let people decide the calls of tools with `needs_approval`.

    result = run_with_people(triage, "Refund W-77", client=client, agent="refunds", thread="th_7d21c9",
                             timeout="30m", on_timeout="reject")

To go on after a restart, store `result.to_state().to_json()` of a paused run yourself, and call it with the state
that `RunState.from_json` returns in place of the input: the pause finds its request.
"""

from typing import Any

from soni_client.adapters.pauses import NotDecided, decided, options_of_pause
from soni_client.async_client import AsyncClient
from soni_client.client import Client
from soni_client.shapes import AgentAnswer

__all__ = ["NotDecided", "aask_people", "arun_with_people", "ask_people", "run_with_people"]

DIALECT = "openai-agents"


def run_with_people(starting_agent: Any, value: Any, *, run: dict[str, Any] | None = None, **people: Any) -> Any:
    """Run the agent until it ends. `run` has further arguments of `Runner.run`; `people` are those of `ask_people`.

    Raises Refusal, NotDecided, StillWaiting.
    """
    from agents import Runner

    result = Runner.run_sync(starting_agent, value, **(run or {}))
    while result.interruptions:
        state = ask_people(result.to_state(), **people)
        result = Runner.run_sync(starting_agent, state, **(run or {}))
    return result


async def arun_with_people(starting_agent: Any, value: Any, *, run: dict[str, Any] | None = None, **people: Any) -> Any:
    """The same with asyncio."""
    from agents import Runner

    result = await Runner.run(starting_agent, value, **(run or {}))
    while result.interruptions:
        state = await aask_people(result.to_state(), **people)
        result = await Runner.run(starting_agent, state, **(run or {}))
    return result


def ask_people(state: Any, *, client: Client, agent: str, thread: str, **options: Any) -> Any:
    """Ask about the interruptions of a `RunState`, and return it approved or rejected; `options` are those of `ask`."""
    answer = client.ask(_ask_of(state), **_options_of(state, agent, thread, options))
    return _with_decisions(state, answer)


async def aask_people(state: Any, *, client: AsyncClient, agent: str, thread: str, **options: Any) -> Any:
    """The same with asyncio."""
    answer = await client.ask(_ask_of(state), **_options_of(state, agent, thread, options))
    return _with_decisions(state, answer)


def _ask_of(state: Any) -> Any:
    # The rest of the state is the conversation, which stays with the agent.
    return state.to_json()["current_step"]


def _options_of(state: Any, agent: str, thread: str, options: dict[str, Any]) -> Any:
    return options_of_pause(DIALECT, agent, thread, [_call_id(item) for item in state.get_interruptions()], options)


def _with_decisions(state: Any, answer: AgentAnswer) -> Any:
    decisions = {decision["call_id"]: decision for decision in decided(answer)["decisions"]}
    for item in state.get_interruptions():
        decision = decisions[_call_id(item)]
        if decision["type"] == "approve":
            state.approve(item)
        else:
            # Without a reason the framework says by itself that the call was refused.
            state.reject(item, rejection_message=decision["rejection_message"] or None)
    return state


def _call_id(item: Any) -> str:
    raw = item.raw_item if isinstance(item.raw_item, dict) else vars(item.raw_item)
    return str(raw.get("call_id") or raw["id"])
