"""Flows as compiled LangGraph subgraphs: one node per step, entered at the frame's step, and never interrupted.

A flow runs in nearly every turn, so these costs were measured. A superstep costs more than a step: steps that say
nothing run within one superstep. Starting a graph costs as much as two supersteps, and in most turns a flow waits again
before it would enter its second: the first steps run in place, and the graph is started for what comes after a message.
A conditional entry costs as much as a superstep: one node is the entrance for all. An inherited checkpointer costs as
much as the whole turn: `checkpointer=False`. Merging the outer graph's configuration into every node's costs a fifth of
the turn: it is unset while a flow runs.
"""

from collections.abc import Mapping
from typing import Any, TypedDict

from langchain_core.runnables.config import var_child_runnable_config
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from dialogue.engine.language.compiler import Flow
from dialogue.engine.steps.control import StepRun
from dialogue.engine.steps.for_each import MAX_ROUNDS_PER_TURN
from dialogue.engine.steps.runners import run_step

_EXTRA_SUPERSTEPS = 10
_ENTRANCE = "(entrance)"


class FlowState(TypedDict):
    """The step at which the flow stands. Everything else is in the turn."""

    step: str


FlowGraph = CompiledStateGraph[FlowState, StepRun, FlowState, FlowState]


class Subgraphs:
    """The flows of one assistant as graphs, compiled when they are first needed."""

    def __init__(self, flows: Mapping[str, Flow]) -> None:
        self._flows = flows
        self._graphs: dict[str, FlowGraph] = {}

    @property
    def compiled_flows(self) -> frozenset[str]:
        """The names of the flows that are compiled so far."""
        return frozenset(self._graphs)

    def graph_of(self, flow: str) -> FlowGraph:
        """Return the compiled graph of the flow. Raises KeyError when the assistant has no flow of this name."""
        if flow not in self._graphs:
            self._graphs[flow] = compile_flow(self._flows[flow])
        return self._graphs[flow]

    async def run(self, run: StepRun) -> None:
        """Run the frame from its current step. Messages are sent as soon as they are said."""
        flow = run.frame["flow"]
        graph = self.graph_of(flow)
        rounds = MAX_ROUNDS_PER_TURN if run.turn.flow_of(run.frame).has_rounds else 0
        limit = run.turn.settings.max_steps_per_turn * (1 + rounds) + _EXTRA_SUPERSTEPS
        outer = var_child_runnable_config.set(None)
        try:
            target = await _run_until_message(self._flows[flow], run.frame["step"], run)
            if target:
                state: FlowState = {"step": target}
                async for _ in graph.astream(state, {"recursion_limit": limit}, context=run, stream_mode=[]):
                    pass
        finally:
            var_child_runnable_config.reset(outer)


def compile_flow(flow: Flow) -> FlowGraph:
    """Compile one flow as a graph without interrupts."""
    graph: StateGraph[FlowState, StepRun, FlowState, FlowState] = StateGraph(FlowState, context_schema=StepRun)
    names = [step.step for step in flow.all_steps()]
    for name in names:
        graph.add_node(name, _flow_node(flow, name), destinations=(*names, END))
    graph.add_node(_ENTRANCE, _flow_node(flow), destinations=(*names, END))
    graph.add_edge(START, _ENTRANCE)
    return graph.compile(checkpointer=False)


def _flow_node(flow: Flow, first: str = "") -> Any:
    """Make a node that runs its step, or the state's, and the following ones until the flow waits or says something."""

    async def node(state: FlowState, runtime: Runtime[StepRun]) -> Command[Any] | None:
        target = await _run_until_message(flow, first or state["step"], runtime.context)
        return Command(goto=target) if target else None

    return node


async def _run_until_message(flow: Flow, first: str, run: StepRun) -> str:
    """Run the step and those after it, and send what they say. Return where the flow goes on, or "" if it waits."""
    target = await run_step(flow.step(first), run)
    while target and not run.turn.has_unsent:
        target = await run_step(flow.step(target), run)
    await run.turn.flush()
    return target
