"""Short forms of slots: "text", "optional order", "list of order" stand for whole slots."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dialogue.engine.slots.fields import IDENTIFIER, field_error
from dialogue.engine.source.phrases import Phrase
from dialogue.engine.source.problems import did_you_mean

SHORT_FORM = rf"(optional )?(list of )?{IDENTIFIER}"
"""What a short form looks like. The last word is a slot type or a record."""
_SHORT_FORM = re.compile(SHORT_FORM)


def expand_short_form(text: str, types: Iterable[str]) -> dict[str, Any]:
    """Return the slot that a short form stands for: "optional list of text" is an optional list of texts.

    `types` are the names of slot types and records. Raises a validation error for any other text.
    """
    known_types = tuple(types)
    type_name = text.removeprefix("optional ").removeprefix("list of ").strip()
    if not _SHORT_FORM.fullmatch(text.strip()) or type_name not in known_types:
        raise field_error(
            "slot_type", Phrase("`{text}` is not a slot type", text=text[:64]), did_you_mean(type_name, known_types)
        )
    definition: dict[str, Any] = {"type": type_name}
    if "list of " in text:
        definition = {"type": "list", "items": definition}
    return {**definition, "required": not text.startswith("optional ")}


def type_names_in(definition: object) -> Iterator[str]:
    """Yield the names of the types that a slot's definition mentions, in short and long form, at any depth."""
    if isinstance(definition, str):
        yield definition.rpartition(" ")[2]
    elif isinstance(definition, Mapping):
        if isinstance(definition.get("type"), str):
            yield definition["type"]
        yield from type_names_in(definition.get("items"))
        yield from type_names_in_fields(definition.get("fields"))


def type_names_in_fields(fields: object) -> Iterator[str]:
    """Yield the names of the types that a mapping of name to slot mentions."""
    for field in fields.values() if isinstance(fields, Mapping) else ():
        yield from type_names_in(field)
