"""Values of slots: taken from typed text, from JSON or from a flow's own text, checked, and stored as plain JSON.

Stored: text, email, phone and choice as text; integer as int; number as float; boolean; money as "8450.00"; date as
"2026-12-14"; time as "09:30"; datetime in ISO 8601 with its offset; list and object as they are. None is empty.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from dialogue.engine.expressions.model import TypedValue
from dialogue.engine.slots.display import format_value, redacted_value
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
from dialogue.engine.source.json import JsonRefused, read_json
from dialogue.engine.source.value_errors import ValueRefused
from dialogue.engine.validators import find_validator, validator

__all__ = [
    "ValueRefused",
    "form_schema",
    "format_value",
    "json_value",
    "redacted_value",
    "slots_from_schema",
    "typed_value",
    "validator",
    "value_from_any",
    "value_from_json",
    "value_from_text",
]  # fmt: skip

_LONGEST_LIST = 1_000
_LONGEST_TYPED = 100_000
_MOST_DIGITS = 60
_ALSO_NUMBERS = frozenset({"text", "choice", "phone"})
JsonReader = Callable[[object, ReadingContext], JsonValue]


def value_from_text(slot: Slot, text: str, *, now: datetime, timezone: str, language: str = "en") -> JsonValue:
    """The stored value of what a person typed; None for an empty text in an optional slot; raises ValueRefused."""
    return _from_text(text, ReadingContext(slot, now, _zone(timezone), language))


def value_from_json(slot: Slot, value: object, *, now: datetime, timezone: str, language: str = "en") -> JsonValue:
    """The stored value of a strict JSON body: "yes" and 1 are no booleans, true is no integer; raises ValueRefused."""
    return _from_json(value, ReadingContext(slot, now, _zone(timezone), language))


def value_from_any(slot: Slot, value: object, *, now: datetime, timezone: str, language: str = "en") -> JsonValue:
    """The stored value of what a command, an action, a scenario or a flow's own text carries. Raises ValueRefused.

    A text is read as if typed, anything else as JSON; decimals are numbers, and a number may stand for a text.
    """
    return _from_anything(value, ReadingContext(slot, now, _zone(timezone), language))


@lru_cache(maxsize=64)
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)


def _from_text(text: str, reading: ReadingContext) -> JsonValue:
    cut = text.strip()
    if not cut:
        return _empty(reading)
    if len(cut) > _LONGEST_TYPED:
        raise reading.refuse("too_long", cut, max_length=_LONGEST_TYPED)
    if reading.slot.validator:
        cut = find_validator(reading.slot.validator).normalise(cut)
    reader = TEXT_READERS.get(reading.slot.type)
    value = reader(cut, reading) if reader else _from_json(_parsed(cut, reading), reading)
    return check_limits(value, reading)


def _parsed(text: str, reading: ReadingContext) -> JsonValue:
    try:
        return read_json(text)
    except JsonRefused as why:
        raise reading.refuse("json", text, reason=why) from why


def _from_json(value: object, reading: ReadingContext) -> JsonValue:
    if value is None:
        return _empty(reading)
    return check_limits(_JSON_READERS[reading.slot.type](value, reading), reading)


def _from_anything(value: object, reading: ReadingContext) -> JsonValue:
    if isinstance(value, str):
        return _from_text(value, reading)
    if isinstance(value, Decimal) and reading.slot.type != "money":
        value = _plain_number(value)
    if reading.slot.type in _ALSO_NUMBERS and isinstance(value, int) and not isinstance(value, bool):
        return _from_text(str(exact_integer(value, reading)), reading)
    if isinstance(value, tuple):
        value = list(value)
    return _from_json(value, reading)


def _plain_number(number: Decimal) -> int | float:
    if not number.is_finite():
        return math.nan
    return int(number) if number == number.to_integral_value() and number.adjusted() < _MOST_DIGITS else float(number)


def _empty(reading: ReadingContext) -> JsonValue:
    if reading.slot.required:
        raise reading.refuse("required", "")
    return None


def _text(value: object, reading: ReadingContext) -> str:
    if not isinstance(value, str):
        raise reading.refuse("text", value)
    return read_text(value, reading)


def _formed(read: Callable[[str, ReadingContext], JsonValue], rule: str) -> JsonReader:
    """A reader for types that JSON writes as texts."""

    def take(value: object, reading: ReadingContext) -> JsonValue:
        if not isinstance(value, str):
            raise reading.refuse(rule, value)
        return read(value, reading)

    return take


def _boolean(value: object, reading: ReadingContext) -> bool:
    if not isinstance(value, bool):
        raise reading.refuse("boolean", value)
    return value


def _integer(value: object, reading: ReadingContext) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise reading.refuse("whole_number", value)
    return exact_integer(value, reading)


def _number(value: object, reading: ReadingContext) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise reading.refuse("number", value)
    if not math.isfinite(value) if isinstance(value, float) else abs(value) > 10**300:
        raise reading.refuse("too_large", "the number")
    return float(value)


def _money(value: object, reading: ReadingContext) -> str:
    if isinstance(value, str):
        return read_money(value, reading)
    if not isinstance(value, int | float | Decimal) or isinstance(value, bool):
        raise reading.refuse("money", value)
    # A float is taken as it is written: 0.1 is a tenth.
    return exact_money(Decimal(str(value) if isinstance(value, float) else value), reading)


def _choice(value: object, reading: ReadingContext) -> str:
    if not isinstance(value, str) or reading.slot.option(value) is None:
        raise option_refusal(value, reading)
    return value


def _list(value: object, reading: ReadingContext) -> JsonValue:
    if not isinstance(value, list):
        raise reading.refuse("list", value)
    if len(value) > _LONGEST_LIST:
        raise reading.refuse("too_many", "", max_length=_LONGEST_LIST)
    return [_within(reading, f"[{place}]", reading.slot.items, each) for place, each in enumerate(value)]


def _object(value: object, reading: ReadingContext) -> JsonValue:
    if not isinstance(value, Mapping):
        raise reading.refuse("object", value)
    for key in value:
        if key not in reading.slot.fields:
            raise reading.refuse("unknown_field", key)
    return {name: _within(reading, f".{name}", slot, value.get(name)) for name, slot in reading.slot.fields.items()}


def _within(reading: ReadingContext, place: str, slot: Slot | None, value: object) -> JsonValue:
    inner = slot or Slot(type="text")
    try:
        return _from_json(value, replace(reading, slot=inner))
    except ValueRefused as why:
        field = f"{reading.slot.name}{place}{why.field.removeprefix(inner.name)}"
        raise ValueRefused(field, why.rule, why.value_text, why.limits) from why


_JSON_READERS: Mapping[str, JsonReader] = {
    "text": _text,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "date": _formed(read_iso_date, "date"),
    "time": _formed(read_time, "time"),
    "datetime": _formed(read_zoned_datetime, "datetime"),
    "email": _formed(read_email, "email"),
    "phone": _formed(read_phone, "phone"),
    "money": _money,
    "choice": _choice,
    "list": _list,
    "object": _object,
}


def typed_value(slot: Slot, value: JsonValue) -> TypedValue:
    """The Python value of a stored one, for conditions: numbers and money as Decimal, dates and times as such."""
    if value is None:
        return None
    match slot.type:
        case "integer" | "number" | "money":
            return Decimal(str(value))
        case "date":
            return date.fromisoformat(str(value))
        case "time":
            return time.fromisoformat(str(value))
        case "datetime":
            return datetime.fromisoformat(str(value))
        case "list":
            return [typed_value(slot.items or Slot(type="text"), each) for each in _as_list(value)]
        case "object":
            return {name: typed_value(each, _as_dict(value).get(name)) for name, each in slot.fields.items()}
        case _:
            return value if isinstance(value, bool) else str(value)


def _as_list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _as_dict(value: JsonValue) -> dict[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def json_value(value: TypedValue) -> JsonValue:
    """Plain JSON of what an expression gave, ready for `value_from_any`."""
    match value:
        case Decimal():
            return int(value) if value == value.to_integral_value() else str(value.normalize())
        case date() | time():
            return value.isoformat()
        case list():
            return [json_value(each) for each in value]
        case dict():
            return {key: json_value(each) for key, each in value.items()}
        case _:
            return value
