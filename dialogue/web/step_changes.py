"""The graphs of two texts of a flow beside each other, step by step."""

from dataclasses import dataclass

from dialogue.library.checking import check_text
from dialogue.models import Assistant
from dialogue.web.graph import Edge, Node, graph_of

Look = tuple[Node, list[Edge]]


@dataclass(frozen=True)
class StepChange:
    """A step on both sides, None where that side has none; `kind` is same, changed, gone or added."""

    name: str
    kind: str
    old: Look | None
    new: Look | None

    @property
    def sides(self) -> tuple[Look | None, Look | None]:
        return self.old, self.new


def step_changes(home: Assistant, flow: str, old: str, new: str) -> list[StepChange] | None:
    """Every step of both texts in the order of the new one; None when one of them makes no flow."""
    before, after = _looks(home, flow, old), _looks(home, flow, new)
    if before is None or after is None:
        return None
    names = [*after, *(name for name in before if name not in after)]
    return [
        StepChange(name, _kind(before.get(name), after.get(name)), before.get(name), after.get(name)) for name in names
    ]


def _looks(home: Assistant, flow: str, text: str) -> dict[str, Look] | None:
    if not text.strip():
        return {}
    made = check_text(home, flow, text).flow
    return {node.id: (node, edges) for node, edges in graph_of(made, {}, {}).steps()} if made else None


def _kind(old: Look | None, new: Look | None) -> str:
    if old is None:
        return "added"
    if new is None:
        return "gone"
    return "same" if old == new else "changed"
