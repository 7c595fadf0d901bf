"""Values as people read them, in the language and the time zone of the conversation."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache
from zoneinfo import ZoneInfo

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_time
from babel.numbers import format_currency, format_decimal
from pydantic import JsonValue

from dialogue.engine.slots.models import Slot

_YES_NO = {"en": ("yes", "no"), "es": ("sí", "no")}
_MASK = "••••"
_SHOWN_END = 4
_LONG_ENOUGH = 8


def format_value(slot: Slot, value: JsonValue, *, language: str = "en", timezone: str = "UTC") -> str:
    """The text of a stored value; "" for an empty one. Money has two decimals and groups: "8,450.00", "€8,450.00"."""
    if value is None:
        return ""
    shower = _SHOWERS.get(slot.type)
    shown = shower(slot, value, Audience(language, timezone)) if shower else str(value)
    # CLDR's no-break blanks look like any other and compare differently.
    return shown.replace("\u202f", " ").replace("\xa0", " ")


def field_of(slot: Slot, value: JsonValue, field: str) -> tuple[Slot, JsonValue] | None:
    """The part of an object, or that part of every element of a list, that `{slot.field}` names."""
    if slot.type == "object" and field in slot.fields:
        return slot.fields[field], value.get(field) if isinstance(value, dict) else None
    if slot.type == "list" and slot.items and field in slot.items.fields:
        parts = [each.get(field) for each in value if isinstance(each, dict)] if isinstance(value, list) else None
        return Slot(type="list", items=slot.items.fields[field]), parts
    return None


def redacted_value(slot: Slot, value: JsonValue) -> str:
    """A sensitive value with all but its last four characters hidden, and those too when it is short: "•••• 3000"."""
    if value is None:
        return ""
    text = str(value)
    if slot.type in ("text", "phone") and len(text) >= _LONG_ENOUGH:
        return f"{_MASK} {text[-_SHOWN_END:]}"
    return _MASK


def display_or_redact(slot: Slot, value: JsonValue, *, language: str = "en", timezone: str = "UTC") -> str:
    """The text of a value where others look on: sensitive ones are masked."""
    return (
        redacted_value(slot, value)
        if slot.sensitive
        else format_value(slot, value, language=language, timezone=timezone)
    )


@lru_cache(maxsize=64)
def _locale(language: str) -> Locale:
    try:
        return Locale.parse(language, sep="-")
    except (UnknownLocaleError, ValueError):
        return Locale.parse("en")


@dataclass(frozen=True)
class Audience:
    """Who reads: language and time zone."""

    language: str
    timezone: str

    @property
    def locale(self) -> Locale:
        """What babel knows of the language; English for one that it does not know."""
        return _locale(self.language)

    def read(self, slot: Slot, value: JsonValue) -> str:
        """A part of a list or an object."""
        return format_value(slot, value, language=self.language, timezone=self.timezone)


def _boolean(slot: Slot, value: JsonValue, reader: Audience) -> str:
    return _YES_NO.get(reader.locale.language, _YES_NO["en"])[0 if value else 1]


def _money(slot: Slot, value: JsonValue, reader: Audience) -> str:
    amount = Decimal(str(value))
    if slot.currency:
        return format_currency(amount, slot.currency, locale=reader.locale, currency_digits=False)
    return format_decimal(amount, format="#,##0.00", locale=reader.locale)


def _number(slot: Slot, value: JsonValue, reader: Audience) -> str:
    return format_decimal(Decimal(str(value)), format="0.#", locale=reader.locale, decimal_quantization=False)


def _choice(slot: Slot, value: JsonValue, reader: Audience) -> str:
    option = slot.option(value)
    return option.label.in_language(reader.language) if option else str(value)


def _date(slot: Slot, value: JsonValue, reader: Audience) -> str:
    return format_date(date.fromisoformat(str(value)), format="long", locale=reader.locale)


def _time(slot: Slot, value: JsonValue, reader: Audience) -> str:
    return format_time(time.fromisoformat(str(value)), format="short", locale=reader.locale)


def _datetime(slot: Slot, value: JsonValue, reader: Audience) -> str:
    local = datetime.fromisoformat(str(value)).astimezone(ZoneInfo(reader.timezone))
    day = format_date(local.date(), format="long", locale=reader.locale)
    return f"{day}, {format_time(local.time(), format='short', locale=reader.locale)}"


def _list(slot: Slot, value: JsonValue, reader: Audience) -> str:
    items = slot.items or Slot(type="text")
    return ", ".join(reader.read(items, each) for each in value) if isinstance(value, list) else str(value)


def _object(slot: Slot, value: JsonValue, reader: Audience) -> str:
    parts = value if isinstance(value, dict) else {}
    filled = {name: each for name, each in slot.fields.items() if parts.get(name) is not None}
    return ", ".join(f"{name.replace('_', ' ')}: {reader.read(each, parts[name])}" for name, each in filled.items())


_SHOWERS: Mapping[str, Callable[[Slot, JsonValue, Audience], str]] = {
    "boolean": _boolean,
    "money": _money,
    "number": _number,
    "choice": _choice,
    "date": _date,
    "time": _time,
    "datetime": _datetime,
    "list": _list,
    "object": _object,
}
"""How each type is shown; the others as they are stored."""
