"""Read values as people type them: one reader for each slot type, the same for every channel."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from dialogue.engine.slots.models import Slot
from dialogue.engine.source.problems import escape_character
from dialogue.engine.source.value_errors import ValueRefused, printable_excerpt

MAX_EXACT_INTEGER = 2**53 - 1
"""The largest whole number that every JSON parser keeps exactly."""
MAX_TEXT_CHARACTERS = 10_000
_MAX_MONEY_DIGITS = 15
_YES = frozenset({"yes", "y", "true", "on", "1", "si", "s"})
_NO = frozenset({"no", "n", "false", "off", "0"})
_WHOLE = re.compile(r"[+-]?[0-9]{1,60}")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]{1,60}(?:\.[0-9]{0,60})?|\.[0-9]{1,60})")
_WITH_COMMA = re.compile(r"[+-]?[0-9]{1,60},[0-9]{1,60}")
_GROUPED = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]{2}")
_GROUPED_BY_POINTS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]{2}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?")
_DATETIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?(?:[Zz]|[+-][0-9]{2}:?[0-9]{2})?"
)
_DOMAIN_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_EMAIL = re.compile(rf"[A-Za-z0-9.!#$%&'*+/=?^_`|~-]{{1,64}}@(?:{_DOMAIN_LABEL}\.)+[A-Za-z]{{2,63}}")
_PHONE = re.compile(r"\+?\(?[0-9][0-9 ().\-/]{3,28}[0-9]")


@dataclass(frozen=True)
class ReadingContext:
    """What a reader needs: the slot, the time (aware), and the conversation's time zone and language.

    `lenient`: inside lists and objects, a text that is no strict JSON of its type is read as if typed.
    """

    slot: Slot
    now: datetime
    zone: ZoneInfo
    language: str
    lenient: bool = False

    def refuse(self, rule: str, value: object, **limits: object) -> ValueRefused:
        """Return the refusal of a value, which is masked if the slot is sensitive. `rule` is one of RULES."""
        value_text = "••••" if self.slot.sensitive else printable_excerpt(value)
        return ValueRefused(self.slot.name, rule, value_text, {key: str(limit) for key, limit in limits.items()})

    @property
    def today(self) -> date:
        """The date in the conversation's time zone."""
        return self.now.astimezone(self.zone).date()


