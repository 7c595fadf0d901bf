"""A YAML text as nodes that know their characters, so that one value can be changed and the rest stays."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ruamel.yaml import YAML

from dialogue.engine.source.fast_parser import NotPlainYaml, fast_events

BLOCK_STYLES = ("|", ">")


@dataclass
class YamlNode:
    """A value in the text, from character `start` to `end`, without what follows it.

    `kind` is "scalar", "mapping" or "list"; `in_brackets` is the style of a mapping or list, `style` that of a scalar:
    a quote, "|", ">" or "". `entries` holds the values of a list or mapping, `keys` the keys of a mapping.
    """

    kind: str
    start: int
    end: int
    style: str = ""
    text: str = ""
    in_brackets: bool = False
    keys: list["YamlNode"] = field(default_factory=list)
    entries: list["YamlNode"] = field(default_factory=list)

    @property
    def is_absent(self) -> bool:
        """Whether nothing is written, as behind the colon of `key:`."""
        return self.kind == "scalar" and self.start == self.end


@lru_cache(maxsize=8)  # an edit reads the text before and after it
def read_nodes(text: str) -> YamlNode:
    """The outermost mapping of a text that `read_source` accepts. Treat it as read-only."""
    try:
        return _build_tree(text, fast_events(text))
    except NotPlainYaml:
        return _build_tree(text, YAML(typ="safe", pure=True).parse(text))


def _build_tree(text: str, events: Iterable[Any]) -> YamlNode:
    iterator = iter(events)
    for event in iterator:
        if type(event).__name__ == "MappingStartEvent":
            return _read_collection(text, event, iterator)
    raise NotPlainYaml


def _read_collection(text: str, event: Any, events: Iterator[Any]) -> YamlNode:
    kind = "mapping" if type(event).__name__ == "MappingStartEvent" else "list"
    node = YamlNode(kind, event.start_mark.index, event.end_mark.index, in_brackets=bool(event.flow_style))
    nodes: list[YamlNode] = []
    for inner in events:
        name = type(inner).__name__
        if name in ("MappingEndEvent", "SequenceEndEvent"):
            break
        nodes.append(_scalar(text, inner) if name == "ScalarEvent" else _read_collection(text, inner, events))
    node.keys, node.entries = (nodes[::2], nodes[1::2]) if kind == "mapping" else ([], nodes)
    node.end = inner.end_mark.index if node.in_brackets else _end_of_block(node)
    return node


def _end_of_block(node: YamlNode) -> int:
    last = node.entries[-1]
    # An absent value ends with its key and colon; the two parsers disagree about where it stands.
    return node.keys[-1].end + 1 if last.is_absent and node.keys else last.end


def _scalar(text: str, event: Any) -> YamlNode:
    start, end, style = event.start_mark.index, event.end_mark.index, event.style or ""
    if style in BLOCK_STYLES:
        end = start + len(text[start:end].rstrip())
    return YamlNode("scalar", start, end if event.value or style else start, style, str(event.value))
