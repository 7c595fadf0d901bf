"""Values of slots: read from typed text, from JSON or from a flow's own text, checked, and stored as plain JSON.

Stored: text, email, phone and choice as text; integer as int; number as float; boolean; money as "8450.00"; date as
"2026-12-14"; time as "09:30"; datetime in ISO 8601 with its offset; list and object as they are; file as
`{id, name, kind, size, digest}`. None is empty.
"""

import math
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from dialogue.engine.expressions.values import TypedValue
from dialogue.engine.slots.display import format_value, redacted_value
from dialogue.engine.slots.durations import format_duration
from dialogue.engine.slots.file_values import read_file_value
from dialogue.engine.slots.form_schema import form_schema, slots_from_schema
from dialogue.engine.slots.limits import check_limits
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.readers import (
    TEXT_READERS,
    ReadingContext,
    exact_integer,
    exact_money,
    option_refusal,
    read_email,
    read_iso_date,
    read_money,
    read_phone,
    read_text,
    read_time,
    read_zoned_datetime,
)
from dialogue.engine.slots.redaction import MASK
from dialogue.engine.source.json import JsonRefused, read_json
from dialogue.engine.source.value_errors import ValueRefused
from dialogue.engine.validators import find_validator, validator

__all__ = [
    "ValueRefused", "form_schema", "format_value", "json_value", "redacted_value", "slots_from_schema", "typed_value",
    "validator", "value_from_any", "value_from_json", "value_from_text",
]  # fmt: skip

_MAX_LIST_ITEMS = 1_000
_MAX_TYPED_CHARACTERS = 100_000
_MAX_EXACT_DIGITS = 60
_TYPES_WRITTEN_AS_NUMBERS = frozenset({"text", "choice", "phone"})
JsonReader = Callable[[object, ReadingContext], JsonValue]


def value_from_text(slot: Slot, text: str, *, now: datetime, timezone: str, language: str = "en") -> JsonValue:
    """Return the stored value of a typed text; None for an empty text in an optional slot. Raises ValueRefused."""
    return _from_text(text, ReadingContext(slot, now, _zone_of(timezone), language))


def value_from_json(slot: Slot, value: object, *, now: datetime, timezone: str, language: str = "en") -> JsonValue:
    """Return the stored value of strict JSON: "yes" and 1 are not booleans, true is not an integer.

    Raises ValueRefused.
    """
    return _from_json(value, ReadingContext(slot, now, _zone_of(timezone), language))


def value_from_any(slot: Slot, value: object, *, now: datetime, timezone: str, language: str = "en") -> JsonValue:
    """Return the stored value of what a command, an action, a scenario or a flow contains. Raises ValueRefused.

    A text is read as if typed, other values as JSON; decimals are numbers, and a number may stand for a text.
    """
    return _from_any(value, ReadingContext(slot, now, _zone_of(timezone), language, lenient=True))


def _from_any(value: object, context: ReadingContext) -> JsonValue:
    if isinstance(value, str):
        return _from_text(value, context)
    if isinstance(value, Decimal) and context.slot.type != "money":
        value = _json_number_of(value)
    if context.slot.type in _TYPES_WRITTEN_AS_NUMBERS and isinstance(value, int) and not isinstance(value, bool):
        return _from_text(str(exact_integer(value, context)), context)
    if isinstance(value, tuple):
        value = list(value)
    return _from_json(value, context)


@lru_cache(maxsize=64)
def _zone_of(name: str) -> ZoneInfo:
    return ZoneInfo(name)


def _from_text(text: str, context: ReadingContext) -> JsonValue:
    stripped = text.strip()
    if not stripped:
        return _empty_value(context)
    if len(stripped) > _MAX_TYPED_CHARACTERS:
        raise context.refuse("too_long", stripped, max_length=_MAX_TYPED_CHARACTERS)
    # A validator may first remove what people type around a value, such as spaces in an IBAN.
    if context.slot.validator:
        stripped = find_validator(context.slot.validator).normalise(stripped)
    reader = TEXT_READERS.get(context.slot.type)
    value = reader(stripped, context) if reader else _from_json(_parse_json(stripped, context), context)
    return check_limits(value, context)


def _parse_json(text: str, context: ReadingContext) -> JsonValue:
    try:
        return read_json(text)
    except JsonRefused as error:
        raise context.refuse("json", text, reason=error) from error


def _from_json(value: object, context: ReadingContext) -> JsonValue:
    if value is None:
        return _empty_value(context)
    return check_limits(_JSON_READERS[context.slot.type](value, context), context)


def _json_number_of(number: Decimal) -> int | float:
    if not number.is_finite():
        return math.nan
    return (
        int(number) if number == number.to_integral_value() and number.adjusted() < _MAX_EXACT_DIGITS else float(number)
    )


def _empty_value(context: ReadingContext) -> JsonValue:
    if context.slot.required:
        raise context.refuse("required", "")
    return None


def _json_text(value: object, context: ReadingContext) -> str:
    if not isinstance(value, str):
        raise context.refuse("text", value)
    return read_text(value, context)


def _from_string(read_text_: Callable[[str, ReadingContext], JsonValue], rule: str) -> JsonReader:
    """Return a JSON reader for a type that JSON writes as a string."""

    def take(value: object, context: ReadingContext) -> JsonValue:
        if not isinstance(value, str):
            raise context.refuse(rule, value)
        return read_text_(value, context)

    return take


