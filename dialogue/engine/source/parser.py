"""YAML text to a tree with positions: a small part of YAML 1.2, with limits, and with advice for what is wrong.

The tree holds dicts, tuples, str, int, Decimal, bool and None. Anchors, aliases, merge keys, tags, directives and
second documents are refused where they begin, so that no hostile text is ever expanded.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from dialogue.engine.source.fast_parser import NotPlainYaml, fast_events
from dialogue.engine.source.messages import explain_yaml_error
from dialogue.engine.source.problems import escape_character
from dialogue.engine.source.scalars import ScalarRefused, read_plain_scalar

MAX_DOCUMENT_BYTES = 256 * 1024
MAX_NESTING_DEPTH = 30
MAX_NODES = 20_000
TOO_MANY_NODES = "too_many_nodes"
DocumentPath = tuple[str | int, ...]
Event = Any
"""Of ruamel.yaml or of PyYAML, which call theirs alike."""

_CONTROLS = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff"
_TURNING = "\u200e\u200f\u202a-\u202e\u2066-\u2069"
_HIDDEN = re.compile(f"[{_CONTROLS}{_TURNING}]")
_BRACKETS = re.compile(r"[\[\]{}]|^(?P<key>[a-z])", re.MULTILINE)
_DOUBLED = re.compile(r"\{\{\s*([a-z0-9_.|]+)\s*\}\}")
_TOO_DEEP = f"the document is nested over {MAX_NESTING_DEPTH} deep"


class SourceRefused(Exception):
    """The text cannot be read; line and column count from 1."""

    def __init__(self, rule: str, line: int, column: int, text: str, advice: str) -> None:
        self.rule, self.line, self.column, self.text, self.advice = rule, line, column, text, advice
        super().__init__(f"{line}:{column}: {text}. {advice}")


@dataclass(frozen=True)
class Mark:
    """Where something begins; line and column count from 1. `quoted` when its text begins one character later."""

    line: int
    column: int
    quoted: bool = False

    def column_at(self, offset: int) -> int:
        """The column of a character of the text that begins here."""
        return self.column + offset + int(self.quoted) if offset else self.column


@dataclass(frozen=True)
class Source:
    """A read document: its tree, and where each key and each value stands."""

    tree: Any
    keys: Mapping[DocumentPath, Mark] = field(default_factory=dict)
    values: Mapping[DocumentPath, Mark] = field(default_factory=dict)

    def key_at(self, path: DocumentPath) -> Mark:
        """Where the key of this path stands, or else the nearest thing around it."""
        return self.keys.get(path) or self.value_at(path)

    def value_at(self, path: DocumentPath) -> Mark:
        """Where the value of this path stands, or else the nearest thing around it."""
        for length in range(len(path), -1, -1):
            if mark := self.values.get(path[:length]):
                return mark
        return Mark(1, 1)


@dataclass(frozen=True)
class Limits:
    """How large a document may be, in bytes and in values of all kinds."""

    max_bytes: int = MAX_DOCUMENT_BYTES
    max_nodes: int = MAX_NODES


def read_source(text: str, limits: Limits = Limits()) -> Source:
    """Read a document; raises SourceRefused."""
    _check_size(text, limits.max_bytes)
    bare = text.removeprefix("\ufeff")
    _check_characters(bare)
    _check_brackets(bare)
    try:
        return _built(bare, fast_events(bare), limits)
    except NotPlainYaml:
        return _built(bare, _events(bare), limits)
    except SourceRefused as error:
        if error.rule == TOO_MANY_NODES:  # both readers count alike, and the slower one would count once more
            raise
        return _built(bare, _events(bare), limits)


def _built(text: str, events: Iterable[Event], limits: Limits) -> Source:
    builder = _Builder(text, limits.max_nodes)
    for event in events:
        builder.take(event)
    return builder.finished()


def _check_size(text: str, largest: int) -> None:
    size = len(text) if len(text) > largest else len(text.encode("utf-8", "surrogatepass"))
    if size > largest:
        said = f"the document has {size:,} bytes, more than {largest:,}"
        raise SourceRefused("too_large", 1, 1, said, "Split it into several flows")


def _check_characters(text: str) -> None:
    found = _HIDDEN.search(text)
    if found is None:
        return
    said = f"found the hidden character {escape_character(found.group())}"
    raise SourceRefused("hidden_character", *_place(text, found.start()), said, "Take it out, or type the text anew")


def _check_brackets(text: str) -> None:
    """The scanner looks far ahead of an opening bracket; hostile nesting is refused before it does."""
    depth = 0
    for found in _BRACKETS.finditer(text):
        depth = 0 if found.lastgroup == "key" else max(0, depth + (1 if found.group() in "[{" else -1))
        if depth > MAX_NESTING_DEPTH:
            raise SourceRefused("too_deep", *_place(text, found.start()), _TOO_DEEP, "Write it flatter")


def _place(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def _events(text: str) -> Iterator[Event]:
    try:
        yield from YAML(typ="safe", pure=True).parse(text)
    except MarkedYAMLError as why:
        raise _explained(why, text) from why
    except (YAMLError, ValueError, IndexError, KeyError, AttributeError, AssertionError, TypeError) as why:
        raise SourceRefused("yaml", 1, 1, "the text is no YAML", "Check quotes, brackets and indentation") from why


def _explained(why: MarkedYAMLError, text: str) -> SourceRefused:
    mark = why.context_mark if "expected ':'" in str(why.problem) else why.problem_mark or why.context_mark
    line, column = (mark.line, mark.column) if mark else (0, 0)
    rule, said, advice = explain_yaml_error(str(why.problem), str(why.context or ""), text, line, column)
    return SourceRefused(rule, line + 1, 1 if rule == "directive" else column + 1, said, advice)


@dataclass
class _Frame:
    """A mapping or a list that is being read."""

    path: DocumentPath
    content: dict[str, Any] | list[Any]
    key: str | None = None


class _Builder:
    """Takes events one by one and refuses the first that does not belong here."""

    def __init__(self, text: str, most_nodes: int) -> None:
        self._lines = text.splitlines()
        self._most_nodes = most_nodes
        self._frames: list[_Frame] = []
        self._documents = 0
        self._nodes = 0
        self._tree: Any = None
        self._keys: dict[DocumentPath, Mark] = {}
        self._values: dict[DocumentPath, Mark] = {}

    def finished(self) -> Source:
        if not isinstance(self._tree, dict):
            found = "nothing in it" if self._tree is None else "a list or a text at its top"
            advice = "Begin with keys, such as `flow: my_flow`"
            raise SourceRefused("no_mapping", 1, 1, f"the document has {found}", advice)
        return Source(self._tree, self._keys, self._values)

    def take(self, event: Event) -> None:
        match type(event).__name__:
            case "ScalarEvent" | "MappingStartEvent" | "SequenceStartEvent":
                self._node(event)
            case "MappingEndEvent" | "SequenceEndEvent":
                self._close()
            case "DocumentStartEvent":
                self._begin(event)
            case "AliasEvent":
                raise _refused(event, "alias", f"found the alias `*{event.anchor}`", "Write the text out, or quote it")
            case _:
                pass

    def _begin(self, event: Event) -> None:
        self._documents += 1
        if self._documents > 1:
            raise _refused(event, "second_document", "found a second document", "Put each flow into a file of its own")
        if event.version or event.tags:
            raise _refused(event, "directive", "found a directive", "Take the lines that begin with % out")

    def _node(self, event: Event) -> None:
        self._count(event)
        if event.anchor:
            said = f"found the anchor `&{event.anchor}`"
            raise _refused(event, "anchor", said, "Write the text out where it is needed, or quote it")
        tag = str(getattr(event, "tag", None) or "").replace("tag:yaml.org,2002:", "!!")
        if tag:
            raise _refused(event, "tag", f"found the tag `{tag}`", "Take it out, or quote the text")
        if type(event).__name__ == "ScalarEvent":
            self._scalar(event)
        else:
            self._open(event)

    def _count(self, event: Event) -> None:
        self._nodes += 1
        if self._nodes > self._most_nodes:
            text = f"the document has over {self._most_nodes:,} values"
            raise _refused(event, TOO_MANY_NODES, text, "Split it into several flows")
        if len(self._frames) >= MAX_NESTING_DEPTH:
            raise _refused(event, "too_deep", _TOO_DEEP, "Write it flatter")

    def _scalar(self, event: Event) -> None:
        frame = self._frames[-1] if self._frames else None
        if frame and isinstance(frame.content, dict) and frame.key is None:
            self._take_key(frame, event)
        else:
            self._store(_scalar_value(event), event)

    def _take_key(self, frame: _Frame, event: Event) -> None:
        key = str(event.value)
        if not key or event.style in ("|", ">"):
            raise _refused(event, "key", "found no key before the colon", "Write a name before it")
        if key == "<<" and not event.style:
            raise _refused(event, "merge_key", "found the merge key `<<`", "Write the keys out")
        path = (*frame.path, key)
        if path in self._keys:
            text = f"the key `{key[:64]}` is there twice, lines {self._keys[path].line} and {_mark(event).line}"
            raise _refused(event, "duplicate_key", text, "Take one of them out")
        frame.key, self._keys[path] = key, _mark(event)

    def _open(self, event: Event) -> None:
        frame = self._frames[-1] if self._frames else None
        if frame and isinstance(frame.content, dict) and frame.key is None:
            raise _refused(event, "key", "found a mapping or a list where a key is meant", self._brace_advice(event))
        content: dict[str, Any] | list[Any] = {} if type(event).__name__ == "MappingStartEvent" else []
        path = self._place()
        self._values[path] = _mark(event)
        self._frames.append(_Frame(path, content))

    def _brace_advice(self, event: Event) -> str:
        doubled = _DOUBLED.search(self._lines[event.start_mark.line])
        return f'Quote the text, and write one pair of braces: "{{{doubled[1] if doubled else "slot"}}}"'

    def _close(self) -> None:
        frame = self._frames.pop()
        self._keep(tuple(frame.content) if isinstance(frame.content, list) else frame.content)

    def _store(self, value: Any, event: Event) -> None:
        path, mark = self._place(), _mark(event)
        nothing = not event.value and not event.style
        self._values[path] = self._keys.get(path, mark) if nothing else mark  # readers differ in where nothing stands
        self._keep(value)

    def _place(self) -> DocumentPath:
        if not self._frames:
            return ()
        frame = self._frames[-1]
        return (*frame.path, len(frame.content) if isinstance(frame.content, list) else str(frame.key))

    def _keep(self, value: Any) -> None:
        if not self._frames:
            self._tree = value
            return
        frame = self._frames[-1]
        if isinstance(frame.content, list):
            frame.content.append(value)
        else:
            frame.content[str(frame.key)] = value
            frame.key = None


def _scalar_value(event: Event) -> Any:
    if event.style:
        return str(event.value)
    try:
        return read_plain_scalar(str(event.value))
    except ScalarRefused as why:
        raise _refused(event, why.rule, why.text, why.advice) from why


def _mark(event: Event) -> Mark:
    mark = event.start_mark
    return Mark(mark.line + 1, mark.column + 1, getattr(event, "style", None) in ("'", '"'))


def _refused(event: Event, rule: str, text: str, advice: str) -> SourceRefused:
    mark = _mark(event)
    return SourceRefused(rule, mark.line, mark.column, text, advice)
