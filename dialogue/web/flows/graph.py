"""A flow as nodes and edges, made from the engine's own model, in the order of the file."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from dialogue.engine.language.compiler import (
    Action,
    AnyStep,
    Assign,
    Branch,
    Call,
    Collect,
    Confirm,
    Flow,
    Handoff,
    Human,
    Link,
    Say,
    While,
)

LONGEST = 48


@dataclass(frozen=True)
class Node:
    """One step: its type, what stands under its name, the line of its text (0: not found), and who waits there."""

    id: str
    type: str
    kind: str
    icon: str
    sub: str
    line: int
    waits: int


@dataclass(frozen=True)
class Edge:
    """A way from one step to another; `label` says when it is taken, empty for the plain way on.

    `way` is where the text says so, such as "next", "else" or "cases.0.next"; empty where no key of a step can say it.
    """

    source: str
    target: str
    label: str
    way: str = "next"


@dataclass(frozen=True)
class Graph:
    """A flow to draw or to list."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    def plain(self) -> dict[str, Any]:
        """For the page's script: `{nodes: [{id, …}], edges: [{from, to, label}]}`; ways to the end are not drawn."""
        known = {node.id for node in self.nodes}
        drawn = [edge for edge in self.edges if edge.target in known]
        edges = [{"from": edge.source, "to": edge.target, "label": edge.label, "way": edge.way} for edge in drawn]
        return {"nodes": [asdict(node) for node in self.nodes], "edges": edges}

    def steps(self) -> list[tuple[Node, list[Edge]]]:
        """Every step with its ways on, in the order of the file: what a phone and a screen reader get."""
        return [(node, [edge for edge in self.edges if edge.source == node.id]) for node in self.nodes]


def graph_of(flow: Flow, lines: Mapping[str, int], waiting: Mapping[str, int]) -> Graph:
    """The graph of a flow; `lines` and `waiting` are by step."""
    steps = list(flow.all_steps())
    nodes = tuple(_node(step, lines.get(step.step, 0), waiting.get(step.step, 0)) for step in steps)
    edges = tuple(edge for step in steps for edge in _edges(flow, step))
    return Graph(nodes, edges)


def _node(step: AnyStep, line: int, waits: int) -> Node:
    kind, icon = _LOOKS[step.type]
    return Node(step.step, step.type, kind, icon, _cut(_subtitle(step)), line, waits)


_LOOKS = {
    "say": ("say", "say"),
    "collect": ("collect", "ask"),
    "confirm": ("confirm", "ok"),
    "action": ("action", "bolt"),
    "set": ("action", "note"),
    "branch": ("branch", "fork"),
    "while": ("branch", "again"),
    "call": ("branch", "flow"),
    "link": ("branch", "arrow"),
    "human": ("gate", "gate"),
    "handoff": ("handoff", "hand"),
}
"""Which colour and which drawing a type of step has."""


def looks_of(type_name: str) -> tuple[str, str]:
    """The colour and the drawing of a type of step; plain ones for what is no step."""
    return _LOOKS.get(type_name, ("closed", "note"))


def _subtitle(step: AnyStep) -> str:  # noqa: C901 - one arm a type of step
    match step:
        case Collect():
            return step.slot
        case Say() | Confirm():
            return step.message.in_language(get_language() or "").text
        case Action():
            return step.call
        case Assign():
            return ", ".join(step.slots)
        case Branch():
            return ", ".join(case.when.text for case in step.cases)
        case While():
            return step.condition.text
        case Call() | Link():
            return step.flow
        case Human():
            return step.title.in_language(get_language() or "")
        case Handoff():
            return step.queue or _("a person")


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _edges(flow: Flow, step: AnyStep) -> Iterator[Edge]:
    name = step.step
    match step:
        case Branch():
            for place, case in enumerate(step.cases):
                yield Edge(name, case.next, _cut(case.when.text), f"cases.{place}.next")
            yield Edge(name, step.otherwise or flow.next_step(name), _("else"), "else")
        case While():
            yield Edge(name, step.do[0].step, _("while"), "")
            yield Edge(name, flow.next_step(name), _("done"))
        case Human():
            yield from _answers(flow, step)
        case Confirm():
            yield Edge(name, step.on_confirm or flow.next_step(name), _("yes"), "on_confirm")
            if step.on_deny:
                yield Edge(name, step.on_deny, _("no"), "on_deny")
            yield from _further(step)
        case Link():
            pass
        case _:
            yield Edge(name, flow.next_step(name), "")
            yield from _mishaps(step)


def _further(step: Confirm) -> Iterator[Edge]:
    for place, answer in enumerate(step.further_answers, 2):
        if answer.next:
            yield Edge(step.step, answer.next, answer.label.in_language(get_language() or ""), f"options.{place}.next")


def _answers(flow: Flow, step: Human) -> Iterator[Edge]:
    for action in step.actions:
        target = step.next.get(action.id) or flow.following_step(step.step)
        yield Edge(step.step, target, action.label.in_language(get_language() or ""), f"next.{action.id}")
    if step.expiry_action is None:
        yield Edge(step.step, step.expiry_step or flow.following_step(step.step), _("expiry"), "on_timeout")


def _mishaps(step: AnyStep) -> Iterator[Edge]:
    match step:
        case Action(on_error=str(target)):
            yield Edge(step.step, target, _("error"), "on_error")
        case Collect(on_failure=str(target)):
            yield Edge(step.step, target, _("not understood"), "on_failure")
        case Handoff(on_timeout=str(target)):
            yield Edge(step.step, target, _("expiry"), "on_timeout")
        case _:
            pass
