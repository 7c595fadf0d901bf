"""A flow that has errors as a graph: drawn from the keys of its text, as far as they can be read."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from dialogue.engine.language.steps import END, STEP_TYPES
from dialogue.engine.source.parser import SourceRefused, read_recent_source
from dialogue.web.flows.graph import EXIT_LABELS, Edge, Graph, Node, condition_words, shorten, step_look
from dialogue.web.flows.yaml_text import step_lines

_SUBTITLE_KEYS = ("slot", "call", "flow", "title", "message", "condition", "event", "in")
_WAYS = {
    "else": "else",
    "on_confirm": "confirmed",
    "on_deny": "denied",
    "on_error": "error",
    "on_failure": "no_answer",
    "on_empty": "empty",
    "on_timeout": "timeout",
}
"""The keys that name another step, with the kind of exit that they are."""
_WAYS_TO_NEXT = {"branch": "else", "confirm": "on_confirm", "while": "next", "for_each": "next"}
"""The key by which a step leads to the following one, where that is not `next`."""

PlainStep = Mapping[str, Any]


def sketch_of(text: str, waiting: Mapping[str, int]) -> Graph | None:
    """Return the graph of a text that makes no flow; None for one that is no YAML or has no steps."""
    try:
        tree = read_recent_source(text).tree
    except SourceRefused:
        return None
    steps = list(_steps_in(tree.get("steps"), END))
    names = {step["step"] for step, _following in steps}
    if not names:
        return None
    lines = step_lines(text)
    nodes = {step["step"]: _node_of(step, lines, waiting) for step, _following in steps}
    edges = [edge for step, following in steps for edge in _edges_from(step, following)]
    return Graph(tuple(nodes.values()), tuple(edge for edge in edges if edge.target in {*names, END}))


def _steps_in(entries: Any, after: str) -> Iterator[tuple[PlainStep, str]]:
    """Yield each readable step, those of loops too, with the name of the step that follows it."""
    readable = [entry for entry in entries if _is_step(entry)] if isinstance(entries, tuple | list) else []
    for index, step in enumerate(readable):
        following = readable[index + 1]["step"] if index + 1 < len(readable) else after
        yield step, following
        yield from _steps_in(step.get("do"), step["step"])


def _is_step(entry: Any) -> bool:
    return isinstance(entry, Mapping) and isinstance(entry.get("step"), str)


def _node_of(step: PlainStep, lines: Mapping[str, int], waiting: Mapping[str, int]) -> Node:
    name, step_type = step["step"], step.get("type")
    word = step_type if isinstance(step_type, str) and step_type in STEP_TYPES else ""
    subtitle = next((text for key in _SUBTITLE_KEYS if (text := _words_of(step.get(key)))), "")
    return Node(name, word, *step_look(word), shorten(subtitle), lines.get(name, 0), waiting.get(name, 0))


def _words_of(value: Any) -> str:
    if isinstance(value, Mapping):
        language = (get_language() or "").partition("-")[0]
        value = value.get(language) or next(iter(value.values()), "")
    return value if isinstance(value, str) else ""


def _edges_from(step: PlainStep, following: str) -> Iterator[Edge]:
    name, step_type = step["step"], step.get("type")
    way_to_next = _WAYS_TO_NEXT.get(str(step_type), "next")
    yield from _entries(step, "cases", "when")
    yield from _entries(step, "options", "label")
    for key in ("next", *_WAYS):
        label = _(EXIT_LABELS[_WAYS[key]]) if key in _WAYS else ""
        target = step.get(key, following if key == way_to_next and step_type != "link" else None)
        if isinstance(target, Mapping):
            yield from (Edge(name, str(to), str(action), f"next.{action}") for action, to in target.items())
        elif isinstance(target, str):
            yield Edge(name, target, label, key)
    inner = next(_steps_in(step.get("do"), name), None)
    if inner:
        yield Edge(name, inner[0]["step"], "", "")


def _entries(step: PlainStep, key: str, label: str) -> Iterator[Edge]:
    entries = step.get(key)
    for index, entry in enumerate(entries if isinstance(entries, tuple | list) else ()):
        if isinstance(entry, Mapping) and isinstance(entry.get("next"), str):
            yield Edge(
                step["step"],
                entry["next"],
                shorten(condition_words(_words_of(entry.get(label)))),
                f"{key}.{index}.next",
            )
