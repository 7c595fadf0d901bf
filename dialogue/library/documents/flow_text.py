"""A flow's text with the places of its steps: where each begins and ends, and where each of its values stands."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode, SequenceNode

from dialogue.engine.source.parser import SourceRefused, read_source
from dialogue.engine.source.phrases import Phrase

Path = tuple[str | int, ...]


class EditRefused(Exception):
    """The text cannot be changed in this way; the message says why, in words."""


@dataclass(frozen=True)
class TextChange:
    """Characters `start` to `end` of the text become `insert`."""

    start: int
    end: int
    insert: str


@dataclass(frozen=True)
class EditResult:
    """What an edit does to the text, and which step should be shown afterwards."""

    changes: list[TextChange]
    select: str


@dataclass(frozen=True)
class StepItem:
    """A step in the text: its name, its mapping, the list that it stands in and its place there."""

    name: str
    node: MappingNode
    siblings: SequenceNode
    index: int


def apply_changes(text: str, changes: list[TextChange]) -> str:
    """The text with all changes made; they are given against the text as it is and do not overlap."""
    for change in sorted(changes, key=lambda one: (one.start, one.end), reverse=True):
        text = text[: change.start] + change.insert + text[change.end :]
    return text


@dataclass(frozen=True)
class FlowText:
    """A document that can be read, with its nodes."""

    text: str
    root: MappingNode

    @classmethod
    def read(cls, text: str) -> "FlowText":
        """Raises EditRefused for a text that is no document of steps."""
        try:
            read_source(text)
            root = YAML(typ="safe", pure=True).compose(text)
        except (SourceRefused, YAMLError) as error:
            raise EditRefused(Phrase("The text cannot be read yet: {error}", error=error)) from error
        if not isinstance(root, MappingNode) or not isinstance(value_of(root, "steps"), SequenceNode):
            raise EditRefused(Phrase("The text has no list of steps yet."))
        return cls(text, root)

    def step_items(self) -> list[StepItem]:
        """Every step in the order of the text, the steps of loops included."""
        return list(step_items(value_of(self.root, "steps")))

    def step_item(self, name: str) -> StepItem:
        """The step of this name. Raises EditRefused."""
        for item in self.step_items():
            if item.name == name:
                return item
        raise EditRefused(Phrase("There is no step `{name}`.", name=name))

    def line_start(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1

    def line_end(self, at: int) -> int:
        """Where the line of this place ends, before its line break."""
        line_break = self.text.find("\n", at)
        return len(self.text) if line_break < 0 else line_break

    def column_of(self, at: int) -> int:
        return at - self.line_start(at)

    def end_of(self, node: Node) -> int:
        """Behind the last character of the node; blank lines and comments after it are not its own."""
        if isinstance(node, ScalarNode):
            return self._end_of_scalar(node)
        children = list(_child_nodes(node))
        if not isinstance(node, CollectionNode) or node.flow_style or not children:
            return int(node.end_mark.index)
        return self.end_of(children[-1])

    def _end_of_scalar(self, node: ScalarNode) -> int:
        end = int(node.end_mark.index)
        if node.style in ("|", ">"):
            start = int(node.start_mark.index)
            return start + len(self.text[start:end].rstrip())
        return end

    def last_line_of(self, item: StepItem) -> int:
        """Where the last line of the step ends, before its line break; a comment behind its last value included."""
        return self.line_end(self.end_of(item.node))

    def dash_of(self, item: StepItem) -> int:
        """Where the step's line begins. Raises EditRefused for a step that has no line of its own."""
        start = self.line_start(item.node.start_mark.index)
        before = self.text[start : item.node.start_mark.index]
        if item.siblings.flow_style or before.strip() != "-":
            raise EditRefused(Phrase("These steps stand in brackets. Put each on a line of its own, after a dash."))
        return start

    def cut_lines(self, start: int, end: int) -> TextChange:
        """Whole lines, with the line break behind them, or before them at the end of the text."""
        return TextChange(start, end + 1, "") if end < len(self.text) else TextChange(start - 1, end, "")

    def indent_of(self, item: StepItem) -> int:
        """The column of the step's dash."""
        start = self.dash_of(item)
        return self.text.index("-", start) - start


def value_of(node: Node, key: str) -> Node | None:
    """The value under a key of a mapping."""
    pairs = node.value if isinstance(node, MappingNode) else []
    return next((value for name, value in pairs if name.value == key), None)


def node_at(node: Node, path: Path) -> Node | None:
    """The node at a path, None when there is none."""
    current: Node | None = node
    for key in path:
        current = _child_at(current, key)
    return current


def _child_at(node: Node | None, key: str | int) -> Node | None:
    if isinstance(node, MappingNode):
        return value_of(node, str(key))
    if isinstance(node, SequenceNode) and str(key).isdigit() and int(key) < len(node.value):
        child: Node = node.value[int(key)]
        return child
    return None


def scalar_paths(node: Node, path: Path = ()) -> Iterator[tuple[Path, ScalarNode]]:
    """Every plain value below a node with its path."""
    if isinstance(node, ScalarNode):
        yield path, node
    elif isinstance(node, MappingNode):
        for key, value in node.value:
            yield from scalar_paths(value, (*path, key.value))
    elif isinstance(node, SequenceNode):
        for index, value in enumerate(node.value):
            yield from scalar_paths(value, (*path, index))


def _child_nodes(node: Node) -> Iterator[Node]:
    if isinstance(node, MappingNode):
        for key, value in node.value:
            yield key if _is_nothing(value) else value
    elif isinstance(node, SequenceNode):
        yield from node.value


def _is_nothing(node: Node) -> bool:
    return isinstance(node, ScalarNode) and node.start_mark.index == node.end_mark.index


def step_items(steps: Any) -> Iterator[StepItem]:
    """The steps of a list in the order of the text, those of loops included."""
    if not isinstance(steps, SequenceNode):
        return
    for index, node in enumerate(steps.value):
        if not isinstance(node, MappingNode):
            continue
        name = value_of(node, "step")
        yield StepItem(name.value if isinstance(name, ScalarNode) else "", node, steps, index)
        yield from step_items(value_of(node, "do"))


def step_and_inner_steps(item: StepItem) -> Iterator[StepItem]:
    """A step and, when it is a loop, the steps that it repeats."""
    yield item
    do = value_of(item.node, "do")
    if isinstance(do, SequenceNode):
        yield from step_items(do)
