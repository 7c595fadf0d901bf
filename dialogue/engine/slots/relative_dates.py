"""Days as people say them, in English and Spanish: "tomorrow", "el viernes", "in 3 days"."""

import re
from collections.abc import Mapping
from datetime import date, timedelta

from dialogue.engine.slots.folding import fold_text

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
_UNITS: Mapping[str, int] = {"day": 1, "days": 1, "dia": 1, "dias": 1, "week": 7, "weeks": 7, "semana": 7, "semanas": 7}
_LEADING = re.compile(r"^(?:on|next|this|el|este|el proximo|proximo) ")
_AHEAD = re.compile(r"(?:in|en|dentro de) ([0-9]{1,3}) ([a-z]+)")


def read_day(phrase: str, today: date) -> date | None:
    """The day that the phrase means, seen from today; a weekday is the next one after today. None for other words."""
    words = fold_text(phrase)
    if words in _DAYS_AHEAD:
        return today + timedelta(days=_DAYS_AHEAD[words])
    weekday = _WEEKDAYS.get(_LEADING.sub("", words))
    if weekday is not None:
        return today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)
    return _ahead(words, today)


def _ahead(words: str, today: date) -> date | None:
    match = _AHEAD.fullmatch(words)
    if match is None or match[2] not in _UNITS:
        return None
    return today + timedelta(days=int(match[1]) * _UNITS[match[2]])
