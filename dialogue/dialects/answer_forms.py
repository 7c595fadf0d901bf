"""Make a form of an agent's JSON Schema, and JSON of what people fill in.

Texts, numbers, yes or no, dates, times, e-mail addresses, choices and lists of choices become fields. Every other
property becomes one text field for JSON, which is checked against the property's own schema.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from dialogue.dialects.json_schemas import SchemaProblem, problems_in
from dialogue.dialects.limits import MAX_ARGUMENTS, read_json
from dialogue.dialects.pauses import AskRefused

MAX_JSON_CHARACTERS = 20_000
MAX_OPTIONS = 100
MAX_OPTION_CHARACTERS = 200
_RESERVED = frozenset(["and", "or", "not", "in", "true", "false", "null", "none", "reason"])
"""Words of conditions, and the name under which a gate keeps the text of an answer."""
_FORMATS = {"date": "date", "date-time": "datetime", "time": "time", "email": "email"}
_SLOT_TYPES = {"boolean": "boolean", "integer": "integer", "number": "number"}
_SENSITIVE_FORMATS = frozenset({"password"})


@dataclass(frozen=True)
class AnswerField:
    """One field: its name on our desk, the property that it fills, and the slot as an author would write it.

    `reads` is how its value becomes JSON again: `value` as it is, `json` from a text, `option` from an option's text.
    """

    name: str
    prop: str
    slot: Mapping[str, Any]
    reads: str = "value"
    needed: bool = False

    def plain(self) -> dict[str, Any]:
        """Return the field as JSON data."""
        return asdict(self)


def fields_of_form(form: Mapping[str, Any], proposed: Mapping[str, Any] | None = None) -> tuple[AnswerField, ...]:
    """Return the fields of a form. With `proposed`, they start with these arguments.

    A secret that was proposed need not be typed again: left empty, it stays. Raises AskRefused for more than
    `MAX_ARGUMENTS` properties.
    """
    properties: Mapping[str, Any] = form.get("properties") or {}
    if len(properties) > MAX_ARGUMENTS:
        raise AskRefused("form.properties", f"at most {MAX_ARGUMENTS} fields fit in one form")
    names = _field_names(properties)
    required, args = form.get("required", ()), proposed or {}
    schemas = {prop: _plain_schema(schema, form) for prop, schema in properties.items()}
    return tuple(
        _field_of(names[prop], prop, schema, prop in required and not _stays(prop, schema, args), args.get(prop))
        for prop, schema in schemas.items()
    )


def _stays(prop: str, schema: Mapping[str, Any], proposed: Mapping[str, Any]) -> bool:
    """Whether a proposed argument stays as it is while its field is empty."""
    return prop in proposed and is_sensitive(schema)


def values_of_answer(fields: Iterable[AnswerField], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON values by property; empty fields are left out. Raises ValueError for a text that is no JSON."""
    filled = ((field, values.get(field.name)) for field in fields)
    return {field.prop: _json_value(field, value) for field, value in filled if value is not None}


