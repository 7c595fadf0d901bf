"""Values as people read them, in the language and the time zone of the conversation."""

from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache
from zoneinfo import ZoneInfo

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_time
from babel.numbers import format_currency, format_decimal
from pydantic import JsonValue

from dialogue.engine.slots import Slot

_YES_NO = {"en": ("yes", "no"), "es": ("sí", "no")}
_MASK = "••••"
_SHOWN_END = 4
_LONG_ENOUGH = 8


def display(slot: Slot, value: JsonValue, *, language: str = "en", timezone: str = "UTC") -> str:
    """The text of a stored value; "" for an empty one. Money has two decimals and groups: "8,450.00", "€8,450.00"."""
    if value is None:
        return ""
    locale = _locale(language)
    match slot.type:
        case "boolean":
            return _YES_NO.get(locale.language, _YES_NO["en"])[0 if value else 1]
        case "money":
            return _plain_blanks(_money(slot, str(value), locale))
        case "number":
            return format_decimal(Decimal(str(value)), format="0.##########", locale=locale)
        case "choice":
            option = slot.option(value)
            return option.label.into(language) if option else str(value)
        case "date":
            return format_date(date.fromisoformat(str(value)), format="long", locale=locale)
        case "time":
            return _plain_blanks(format_time(time.fromisoformat(str(value)), format="short", locale=locale))
        case "datetime":
            return _moment(datetime.fromisoformat(str(value)), locale, timezone)
        case "list":
            return _list(slot, value, language, timezone)
        case "object":
            return _object(slot, value, language, timezone)
    return str(value)


def field_of(slot: Slot, value: JsonValue, field: str) -> tuple[Slot, JsonValue] | None:
    """The part of an object, or that part of every element of a list, that `{slot.field}` names."""
    if slot.type == "object" and field in slot.fields:
        return slot.fields[field], value.get(field) if isinstance(value, dict) else None
    if slot.type == "list" and slot.items and field in slot.items.fields:
        parts = [each.get(field) for each in value if isinstance(each, dict)] if isinstance(value, list) else None
        return Slot(type="list", items=slot.items.fields[field]), parts  # type: ignore[return-value]
    return None


def masked(slot: Slot, value: JsonValue) -> str:
    """A sensitive value with all but its last four characters hidden, and those too when it is short: "•••• 3000"."""
    if value is None:
        return ""
    text = str(value)
    if slot.type in ("text", "phone") and len(text) >= _LONG_ENOUGH:
        return f"{_MASK} {text[-_SHOWN_END:]}"
    return _MASK


def shown_or_masked(slot: Slot, value: JsonValue, *, language: str = "en", timezone: str = "UTC") -> str:
    """The text of a value where others look on: sensitive ones are masked."""
    return masked(slot, value) if slot.sensitive else display(slot, value, language=language, timezone=timezone)


@lru_cache(maxsize=64)
def _locale(language: str) -> Locale:
    try:
        return Locale.parse(language, sep="-")
    except (UnknownLocaleError, ValueError):
        return Locale.parse("en")


def _money(slot: Slot, value: str, locale: Locale) -> str:
    if slot.currency:
        return format_currency(Decimal(value), slot.currency, format=None, locale=locale, currency_digits=False)
    return format_decimal(Decimal(value), format="#,##0.00", locale=locale)


def _moment(moment: datetime, locale: Locale, timezone: str) -> str:
    local = moment.astimezone(ZoneInfo(timezone))
    day = format_date(local.date(), format="long", locale=locale)
    return _plain_blanks(f"{day}, {format_time(local.time(), format='short', locale=locale)}")


def _plain_blanks(text: str) -> str:
    """Without the no-break blanks of CLDR, which look the same and compare differently."""
    return text.replace("\u202f", " ").replace("\xa0", " ")


def _list(slot: Slot, value: JsonValue, language: str, timezone: str) -> str:
    items = slot.items or Slot(type="text")
    listed = value if isinstance(value, list) else []
    return ", ".join(display(items, each, language=language, timezone=timezone) for each in listed)


def _object(slot: Slot, value: JsonValue, language: str, timezone: str) -> str:
    parts = value if isinstance(value, dict) else {}
    filled = ((name, each, parts.get(name)) for name, each in slot.fields.items())
    return ", ".join(
        f"{name.replace('_', ' ')}: {display(each, part, language=language, timezone=timezone)}"
        for name, each, part in filled
        if part is not None
    )
