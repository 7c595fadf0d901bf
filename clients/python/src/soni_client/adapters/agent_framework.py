"""Microsoft Agent Framework: run an agent, and let people decide the calls of tools with `always_require`.

    result = await run_with_people(assistant, "Refund W-77", session=session, client=client, agent="refunds",
                                   thread="th_7d21c9", timeout="30m", on_timeout="reject")

To go on after a restart, store the session and the requests (`result.user_input_requests`) of a paused run yourself,
and pass `Message("user", await ask_people(requests, …))`: the pause finds its request.
"""

from typing import Any

from agent_framework import Content, Message

from soni_client.adapters.pauses import NotDecided, decided, options_of_pause
from soni_client.async_client import AsyncClient

__all__ = ["NotDecided", "ask_people", "run_with_people"]


async def run_with_people(
    assistant: Any, messages: Any, *, session: Any, run: dict[str, Any] | None = None, **people: Any
) -> Any:
    """Run the agent until it ends. `run` has further arguments of `run`; `people` are those of `ask_people`.

    Raises Refusal, NotDecided, StillWaiting.
    """
    result = await assistant.run(messages, session=session, **(run or {}))
    while result.user_input_requests:
        responses = await ask_people(result.user_input_requests, **people)
        result = await assistant.run(Message("user", responses), session=session, **(run or {}))
    return result


async def ask_people(requests: list[Any], *, client: AsyncClient, agent: str, thread: str, **options: Any) -> list[Any]:
    """Ask about an agent's requests of approval, and return the contents that answer them."""
    ids = [[request.id, request.function_call.call_id] for request in requests]
    ask = [request.to_dict() for request in requests]
    answer = await client.ask(ask, **options_of_pause("agent-framework", agent, thread, ids, options))
    return [Content.from_dict(response) for response in decided(answer)]
