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

_CONTROL_CHARACTERS = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff"
_BIDI_CONTROLS = "\u200e\u200f\u202a-\u202e\u2066-\u2069"
_HIDDEN = re.compile(f"[{_CONTROL_CHARACTERS}{_BIDI_CONTROLS}]")
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
        return _build_source(bare, fast_events(bare), limits)
    except NotPlainYaml:
        return _build_source(bare, _slow_events(bare), limits)
    except SourceRefused as error:
        if error.rule == TOO_MANY_NODES:  # both readers count alike, and the slower one would count once more
            raise
        return _build_source(bare, _slow_events(bare), limits)


def _build_source(text: str, events: Iterable[Event], limits: Limits) -> Source:
    builder = _Builder(text, limits.max_nodes)
    for event in events:
        builder.handle_event(event)
    return builder.finish()


def _check_size(text: str, max_bytes: int) -> None:
    size = len(text) if len(text) > max_bytes else len(text.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        message = f"the document has {size:,} bytes, more than {max_bytes:,}"
        raise SourceRefused("too_large", 1, 1, message, "Split it into several flows")


def _check_characters(text: str) -> None:
    match = _HIDDEN.search(text)
    if match is None:
        return
    message = f"found the hidden character {escape_character(match.group())}"
    raise SourceRefused(
        "hidden_character", *_position_of(text, match.start()), message, "Take it out, or type the text anew"
    )


def _check_brackets(text: str) -> None:
    """The scanner looks far ahead of an opening bracket; hostile nesting is refused before it does."""
    depth = 0
    for match in _BRACKETS.finditer(text):
        depth = 0 if match.lastgroup == "key" else max(0, depth + (1 if match.group() in "[{" else -1))
        if depth > MAX_NESTING_DEPTH:
            raise SourceRefused("too_deep", *_position_of(text, match.start()), _TOO_DEEP, "Write it flatter")


def _position_of(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def _slow_events(text: str) -> Iterator[Event]:
    try:
        yield from YAML(typ="safe", pure=True).parse(text)
    except MarkedYAMLError as error:
        raise _refusal_from_yaml_error(error, text) from error
    except (YAMLError, ValueError, IndexError, KeyError, AttributeError, AssertionError, TypeError) as error:
        raise SourceRefused("yaml", 1, 1, "the text is no YAML", "Check quotes, brackets and indentation") from error


def _refusal_from_yaml_error(error: MarkedYAMLError, text: str) -> SourceRefused:
    mark = error.context_mark if "expected ':'" in str(error.problem) else error.problem_mark or error.context_mark
    line, column = (mark.line, mark.column) if mark else (0, 0)
    rule, message, advice = explain_yaml_error(str(error.problem), str(error.context or ""), text, line, column)
    return SourceRefused(rule, line + 1, 1 if rule == "directive" else column + 1, message, advice)


@dataclass
class _Frame:
    """A mapping or a list that is being read."""

    path: DocumentPath
    content: dict[str, Any] | list[Any]
    key: str | None = None


class _Builder:
    """Takes events one by one and refuses the first that does not belong here."""

    def __init__(self, text: str, max_nodes: int) -> None:
        self._lines = text.splitlines()
        self._max_nodes = max_nodes
        self._frames: list[_Frame] = []
        self._documents = 0
        self._nodes = 0
        self._tree: Any = None
        self._keys: dict[DocumentPath, Mark] = {}
        self._values: dict[DocumentPath, Mark] = {}

    def finish(self) -> Source:
        if not isinstance(self._tree, dict):
            content = "nothing in it" if self._tree is None else "a list or a text at its top"
            advice = "Begin with keys, such as `flow: my_flow`"
            raise SourceRefused("no_mapping", 1, 1, f"the document has {content}", advice)
        return Source(self._tree, self._keys, self._values)

    def handle_event(self, event: Event) -> None:
        match type(event).__name__:
            case "ScalarEvent" | "MappingStartEvent" | "SequenceStartEvent":
                self._add_node(event)
            case "MappingEndEvent" | "SequenceEndEvent":
                self._close_collection()
            case "DocumentStartEvent":
                self._begin_document(event)
            case "AliasEvent":
                raise _refusal_at(
                    event, "alias", f"found the alias `*{event.anchor}`", "Write the text out, or quote it"
                )
            case _:
                pass

    def _begin_document(self, event: Event) -> None:
        self._documents += 1
        if self._documents > 1:
            raise _refusal_at(
                event, "second_document", "found a second document", "Put each flow into a file of its own"
            )
        if event.version or event.tags:
            raise _refusal_at(event, "directive", "found a directive", "Take the lines that begin with % out")

    def _add_node(self, event: Event) -> None:
        self._check_limits(event)
        if event.anchor:
            message = f"found the anchor `&{event.anchor}`"
            raise _refusal_at(event, "anchor", message, "Write the text out where it is needed, or quote it")
        tag = str(getattr(event, "tag", None) or "").replace("tag:yaml.org,2002:", "!!")
        if tag:
            raise _refusal_at(event, "tag", f"found the tag `{tag}`", "Take it out, or quote the text")
        if type(event).__name__ == "ScalarEvent":
            self._add_scalar(event)
        else:
            self._open_collection(event)

    def _check_limits(self, event: Event) -> None:
        self._nodes += 1
        if self._nodes > self._max_nodes:
            text = f"the document has over {self._max_nodes:,} values"
            raise _refusal_at(event, TOO_MANY_NODES, text, "Split it into several flows")
        if len(self._frames) >= MAX_NESTING_DEPTH:
            raise _refusal_at(event, "too_deep", _TOO_DEEP, "Write it flatter")

    def _add_scalar(self, event: Event) -> None:
        frame = self._frames[-1] if self._frames else None
        if frame and isinstance(frame.content, dict) and frame.key is None:
            self._add_key(frame, event)
        else:
            self._store_scalar(_scalar_value(event), event)

    def _add_key(self, frame: _Frame, event: Event) -> None:
        key = str(event.value)
        if not key or event.style in ("|", ">"):
            raise _refusal_at(event, "key", "found no key before the colon", "Write a name before it")
        if key == "<<" and not event.style:
            raise _refusal_at(event, "merge_key", "found the merge key `<<`", "Write the keys out")
        path = (*frame.path, key)
        if path in self._keys:
            text = f"the key `{key[:64]}` is there twice, lines {self._keys[path].line} and {_mark_of(event).line}"
            raise _refusal_at(event, "duplicate_key", text, "Take one of them out")
        frame.key, self._keys[path] = key, _mark_of(event)

    def _open_collection(self, event: Event) -> None:
        frame = self._frames[-1] if self._frames else None
        if frame and isinstance(frame.content, dict) and frame.key is None:
            raise _refusal_at(event, "key", "found a mapping or a list where a key is meant", self._brace_advice(event))
        content: dict[str, Any] | list[Any] = {} if type(event).__name__ == "MappingStartEvent" else []
        path = self._next_path()
        self._values[path] = _mark_of(event)
        self._frames.append(_Frame(path, content))

    def _brace_advice(self, event: Event) -> str:
        doubled = _DOUBLED.search(self._lines[event.start_mark.line])
        return f'Quote the text, and write one pair of braces: "{{{doubled[1] if doubled else "slot"}}}"'

    def _close_collection(self) -> None:
        frame = self._frames.pop()
        self._attach(tuple(frame.content) if isinstance(frame.content, list) else frame.content)

    def _store_scalar(self, value: Any, event: Event) -> None:
        path, mark = self._next_path(), _mark_of(event)
        is_empty = not event.value and not event.style
        self._values[path] = self._keys.get(path, mark) if is_empty else mark  # readers differ in where nothing stands
        self._attach(value)

    def _next_path(self) -> DocumentPath:
        if not self._frames:
            return ()
        frame = self._frames[-1]
        return (*frame.path, len(frame.content) if isinstance(frame.content, list) else str(frame.key))

    def _attach(self, value: Any) -> None:
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
    except ScalarRefused as error:
        raise _refusal_at(event, error.rule, error.text, error.advice) from error


def _mark_of(event: Event) -> Mark:
    mark = event.start_mark
    return Mark(mark.line + 1, mark.column + 1, getattr(event, "style", None) in ("'", '"'))


def _refusal_at(event: Event, rule: str, text: str, advice: str) -> SourceRefused:
    mark = _mark_of(event)
    return SourceRefused(rule, mark.line, mark.column, text, advice)
