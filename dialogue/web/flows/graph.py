"""A flow as a graph: nodes and edges made from the engine's model, in the order of the file."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from django.utils.translation import get_language, gettext_noop
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
    ForEach,
    Handoff,
    Human,
    Link,
    Say,
    WaitStep,
    While,
)
from dialogue.engine.language.exits import Exit, exits_of
from dialogue.engine.slots.durations import format_duration
from dialogue.engine.slots.templates import Translated
from dialogue.engine.stack.flow_runs.needs import need_name

MAX_LABEL_LENGTH = 48


@dataclass(frozen=True)
class Node:
    """One step: `sub` is the text under its name, `line` its first line (0: unknown), `waits` a conversation count."""

    id: str
    type: str
    kind: str
    icon: str
    sub: str
    line: int
    waits: int


@dataclass(frozen=True)
class Edge:
    """An arrow from one step to another; `label` says when it is taken, empty for the plain way on.

    `exit_key` is where the step's text names the target, such as "next", "else" or "cases.0.next"; empty where no key
    of a step can name it.
    """

    source: str
    target: str
    label: str
    exit_key: str = "next"


@dataclass(frozen=True)
class Graph:
    """A flow to draw or to list."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    @property
    def has_waits(self) -> bool:
        """Whether a conversation waits at one of its steps."""
        return any(node.waits for node in self.nodes)

    @property
    def step_names(self) -> set[str]:
        """The names of the steps, with those of the flow's needs."""
        return {node.id for node in self.nodes}

    def plain(self) -> dict[str, Any]:
        """For the page's script: `{nodes: [{id, …}], edges: [{from, to, label}]}`; exits to the end are not drawn."""
        node_ids = {node.id for node in self.nodes}
        drawn_edges = [edge for edge in self.edges if edge.target in node_ids]
        edges = [
            {"from": edge.source, "to": edge.target, "label": edge.label, "way": edge.exit_key} for edge in drawn_edges
        ]
        return {"nodes": [asdict(node) for node in self.nodes], "edges": edges}

    def steps(self) -> list[tuple[Node, list[Edge]]]:
        """Every step with its exits, in the order of the file: the list for phones and screen readers."""
        return [(node, [edge for edge in self.edges if edge.source == node.id]) for node in self.nodes]


def graph_of(flow: Flow, lines: Mapping[str, int], waiting: Mapping[str, int]) -> Graph:
    """The graph of a flow; `lines` and `waiting` are by step. What the flow needs comes before its first step."""
    steps = list(flow.all_steps())
    nodes = tuple(_node_of(step, lines.get(step.step, 0), waiting.get(step.step, 0)) for step in steps)
    edges = tuple(edge for step in steps for edge in _edges_from(flow, step))
    needs = [need_name(slot) for slot in flow.needs]
    kind, icon = _STEP_LOOKS["call"]
    need_nodes = tuple(
        Node(need_name(slot), "call", kind, icon, shorten(needed), 0, 0) for slot, needed in flow.needs.items()
    )
    need_edges = tuple(Edge(*pair, "", "") for pair in pairwise([*needs, flow.steps[0].step]))
    return Graph((*need_nodes, *nodes), (*need_edges, *edges))


def _node_of(step: AnyStep, line: int, waits: int) -> Node:
    kind, icon = _STEP_LOOKS[step.type]
    return Node(step.step, step.type, kind, icon, shorten(_subtitle_of(step)), line, waits)


_STEP_LOOKS = {
    "say": ("say", "say"),
    "collect": ("collect", "ask"),
    "confirm": ("confirm", "ok"),
    "action": ("action", "bolt"),
    "set": ("action", "note"),
    "branch": ("branch", "fork"),
    "while": ("branch", "again"),
    "for_each": ("branch", "again"),
    "call": ("branch", "flow"),
    "link": ("branch", "arrow"),
    "human": ("gate", "gate"),
    "handoff": ("handoff", "hand"),
    "wait": ("gate", "clock"),
}
"""Colour and icon of each type of step."""


def step_looks() -> dict[str, tuple[str, str]]:
    """Colour and icon of each type of step, by its name."""
    return dict(_STEP_LOOKS)


def step_look(type_name: str) -> tuple[str, str]:
    """Colour and icon of a type of step; plain ones for a document without steps."""
    return _STEP_LOOKS.get(type_name, ("closed", "note"))


def _subtitle_of(step: AnyStep) -> str:  # noqa: C901 - one arm a type of step
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
            return ", ".join(condition_words(case.when.text) for case in step.cases)
        case While():
            return condition_words(step.condition.text)
        case ForEach():
            return _("{item} in {list}").format(item=step.item, list=step.entries.text)
        case Call() | Link():
            return step.flow
        case Human():
            return step.title.in_language(get_language() or "")
        case Handoff():
            return step.queue or _("a person")
        case WaitStep():
            return _waited_for(step)


def condition_words(text: str) -> str:
    """A condition with words for what only programs write so: "answer has a value" for `filled(answer)`."""
    if text.strip() in ("true", "false"):
        return _("always") if text.strip() == "true" else _("never")
    text = _NOT_FILLED.sub(lambda match: _("%s has no value") % match[1], text)
    return _FILLED.sub(lambda match: _("%s has a value") % match[1], text)


_FILLED = re.compile(r"\bfilled\(\s*([\w.]+)\s*\)")
_NOT_FILLED = re.compile(r"\bnot filled\(\s*([\w.]+)\s*\)")


def _waited_for(step: WaitStep) -> str:
    """The event, the moment, or the time that the step waits."""
    if step.delay is not None:
        return format_duration(step.delay)
    return step.event or (step.until.text if step.until else "")


def shorten(text: str) -> str:
    return text if len(text) <= MAX_LABEL_LENGTH else text[: MAX_LABEL_LENGTH - 1] + "…"


def _edges_from(flow: Flow, step: AnyStep) -> Iterator[Edge]:
    for step_exit in exits_of(flow, step):
        if step_exit.kind != "link":
            yield Edge(step.step, step_exit.target, _edge_label(step_exit), step_exit.key)


EXIT_LABELS = {
    "else": gettext_noop("else"),
    "loop": gettext_noop("while"),
    "each": gettext_noop("each"),
    "done": gettext_noop("done"),
    "confirmed": gettext_noop("yes"),
    "denied": gettext_noop("no"),
    "expiry": gettext_noop("expiry"),
    "error": gettext_noop("error"),
    "no_answer": gettext_noop("not understood"),
    "empty": gettext_noop("no options"),
    "timeout": gettext_noop("expiry"),
}
"""Labels of exits for which the author writes none."""


def _edge_label(step_exit: Exit) -> str:
    if isinstance(step_exit.label, Translated):
        return step_exit.label.in_language(get_language() or "")
    if step_exit.label:
        return shorten(condition_words(step_exit.label) if step_exit.kind == "case" else step_exit.label)
    return _(EXIT_LABELS[step_exit.kind]) if step_exit.kind in EXIT_LABELS else ""
