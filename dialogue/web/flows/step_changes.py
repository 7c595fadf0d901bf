"""The graphs of two texts of a flow beside each other, with what became of each step and of each way."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any

from dialogue.library.documents.document_check import check_text
from dialogue.library.documents.step_changes import changed_steps
from dialogue.models import Assistant
from dialogue.web.flows.graph import Edge, Graph, Node, graph_of

Look = tuple[Node, list[Edge]]
EMPTY = Graph((), ())


@dataclass(frozen=True)
class Step:
    """A step of one side; `kind` is same, changed, gone (only before) or added (only after)."""

    node: Node
    exits: list[Edge]
    kind: str


@dataclass(frozen=True)
class Side:
    """One of the two graphs, in the order of its text."""

    name: str
    graph: Graph
    steps: list[Step]

    def plain(self) -> dict[str, Any]:
        """For the page's script."""
        return self.graph.plain()


@dataclass(frozen=True)
class TwoGraphs:
    """Both graphs of a comparison."""

    old: Side
    new: Side

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.old, self.new

    @property
    def kinds(self) -> dict[str, str]:
        """What became of each step, those that are gone included."""
        return {step.node.id: step.kind for side in self.sides for step in side.steps}


def two_graphs(home: Assistant, flow: str, old: str, new: str) -> TwoGraphs | None:
    """The graphs of two texts; None when one of them makes no flow. An empty text has no steps."""
    before, after = _graph(home, flow, old), _graph(home, flow, new)
    if before is None or after is None:
        return None
    was, now = _looks(before), _looks(after)
    written = {each.step for each in changed_steps({flow: old}, {flow: new}) if each.kind == "changed"}
    return TwoGraphs(_side("old", before, now, "gone", written), _side("new", after, was, "added", written))


def _graph(home: Assistant, flow: str, text: str) -> Graph | None:
    if not text.strip():
        return EMPTY
    made = check_text(home, flow, text).flow
    return graph_of(made, {}, {}) if made else None


def _looks(graph: Graph) -> dict[str, Look]:
    return {node.id: (node, exits) for node, exits in graph.steps()}


def _side(name: str, graph: Graph, other: Mapping[str, Look], alone: str, written: Set[str]) -> Side:
    """`written` are the steps whose lines differ, which need not show in how they look."""
    steps = [
        Step(node, exits, _kind((node, exits), other.get(node.id), alone, written)) for node, exits in graph.steps()
    ]
    return Side(name, graph, steps)


def _kind(look: Look, counterpart: Look | None, alone: str, written: Set[str]) -> str:
    if counterpart is None:
        return alone
    return "same" if look == counterpart and look[0].id not in written else "changed"
