"""Dates in running text, by the conversation's clock: relative, by weekday, by day of the month, ISO."""

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, date, timedelta

from dialogue.nlu.slots.spans import Span, without_overlaps
from dialogue.nlu.text.calendar_patterns import CalendarParts, date_patterns, read_parts
from dialogue.nlu.text.lexicons.lexicon import Lexicon
from dialogue.nlu.text.tokens import fold

ISO_DATE = re.compile(r"(?<![\w-])([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?![\w-])")
NUMERIC_DATE = re.compile(r"(?<![\w/.-])([0-9]{1,2})([/.-])([0-9]{1,2})(?:\2([0-9]{2,4}))?(?![\w/-]|\.[0-9])")
CENTURY = 2000
NOON_HOUR = 12


@dataclass(frozen=True)
class Clock:
    """`today` in the conversation's zone; `past` when the slot looks back (not_future)."""

    today: date
    past: bool = False
    month_first: bool = False


def find_dates(text: str, lexicon: Lexicon, clock: Clock) -> tuple[Span, ...]:
    """Every date in the text as "2026-12-14"; what is no day of the calendar is left out."""
    folded = fold(text)
    spans = (*_iso_dates(folded), *_numeric_dates(folded, clock), *_date_phrases(folded, lexicon, clock))
    return without_overlaps(spans)


def _iso_dates(text: str) -> Iterator[Span]:
    for match in ISO_DATE.finditer(text):
        yield from _date_span(match, _valid_date(int(match[1]), int(match[2]), int(match[3])))


def _numeric_dates(text: str, clock: Clock) -> Iterator[Span]:
    for match in NUMERIC_DATE.finditer(text):
        if match[2] == "." and not match[4]:
            continue
        first, second = int(match[1]), int(match[3])
        swap = (clock.month_first or second > NOON_HOUR) and first <= NOON_HOUR
        day, month = (second, first) if swap else (first, second)
        yield from _date_span(match, _date_near(day, month, _read_year(match[4]), clock))


def _read_year(digits: str | None) -> int | None:
    if digits is None:
        return None
    return int(digits) if len(digits) == 4 else CENTURY + int(digits)


def _date_span(match: re.Match[str], day: date | None) -> Iterator[Span]:
    if day is not None:
        yield Span(match.start(), match.end(), day.isoformat())


def _valid_date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _date_near(day: int, month: int, year: int | None, clock: Clock) -> date | None:
    """A day without a year is the next one, or the last one where the slot looks back."""
    if year is not None:
        return _valid_date(year, month, day)
    years = range(clock.today.year, clock.today.year + (-5 if clock.past else 5), -1 if clock.past else 1)
    days = (_valid_date(year, month, day) for year in years)
    return next((day for day in days if day and _is_on_right_side(day, clock)), None)


def _is_on_right_side(day: date, clock: Clock) -> bool:
    return day <= clock.today if clock.past else day >= clock.today


def _date_phrases(text: str, lexicon: Lexicon, clock: Clock) -> Iterator[Span]:
    for kind, match in date_patterns(lexicon.code).find_matches(text):
        yield from _date_span(match, DATE_READERS[kind](read_parts(match, lexicon), clock))


def _part_number(parts: CalendarParts, name: str) -> int:
    return int(parts[name])


def _shift_date(day: date, parts: CalendarParts, sign: int = 1) -> date | None:
    count = sign * _part_number(parts, "n")
    if parts["unit"] in ("months", "years"):
        return add_months(day, count * (12 if parts["unit"] == "years" else 1))
    days = {"days": 1, "weeks": 7, "fortnights": 14}[str(parts["unit"])]
    return _add_days(day, days * count)


def _add_days(day: date, days: int) -> date | None:
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return None


def add_months(day: date, count: int) -> date | None:
    """The same day some months on, or the month's last day where it has no such day."""
    years, month = divmod(day.month - 1 + count, 12)
    year = day.year + years
    if not MINYEAR <= year <= MAXYEAR:
        return None
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _shift_ahead(parts: CalendarParts, clock: Clock) -> date | None:
    return _shift_date(clock.today, parts)


def _shift_back(parts: CalendarParts, clock: Clock) -> date | None:
    return _shift_date(clock.today, parts, -1)


def _shift_day(parts: CalendarParts, clock: Clock) -> date | None:
    return _shift_date(clock.today + timedelta(days=_part_number(parts, "day")), parts)


def _shift_weekday(parts: CalendarParts, clock: Clock) -> date | None:
    return _shift_date(_next_weekday(_part_number(parts, "weekday"), clock.today), parts)


def _relative_day(parts: CalendarParts, clock: Clock) -> date | None:
    return clock.today + timedelta(days=_part_number(parts, "day"))


def _after_tomorrow(parts: CalendarParts, clock: Clock) -> date | None:
    return clock.today + timedelta(days=2)


def _before_yesterday(parts: CalendarParts, clock: Clock) -> date | None:
    return clock.today - timedelta(days=2)


def _day_of_month(parts: CalendarParts, clock: Clock) -> date | None:
    year = _part_number(parts, "year") if "year" in parts else None
    return _date_near(_part_number(parts, "d"), _part_number(parts, "month"), year, clock)


def _end_of_month(parts: CalendarParts, clock: Clock) -> date | None:
    month = _part_number(parts, "month") if "month" in parts else clock.today.month
    year = clock.today.year + (month < clock.today.month)
    return date(year, month, monthrange(year, month)[1])


def _day_only(parts: CalendarParts, clock: Clock) -> date | None:
    """ "The 5th" is the next 5th, in a month that has one."""
    first = clock.today.replace(day=1)
    months = (add_months(first, count if not clock.past else -count) for count in range(5))
    days = (_valid_date(month.year, month.month, _part_number(parts, "d")) for month in months if month)
    return next((day for day in days if day and _is_on_right_side(day, clock)), None)


def _weekday_near(parts: CalendarParts, clock: Clock) -> date | None:
    if clock.past:
        return _last_weekday(parts, clock)
    return _next_weekday(_part_number(parts, "weekday"), clock.today)


def _next_weekday(weekday: int, today: date) -> date:
    """The next such day after today: on a Monday, "Monday" is in a week."""
    return today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)


def _weekday_next_week(parts: CalendarParts, clock: Clock) -> date | None:
    monday = clock.today + timedelta(days=7 - clock.today.weekday())
    return monday + timedelta(days=_part_number(parts, "weekday"))


def _last_weekday(parts: CalendarParts, clock: Clock) -> date | None:
    return clock.today - timedelta(days=(clock.today.weekday() - _part_number(parts, "weekday") - 1) % 7 + 1)


DATE_READERS: dict[str, Callable[[CalendarParts, Clock], date | None]] = {
    "shift_day": _shift_day,
    "shift_weekday": _shift_weekday,
    "shift_ahead": _shift_ahead,
    "shift_back": _shift_back,
    "after_tomorrow": _after_tomorrow,
    "before_yesterday": _before_yesterday,
    "day_of_month": _day_of_month,
    "end_of_month": _end_of_month,
    "day_only": _day_only,
    "coming_week": _weekday_next_week,
    "last_weekday": _last_weekday,
    "weekday": _weekday_near,
    "day": _relative_day,
}
