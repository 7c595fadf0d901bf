"""Compare the graphs of two texts of a flow: which steps are the same, changed, gone or added."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any

from dialogue.library.documents.document_check import check_text
from dialogue.library.documents.step_changes import changed_steps
from dialogue.models import Assistant
from dialogue.web.flows.graph import Edge, Graph, Node, graph_of

Look = tuple[Node, list[Edge]]
EMPTY_GRAPH = Graph((), ())


@dataclass(frozen=True)
class ComparedStep:
    """A step of one graph; `kind` is same, changed, gone (only before) or added (only after)."""

    node: Node
    exits: list[Edge]
    kind: str


@dataclass(frozen=True)
class ComparedGraph:
    """One of the two graphs, in the order of its text."""

    name: str
    graph: Graph
    steps: list[ComparedStep]

    def plain(self) -> dict[str, Any]:
        """For the page's script: as `Graph.plain`."""
        return self.graph.plain()


@dataclass(frozen=True)
class GraphComparison:
    """Both graphs of a comparison."""

    old: ComparedGraph
    new: ComparedGraph

    @property
    def sides(self) -> tuple[ComparedGraph, ComparedGraph]:
        return self.old, self.new

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of each step of both graphs, by its id."""
        return {step.node.id: step.kind for graph in self.sides for step in graph.steps}


def compare_graphs(home: Assistant, flow: str, old: str, new: str) -> GraphComparison | None:
    """Compare two texts of a flow; None when one of them is not a valid flow. An empty text has no steps."""
    before, after = _graph_of(home, flow, old), _graph_of(home, flow, new)
    if before is None or after is None:
        return None
    looks_before, looks_after = _looks_by_step(before), _looks_by_step(after)
    changed_texts = {change.step for change in changed_steps({flow: old}, {flow: new}) if change.kind == "changed"}
    return GraphComparison(
        _compared_graph("old", before, looks_after, "gone", changed_texts),
        _compared_graph("new", after, looks_before, "added", changed_texts),
    )


def _graph_of(home: Assistant, flow: str, text: str) -> Graph | None:
    if not text.strip():
        return EMPTY_GRAPH
    checked_flow = check_text(home, flow, text).flow
    return graph_of(checked_flow, {}, {}) if checked_flow else None


def _looks_by_step(graph: Graph) -> dict[str, Look]:
    return {node.id: (node, exits) for node, exits in graph.steps()}


def _compared_graph(
    name: str, graph: Graph, other_looks: Mapping[str, Look], kind_if_alone: str, changed_texts: Set[str]
) -> ComparedGraph:
    """`changed_texts` are the steps whose lines differ, which need not show in how they look."""
    steps = [
        ComparedStep(node, exits, _kind_of_step((node, exits), other_looks.get(node.id), kind_if_alone, changed_texts))
        for node, exits in graph.steps()
    ]
    return ComparedGraph(name, graph, steps)


def _kind_of_step(look: Look, counterpart: Look | None, kind_if_alone: str, changed_texts: Set[str]) -> str:
    if counterpart is None:
        return kind_if_alone
    return "same" if look == counterpart and look[0].id not in changed_texts else "changed"
