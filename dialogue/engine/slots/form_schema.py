"""Convert a form's slots to a JSON Schema and back.

The schema is stored with the session: answers are checked against the form that people saw, not the newest one.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from pydantic import JsonValue

from dialogue.engine.slots.definitions.options import Option
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.templates import Translated

NEEDED_FOR = "x-needed-for"
"""Key of a property: the ids of the session's actions that need this field filled; other actions do not."""

_TYPES: Mapping[str, Mapping[str, JsonValue]] = {
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "date": {"type": "string", "format": "date"},
    "time": {"type": "string", "format": "time"},
    "datetime": {"type": "string", "format": "date-time"},
    "email": {"type": "string", "format": "email"},
    "phone": {"type": "string"},
    "money": {"type": "string", "pattern": r"^-?\d+(\.\d{1,2})?$"},
    "choice": {"type": "string"},
    "list": {"type": "array"},
    "object": {"type": "object"},
    "file": {"type": "object", "format": "file"},
}


def form_schema(fields: Mapping[str, Slot]) -> dict[str, Any]:
    """Return the JSON Schema of a form (type "object").

    "x-order" lists the fields in order, because JSON columns do not keep the order of keys. "x-slot" of each property
    holds the slot's definition as authors write it.
    """
    return {
        "type": "object",
        "properties": {name: _json_property(slot) for name, slot in fields.items()},
        "required": [name for name, slot in fields.items() if slot.required],
        "additionalProperties": False,
        "x-order": list(fields),
    }


def with_form_options(fields: Mapping[str, Slot], options: Mapping[str, Iterable[tuple[str, str]]]) -> dict[str, Slot]:
    """Return the fields with these options, each a value and a label, in place of those that come from data.

    A field without any option takes free text, so that the form can still be answered.
    """
    given = {name: _distinct_options(pairs) for name, pairs in options.items()}
    return {name: _with_options(slot, given[name]) if name in given else slot for name, slot in fields.items()}


def _with_options(slot: Slot, options: tuple[Option, ...]) -> Slot:
    if options:
        return slot.with_options(options)
    text = (slot.items or slot).model_copy(update={"type": "text", "options": ()})
    return slot.model_copy(update={"items": text, "options": ()}) if slot.type == "list" else text


def _distinct_options(pairs: Iterable[tuple[str, str]]) -> tuple[Option, ...]:
    """Return options whose values and labels differ; a label that would stand for two options gets its value behind."""
    entries = [(value, label) for value, label in pairs if value]
    words = Counter(word for value, label in entries for word in {value.casefold(), label.casefold()})
    labels = {value: label if words[label.casefold()] == 1 else f"{label} ({value})" for value, label in entries}
    return tuple(Option.model_construct(value=value, label=Translated(label)) for value, label in labels.items())


def slots_from_schema(schema: Mapping[str, Any]) -> dict[str, Slot]:
    """Return the slots, by name, from which `form_schema` made the schema."""
    properties = schema.get("properties", {})
    if not properties:
        return {}
    fields = {name: properties[name]["x-slot"] for name in schema.get("x-order", properties)}
    # An object slot validates its fields and gives them their names.
    return dict(Slot.model_validate({"type": "object", "fields": fields}).fields)


def _json_property(slot: Slot) -> dict[str, Any]:
    limits = {
        "description": slot.description and str(slot.description),
        "minLength": slot.min_length,
        "maxLength": slot.max_length,
        "pattern": slot.pattern and f"^(?:{slot.pattern})$",
        "enum": [option.value for option in slot.options] or None,
    }
    bounds = {"minimum": slot.minimum, "maximum": slot.maximum} if slot.type in ("integer", "number") else {}
    numbers = {name: float(bound) for name, bound in bounds.items() if isinstance(bound, Decimal)}
    return {
        **_TYPES[slot.type],
        **{name: limit for name, limit in limits.items() if limit is not None},
        **numbers,
        **(form_schema(slot.fields) if slot.type == "object" else {}),
        **({"items": _json_property(slot.items)} if slot.items else {}),
        "x-slot": slot_definition(slot),
    }


def slot_definition(slot: Slot) -> dict[str, Any]:
    """Return the slot as an author would write it, in plain JSON: {"type": "money", "minimum": "0.01"}."""
    return slot.model_dump(mode="json", by_alias=True, exclude_defaults=True)
