"""Times and spans in the reader's language, as text: 14:17, 23 Nov, 09:00, 12 min."""

from datetime import datetime, timedelta
from functools import lru_cache

from babel import Locale
from babel.numbers import format_decimal
from babel.units import format_unit
from django.utils.translation import get_language

from dialogue.desk.forms.deadlines import moment_text
from dialogue.turns import clock

_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60))


def locale() -> Locale:
    """The reader's locale."""
    return Locale.parse(get_language() or "en", sep="-")


def span_text(span: timedelta) -> str:
    """A span in its largest unit, rounded down: "<1 min", "12 min", "3 hr"; the same words as `clocks.js` writes."""
    seconds = max(0, int(span.total_seconds()))
    if seconds < 60:
        return f"<{unit_text(1, 'minute', locale())}"
    unit, size = next(entry for entry in _UNITS if seconds >= entry[1])
    return unit_text(seconds // size, unit, locale())


@lru_cache(maxsize=1_000)
def unit_text(number: float, unit: str, spoken: Locale) -> str:
    """A number of days, hours, minutes or seconds: "3 hr", "12 min"."""
    if (spoken.language, unit) == ("es", "hour"):
        return f"{format_decimal(number, locale=spoken)} h"  # Babel's data has "1 horas"; browsers write "1 h"
    return format_unit(number, unit, length="short", locale=spoken)


def short_span_text(span: timedelta) -> str:
    """A span that may be short: "6 sec", and from a minute on as `span_text`."""
    seconds = max(0, int(span.total_seconds()))
    return span_text(span) if seconds >= 60 else unit_text(seconds, "second", locale())


def rounded_span_text(seconds: float) -> str:
    """A measured span: "42 sec", "1.7 min", "12 min", "1 hr 18 min", "2 days 5 hr", so that it agrees with a chart.

    What is rounded up to a whole larger unit has that unit: 59.8 minutes are "1 hr".
    """
    spoken = locale()
    if seconds < 60:
        return unit_text(int(seconds), "second", spoken)
    if seconds < 600:
        tenths = round(seconds / 60, 1)
        return unit_text(tenths if tenths % 1 else int(tenths), "minute", spoken)
    minutes = round(seconds / 60)
    (larger, count), (smaller, rest) = (
        (("day", round(minutes / 60) // 24), ("hour", round(minutes / 60) % 24))
        if minutes >= 24 * 60
        else (("hour", minutes // 60), ("minute", minutes % 60))
    )
    parts = [(count, larger), (rest, smaller)]
    return " ".join(unit_text(number, unit, spoken) for number, unit in parts if number)


def time_text(at: datetime, now: datetime | None = None) -> str:
    """Return the time of day, with the date in front when it is not today."""
    return moment_text(at, now or clock.now())
