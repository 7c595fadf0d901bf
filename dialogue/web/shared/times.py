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
    """A measured span in its largest unit, below 10 with one decimal, so that it agrees with a chart: "1.7 min".

    What is rounded up to a whole larger unit has that unit: 59.8 minutes are "1 hr".
    """
    if seconds < 60:
        return unit_text(int(seconds), "second", locale())
    rounded = [(_rounded(seconds / size), unit) for unit, size in reversed(_UNITS)]
    (minutes, _minute), (hours, _hour), _days = rounded
    number, unit = rounded[(minutes >= 60) + (hours >= 24)]
    return unit_text(number, unit, locale())


def _rounded(number: float) -> float:
    return round(number, 1) if number < 10 else round(number)


def time_text(at: datetime, now: datetime | None = None) -> str:
    """Return the time of day, with the date in front when it is not today."""
    return moment_text(at, now or clock.now())
