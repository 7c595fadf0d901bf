"""AG-UI: a run of a LangGraph agent ends with interrupts; the input of the next run has what `resume` says."""

import asyncio
from typing import Any

from ag_ui.core import ResumeEntry, RunAgentInput, RunFinishedEvent, UserMessage
from ag_ui_langgraph import LangGraphAgent
from desk_calls import ORDER, QUESTION, Run, ask_desk, refund, serve
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt


def agent_of(run: Run) -> LangGraphAgent:
    """Return an agent whose graph asks for confirmation before it refunds."""

    def review(state: MessagesState) -> Any:
        answer: Any = interrupt({"reason": "confirmation", "message": QUESTION, "proposed": ORDER})
        if isinstance(answer, dict) and answer.get("approved") is True:
            refund(run, **ORDER)
        return {}

    builder = StateGraph(MessagesState)
    builder.add_node("review", review)
    builder.add_edge(START, "review")
    builder.add_edge("review", END)
    graph = builder.compile(checkpointer=InMemorySaver())
    return LangGraphAgent(name="refunds", graph=graph, emit_interrupt_outcome=True)


async def run_agent(run: Run) -> str:
    """Run the agent until it finishes with interrupts, ask, and run it again."""
    agent = agent_of(run)
    finished = await _finished(agent, run)
    event = finished.model_dump(mode="json", by_alias=True, exclude_none=True)
    answer = await asyncio.to_thread(ask_desk, run, "ag-ui", event)
    resume = [ResumeEntry.model_validate(entry) for entry in answer["resume"]]
    return str((await _finished(agent, run, resume)).outcome)


async def _finished(agent: LangGraphAgent, run: Run, resume: list[ResumeEntry] | None = None) -> RunFinishedEvent:
    message = UserMessage(id="m1", content="Refund W4120331")
    more = {"state": {}, "messages": [message], "tools": [], "context": [], "forwarded_props": {}, "resume": resume}
    events = agent.run(RunAgentInput(thread_id=run["run"], run_id=f"run-{bool(resume)}", **more))
    return [event async for event in events if isinstance(event, RunFinishedEvent)][-1]


def program(run: Run) -> str:
    """Run the agent once."""
    return asyncio.run(run_agent(run))


if __name__ == "__main__":
    serve(program)
