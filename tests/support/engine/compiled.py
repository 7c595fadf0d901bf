"""The graphs of the flows that tests have talked with: compiling them is a sixth of what the engine's tests take."""

from dialogue.engine.language.compiler import Flow
from dialogue.engine.subgraphs import FlowGraph, compile_flow

COMPILED: dict[int, tuple[Flow, FlowGraph]] = {}
"""By the identity of the flow, which is kept so that no other gets it."""


def compiled_once(flow: Flow) -> FlowGraph:
    """Instead of `compile_flow`."""
    if id(flow) not in COMPILED:
        COMPILED[id(flow)] = flow, compile_flow(flow)
    return COMPILED[id(flow)][1]
