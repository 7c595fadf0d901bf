"""Flows as compiled subgraphs: a node a step, entered where the frame stands, and never interrupted.

Measured, as a flow runs in nearly every turn: a superstep costs more than a step, so steps that follow without a word
run within one; a conditional entry costs as much as a superstep, so one node is the entrance for all; an inherited
checkpointer costs as much as the turn (`checkpointer=False`), and the outer graph's configuration, merged into every
node's, a fifth of it.
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
from dialogue.engine.steps.runners import run_step

_EXTRA_SUPERSTEPS = 10
_ENTRANCE = "(entrance)"


class FlowState(TypedDict):
    """Where the flow stands; everything else is in the turn's working copy."""

    step: str


FlowGraph = CompiledStateGraph[FlowState, StepRun, FlowState, FlowState]


class Subgraphs:
    """The flows of one assistant as graphs, compiled when they are first needed."""

    def __init__(self, flows: Mapping[str, Flow]) -> None:
        self._flows = flows
        self._graphs: dict[str, FlowGraph] = {}

    @property
    def compiled_flows(self) -> frozenset[str]:
        """The flows that were needed so far."""
        return frozenset(self._graphs)

    def graph_of(self, flow: str) -> FlowGraph:
        """The compiled graph of the flow; raises KeyError when the assistant has none of this name."""
        if flow not in self._graphs:
            self._graphs[flow] = compile_flow(self._flows[flow])
        return self._graphs[flow]

    async def run(self, run: StepRun) -> None:
        """Run the frame from the step where it stands; what it says is sent as soon as it is said."""
        graph = self.graph_of(run.frame["flow"])
        limit = run.turn.settings.max_steps_per_turn + _EXTRA_SUPERSTEPS
        state: FlowState = {"step": run.frame["step"]}
        outer = var_child_runnable_config.set(None)
        try:
            async for _ in graph.astream(state, {"recursion_limit": limit}, context=run, stream_mode=[]):
                pass
        finally:
            var_child_runnable_config.reset(outer)


def compile_flow(flow: Flow) -> FlowGraph:
    """One flow as a graph without interrupts."""
    graph: StateGraph[FlowState, StepRun, FlowState, FlowState] = StateGraph(FlowState, context_schema=StepRun)
    names = [step.step for step in flow.all_steps()]
    for name in names:
        graph.add_node(name, _flow_node(flow, name), destinations=(*names, END))
    graph.add_node(_ENTRANCE, _flow_node(flow), destinations=(*names, END))
    graph.add_edge(START, _ENTRANCE)
    return graph.compile(checkpointer=False)


def _flow_node(flow: Flow, first: str = "") -> Any:
    """Runs the step, or where the frame stands, and then on until the flow waits or has said what is to be sent."""

    async def node(state: FlowState, runtime: Runtime[StepRun]) -> Command[Any] | None:
        run = runtime.context
        target = await run_step(flow.step(first or state["step"]), run)
        while target and not run.turn.has_unsent:
            target = await run_step(flow.step(target), run)
        await run.turn.flush()
        return Command(goto=target) if target else None

    return node
