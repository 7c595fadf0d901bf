"""Flows as compiled subgraphs: a node a step, entered where the frame stands, and never interrupted.

A subgraph takes no checkpoints of its own (`checkpointer=False`; inherited ones cost as much as the turn), and its
edges are decided by coroutines (LangGraph sends plain functions to a thread, which costs as much as two supersteps).
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from dialogue.engine.language import AnyStep, Assistant, Flow
from dialogue.engine.steps import Run, run_step

_ROOM = 10


class FlowState(TypedDict):
    """Where the flow stands; everything else is in the turn's working copy."""

    step: str


FlowGraph = CompiledStateGraph[FlowState, Run, FlowState, FlowState]


class Subgraphs:
    """The flows of one assistant as graphs, compiled when they are first needed."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant
        self._graphs: dict[str, FlowGraph] = {}

    def of(self, flow: str) -> FlowGraph:
        """The compiled graph of the flow; raises KeyError when the assistant has none of this name."""
        if flow not in self._graphs:
            self._graphs[flow] = compile_flow(self._assistant.flows[flow])
        return self._graphs[flow]

    async def run(self, run: Run) -> AsyncIterator[None]:
        """Run the frame from the step where it stands; yields after each step."""
        graph = self.of(run.frame["flow"])
        limit = run.turn.assistant.settings.max_steps_per_turn + _ROOM
        state: FlowState = {"step": run.frame["step"]}
        async for _ in graph.astream(state, {"recursion_limit": limit}, context=run, stream_mode="updates"):
            yield


def compile_flow(flow: Flow) -> FlowGraph:
    """One flow as a graph without interrupts."""
    graph: StateGraph[FlowState, Run, FlowState, FlowState] = StateGraph(FlowState, context_schema=Run)
    names = [each.step for each in flow.all_steps()]
    for step in flow.all_steps():
        graph.add_node(step.step, _node(step), destinations=(*names, END))
    graph.add_conditional_edges(START, _entry, names)
    return graph.compile(checkpointer=False)


async def _entry(state: FlowState) -> str:
    return state["step"]


Node = Callable[[FlowState, Runtime[Run]], Awaitable[Command[Any]]]


def _node(step: AnyStep) -> Any:
    async def node(state: FlowState, runtime: Runtime[Run]) -> Command[Any]:
        target = await run_step(step, runtime.context)
        return Command(goto=target or END)

    return node
