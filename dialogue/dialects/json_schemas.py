"""A bounded part of JSON Schema: what answers of people are checked against.

Known keywords: type, enum, const, properties, required, additionalProperties, items, minItems, maxItems, minLength,
maxLength, pattern, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, anyOf, oneOf, allOf, and `$ref`
within the schema. Others are not checked; the agent checks its own values again in any case.
Patterns are RE2's, which take linear time, and a budget of steps ends schemas that are built to be expensive.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import re2

from dialogue.dialects.pauses import AskRefused

MAX_SCHEMA_NODES = 1_000
MAX_ALTERNATIVES = 20
MAX_ENUM_VALUES = 500
MAX_PATTERN_CHARACTERS = 500
MAX_REFERENCES = 40
MAX_CHECK_STEPS = 20_000
MAX_NUMBER = 10**300

_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: _is_number(value) and float(value).is_integer(),
    "number": lambda value: _is_number(value),  # noqa: PLW0108 - the function is defined below
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
_COMBINATIONS = ("anyOf", "oneOf", "allOf")


@dataclass(frozen=True)
class SchemaProblem:
    """A value that does not fit: its path (`order.lines.0`), the keyword, and what the keyword says."""

    path: str
    rule: str
    limit: Any = None


def check_schema(schema: Mapping[str, Any]) -> None:
    """Raise AskRefused if a schema is malformed, has a pattern that RE2 refuses, or is too large to check values by."""
    pending: list[tuple[Any, str]] = [(schema, "form")]
    count = 0
    while pending:
        node, path = pending.pop()
        count += 1
        if count > MAX_SCHEMA_NODES:
            raise AskRefused("form", f"a schema may have at most {MAX_SCHEMA_NODES} parts")
        if not isinstance(node, bool):
            pending += _check_node(node, path)
    reference_of = _Check(schema).resolve
    for node in _nodes_with_references(schema):
        reference_of(node, 0)


def _check_node(node: Any, path: str) -> list[tuple[Any, str]]:
    """Check one part of a schema; return the parts inside it."""
    if not isinstance(node, dict):
        raise AskRefused(path, "a schema is an object, true or false")
    _check_keywords(node, path)
    children = [(node[key], f"{path}.{key}") for key in ("items", "additionalProperties") if key in node]
    for key in _COMBINATIONS:
        alternatives = node.get(key, [])
        if not isinstance(alternatives, list) or len(alternatives) > MAX_ALTERNATIVES:
            raise AskRefused(f"{path}.{key}", f"a list of at most {MAX_ALTERNATIVES} schemas is expected here")
        children += [(part, f"{path}.{key}.{index}") for index, part in enumerate(alternatives)]
    for key in ("properties", "$defs", "definitions"):
        parts = node.get(key, {})
        if not isinstance(parts, dict):
            raise AskRefused(f"{path}.{key}", "an object is expected here")
        children += [(part, f"{path}.{key}.{name}") for name, part in parts.items()]
    return children


def _check_keywords(node: dict[str, Any], path: str) -> None:
    if not all(isinstance(kind, str) and kind in _TYPES for kind in _kinds_of(node)):
        raise AskRefused(f"{path}.type", f"write one of {', '.join(_TYPES)}")
    for key in ("enum", "required"):
        if key in node and (not isinstance(node[key], list) or len(node[key]) > MAX_ENUM_VALUES):
            raise AskRefused(f"{path}.{key}", f"a list of at most {MAX_ENUM_VALUES} values is expected here")
    if not all(isinstance(name, str) for name in node.get("required", [])):
        raise AskRefused(f"{path}.required", "the names of properties are expected here")
    if "pattern" in node:
        _check_pattern(node["pattern"], f"{path}.pattern")
    _check_numbers(node, path)


def _kinds_of(node: Mapping[str, Any]) -> list[Any]:
    kinds = node.get("type", [])
    return kinds if isinstance(kinds, list) else [kinds]


def _check_numbers(node: dict[str, Any], path: str) -> None:
    for key in _NUMBER_KEYWORDS:
        if key in node and not _is_number(node[key]):
            raise AskRefused(f"{path}.{key}", "a number is expected here")
    if node.get("multipleOf", 1) <= 0:
        raise AskRefused(f"{path}.multipleOf", "a number above 0 is expected here")


def _check_pattern(pattern: Any, path: str) -> None:
    if not isinstance(pattern, str) or len(pattern) > MAX_PATTERN_CHARACTERS:
        raise AskRefused(path, f"a pattern of at most {MAX_PATTERN_CHARACTERS} characters is expected here")
    try:
        _compiled_pattern(pattern)
    except (re2.error, UnicodeEncodeError):
        raise AskRefused(
            path, "RE2 cannot read this pattern; it knows neither look-around nor backreferences"
        ) from None


@lru_cache(maxsize=256)
def _compiled_pattern(pattern: str) -> Any:
    options = re2.Options()
    options.max_mem = 1 << 20
    options.log_errors = False
    return re2.compile(pattern, options)


def problems_in(schema: Mapping[str, Any], value: Any) -> list[SchemaProblem]:
    """Return what is wrong with a value, at most one problem for each place; empty if it fits."""
    check = _Check(schema)
    problems: dict[str, SchemaProblem] = {}
    for problem in check.problems(schema, value, "", 0):
        problems.setdefault(problem.path, problem)
    return list(problems.values())


@dataclass
class _Check:
    """One check of a value. `steps` counts the work, so that no schema can make it long."""

    root: Mapping[str, Any]
    steps: int = 0

    def problems(self, node: Any, value: Any, path: str, depth: int) -> Iterator[SchemaProblem]:
        self.steps += 1
        if self.steps > MAX_CHECK_STEPS or depth > MAX_REFERENCES:
            yield SchemaProblem("", "too_expensive")
            return
        if isinstance(node, bool):
            if not node:
                yield SchemaProblem(path, "additionalProperties")
            return
        node = self.resolve(node, 0)
        yield from self._own_problems(node, value, path)
        yield from self._inner_problems(node, value, path, depth)
        yield from self._combined_problems(node, value, path, depth)

    def resolve(self, node: Mapping[str, Any], hops: int) -> Mapping[str, Any]:
        """Return what a reference stands for. Raises AskRefused for one that leads out of the schema or in a circle."""
        reference = node.get("$ref")
        if reference is None:
            return node
        if not isinstance(reference, str) or not reference.startswith("#") or hops > MAX_REFERENCES:
            raise AskRefused("form.$ref", "a reference must lead to a part of the same schema")
        target: Any = self.root
        for part in reference[1:].split("/")[1:]:
            target = target.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(target, dict) else None
        if not isinstance(target, dict):
            raise AskRefused("form.$ref", f"“{reference[:100]}” leads nowhere")
        return self.resolve(target, hops + 1)

    def _own_problems(self, node: Mapping[str, Any], value: Any, path: str) -> Iterator[SchemaProblem]:
        kinds = _kinds_of(node)
        if kinds and not any(_TYPES[kind](value) for kind in kinds):
            yield SchemaProblem(path, "type", " | ".join(kinds))
            return
        if "enum" in node and not any(_is_same(value, option) for option in node["enum"]):
            yield SchemaProblem(path, "enum")
        if "const" in node and not _is_same(value, node["const"]):
            yield SchemaProblem(path, "const", node["const"])
        for keyword, fits in _LIMITS_BY_TYPE.get(_kind_of(value), {}).items():
            if keyword in node and not fits(value, node[keyword]):
                yield SchemaProblem(path, keyword, node[keyword])

    def _inner_problems(self, node: Mapping[str, Any], value: Any, path: str, depth: int) -> Iterator[SchemaProblem]:
        if isinstance(value, list) and "items" in node:
            for index, item in enumerate(value):
                yield from self.problems(node["items"], item, _join(path, index), depth + 1)
        if isinstance(value, dict):
            for name in node.get("required", []):
                if name not in value:
                    yield SchemaProblem(_join(path, name), "required")
            properties = node.get("properties", {})
            for name, item in value.items():
                part = properties.get(name, node.get("additionalProperties", True))
                yield from self.problems(part, item, _join(path, name), depth + 1)

    def _combined_problems(self, node: Mapping[str, Any], value: Any, path: str, depth: int) -> Iterator[SchemaProblem]:
        for part in node.get("allOf", []):
            yield from self.problems(part, value, path, depth + 1)
        for keyword in ("anyOf", "oneOf"):
            parts = node.get(keyword)
            if not parts:
                continue
            fitting = sum(not any(self.problems(part, value, path, depth + 1)) for part in parts)
            if fitting == 0 or (keyword == "oneOf" and fitting > 1):
                yield SchemaProblem(
                    path, keyword, "The value fits none of the forms that the agent offers, or several."
                )


def _nodes_with_references(schema: Any) -> Iterator[Mapping[str, Any]]:
    pending = [schema]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            if isinstance(node.get("$ref"), str):
                yield node
            pending += node.values()
        elif isinstance(node, list):
            pending += node


def _join(path: str, part: object) -> str:
    return f"{path}.{part}" if path else str(part)


def _is_number(value: Any) -> bool:
    # An int has no upper limit, and `float` of a huge one fails.
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < MAX_NUMBER


def _is_same(value: Any, other: Any) -> bool:
    """Whether two JSON values are equal; true is not 1 in JSON."""
    return bool(value == other) and isinstance(value, bool) == isinstance(other, bool)


def _kind_of(value: Any) -> str:
    if _is_number(value):
        return "number"
    return next((name for name in ("string", "array") if _TYPES[name](value)), "")


def _is_multiple(value: Any, step: Any) -> bool:
    rest = math.remainder(value, step)
    return bool(abs(rest) < 1e-9 * max(1.0, abs(value)))


_LIMITS_BY_TYPE: Mapping[str, Mapping[str, Callable[[Any, Any], bool]]] = {
    "number": {
        "minimum": lambda value, limit: value >= limit,
        "maximum": lambda value, limit: value <= limit,
        "exclusiveMinimum": lambda value, limit: value > limit,
        "exclusiveMaximum": lambda value, limit: value < limit,
        "multipleOf": _is_multiple,
    },
    "string": {
        "minLength": lambda value, limit: len(value) >= limit,
        "maxLength": lambda value, limit: len(value) <= limit,
        "pattern": lambda value, pattern: bool(
            _compiled_pattern(pattern).search(value.encode("utf-8", "replace").decode())
        ),
    },
    "array": {
        "minItems": lambda value, limit: len(value) >= limit,
        "maxItems": lambda value, limit: len(value) <= limit,
    },
}
_NUMBER_KEYWORDS = tuple(keyword for limits in _LIMITS_BY_TYPE.values() for keyword in limits if keyword != "pattern")
