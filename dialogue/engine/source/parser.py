"""Parse YAML into a tree with positions: a small part of YAML 1.2, with limits and advice for authors.

The tree holds dicts, tuples, str, int, Decimal, bool and None. Anchors, aliases, merge keys, tags, directives and
second documents are refused where they begin, so that a hostile text is never expanded.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from dialogue.engine.source.fast_parser import NotPlainYaml, fast_events
from dialogue.engine.source.messages import explain_yaml_error
from dialogue.engine.source.phrases import Phrase
from dialogue.engine.source.problems import escape_character
from dialogue.engine.source.scalars import ScalarRefused, read_plain_scalar

MAX_DOCUMENT_BYTES = 256 * 1024
MAX_NESTING_DEPTH = 30
MAX_NODES = 20_000
TOO_MANY_NODES = "too_many_nodes"
DocumentPath = tuple[str | int, ...]
Event = Any
"""An event of ruamel.yaml or of PyYAML, which use the same class names."""

_CONTROL_CHARACTERS = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff"
_BIDI_CONTROLS = "\u200e\u200f\u202a-\u202e\u2066-\u2069"
_HIDDEN = re.compile(f"[{_CONTROL_CHARACTERS}{_BIDI_CONTROLS}]")
_BRACKETS = re.compile(r"[\[\]{}]|^(?P<key>[a-z])", re.MULTILINE)
_DOUBLED = re.compile(r"\{\{\s*([a-z0-9_.|]+)\s*\}\}")
_TOO_DEEP = Phrase(
    "the document is nested more than {max_nesting_depth} levels deep", max_nesting_depth=MAX_NESTING_DEPTH
)


class SourceRefused(Exception):
    """The text cannot be read. `line` and `column` count from 1; `rule` names the kind of error for programs."""

    def __init__(self, rule: str, line: int, column: int, text: str, advice: str) -> None:
        self.rule, self.line, self.column, self.text, self.advice = rule, line, column, text, advice
        super().__init__(
            Phrase("{line}:{column}: {text}. {advice}", line=line, column=column, text=text, advice=advice)
        )


@dataclass(frozen=True)
class Mark:
    """Where something begins; line and column count from 1. `quoted`: its text begins one character later."""

    line: int
    column: int
    quoted: bool = False

    def column_at(self, offset: int) -> int:
        """Return the column of the character at `offset` of the text that begins at this mark."""
        return self.column + offset + int(self.quoted) if offset else self.column


@dataclass(frozen=True)
class Source:
    """A parsed document: its tree, and the position of each key and value by path."""

    tree: Any
    keys: Mapping[DocumentPath, Mark] = field(default_factory=dict)
    values: Mapping[DocumentPath, Mark] = field(default_factory=dict)

    def key_at(self, path: DocumentPath) -> Mark:
        """Return the position of the key at this path, or of the nearest enclosing value."""
        return self.keys.get(path) or self.value_at(path)

    def value_at(self, path: DocumentPath) -> Mark:
        """Return the position of the value at this path, or of the nearest enclosing value."""
        for length in range(len(path), -1, -1):
            if mark := self.values.get(path[:length]):
                return mark
        return Mark(1, 1)


@dataclass(frozen=True)
class Limits:
    """The size limits of a document: UTF-8 bytes, and values of all kinds."""

    max_bytes: int = MAX_DOCUMENT_BYTES
    max_nodes: int = MAX_NODES


@lru_cache(maxsize=32)
def read_recent_source(text: str) -> Source:
    """Return the document as `read_source` does, parsed once for texts that come again. Treat it as read-only.

    An author edits one document while the others stay the same, and each edit reads its text several times.
    """
    return read_source(text)


def read_source(text: str, limits: Limits = Limits()) -> Source:
    """Parse a document. Raises SourceRefused with the position of the error and advice."""
    max_bytes = limits.max_bytes
    # A text with more characters than bytes allowed is too large without encoding it.
    size = len(text) if len(text) > max_bytes else len(text.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        message = Phrase(
            "the document has {size} bytes; the limit is {max_bytes}", size=f"{size:,}", max_bytes=f"{max_bytes:,}"
        )
        raise SourceRefused("too_large", 1, 1, message, Phrase("Split it into several flows"))
    bare = text.removeprefix("\ufeff")
    if match := _HIDDEN.search(bare):
        message = Phrase("found the hidden character {group}", group=escape_character(match.group()))
        position = _position_of(bare, match.start())
        raise SourceRefused("hidden_character", *position, message, Phrase("Delete it, or type the text again"))
    _check_brackets(bare)
    try:
        return _build_source(bare, fast_events(bare), limits)
    except NotPlainYaml:
        return _build_source(bare, _slow_events(bare), limits)
    except SourceRefused as error:
        if error.rule == TOO_MANY_NODES:
            raise  # Both parsers count the same nodes; the slow one would only take longer to find out.
        # The slow parser confirms the error and knows better positions.
        return _build_source(bare, _slow_events(bare), limits)


def _build_source(text: str, events: Iterable[Event], limits: Limits) -> Source:
    builder = _Builder(text, limits.max_nodes)
    for event in events:
        builder.handle_event(event)
    return builder.finish()


def _check_brackets(text: str) -> None:
    """Refuse deep nesting before the scanner sees it, because the scanner looks far ahead of an opening bracket."""
    depth = 0
    for match in _BRACKETS.finditer(text):
        depth = 0 if match.lastgroup == "key" else max(0, depth + (1 if match.group() in "[{" else -1))
        if depth > MAX_NESTING_DEPTH:
            raise SourceRefused(
                "too_deep", *_position_of(text, match.start()), _TOO_DEEP, Phrase("Use fewer levels of nesting")
            )


def _position_of(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def _slow_events(text: str) -> Iterator[Event]:
    try:
        yield from YAML(typ="safe", pure=True).parse(text)
    except MarkedYAMLError as error:
        mark = error.context_mark if "expected ':'" in str(error.problem) else error.problem_mark or error.context_mark
        line, column = (mark.line, mark.column) if mark else (0, 0)  # ruamel counts from 0
        rule, message, advice = explain_yaml_error(str(error.problem), str(error.context or ""), text, line, column)
        raise SourceRefused(rule, line + 1, 1 if rule == "directive" else column + 1, message, advice) from error
    except (YAMLError, ValueError, IndexError, KeyError, AttributeError, AssertionError, TypeError) as error:
        # On hostile text ruamel fails with more than its own errors.
        raise SourceRefused(
            "yaml", 1, 1, Phrase("the text is not valid YAML"), Phrase("Check quotes, brackets and indentation")
        ) from error


@dataclass
class _Frame:
    """A mapping or a list whose end has not been reached."""

    path: DocumentPath
    content: dict[str, Any] | list[Any]
    key: str | None = None


class _Builder:
    """Build the tree from parser events. The first event that the language does not allow raises SourceRefused."""

    def __init__(self, text: str, max_nodes: int) -> None:
        self._lines = text.splitlines()
        self._max_nodes = max_nodes
        self._frames: list[_Frame] = []
        self._documents = 0
        self._nodes = 0
        self._tree: Any = None
        # Positions are kept apart from the tree, so that the tree holds plain values for pydantic.
        self._keys: dict[DocumentPath, Mark] = {}
        self._values: dict[DocumentPath, Mark] = {}

    def finish(self) -> Source:
        """Return the document. Raises SourceRefused unless it is a mapping."""
        if not isinstance(self._tree, dict):
            text = (
                Phrase("the document is empty")
                if self._tree is None
                else Phrase("the document is a list or a text, and has no keys")
            )
            raise SourceRefused("no_mapping", 1, 1, text, Phrase("Begin with a key, such as `flow: my_flow`"))
        return Source(self._tree, self._keys, self._values)

    def handle_event(self, event: Event) -> None:
        """Add one event to the tree. Raises SourceRefused."""
        match type(event).__name__:
            case "ScalarEvent" | "MappingStartEvent" | "SequenceStartEvent":
                self._add_node(event)
            case "MappingEndEvent" | "SequenceEndEvent":
                frame = self._frames.pop()
                # The models of the language hold tuples.
                self._attach(tuple(frame.content) if isinstance(frame.content, list) else frame.content)
            case "DocumentStartEvent":
                self._documents += 1
                if self._documents > 1:
                    advice = Phrase("Put each flow into its own file")
                    raise _refusal_at(event, "second_document", Phrase("found a second document"), advice)
                if event.version or event.tags:
                    raise _refusal_at(
                        event, "directive", Phrase("found a directive"), Phrase("Delete the lines that begin with %")
                    )
            case "AliasEvent":
                text = Phrase("found the alias `*{anchor}`", anchor=event.anchor)
                raise _refusal_at(event, "alias", text, Phrase("Write out the value, or quote the text"))
            case _:
                pass

    def _add_node(self, event: Event) -> None:
        self._nodes += 1
        if self._nodes > self._max_nodes:
            text = Phrase("the document has more than {max_nodes} values", max_nodes=f"{self._max_nodes:,}")
            raise _refusal_at(event, TOO_MANY_NODES, text, Phrase("Split it into several flows"))
        if len(self._frames) >= MAX_NESTING_DEPTH:
            raise _refusal_at(event, "too_deep", _TOO_DEEP, Phrase("Use fewer levels of nesting"))
        # Anchors and aliases could expand a small text to gigabytes; tags could create Python objects.
        if event.anchor:
            text = Phrase("found the anchor `&{anchor}`", anchor=event.anchor)
            raise _refusal_at(
                event, "anchor", text, Phrase("Write out the value where it is needed, or quote the text")
            )
        tag = str(getattr(event, "tag", None) or "").replace("tag:yaml.org,2002:", "!!")
        if tag:
            raise _refusal_at(
                event, "tag", Phrase("found the tag `{tag}`", tag=tag), Phrase("Delete it, or quote the text")
            )
        if type(event).__name__ == "ScalarEvent":
            self._add_scalar(event)
        else:
            self._open_collection(event)

    def _add_scalar(self, event: Event) -> None:
        frame = self._frames[-1] if self._frames else None
        if frame and isinstance(frame.content, dict) and frame.key is None:
            self._add_key(frame, event)
        else:
            value = _scalar_value(event)
            path, mark = self._next_path(), _mark_of(event)
            is_empty = not event.value and not event.style
            # The two parsers disagree about the position of an empty value, so it gets that of its key.
            self._values[path] = self._keys.get(path, mark) if is_empty else mark
            self._attach(value)

    def _add_key(self, frame: _Frame, event: Event) -> None:
        key = str(event.value)
        if not key or event.style in ("|", ">"):
            raise _refusal_at(event, "key", Phrase("there is no key before the colon"), Phrase("Write a key before it"))
        if key == "<<" and not event.style:
            raise _refusal_at(event, "merge_key", Phrase("found the merge key `<<`"), Phrase("Write out the keys"))
        path = (*frame.path, key)
        if path in self._keys:
            lines = Phrase(
                "lines {keys_line} and {event_line}", keys_line=self._keys[path].line, event_line=_mark_of(event).line
            )
            raise _refusal_at(
                event,
                "duplicate_key",
                Phrase("the key `{key}` appears twice, on {lines}", key=key[:64], lines=lines),
                Phrase("Delete one"),
            )
        frame.key, self._keys[path] = key, _mark_of(event)

    def _open_collection(self, event: Event) -> None:
        frame = self._frames[-1] if self._frames else None
        if frame and isinstance(frame.content, dict) and frame.key is None:
            # An unquoted {{slot}} is two nested mappings for YAML.
            doubled = _DOUBLED.search(self._lines[event.start_mark.line])
            advice = Phrase(
                'Quote the text, and write one pair of braces: "{{{value}}}"', value=doubled[1] if doubled else "slot"
            )
            raise _refusal_at(event, "key", Phrase("found a mapping or a list where a key is expected"), advice)
        content: dict[str, Any] | list[Any] = {} if type(event).__name__ == "MappingStartEvent" else []
        path = self._next_path()
        self._values[path] = _mark_of(event)
        self._frames.append(_Frame(path, content))

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
