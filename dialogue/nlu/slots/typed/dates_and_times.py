"""Dates and times of the day in running text.

Dates follow the conversation's clock: relative ("in two weeks"), by weekday, by day of the month, in figures, ISO.
Times: "9:30", "half past nine", "7 pm", "a las cinco de la tarde".
"""

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import MAXYEAR, MINYEAR, date, datetime, timedelta

from dialogue.nlu.slots.spans import Span, without_overlaps
from dialogue.nlu.text.calendar_patterns import (
    CalendarParts,
    date_patterns,
    hour_words,
    read_number,
    read_parts,
    shifted_time_patterns,
    time_patterns,
)
from dialogue.nlu.text.lexicons.lexicon import Lexicon
from dialogue.nlu.text.tokens import fold, folded_words

ISO_DATE = re.compile(r"(?<![\w-])([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?![\w-])")
NUMERIC_DATE = re.compile(r"(?<![\w/.-])([0-9]{1,2})([/.-])([0-9]{1,2})(?:\2([0-9]{2,4}))?(?![\w/-]|\.[0-9])")
CENTURY = 2000
MONTHS = 12
CLOCK_TIME = re.compile(
    r"(?<![\w:.-])(?P<hour>2[0-3]|[01]?[0-9])[:.h](?P<minute>[0-5][0-9])(?::[0-5][0-9])?h?(?![\w:-]|\.[0-9])"
)
LONE_HOUR = re.compile(r"(?<![\w:.,-])(?P<hour>2[0-4]|[01]?[0-9])(?:ish|h)?(?![\w:-]|[.,][0-9])")
CLOCK_DIGITS = re.compile(r"\s*(?P<hour>2[0-3]|[01]?[0-9])(?P<minute>[0-5][0-9])[.!]?\s*")
HOUR_WITH_HALF = re.compile(
    r"(?<![\w:.-])(?P<hour>1[0-2]|0?[0-9])(?:[:.](?P<minute>[0-5][0-9]))?\s?(?P<half>am|pm|a\.m\.?|p\.m\.?)(?!\w)"
)
NOON_HOUR = 12
DAY_HOURS = 24
# Further letters are not looked at for the word behind a number.
MAX_UNIT_LETTERS = 12


@dataclass(frozen=True)
class Clock:
    """`today` in the conversation's zone. `looks_back` for slots without a future, `month_first` for 12/14/2026."""

    today: date
    looks_back: bool = False
    month_first: bool = False


def find_dates(text: str, lexicon: Lexicon, clock: Clock) -> tuple[Span, ...]:
    """Return a span for every date in the text, its value as "2026-12-14". Impossible dates are left out."""
    folded = fold(text)
    spans = (*_iso_dates(folded), *_numeric_dates(folded, clock), *_date_phrases(folded, lexicon, clock))
    return tuple(span for span in without_overlaps(spans) if span.value is not None)


def _iso_dates(text: str) -> Iterator[Span]:
    for match in ISO_DATE.finditer(text):
        yield from _date_span(match, _valid_date(int(match[1]), int(match[2]), int(match[3])))


def _numeric_dates(text: str, clock: Clock) -> Iterator[Span]:
    for match in NUMERIC_DATE.finditer(text):
        # "30.11." is a day with a mark behind it, "30.11" among other words may be a number.
        is_short = match[2] == "." and not match[4]
        is_alone = match.group() == text.strip()
        if is_short and not is_alone and text[match.end() : match.end() + 1] != ".":
            continue
        first, second = int(match[1]), int(match[3])
        swap = (clock.month_first or second > MONTHS) and first <= MONTHS
        day, month = (second, first) if swap else (first, second)
        spans = _date_span(match, _date_near(day, month, _read_year(match[4], clock), clock))
        is_end = not text[match.end() + 1 :].strip()
        yield from (replace(span, weak=True) for span in spans) if is_short and is_end else spans


def _read_year(digits: str | None, clock: Clock) -> int | None:
    """The year of two or four digits; two are of the last century where the slot looks back and this one has not come
    so far.
    """
    if digits is None:
        return None
    year = int(digits) if len(digits) == 4 else CENTURY + int(digits)
    return year - 100 if clock.looks_back and len(digits) == 2 and year > clock.today.year else year


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
    years = range(clock.today.year, clock.today.year + (-5 if clock.looks_back else 5), -1 if clock.looks_back else 1)
    days = (_valid_date(year, month, day) for year in years)
    return next((day for day in days if day and _is_on_right_side(day, clock)), None)