def fold_text(text: str) -> str:
    """Normalise text for comparison, without case, accents and repeated blanks: "  Sí  Señor " gives "si senor"."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    letters = (character for character in decomposed if not unicodedata.combining(character))
    return " ".join("".join(letters).split())


def read_text(text: str, context: ReadingContext) -> str:
    """Return the text if it can be stored and displayed. Raises ValueRefused."""
    if len(text) > MAX_TEXT_CHARACTERS:
        raise context.refuse("too_long", text, max_length=context.slot.max_length or MAX_TEXT_CHARACTERS)
    for character in text:
        # PostgreSQL stores no NUL, and UTF-8 no surrogates.
        if character not in "\n\t\r" and unicodedata.category(character) in ("Cc", "Cs"):
            raise context.refuse("characters", text, found=escape_character(character))
    return text


def read_boolean(text: str, context: ReadingContext) -> bool:
    """Return True for yes, y, true, on, 1, si; False for no, n, false, off, 0; in any case. Raises ValueRefused."""
    word = fold_text(text)
    if word not in _YES | _NO:
        raise context.refuse("boolean", text)
    return word in _YES


def read_integer(text: str, context: ReadingContext) -> int:
    """Return a whole number in plain digits. Raises ValueRefused."""
    if not _WHOLE.fullmatch(text):
        raise _number_refusal("whole_number", text, context)
    return exact_integer(int(text), context)


def exact_integer(number: int, context: ReadingContext) -> int:
    """Return the number. Raises ValueRefused beyond MAX_EXACT_INTEGER."""
    if abs(number) > MAX_EXACT_INTEGER:
        raise context.refuse("too_large", number)
    return number


def read_number(text: str, context: ReadingContext) -> float:
    """Return a number with an optional decimal point. Raises ValueRefused."""
    if not _DECIMAL.fullmatch(text):
        raise _number_refusal("number", text, context)
    return float(text)


def _number_refusal(rule: str, text: str, context: ReadingContext) -> ValueRefused:
    if _WITH_COMMA.fullmatch(text):
        return context.refuse("decimal_point", text, instead=text.replace(",", "."))
    if re.fullmatch(r"[+-]?[0-9]{61,}", text):
        return context.refuse("too_large", text)
    return context.refuse(rule, text)


def read_money(text: str, context: ReadingContext) -> str:
    """Return an amount as stored, from 8450, 8450.00, 8,450.00, 8.450,00 or, in the slot's currency, €8,450.00.

    Raises ValueRefused.
    """
    bare = _without_currency(text, context.slot.currency)
    if _GROUPED.fullmatch(bare):
        bare = bare.replace(",", "")
    if _GROUPED_BY_POINTS.fullmatch(bare):
        bare = bare.replace(".", "").replace(",", ".")
    if not _DECIMAL.fullmatch(bare):
        raise _number_refusal("money", text, context)
    return exact_money(Decimal(bare), context)


def exact_money(amount: Decimal, context: ReadingContext) -> str:
    """Return the amount as it is stored, "8450.00". Raises ValueRefused for more than two decimal places."""
    if not amount.is_finite() or abs(amount) >= 10**_MAX_MONEY_DIGITS:
        raise context.refuse("too_large", amount)
    cents = amount.quantize(Decimal("0.01"))
    if cents != amount:
        raise context.refuse("two_decimals", amount)
    return str(abs(cents) if cents == 0 else cents)


_CURRENCY_SIGNS: Mapping[str, str] = {
    "EUR": "€",
    "USD": "$",
    "GBP": "£",
    "JPY": "¥",
    "INR": "₹",
    "CHF": "Fr.",
    "MXN": "$",
}


def _without_currency(text: str, currency: str | None) -> str:
    if currency is None:
        return text
    for mark in (currency, currency.lower(), _CURRENCY_SIGNS.get(currency, currency)):
        text = text.removeprefix(mark).removesuffix(mark).strip()
    return text


def read_choice(text: str, context: ReadingContext) -> str:
    """Return the value of the option with this value, label or synonym, in any case. Raises ValueRefused."""
    if context.slot.options_from is not None:
        return read_text(text, context)  # whether it is an option is checked where the data is known
    words = fold_text(text)
    for option in context.slot.options:
        names = (option.value, option.label, *option.label.translations.values(), *option.synonyms)
        if words in map(fold_text, names):
            return option.value
    raise option_refusal(text, context)


def option_refusal(value: object, context: ReadingContext) -> ValueRefused:
    """Return the refusal that lists the options, at most twelve."""
    labels = ", ".join(option.label.in_language(context.language) for option in context.slot.options[:12])
    return context.refuse("option", value, options=labels)


_DAYS_AHEAD: Mapping[str, int] = {
    "today": 0,
    "tomorrow": 1,
    "the day after tomorrow": 2,
    "day after tomorrow": 2,
    "yesterday": -1,
    "hoy": 0,
    "manana": 1,
    "pasado manana": 2,
    "ayer": -1,
}
_WEEKDAYS: Mapping[str, int] = {
    word: day
    for names in (
        ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
        ("mon", "tue", "wed", "thu", "fri", "sat", "sun"),
        ("lunes", "martes", "miercoles", "jueves", "viernes", "sabado", "domingo"),
    )
    for day, word in enumerate(names)
}
_DAYS_BY_UNIT: Mapping[str, int] = {
    "day": 1, "days": 1, "dia": 1, "dias": 1, "week": 7, "weeks": 7, "semana": 7, "semanas": 7,
}  # fmt: skip
_BEFORE_WEEKDAY = re.compile(r"^(?:on|next|this|el|este|el proximo|proximo) ")
_IN_DAYS = re.compile(r"(?:in|en|dentro de) ([0-9]{1,3}) ([a-z]+)")


def read_day(phrase: str, today: date) -> date | None:
    """Return the day that an English or Spanish phrase means, or None: "tomorrow", "el viernes", "in 3 days".

    A weekday means the next one after `today`.
    """
    words = fold_text(phrase)
    if words in _DAYS_AHEAD:
        return today + timedelta(days=_DAYS_AHEAD[words])
    weekday = _WEEKDAYS.get(_BEFORE_WEEKDAY.sub("", words))
    if weekday is not None:
        return today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)
    match = _IN_DAYS.fullmatch(words)
    if match and match[2] in _DAYS_BY_UNIT:
        return today + timedelta(days=int(match[1]) * _DAYS_BY_UNIT[match[2]])
    return None


def read_date(text: str, context: ReadingContext) -> str:
    """Return an ISO date, from one or from words such as tomorrow. Raises ValueRefused."""
    if spoken := read_day(text, context.today):
        return spoken.isoformat()
    return read_iso_date(text, context)


def read_iso_date(text: str, context: ReadingContext) -> str:
    """Return an ISO date that exists in the calendar, such as 2026-11-23. Raises ValueRefused."""
    try:
        return date.fromisoformat(_require_match(_DATE, text)).isoformat()
    except ValueError:
        raise context.refuse("date", text) from None


def read_time(text: str, context: ReadingContext) -> str:
    """Return a time as 09:30, or as 09:30:15 if it has seconds. Raises ValueRefused."""
    try:
        moment = time.fromisoformat(_require_match(_TIME, text).rjust(5, "0") if len(text) < 6 else text.zfill(8))
    except ValueError:
        raise context.refuse("time", text) from None
    return moment.isoformat("seconds" if moment.second else "minutes")


def read_datetime(text: str, context: ReadingContext) -> str:
    """Return an ISO date and time with its offset. Raises ValueRefused.

    Without an offset it is in the conversation's time zone, where it must exist exactly once.
    """
    moment = _parse_iso_datetime(text, context)
    return (moment if moment.tzinfo else _in_zone(moment, context)).isoformat()


def read_zoned_datetime(text: str, context: ReadingContext) -> str:
    """Return an ISO date and time that states its offset. Raises ValueRefused."""
    moment = _parse_iso_datetime(text, context)
    if moment.tzinfo is None:
        raise context.refuse("zone_missing", text)
    return moment.isoformat()


def _parse_iso_datetime(text: str, context: ReadingContext) -> datetime:
    try:
        return datetime.fromisoformat(_require_match(_DATETIME, text).upper())
    except ValueError:
        raise context.refuse("datetime", text) from None


def _in_zone(naive: datetime, context: ReadingContext) -> datetime:
    early, late = naive.replace(tzinfo=context.zone), naive.replace(tzinfo=context.zone, fold=1)
    if early.utcoffset() == late.utcoffset():
        return early
    # With fold=1 the offset grows in a gap, and shrinks in the hour that the clocks repeat.
    skipped = (early.utcoffset() or naive - naive) < (late.utcoffset() or naive - naive)
    raise context.refuse("time_skipped" if skipped else "time_twice", naive.isoformat(sep=" ", timespec="minutes"))


def read_email(text: str, context: ReadingContext) -> str:
    """Return one e-mail address, with its domain in lowercase. Raises ValueRefused."""
    local, _, domain = text.rpartition("@")
    if not _EMAIL.fullmatch(text) or ".." in text or local.startswith(".") or local.endswith("."):
        raise context.refuse("email", text)
    return f"{local}@{domain.lower()}"


def read_phone(text: str, context: ReadingContext) -> str:
    """Return the digits of a phone number, with its plus sign if it has one. Raises ValueRefused."""
    digits = "".join(character for character in text if character.isdigit())
    if not _PHONE.fullmatch(text) or not 5 <= len(digits) <= 15:
        raise context.refuse("phone", text)
    return f"+{digits}" if text.startswith("+") else digits


def _require_match(pattern: re.Pattern[str], text: str) -> str:
    if not pattern.fullmatch(text):
        raise ValueError(text)
    return text


def refuse_file_text(text: str, context: ReadingContext) -> JsonValue:
    """Raise ValueRefused: a file is sent, and its name alone is no file."""
    raise context.refuse("file", "")


TEXT_READERS: Mapping[str, Callable[[str, ReadingContext], JsonValue]] = {
    "text": read_text,
    "integer": read_integer,
    "number": read_number,
    "boolean": read_boolean,
    "date": read_date,
    "time": read_time,
    "datetime": read_datetime,
    "email": read_email,
    "phone": read_phone,
    "money": read_money,
    "choice": read_choice,
    "file": refuse_file_text,
}
"""The reader of each slot type. Lists and objects are typed as JSON, see values.py."""
