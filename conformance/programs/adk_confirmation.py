"""Google ADK: a tool with `require_confirmation`; the runner gets the function response with the same id."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from desk_calls import ORDER, AsyncDeskClient, Run, refund, serve
from google.adk.agents import LlmAgent
from google.adk.apps import App, ResumabilityConfig
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools import FunctionTool
from google.genai import types

from soni_client.adapters.adk import run_with_people


class ScriptedModel(BaseLlm):
    """A model that calls the tool first, and ends when it has answered."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Yield one response."""
        parts = [part for content in llm_request.contents for part in content.parts or []]
        answered = any(part.function_response for part in parts)
        call = types.FunctionCall(id="call_1", name="issue_refund", args=ORDER)
        part = types.Part(text="done") if answered else types.Part(function_call=call)
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


async def run_agent(run: Run) -> str:
    """Run the agent until it asks for confirmation, ask, and continue the session."""

    def issue_refund(order_id: str, amount: int) -> dict[str, Any]:
        """Refund an order."""
        return {"result": refund(run, order_id=order_id, amount=amount)}

    tool = FunctionTool(issue_refund, require_confirmation=True)
    agent = LlmAgent(name="refunds", model=ScriptedModel(model="scripted"), tools=[tool])
    app = App(name="refunds", root_agent=agent, resumability_config=ResumabilityConfig(is_resumable=True))
    runner = InMemoryRunner(app=app)
    await runner.session_service.create_session(app_name="refunds", user_id="ann", session_id=run["run"])
    people: Any = {"client": AsyncDeskClient(run), "agent": "refunds", "timeout": "30m", "on_timeout": "reject"}
    events = await run_with_people(runner, "Refund W4120331", user_id="ann", session_id=run["run"], **people)
    texts = [part.text for event in events if event.content for part in event.content.parts or [] if part.text]
    return texts[-1]


def program(run: Run) -> str:
    """Run the agent once."""
    return asyncio.run(run_agent(run))


if __name__ == "__main__":
    serve(program)
