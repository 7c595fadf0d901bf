"""The reference of the flow language, read off its models: every part, its keys, and what they mean."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dialogue.engine.language.schema import json_schema


@dataclass(frozen=True)
class KeyEntry:
    """One key: what may stand there ("text", "one of: auto, ask", "list of Case"), and what it does."""

    name: str
    kind: str
    required: bool
    default: str
    description: str


@dataclass(frozen=True)
class Chapter:
    """One part of the language, such as Slot or Confirm, with its keys in their order.

    `step` is what a step of this part says as its `type`, such as "confirm"; empty for what is no step.
    """

    name: str
    step: str
    description: str
    keys: tuple[KeyEntry, ...]


def language_reference() -> tuple[Chapter, ...]:
    """Every part of the language: the documents first, then the steps and what they are made of."""
    definitions: Mapping[str, Any] = json_schema()["$defs"]
    first = ("Assistant", "Flow", "Slot")
    names = [*first, *(name for name in definitions if name not in first)]
    return tuple(_chapter(name, definitions[name]) for name in names if "properties" in definitions[name])


def _chapter(name: str, schema: Mapping[str, Any]) -> Chapter:
    keys = tuple(_keys(schema))
    word = next((key.kind for key in keys if key.name == "type" and key.kind.isidentifier()), "")
    first_sentence, _, _ = schema.get("description", "").partition(". ")
    return Chapter(name, word, first_sentence.rstrip(".") + ".", keys)


def _keys(schema: Mapping[str, Any]) -> Iterator[KeyEntry]:
    for name, key in schema["properties"].items():
        required = name in schema.get("required", ())
        yield KeyEntry(name, _kind(key), required, _default(key.get("default")), key.get("description", ""))


def _default(value: object) -> str:
    """As an author writes it: `true`, not Python's `True`."""
    if value in (None, "", [], {}):
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


_WORDS = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false", "null": ""}


def _kind(key: Mapping[str, Any]) -> str:
    if "$ref" in key:
        return str(key["$ref"]).rsplit("/", 1)[-1]
    if "const" in key:
        return str(key["const"])
    if "enum" in key:
        return "one of: " + ", ".join(map(str, key["enum"]))
    either = key.get("anyOf") or key.get("oneOf")
    if either:
        return " or ".join(dict.fromkeys(filter(None, map(_kind, either))))
    return _plain_kind(key)


def _plain_kind(key: Mapping[str, Any]) -> str:
    match key.get("type"):
        case "array":
            inner: Any = key.get("items") or next(iter(key.get("prefixItems", ())), {})
            return f"list of {_kind(inner)}"
        case "object":
            named = [key.get("additionalProperties"), *key.get("patternProperties", {}).values()]
            return next((f"name → {_kind(each)}" for each in named if isinstance(each, Mapping)), "mapping")
        case other:
            return _WORDS.get(str(other), "anything")
