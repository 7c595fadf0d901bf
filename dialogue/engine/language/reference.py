"""The reference of the flow language, generated from its models: every part with its keys."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

from dialogue.engine.language.schema import json_schema
from dialogue.engine.slots.computed import EXPRESSION_PATTERN
from dialogue.engine.source.phrases import Phrase


@dataclass(frozen=True)
class KeyEntry:
    """One key. `kind` says which values it takes: "text", "one of: auto, ask", "list of Case" (a chapter).

    It is a phrase of phrases, but for words of the language and names of chapters.
    """

    name: str
    kind: str
    required: bool
    default: str
    description: str


@dataclass(frozen=True)
class Chapter:
    """One part of the language, such as Slot or Confirm, with its keys in their order.

    `step` is the `type` of the step, such as "confirm", or "" if the part is not a step.
    """

    name: str
    step: str
    description: str
    keys: tuple[KeyEntry, ...]


def language_reference() -> tuple[Chapter, ...]:
    """Return every part of the language: the documents first, then the steps and their parts."""
    definitions: Mapping[str, Any] = json_schema()["$defs"]
    first = ("Assistant", "Flow", "Slot")
    names = [*first, *(name for name in definitions if name not in first)]
    return tuple(_chapter_of(name, definitions[name]) for name in names if "properties" in definitions[name])


def _chapter_of(name: str, schema: Mapping[str, Any]) -> Chapter:
    required = schema.get("required", ())
    keys = tuple(
        KeyEntry(
            key, _kind_text(spec), key in required, _default_text(spec.get("default")), spec.get("description", "")
        )
        for key, spec in schema["properties"].items()
    )
    # Only a step has a `type` of one word; that of a slot is a choice.
    word = next((key.kind for key in keys if key.name == "type" and key.kind.isidentifier()), "")
    first_sentence, _, _ = " ".join(schema.get("description", "").split()).partition(". ")
    return Chapter(name, word, first_sentence.rstrip(".") + ".", keys)


def _default_text(value: object) -> str:
    """Return a default as an author writes it: `true`, not Python's `True`."""
    if value in (None, "", [], {}):
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


_KIND_BY_JSON_TYPE = {
    "string": Phrase("text"),
    "integer": Phrase("whole number"),
    "number": Phrase("number"),
    "boolean": Phrase("true or false"),
    "null": "",
}
_TRANSLATED = ("text", "map of names to text")
"""How the schema writes a text that may have translations."""


def _kind_text(key: Mapping[str, Any]) -> str:
    if "$ref" in key:
        return str(key["$ref"]).rsplit("/", 1)[-1]
    if "const" in key:
        return str(key["const"])
    if "enum" in key:
        return Phrase("one of: {words}", words=", ".join(map(str, key["enum"])))
    if key.get("pattern") == EXPRESSION_PATTERN:
        return Phrase("expression")
    if "discriminator" in key:
        return Phrase("steps")
    alternatives = key.get("anyOf") or key.get("oneOf")
    if alternatives:
        kinds = tuple(dict.fromkeys(filter(None, map(_kind_text, alternatives))))
        is_translated = kinds == _TRANSLATED
        return Phrase("text, or a text for each language") if is_translated else reduce(_either, kinds)
    return _plain_kind(key)


def _either(first: str, second: str) -> str:
    return Phrase("{first} or {second}", first=first, second=second)


def _plain_kind(key: Mapping[str, Any]) -> str:
    match key.get("type"):
        case "array":
            items: Any = key.get("items") or next(iter(key.get("prefixItems", ())), {})
            return Phrase("list of {items}", items=_kind_text(items))
        case "object":
            values = [key.get("additionalProperties"), *key.get("patternProperties", {}).values()]
            kinds = (_kind_text(value) for value in values if isinstance(value, Mapping))
            return next((Phrase("map of names to {kind}", kind=kind) for kind in kinds), Phrase("mapping"))
        case other:
            return _KIND_BY_JSON_TYPE.get(str(other), Phrase("anything"))
