"""MCP: a client's callback for elicitation, by which people answer what a server's tool asks.

    callback = elicitation_callback(client=client, agent="shop", thread="th_7d21c9", timeout="30m", on_timeout="cancel")
    async with Client(server, elicitation_callback=callback) as mcp:
        result = await mcp.call_tool("issue_refund", {})

It serves requests in the middle of a call and results with `inputRequests`. A thread is one piece of work: what is
asked in it again after a restart, in the same order, finds its request. Take a new thread for new work.
"""

from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

from mcp.types import ElicitResult

from soni_client.adapters.pauses import NotDecided, decided, options_of_pause
from soni_client.async_client import AsyncClient

__all__ = ["NotDecided", "elicitation_callback"]


def elicitation_callback(
    *, client: AsyncClient, agent: str, thread: str, **options: Any
) -> Callable[[Any, Any], Awaitable[Any]]:
    """Return the `elicitation_callback` of one thread; `options` are those of `ask`.

    It raises Refusal, NotDecided and StillWaiting, which the server gets as an error.
    """
    questions: Counter[str] = Counter()

    async def ask_people(_context: Any, params: Any) -> Any:
        fields = params.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"meta"})
        # The same question twice is two decisions: its number in the thread tells them apart.
        question = repr(sorted(fields.items()))
        questions[question] += 1
        pause = [fields, questions[question]]
        ask = {"method": "elicitation/create", "params": fields}
        answer = await client.ask(ask, **options_of_pause("mcp", agent, thread, pause, options))
        return ElicitResult.model_validate(decided(answer))

    return ask_people
