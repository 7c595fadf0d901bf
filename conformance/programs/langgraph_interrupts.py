"""LangGraph: a node calls `interrupt`, and the graph is resumed with `Command(resume=…)`."""

from typing import Any, TypedDict

from desk_calls import ORDER, QUESTION, Run, ask_desk, refund, serve
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt


class State(TypedDict, total=False):
    """What the graph carries from node to node."""

    answer: Any
    outcome: str


def program(run: Run) -> str:
    """Run the graph until it pauses, ask, and resume it."""

    def review(state: State) -> State:
        return {"answer": interrupt({"question": QUESTION, "proposed": ORDER})}

    def act(state: State) -> State:
        answer = state["answer"]
        return {"outcome": refund(run, **answer) if isinstance(answer, dict) else f"rejected: {answer}"}

    builder = StateGraph(State)
    builder.add_node("review", review)
    builder.add_node("act", act)
    builder.add_edge(START, "review")
    builder.add_edge("review", "act")
    builder.add_edge("act", END)
    graph = builder.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": run["run"]}}
    paused = graph.invoke({}, config)
    ask = [{"id": pause.id, "value": pause.value} for pause in paused["__interrupt__"]]
    answer = ask_desk(run, "langgraph", ask, "no_answer")
    resume = {pause["id"]: "no one answered" for pause in ask} if answer is None else answer
    return str(graph.invoke(Command(resume=resume), config)["outcome"])


if __name__ == "__main__":
    serve(program)