def edited_args(
    fields: Iterable[AnswerField], proposed: Mapping[str, Any], values: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a call's arguments with what people changed. An argument that looks as before stays exactly as it was.

    A secret that was left empty stays too; another field that was emptied is left out. Raises ValueError for a text
    that is no JSON.
    """
    args = dict(proposed)
    for field in fields:
        value = values.get(field.name)
        if value is not None:
            answer = _json_value(field, value)
            if field.prop not in proposed or not _looks_the_same(answer, proposed[field.prop]):
                args[field.prop] = answer
        elif "default" in field.slot:
            args.pop(field.prop, None)
    return args


def changed_args(fields: Iterable[AnswerField], proposed: Mapping[str, Any], values: Mapping[str, Any]) -> list[str]:
    """Return the names of the fields in which people changed the proposal. Raises ValueError as `edited_args` does."""
    fields = tuple(fields)
    args = edited_args(fields, proposed, values)
    return [
        field.name
        for field in fields
        if (field.prop in args) != (field.prop in proposed)
        or not _looks_the_same(args.get(field.prop), proposed.get(field.prop))
    ]


def _looks_the_same(value: Any, proposed: Any) -> bool:
    """Whether two values look the same in a form: browsers send line ends of their own and no blanks around a text."""
    if isinstance(value, str) and isinstance(proposed, str):
        return value.split() == proposed.split()
    return bool(value == proposed) and isinstance(value, bool) == isinstance(proposed, bool)


def problems_of_answer(form: Mapping[str, Any], values: Mapping[str, Any]) -> list[SchemaProblem]:
    """Return what is wrong with an answer by the form's whole schema."""
    return problems_in(form, dict(values))


def is_sensitive(schema: Any) -> bool:
    """Whether a property holds a secret: `writeOnly`, `x-sensitive`, or the format `password`."""
    if not isinstance(schema, Mapping):
        return False
    return bool(schema.get("writeOnly") or schema.get("x-sensitive") or schema.get("format") in _SENSITIVE_FORMATS)


def _field_names(properties: Iterable[str]) -> dict[str, str]:
    """Return a name that our desk can read for each property: `orderId` becomes `order_id`."""
    names: dict[str, str] = {}
    for prop in properties:
        words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", prop).casefold()
        name = re.sub(r"[^a-z0-9]+", "_", words).strip("_")[:50]
        name = name if name[:1].isalpha() else f"field_{name}".rstrip("_")
        name = f"{name}_value" if name in _RESERVED else name
        suffix = 1
        unique = name
        while unique in names.values():
            suffix += 1
            unique = f"{name}_{suffix}"
        names[prop] = unique
    return names


def _plain_schema(schema: Any, form: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a property's schema without a reference, and without the null that an optional one may be."""
    if not isinstance(schema, Mapping):
        return {}
    reference = schema.get("$ref")
    if isinstance(reference, str):
        target: Any = form
        for part in reference.split("/")[1:]:
            target = target.get(part) if isinstance(target, Mapping) else None
        schema = {**(target if isinstance(target, Mapping) and "$ref" not in target else {}), **_without_ref(schema)}
    parts = [part for part in schema.get("anyOf", ()) if part != {"type": "null"}]
    if len(parts) == 1 and isinstance(parts[0], Mapping):
        inner = _plain_schema(parts[0], form)
        return {**inner, **{key: part for key, part in schema.items() if key != "anyOf"}}
    return dict(schema)


def _without_ref(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {key: part for key, part in schema.items() if key != "$ref"}


def _field_of(name: str, prop: str, schema: Mapping[str, Any], needed: bool, proposed: Any) -> AnswerField:
    slot, reads = _slot_of(schema)
    if isinstance(proposed, str) and slot["type"] in _FORMATS.values():
        slot = {"type": "text"}  # read as a date, a proposed text would come back in other words
    definition: dict[str, Any] = {**slot, "required": False}
    title = schema.get("title")
    if isinstance(title, str) and title.strip():
        definition["title"] = _escape(title[:100])
    elif name.replace("_", "") != prop.replace("_", "").casefold():
        definition["title"] = _escape(prop[:100])  # else the name in words is the label: "Order ID" for order_id
    if isinstance(schema.get("description"), str) and schema["description"].strip():
        definition["description"] = _escape(schema["description"][:500])
    if is_sensitive(schema):
        definition["sensitive"] = True  # a default would be shown to people who may not read it
    else:
        default = schema.get("default") if proposed is None else proposed
        definition |= _default_of(slot, reads, default)
    return AnswerField(name, prop, definition, reads, needed)


def _escape(text: str) -> str:
    """Return the text for a place in which braces would name a slot."""
    return text.replace("{", "(").replace("}", ")")


def _slot_of(schema: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the slot that a property's values fit, and how they are read."""
    options = _options_of(schema)
    if options:
        words = [{"value": _option_text(value), "label": _escape(label)} for value, label in options]
        return {"type": "choice", "options": words}, "value" if isinstance(options[0][0], str) else "option"
    kind = schema.get("type")
    if isinstance(kind, str) and kind in _SLOT_TYPES:
        return {"type": _SLOT_TYPES[kind]}, "value"
    if kind == "string":
        return {"type": _FORMATS.get(str(schema.get("format")), "text")}, "value"
    items = schema.get("items")
    inner = _options_of(items) if kind == "array" and isinstance(items, Mapping) else []
    if inner and all(isinstance(value, str) for value, _label in inner):
        words = [{"value": str(value), "label": _escape(label)} for value, label in inner]
        return {"type": "list", "items": {"type": "choice", "options": words}}, "value"
    return {"type": "text", "max_length": MAX_JSON_CHARACTERS}, "json"


def _options_of(schema: Mapping[str, Any]) -> list[tuple[Any, str]]:
    """Return the values to choose from with their labels; none if a choice cannot show them all."""
    titled = [part for key in ("oneOf", "anyOf") for part in schema.get(key, ())]
    if titled and all(isinstance(part, Mapping) and "const" in part for part in titled):
        pairs = [(part["const"], str(part.get("title") or _option_text(part["const"]))) for part in titled]
    else:
        values = [value for value in schema.get("enum", ()) if value is not None]
        names = schema.get("enumNames")
        names = names if isinstance(names, list) and len(names) == len(values) else values
        pairs = [(value, _option_text(name)) for value, name in zip(values, names, strict=True)]
    words = [word for value, label in pairs for word in (_option_text(value), label)]
    fits = len(pairs) <= MAX_OPTIONS and all(word.strip() and len(word) <= MAX_OPTION_CHARACTERS for word in words)
    distinct = len({_option_text(value).casefold() for value, _label in pairs}) == len(pairs)
    same_kind = len({isinstance(value, str) for value, _label in pairs}) <= 1
    plain = same_kind and all(not isinstance(value, list | dict) for value, _label in pairs)
    return pairs if fits and distinct and plain else []


def _option_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _default_of(slot: Mapping[str, Any], reads: str, value: Any) -> dict[str, Any]:
    """Return the default of a slot, if the value fits it."""
    if value is None:
        return {}
    if reads == "json":
        text = json.dumps(value, ensure_ascii=False, indent=1)
        return {"default": text} if len(text) <= MAX_JSON_CHARACTERS else {}
    if slot["type"] == "choice":
        text = _option_text(value)
        return {"default": text} if text in {option["value"] for option in slot["options"]} else {}
    kinds: Mapping[str, tuple[type, ...]] = {"boolean": (bool,), "integer": (int,), "number": (int, float)}
    expected = {**kinds, "list": (list,)}.get(slot["type"], (str,))
    is_other_kind = isinstance(value, bool) != (slot["type"] == "boolean")
    return {} if is_other_kind or not isinstance(value, expected) or value == "" else {"default": value}


def _json_value(field: AnswerField, value: Any) -> Any:
    if field.reads == "value" or not isinstance(value, str):
        return value
    return read_json(value)
