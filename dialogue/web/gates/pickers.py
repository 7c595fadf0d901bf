"""How the browser helps to type the value of a line: its native input, its limits, its unit and how it reads."""

import re
from dataclasses import dataclass

from babel.numbers import get_currency_symbol
from django.utils.translation import get_language

from dialogue.engine.slots.display import format_value
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.values import ValueRefused, value_from_text
from dialogue.turns import clock
from dialogue.web.shared.times import locale

INPUT_TYPES = {"date": "date", "time": "time", "datetime": "datetime-local", "email": "email", "phone": "tel"}
NATIVE_TEXTS = {
    "date": re.compile(r"\d{4}-\d\d-\d\d"),
    "time": re.compile(r"\d\d:\d\d(:\d\d)?"),
    "datetime": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?"),
}
"""What native inputs can hold. Another text, such as one in a draft, stays visible in a plain input."""
WIDE_TYPES = frozenset({"text", "email", "phone"})
FORMATS = frozenset({"money", "number", "integer", "date", "time", "datetime"})


@dataclass(frozen=True)
class Picker:
    """`type` of the input; `unit` before it, such as €; `format` and `display`: the value within a sentence.

    `format` is money (with ":EUR"), number, date, time, datetime or "", as `consequences.js` reads it.
    """

    type: str = "text"
    minimum: str = ""
    maximum: str = ""
    unit: str = ""
    format: str = ""
    display: str = ""
    is_wide: bool = False


NO_PICKER = Picker()


def picker_for(slot: Slot, text: str) -> Picker:
    """Return the picker of a slot's field in which this text stands."""
    native = NATIVE_TEXTS.get(slot.type)
    is_native = native is None or not text or native.fullmatch(text) is not None
    has_dates = slot.type in NATIVE_TEXTS and is_native
    kind = "number" if slot.type == "integer" else slot.type
    return Picker(
        type=INPUT_TYPES.get(slot.type, "text") if is_native else "text",
        minimum=_limit(slot.minimum) if has_dates else "",
        maximum=_limit(slot.maximum) if has_dates else "",
        unit=get_currency_symbol(slot.currency, locale=locale()) if slot.currency else "",
        format=f"money:{slot.currency}" if slot.currency else kind if slot.type in FORMATS else "",
        display=_display(slot, text) if text and slot.type in FORMATS else "",
        is_wide=slot.type in WIDE_TYPES,
    )


def _limit(limit: object) -> str:
    return limit if isinstance(limit, str) else ""


def _display(slot: Slot, text: str) -> str:
    """Return the value as consequences show it; "" for a text that is not a value yet."""
    language = get_language() or "en"
    try:
        value = value_from_text(slot, text, now=clock.now(), timezone="UTC", language=language)
    except ValueRefused:
        return ""
    return format_value(slot, value, language=language)