def _is_on_right_side(day: date, clock: Clock) -> bool:
    return day <= clock.today if clock.looks_back else day >= clock.today


def _date_phrases(text: str, lexicon: Lexicon, clock: Clock) -> Iterator[Span]:
    for kind, match in date_patterns(lexicon.code).find_matches(text):
        if kind == "any_weekday":  # "a Saturday in May" is no day yet, and "Saturday" in it is none either
            yield Span(match.start(), match.end(), None)
            continue
        spans = _date_span(match, DATE_READERS[kind](read_parts(match, lexicon), clock))
        # "El quince" may be a house or an option, where no day is asked for.
        yield from (replace(span, weak=True) for span in spans) if kind == "day_in_words" else spans


def _part_number(parts: CalendarParts, name: str) -> int:
    return int(parts[name])


def _shift_date(day: date, parts: CalendarParts, sign: int = 1) -> date | None:
    count = sign * _part_number(parts, "n")
    if parts["unit"] in ("months", "years"):
        return add_months(day, count * (12 if parts["unit"] == "years" else 1))
    days = {"days": 1, "weeks": 7, "fortnights": 14}[str(parts["unit"])]
    try:
        return day + timedelta(days=days * count)
    except OverflowError:
        return None


def add_months(day: date, count: int) -> date | None:
    """Return the same day some months on, or the month's last day; None beyond the years of the calendar."""
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


def _today(parts: CalendarParts, clock: Clock) -> date | None:
    return clock.today


def _after_tomorrow(parts: CalendarParts, clock: Clock) -> date | None:
    return clock.today + timedelta(days=2)


def _before_yesterday(parts: CalendarParts, clock: Clock) -> date | None:
    return clock.today - timedelta(days=2)


def _day_of_month(parts: CalendarParts, clock: Clock) -> date | None:
    year = _part_number(parts, "year") if "year" in parts else None
    day = _part_number(parts, "d" if "d" in parts else "dw")
    return _date_near(day, _part_number(parts, "month"), year, clock)


def _day_of_last_year(parts: CalendarParts, clock: Clock) -> date | None:
    return _valid_date(clock.today.year - 1, _part_number(parts, "month"), _part_number(parts, "d"))


def _day_of_next_year(parts: CalendarParts, clock: Clock) -> date | None:
    return _valid_date(clock.today.year + 1, _part_number(parts, "month"), _part_number(parts, "d"))


def _feast(parts: CalendarParts, clock: Clock) -> date | None:
    month, day = divmod(_part_number(parts, "feast"), 100)
    return _date_near(day, month, None, clock)


def _movable_feast(parts: CalendarParts, clock: Clock) -> date | None:
    """The next feast that is counted from Easter Sunday, or the last one where the slot looks back."""
    offset = timedelta(days=_part_number(parts, "movable"))
    return _nearest((_easter_sunday(clock.today.year + years) + offset for years in (-1, 0, 1)), clock)