def _json_boolean(value: object, context: ReadingContext) -> bool:
    if not isinstance(value, bool):
        raise context.refuse("boolean", value)
    return value


def _json_integer(value: object, context: ReadingContext) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise context.refuse("whole_number", value)
    return exact_integer(value, context)


def _json_number(value: object, context: ReadingContext) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise context.refuse("number", value)
    # An int has no upper limit, and float() of a huge one fails.
    if not math.isfinite(value) if isinstance(value, float) else abs(value) > 10**300:
        raise context.refuse("too_large", "the number")
    return float(value)


def _json_money(value: object, context: ReadingContext) -> str:
    if isinstance(value, str):
        return read_money(value, context)
    if not isinstance(value, int | float | Decimal) or isinstance(value, bool):
        raise context.refuse("money", value)
    # A float counts as it is written: 0.1 is exactly a tenth.
    return exact_money(Decimal(str(value) if isinstance(value, float) else value), context)


def _json_choice(value: object, context: ReadingContext) -> str:
    if isinstance(value, str) and context.slot.options_from is not None:
        return read_text(value, context)
    if not isinstance(value, str) or context.slot.option(value) is None:
        raise option_refusal(value, context)
    return value


def _json_list(value: object, context: ReadingContext) -> JsonValue:
    if not isinstance(value, list):
        raise context.refuse("list", value)
    if len(value) > _MAX_LIST_ITEMS:
        raise context.refuse("too_many", "", max_length=_MAX_LIST_ITEMS)
    return [_part_from_json(context, f"[{index}]", context.slot.items, item) for index, item in enumerate(value)]


def _json_object(value: object, context: ReadingContext) -> JsonValue:
    if not isinstance(value, Mapping):
        raise context.refuse("object", value)
    for key in value:
        if key not in context.slot.fields:
            raise context.refuse("unknown_field", key)
    return {
        name: _part_from_json(context, f".{name}", slot, slot.default if value.get(name) is None else value[name])
        for name, slot in context.slot.fields.items()
    }


def _part_from_json(context: ReadingContext, suffix: str, slot: Slot | None, value: object) -> JsonValue:
    # The name of an item is that of its list, so it is cut off and the path of the item put in its place.
    inner = slot or _TEXT
    # `replace` takes ten times as long, and lists have thousands of parts.
    part = ReadingContext(inner, context.now, context.zone, context.language, context.lenient)
    try:
        return _lenient_part(value, part) if context.lenient else _from_json(value, part)
    except ValueRefused as error:
        field = f"{context.slot.name}{suffix}{error.field.removeprefix(inner.name)}"
        value_text = MASK if context.slot.sensitive and error.value_text else error.value_text
        raise ValueRefused(field, error.rule, value_text, error.limits) from error


def _lenient_part(value: object, context: ReadingContext) -> JsonValue:
    """Return the stored value of an item or a field as strict JSON, or else as a text or a number that means it."""
    try:
        return _from_json(value, context)
    except ValueRefused as refusal:
        if not isinstance(value, str | int | Decimal):
            raise
        try:
            return _from_any(value, context)
        except ValueRefused:
            raise refusal from None


_TEXT = Slot(type="text")
_JSON_READERS: Mapping[str, JsonReader] = {
    "text": _json_text,
    "integer": _json_integer,
    "number": _json_number,
    "boolean": _json_boolean,
    "date": _from_string(read_iso_date, "date"),
    "time": _from_string(read_time, "time"),
    "datetime": _from_string(read_zoned_datetime, "datetime"),
    "email": _from_string(read_email, "email"),
    "phone": _from_string(read_phone, "phone"),
    "money": _json_money,
    "choice": _json_choice,
    "list": _json_list,
    "object": _json_object,
    "file": read_file_value,
}


_CLOCK_CLASSES: Mapping[str, type[date] | type[time]] = {"date": date, "time": time, "datetime": datetime}


def typed_value(slot: Slot, value: JsonValue) -> TypedValue:
    """Return a stored value for conditions: numbers and money as Decimal, dates and times as Python's types."""
    if value is None:
        return None
    match slot.type:
        case "integer" | "number" | "money":
            return Decimal(str(value))
        case "date" | "time" | "datetime":
            return _CLOCK_CLASSES[slot.type].fromisoformat(str(value))
        case "list":
            items = value if isinstance(value, list) else []
            return [typed_value(slot.items or _TEXT, item) for item in items]
        case "object":
            parts = value if isinstance(value, dict) else {}
            return {name: typed_value(field, parts.get(name)) for name, field in slot.fields.items()}
        case "file":
            # Id and digest belong to the value, though conditions cannot name them: an input passes the whole file.
            file = value if isinstance(value, dict) else {}
            texts = {name: str(part) for name, part in file.items()}
            return {**texts, "size": Decimal(str(file.get("size", 0)))}
        case _:
            return value if isinstance(value, bool) else str(value)


def json_value(value: TypedValue) -> JsonValue:
    """Return the result of an expression as plain JSON, ready for `value_from_any`."""
    match value:
        case Decimal():
            return int(value) if value == value.to_integral_value() else str(value.normalize())
        case date() | time():
            return value.isoformat()
        case timedelta():
            return format_duration(value)
        case list():
            return [json_value(item) for item in value]
        case dict():
            return {key: json_value(item) for key, item in value.items()}
        case _:
            return value
