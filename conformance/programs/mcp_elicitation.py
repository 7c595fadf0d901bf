"""MCP: a server's tool needs input from a person; the client asks, and the call goes on with the result.

The first argument says how: `callback`, the server's request `elicitation/create` in the middle of the call, or
`rounds`, the result with `inputRequests`, after which the client calls again with `inputResponses`.
"""

import asyncio
import sys
from typing import Annotated, Any

from desk_calls import QUESTION, Run, ask_desk, refund, serve
from mcp.client import Client
from mcp.server.elicitation import ElicitationResult
from mcp.server.mcpserver import Elicit, MCPServer, Resolve
from mcp_types import ElicitResult, InputResponseRequestParams
from pydantic import BaseModel

IN_ROUNDS = sys.argv[1:] == ["rounds"]


class Refund(BaseModel):
    """What the person fills in."""

    order_id: str
    amount: int


async def approval() -> Elicit[Refund]:
    """Ask before the tool runs."""
    return Elicit(QUESTION, Refund)


def server_of(run: Run) -> MCPServer:
    """Return a server whose tool asks first."""
    server = MCPServer("shop")

    @server.tool()
    async def issue_refund(answer: Annotated[ElicitationResult[Refund], Resolve(approval)]) -> str:
        """Refund an order."""
        if answer.action != "accept":
            return f"not refunded: {answer.action}"
        return refund(run, **answer.data.model_dump())

    return server


async def run_client(run: Run) -> str:
    """Call the tool; the desk answers its question."""

    async def ask(_context: Any, params: Any) -> ElicitResult:
        asked = params.model_dump(mode="json", by_alias=True, exclude_none=True)
        ask = {"method": "elicitation/create", "params": asked}
        return ElicitResult.model_validate(await asyncio.to_thread(ask_desk, run, "mcp", ask, "cancel"))

    mode = "auto" if IN_ROUNDS else "legacy"
    async with Client(server_of(run), elicitation_callback=ask, mode=mode) as client:
        result = await (_call_in_rounds(client, run) if IN_ROUNDS else client.call_tool("issue_refund", {}))
        return str(result.content[0].text)


async def _call_in_rounds(client: Client, run: Run) -> Any:
    first = await client.session.call_tool("issue_refund", {}, allow_input_required=True)
    ask = first.model_dump(mode="json", by_alias=True, exclude_none=True)
    answer = await asyncio.to_thread(ask_desk, run, "mcp", ask, "cancel")
    params = InputResponseRequestParams.model_validate(answer)
    return await client.session.call_tool(
        "issue_refund", {}, input_responses=params.input_responses, request_state=params.request_state
    )


def program(run: Run) -> str:
    """Call the tool once."""
    return asyncio.run(run_client(run))


if __name__ == "__main__":
    serve(program)
