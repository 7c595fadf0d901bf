"""Format stored values for people, in the language and time zone of the conversation, and redact sensitive ones."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache, partial
from zoneinfo import ZoneInfo

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_time
from babel.numbers import format_currency, format_decimal
from pydantic import JsonValue

from dialogue.engine.expressions.kinds import TEXT, Kind
from dialogue.engine.slots.models import Slot

_YES_NO = {"en": ("yes", "no"), "es": ("sí", "no")}
_MASK = "••••"
_VISIBLE_CHARACTERS = 4
_MIN_PARTLY_VISIBLE_CHARACTERS = 8
_MAX_CACHED_TEXTS = 8_192
"""Amounts, numbers and dates whose text is kept: the CLDR rules take 15 µs, and lists show a thousand of them."""


def format_value(slot: Slot, value: JsonValue, *, language: str = "en", timezone: str = "UTC") -> str:
    """Return the text of a stored value, "" for an empty one. Money has two decimals: "8,450.00", "€8,450.00"."""
    if value is None:
        return ""
    formatter = _FORMATTERS.get(slot.type)
    return _plain_spaces(formatter(slot, value, Audience(language, timezone)) if formatter else str(value))


def _format_for(audience: "Audience", slot: Slot, value: JsonValue) -> str:
    if value is None:
        return ""
    formatter = _FORMATTERS.get(slot.type)
    return _plain_spaces(formatter(slot, value, audience) if formatter else str(value))


def _plain_spaces(text: str) -> str:
    # CLDR writes no-break spaces, which look like others but compare as different.
    return text.replace("\u202f", " ").replace("\xa0", " ")


def field_of(slot: Slot, value: JsonValue, path: str) -> tuple[Slot, JsonValue] | None:
    """Return slot and value of what `{slot.field}` or `{slot.field.field}` names, or None without such a field.

    In a list it is the list of that field's values in every item.
    """
    part = field_slot(slot, path)
    return (part, value_at(value, path.split("."))) if part else None


def field_slot(slot: Slot, path: str) -> Slot | None:
    """Return the slot of the field that a path such as address.zip names inside the slot, or None."""
    if slot.type == "list":
        part = field_slot(slot.items, path) if slot.items else None
        return part if part is None or part.type == "list" else Slot(type="list", items=part)
    field, _, rest = path.partition(".")
    part = slot.own_fields.get(field)
    return field_slot(part, rest) if part and rest else part


def value_at(value: JsonValue, path: Sequence[str]) -> JsonValue:
    """Return what stands at the path inside a value; of a list, what stands there in every item."""
    if not path or value is None:
        return value
    if isinstance(value, list):
        parts = [value_at(item, path) for item in value if isinstance(item, dict)]
        return [entry for part in parts for entry in (part if isinstance(part, list) else [part])]
    return value_at(value.get(path[0]), path[1:]) if isinstance(value, dict) else None


def redacted_value(slot: Slot, value: JsonValue) -> str:
    """Return a mask for a value, with the last four characters of longer texts and phone numbers: "•••• 3000"."""
    if value is None:
        return ""
    # The end of a short text would give most of it away.
    text = str(value)
    if slot.type in ("text", "phone") and len(text) >= _MIN_PARTLY_VISIBLE_CHARACTERS:
        return f"{_MASK} {text[-_VISIBLE_CHARACTERS:]}"
    return _MASK


def display_or_redact(slot: Slot, value: JsonValue, *, language: str = "en", timezone: str = "UTC") -> str:
    """Return the text of a value for other people: sensitive values are masked, also those inside a record."""
    if slot.sensitive:
        return redacted_value(slot, value)
    if slot.hides_parts:
        return _format_for(Audience(language, timezone, masks=True), slot, value)
    return format_value(slot, value, language=language, timezone=timezone)


def redacted_json(slot: Slot, value: JsonValue) -> JsonValue:
    """Return a value with a mask in the place of every sensitive value in it. Others stay as they are stored."""
    if value is None or not (slot.sensitive or slot.hides_parts):
        return value
    if slot.hides_parts and not slot.sensitive:
        if isinstance(value, dict):
            return {name: redacted_json(slot.fields.get(name, slot), part) for name, part in value.items()}
        if isinstance(value, list):
            return [redacted_json(slot.items or slot, item) for item in value]
    # A value of another form, such as a list where a text belongs, shows its parts too.
    return redacted_value(slot, value) if isinstance(value, str | int | float) else _MASK


def sensitive_parts(slot: Slot, value: JsonValue) -> Iterator[tuple[Slot, JsonValue]]:
    """Yield the sensitive values in a value, each with its slot: the whole, or fields and items of it."""
    if slot.sensitive:
        yield slot, value
    elif slot.hides_parts and isinstance(value, dict):
        for name, field in slot.fields.items():
            if name in value:
                yield from sensitive_parts(field, value[name])
    elif slot.hides_parts and isinstance(value, list) and slot.items:
        for item in value:
            yield from sensitive_parts(slot.items, item)


@lru_cache(maxsize=64)
def _locale_of(language: str) -> Locale:
    try:
        return Locale.parse(language, sep="-")
    except (UnknownLocaleError, ValueError):
        return Locale.parse("en")


@dataclass(frozen=True)
class Audience:
    """The language and time zone of the people who read a value. `masks`: sensitive parts of it are masked."""

    language: str
    timezone: str
    masks: bool = False

    @property
    def locale(self) -> Locale:
        """The babel locale of the language; English if babel does not know it."""
        return _locale_of(self.language)

    def format_part(self, slot: Slot, value: JsonValue) -> str:
        """Return the text of an item of a list or a field of an object."""
        return redacted_value(slot, value) if self.masks and slot.sensitive else _format_for(self, slot, value)


def _format_boolean(slot: Slot, value: JsonValue, audience: Audience) -> str:
    return _YES_NO.get(audience.locale.language, _YES_NO["en"])[0 if value else 1]


def _format_money(slot: Slot, value: JsonValue, audience: Audience) -> str:
    return _money_text(str(value), slot.currency, audience.language)


@lru_cache(maxsize=_MAX_CACHED_TEXTS)
def _money_text(amount: str, currency: str | None, language: str) -> str:
    if currency:
        return format_currency(Decimal(amount), currency, locale=_locale_of(language), currency_digits=False)
    return format_decimal(Decimal(amount), format="#,##0.00", locale=_locale_of(language))


def _format_number(slot: Slot, value: JsonValue, audience: Audience) -> str:
    return _number_text(str(value), audience.language)


@lru_cache(maxsize=_MAX_CACHED_TEXTS)
def _number_text(number: str, language: str) -> str:
    return format_decimal(Decimal(number), format="0.#", locale=_locale_of(language), decimal_quantization=False)


def _format_choice(slot: Slot, value: JsonValue, audience: Audience) -> str:
    option = slot.option(value)
    return option.label.in_language(audience.language) if option else str(value)


def _format_day(slot: Slot, value: JsonValue, audience: Audience) -> str:
    return _day_text(str(value), audience.language)


@lru_cache(maxsize=_MAX_CACHED_TEXTS)
def _day_text(day: str, language: str) -> str:
    return format_date(date.fromisoformat(day), format="long", locale=_locale_of(language))


def _format_time(slot: Slot, value: JsonValue, audience: Audience) -> str:
    return format_time(time.fromisoformat(str(value)), format="short", locale=audience.locale)


def _format_datetime(slot: Slot, value: JsonValue, audience: Audience) -> str:
    local = datetime.fromisoformat(str(value)).astimezone(ZoneInfo(audience.timezone))
    day = format_date(local.date(), format="long", locale=audience.locale)
    return f"{day}, {format_time(local.time(), format='short', locale=audience.locale)}"


def _format_list(slot: Slot, value: JsonValue, audience: Audience) -> str:
    items = slot.items or Slot(type="text")
    if not isinstance(value, list):
        return str(value)
    texts = [audience.format_part(items, item) for item in value]
    # What a user chose is said as a sentence; other lists, such as a field of many records, are enumerated.
    is_chosen = bool(slot.name) and (items.type == "choice" or slot.options_from is not None)
    return join_texts(texts, audience.locale.language) if is_chosen else ", ".join(texts)


def join_texts(texts: Sequence[str], language: str) -> str:
    """Return the texts as one enumeration: "keyboard, lamp and mug", "teclado e imán".

    Semicolons separate texts that have commas themselves; then nothing joins the last.
    """
    if any("," in text for text in texts):
        return "; ".join(texts)
    *first, last = texts or ("",)
    return f"{', '.join(first)} {_and_before(last, language)} {last}" if first else last


def _and_before(text: str, language: str) -> str:
    if language != "es":
        return "and"
    sound = text[:2].casefold().removeprefix("h")[:1]
    return "e" if sound in ("i", "í") else "y"


def _format_object(slot: Slot, value: JsonValue, audience: Audience) -> str:
    values = value if isinstance(value, dict) else {}
    if slot.label is not None:
        return slot.label.in_language(audience.language).render(partial(_format_field, slot, values, audience))
    filled = {name: field for name, field in slot.fields.items() if values.get(name) is not None}
    return ", ".join(
        f"{name.replace('_', ' ')}: {audience.format_part(field, values[name])}" for name, field in filled.items()
    )


def _format_file(slot: Slot, value: JsonValue, audience: Audience) -> str:
    return str(value.get("name", "")) if isinstance(value, dict) else str(value)


def _format_field(slot: Slot, values: JsonValue, audience: Audience, path: str) -> str | None:
    part = field_of(slot, values, path)
    return audience.format_part(*part) if part else None


_FORMATTERS: Mapping[str, Callable[[Slot, JsonValue, Audience], str]] = {
    "boolean": _format_boolean,
    "money": _format_money,
    "number": _format_number,
    "choice": _format_choice,
    "date": _format_day,
    "time": _format_time,
    "datetime": _format_datetime,
    "list": _format_list,
    "object": _format_object,
    "file": _format_file,
}
"""The formatter of each type. Other types are shown as they are stored."""


def slot_of_kind(kind: Kind) -> Slot:
    """Return a slot by which the result of an expression is shown; a text for what has no type of its own."""
    if kind.name == "number":
        money = kind.currency is not None
        return Slot(type="money", currency=kind.currency or None) if money else Slot(type="number")
    if kind.name == "list":
        return Slot(type="list", items=slot_of_kind(kind.item or TEXT))
    return Slot.model_validate({"type": kind.name if kind.name in _SHOWN_KINDS else "text"})


_SHOWN_KINDS = frozenset({"boolean", "date", "time", "datetime"})
