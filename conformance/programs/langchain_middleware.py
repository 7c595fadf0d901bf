"""LangChain: an agent with HumanInTheLoopMiddleware; its model is LangChain's own for tests.

The first argument says what is asked: `batched` (all calls of a message at once), `calls` (each by itself) or `inbox`
(the same graph with agent-inbox's shape, from a node).
"""

import sys
from typing import Any

from desk_calls import ORDER, QUESTION, Run, ask_desk, refund, serve
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

MODE = sys.argv[1] if len(sys.argv) > 1 else "batched"


class ToolModel(GenericFakeChatModel):
    """LangChain's fake model, which may be given tools."""

    def bind_tools(self, tools: Any, **more: Any) -> Any:
        """Return itself: what it says is written down beforehand."""
        return self


def program(run: Run) -> str:
    """Run the agent until it pauses, ask, and resume it."""
    agent = agent_of(run)
    config: Any = {"configurable": {"thread_id": run["run"]}}
    paused = agent.invoke({"messages": [{"role": "user", "content": "Refund W4120331"}]}, config)
    pauses = [{"id": pause.id, "value": pause.value} for pause in paused["__interrupt__"]]
    resume = answer_of(run, pauses)
    return str(agent.invoke(Command(resume=resume), config)["messages"][-1].content)


def agent_of(run: Run) -> Any:
    """Return an agent that calls `issue_refund` once and then ends."""

    @tool
    def issue_refund(order_id: str, amount: int) -> str:
        """Refund an order."""
        if MODE == "inbox":
            return inbox_refund(run, order_id, amount)
        return refund(run, order_id=order_id, amount=amount)

    call = AIMessage("", tool_calls=[{"name": "issue_refund", "args": ORDER, "id": "call_1"}])
    model = ToolModel(messages=iter([call, AIMessage("done"), AIMessage("done")]))
    per_call = {"interrupt_mode": "per_call"} if MODE == "calls" else {}
    rules: dict[str, Any] = {"issue_refund": {"allowed_decisions": ["approve", "edit", "reject"]}}
    middleware = [] if MODE == "inbox" else [HumanInTheLoopMiddleware(interrupt_on=rules, **per_call)]
    return create_agent(model, [issue_refund], middleware=middleware, checkpointer=InMemorySaver())


def inbox_refund(run: Run, order_id: str, amount: int) -> str:
    """Ask as programs for agent-inbox do, from inside the tool."""
    config = {"allow_ignore": True, "allow_respond": True, "allow_edit": True, "allow_accept": True}
    args = {"order_id": order_id, "amount": amount}
    answers = interrupt(
        [{"action_request": {"action": "issue_refund", "args": args}, "config": config, "description": QUESTION}]
    )
    answer = answers[0]
    if answer["type"] == "accept":
        return refund(run, **args)
    if answer["type"] == "edit":
        changed = answer["args"]["args"]
        return refund(run, order_id=str(changed["order_id"]), amount=int(changed["amount"]))
    return f"not refunded: {answer['type']} {answer['args']}"


def answer_of(run: Run, pauses: list[dict[str, Any]]) -> Any:
    """Return what `Command(resume=…)` takes."""
    if MODE == "batched":
        return ask_desk(run, "langchain", pauses[0]["value"])
    if MODE == "calls":
        return {pauses[0]["id"]: ask_desk(run, "langchain-call", pauses[0]["value"])}
    return ask_desk(run, "agent-inbox", pauses[0]["value"], "ignore")


if __name__ == "__main__":
    serve(program)
