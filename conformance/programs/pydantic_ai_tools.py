"""Pydantic AI: a tool with `requires_approval`; the run ends with DeferredToolRequests and continues with results."""

from typing import Any

from desk_calls import ORDER, Run, ask_desk, refund, serve
from pydantic import TypeAdapter
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel


def say(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Call the tool first, and end when it has answered."""
    if len(messages) == 1:
        return ModelResponse([ToolCallPart("issue_refund", ORDER, "call_1")])
    return ModelResponse([TextPart("done")])


def program(run: Run) -> str:
    """Run the agent until it defers a call, ask, and continue."""
    agent: Any = Agent(FunctionModel(say), output_type=[str, DeferredToolRequests])

    @agent.tool_plain(requires_approval=True)
    def issue_refund(order_id: str, amount: int) -> str:
        """Refund an order."""
        return refund(run, order_id=order_id, amount=amount)

    paused = agent.run_sync("Refund W4120331")
    ask = TypeAdapter(DeferredToolRequests).dump_python(paused.output, mode="json")
    answer = ask_desk(run, "pydantic-ai", ask)
    results = TypeAdapter(DeferredToolResults).validate_python(answer)
    return str(agent.run_sync(message_history=paused.all_messages(), deferred_tool_results=results).output)


if __name__ == "__main__":
    serve(program)
