"""A form's slots as a JSON Schema, and back: what was shown is kept with the session and stays what is answered."""

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from dialogue.engine.slots.models import Slot

NEEDED_FOR = "x-needed-for"
"""The key of a property whose field must be filled for these actions of the session, and only for these."""

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
}


def form_schema(fields: Mapping[str, Slot]) -> dict[str, Any]:
    """The JSON Schema of a form: "x-order" keeps the order of the fields, "x-slot" each slot as authors write it."""
    return {
        "type": "object",
        "properties": {name: _json_property(slot) for name, slot in fields.items()},
        "required": [name for name, slot in fields.items() if slot.required],
        "additionalProperties": False,
        "x-order": list(fields),
    }


def slots_from_schema(schema: Mapping[str, Any]) -> dict[str, Slot]:
    """The slots that `form_schema` made the schema from."""
    properties = schema.get("properties", {})
    slots = (
        Slot.model_validate({"type": "object", "fields": _slot_definitions(schema, properties)}) if properties else None
    )
    return dict(slots.fields) if slots else {}


def _slot_definitions(schema: Mapping[str, Any], properties: Mapping[str, Any]) -> dict[str, Any]:
    return {name: properties[name]["x-slot"] for name in schema.get("x-order", properties)}


def _json_property(slot: Slot) -> dict[str, Any]:
    limits = {
        "description": slot.description and str(slot.description),
        "minLength": slot.min_length,
        "maxLength": slot.max_length,
        "pattern": slot.pattern and f"^(?:{slot.pattern})$",
        "enum": [option.value for option in slot.options] or None,
    }
    bounds = {"minimum": slot.minimum, "maximum": slot.maximum} if slot.type in ("integer", "number") else {}
    numbers = {name: float(bound) for name, bound in bounds.items() if bound is not None}
    return {
        **_TYPES[slot.type],
        **_without_none(limits),
        **numbers,
        **_nested_schema(slot),
        "x-slot": slot_definition(slot),
    }


def _without_none(limits: Mapping[str, Any]) -> dict[str, Any]:
    return {name: limit for name, limit in limits.items() if limit is not None}


def _nested_schema(slot: Slot) -> dict[str, Any]:
    if slot.type == "object":
        return form_schema(slot.fields)
    return {"items": _json_property(slot.items)} if slot.items else {}


def slot_definition(slot: Slot) -> dict[str, Any]:
    """The slot as an author would write it, in plain JSON."""
    return slot.model_dump(mode="json", by_alias=True, exclude_defaults=True)