def _easter_sunday(year: int) -> date:
    """Return the Sunday of Easter in the Gregorian calendar (the algorithm of Meeus, Jones and Butcher)."""
    century, rest = divmod(year, 100)
    moon = (19 * (year % 19) + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    month, day = divmod(moon + weekday - 7 * ((year % 19 + 11 * moon + 22 * weekday) // 451) + 114, 31)
    return date(year, month, day + 1)


def _end_of_month(parts: CalendarParts, clock: Clock) -> date | None:
    month = _part_number(parts, "month") if "month" in parts else clock.today.month
    year = clock.today.year + (month < clock.today.month)
    return date(year, month, monthrange(year, month)[1])


def _day_only(parts: CalendarParts, clock: Clock) -> date | None:
    """ "The 5th" is the next 5th, in a month that has one; "Saturday the 5th" the next that is a Saturday."""
    first = clock.today.replace(day=1)
    months = (add_months(first, count if not clock.looks_back else -count) for count in range(MONTHS + 1))
    number = _part_number(parts, "d" if "d" in parts else "dw")
    days = (_valid_date(month.year, month.month, number) for month in months if month)
    fitting = [day for day in days if day and _is_on_right_side(day, clock)]
    if "weekday" in parts:
        fitting = [day for day in fitting if day.weekday() == _part_number(parts, "weekday")]
    return next(iter(fitting), None)


def _week_from_today(parts: CalendarParts, clock: Clock) -> date | None:
    return clock.today + timedelta(days=7)


def _nth_weekday(parts: CalendarParts, clock: Clock) -> date | None:
    """ "The first Monday in May" is the next one, or the last one where the slot looks back."""
    return _weekday_of_month(parts, clock, _part_number(parts, "d"))


def _last_weekday_of_month(parts: CalendarParts, clock: Clock) -> date | None:
    """ "The last Saturday in January": the fifth, where there is one."""
    return _weekday_of_month(parts, clock, 5, 4)


def _weekday_of_month(parts: CalendarParts, clock: Clock, *numbers: int) -> date | None:
    """Return the weekday of the first of these numbers that the month has."""
    days = []
    for year in range(clock.today.year - 1, clock.today.year + 2):
        first = date(year, _part_number(parts, "month"), 1)
        day = 1 + (_part_number(parts, "weekday") - first.weekday()) % 7
        found = (_valid_date(year, first.month, day + 7 * (number - 1)) for number in numbers)
        days.append(next((day for day in found if day), None))
    return _nearest(days, clock)


def _nearest(days: Iterable[date | None], clock: Clock) -> date | None:
    """The next of days in order, or the last one where the slot looks back."""
    fitting = [day for day in days if day and _is_on_right_side(day, clock)]
    return fitting[-1 if clock.looks_back else 0] if fitting else None


def _week_after(parts: CalendarParts, clock: Clock) -> date | None:
    return _next_weekday(_part_number(parts, "weekday"), clock.today) + timedelta(days=7)


def _weekday_near(parts: CalendarParts, clock: Clock) -> date | None:
    if clock.looks_back:
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
    "day_of_last_year": _day_of_last_year,
    "day_of_next_year": _day_of_next_year,
    "feast": _feast,
    "movable_feast": _movable_feast,
    "today": _today,
    "end_of_month": _end_of_month,
    "day_only": _day_only,
    "day_in_words": _day_only,
    "week_from_today": _week_from_today,
    "nth_weekday": _nth_weekday,
    "last_weekday_of_month": _last_weekday_of_month,
    "week_after": _week_after,
    "coming_week": _weekday_next_week,
    "last_weekday": _last_weekday,
    "weekday": _weekday_near,
    "day": _relative_day,
}


def find_times(text: str, lexicon: Lexicon, now: datetime) -> tuple[Span, ...]:
    """Return a span for every time in the text, its value as "09:30". A lone hour ("9") is weak.

    "In an hour" is told from `now`, which is in the conversation's zone.
    """
    folded = fold(text)
    shifted = tuple(_shifted_times(folded, lexicon, now))
    spans = (
        *_clock_times(folded),
        *_times_with_half(folded),
        *_time_phrases(folded, lexicon),
        *(span for span in shifted if not span.weak),
    )
    strong = without_overlaps(_with_half(folded, span, lexicon) for span in spans)
    return without_overlaps((*strong, *_lone_hours(folded, strong, lexicon), *(span for span in shifted if span.weak)))


def _clock_times(text: str) -> Iterator[Span]:
    for match in CLOCK_TIME.finditer(text):
        yield _time_span(match, int(match["hour"]), int(match["minute"]))


def _times_with_half(text: str) -> Iterator[Span]:
    for match in HOUR_WITH_HALF.finditer(text):
        hour = int(match["hour"]) % NOON_HOUR + (NOON_HOUR if match["half"].startswith("p") else 0)
        yield _time_span(match, hour, int(match["minute"] or 0))


def _time_span(match: re.Match[str], hour: int, minute: int) -> Span:
    return Span(match.start(), match.end(), f"{hour % DAY_HOURS:02}:{minute:02}")


def _time_phrases(text: str, lexicon: Lexicon) -> Iterator[Span]:
    for kind, match in time_patterns(lexicon.code).find_matches(text):
        minutes = TIME_READERS[kind](read_parts(match, lexicon)) % (DAY_HOURS * 60)
        yield _time_span(match, *divmod(minutes, 60))


def _shifted_times(text: str, lexicon: Lexicon, now: datetime) -> Iterator[Span]:
    """Yield times from now on. "Now" alone is weak: it is mostly no more than an impatient word."""
    for kind, match in shifted_time_patterns(lexicon.code).find_matches(text):
        if kind == "now":
            yield replace(_time_span(match, now.hour, now.minute), weak=True)
            continue
        unit = lexicon.calendar.clock_units[match["clock"]]
        number = read_number(match["n"], lexicon) if match["n"] else 1
        minutes = unit // 2 if match["half"] else unit * number
        moment = now + timedelta(minutes=minutes if kind == "ahead" else -minutes)
        yield _time_span(match, moment.hour, moment.minute)


def _lone_hours(text: str, strong: tuple[Span, ...], lexicon: Lexicon) -> Iterator[Span]:
    """A lone hour; with a half of the day behind it ("9 in the evening") it is sure."""
    in_digits = [_time_span(match, int(match["hour"]), 0) for match in LONE_HOUR.finditer(text)]
    if match := CLOCK_DIGITS.fullmatch(text):  # "930" says a time only where nothing else is said
        in_digits.append(_time_span(match, int(match["hour"]), int(match["minute"])))
    for plain in (*in_digits, *_hours_in_words(text, lexicon)):
        span = _with_half(text, plain, lexicon)
        if not any(map(span.overlaps, strong)) and not _counts_units(text, span, lexicon):
            yield Span(span.start, span.end, span.value, weak=span == plain)


def _counts_units(text: str, span: Span, lexicon: Lexicon) -> bool:
    """ "For 3 hours", "2 days": no hour of the day."""
    following = folded_words(text[span.end : span.end + MAX_UNIT_LETTERS])
    return bool(following) and following[0] in lexicon.calendar.units.keys() | lexicon.calendar.clock_units.keys()


def _hours_in_words(text: str, lexicon: Lexicon) -> Iterator[Span]:
    """ "Eleven", "seven thirty". A word for one is mostly another word, unless it is all that is said."""
    numbers = lexicon.numerals.units
    for match in hour_words(lexicon.code).finditer(text):
        hour, minutes = numbers[match["hour"]], sum(numbers[word] for word in (match["minute"] or "").split())
        if hour > 1 or match.end() - match.start() == len(text.strip(" .!?")):
            yield _time_span(match, hour, minutes)


def _with_half(text: str, span: Span, lexicon: Lexicon) -> Span:
    """The span with the half of the day behind it. "Tonight", on either side, is a date too, and no part of it."""
    hour, minute = map(int, str(span.value).split(":"))
    rest = text[span.end :]
    half = _phrase_length(rest, lexicon.calendar.afternoon)
    if rest[:half].strip() in lexicon.calendar.days:
        half = 0
    if hour < NOON_HOUR and (half or _is_in_evening(text, span, lexicon)):
        return Span(span.start, span.end + half, f"{hour + NOON_HOUR:02}:{minute:02}", weak=False)
    morning = _phrase_length(rest, lexicon.calendar.morning)
    if morning:
        return Span(span.start, span.end + morning, f"{hour % NOON_HOUR:02}:{minute:02}")
    return Span(span.start, span.end + half, span.value)


def _is_in_evening(text: str, span: Span, lexicon: Lexicon) -> bool:
    evenings = "|".join(map(re.escape, sorted(lexicon.calendar.afternoon & lexicon.calendar.days.keys())))
    leads = "|".join(" ".join(lead) for lead in sorted(lexicon.calendar.hour_leads))
    before, behind = rf"(?:^|\W)(?:{evenings}),?(?: (?:{leads}))? ?$", rf",? ?(?:{evenings})(?!\w)"
    return bool(re.search(before, text[: span.start]) or re.match(behind, text[span.end :]))


def _phrase_length(text: str, phrases: frozenset[str]) -> int:
    """Return the length of the longest of the phrases at the beginning, with blanks before it; else 0."""
    bare = text.lstrip()
    fitting = [phrase for phrase in phrases if re.match(rf"{re.escape(phrase)}(?!\w)", bare)]
    return max((len(phrase) + len(text) - len(bare) for phrase in fitting), default=0)


def _minutes_at(parts: CalendarParts, minutes: int = 0) -> int:
    return int(parts["hour"]) * 60 + minutes


TIME_READERS: dict[str, Callable[[CalendarParts], int]] = {
    "half_past": lambda parts: _minutes_at(parts, 30),
    "quarter_past": lambda parts: _minutes_at(parts, 15),
    "quarter_to": lambda parts: _minutes_at(parts, -15),
    "minutes_past": lambda parts: _minutes_at(parts, int(parts["minute"])),
    "minutes_to": lambda parts: _minutes_at(parts, -int(parts["minute"])),
    "noon": lambda parts: NOON_HOUR * 60,
    "midnight": lambda parts: 0,
    "hour_only": _minutes_at,
    "evening": lambda parts: _minutes_at(parts, 0 if int(parts["hour"]) >= NOON_HOUR else NOON_HOUR * 60),
}
