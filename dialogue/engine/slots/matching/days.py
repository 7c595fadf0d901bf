"""Days and times of day in a description: "from March", "el 3 de mayo", "at 4pm", "a las cinco y media"."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from dialogue.engine.slots.matching.candidate_index import Mask
from dialogue.engine.slots.matching.description import Description, find_phrases, phrase_length_before

FIRST_YEAR, LAST_YEAR = 1900, 2199
DAYS_IN_WEEK, MONTHS_IN_YEAR, MAX_DAY = 7, 12, 31
ISO_DAY = re.compile(r"\b([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})\b")
NUMERIC_DAY = re.compile(r"\b([0-9]{1,2})[/.]([0-9]{1,2})(?:[/.]([0-9]{4}|[0-9]{2}))?\b(?![.,]?[0-9])")
DayTest = Callable[[date], bool]


@dataclass(frozen=True)
class SaidDay:
    """The parts of a day that the user names: "March" has only a month. `first` to `last` is a stretch of days."""

    day: int | None = None
    month: int | None = None
    year: int | None = None
    weekday: int | None = None
    first: date | None = None
    last: date | None = None

    def is_on(self, other: date) -> bool:
        """Return whether the day has all the parts."""
        if self.first is not None and self.last is not None:
            return self.first <= other <= self.last
        return self.weekday in (None, other.weekday()) and self._parts_of(other) == self._parts

    def is_before(self, other: date) -> bool:
        """Return whether the other day comes before this one, in the same year where none is named."""
        return other < self.first if self.first is not None else self._parts_of(other) < self._parts

    def is_after(self, other: date) -> bool:
        """Return whether the other day comes after this one, in the same year where none is named."""
        return other > self.last if self.last is not None else self._parts_of(other) > self._parts

    @property
    def _parts(self) -> tuple[int, ...]:
        return tuple(part for part in (self.year, self.month, self.day) if part is not None)

    def _parts_of(self, other: date) -> tuple[int, ...]:
        pairs = ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        return tuple(value for part, value in pairs if part is not None)


def find_days(description: Description) -> None:
    """Find days, where the candidates have any dates."""
    if not description.index.dates:
        return
    for start, end, days in _days_said(description):
        if start < end and description.free(start, end):
            first, tests = _tests_of(description, start, days)
            mask = _mask_of_days(description.index.dates.values(), tests)
            description.add(mask, set(range(first, end)), "date", strict=not mask)


def _mask_of_days(columns: Iterable[Sequence[date | None]], tests: Sequence[DayTest]) -> Mask:
    mask = 0
    for column in columns:
        for place, day in enumerate(column):
            mask |= 1 << place if day is not None and any(test(day) for test in tests) else 0
    return mask


def _tests_of(description: Description, start: int, days: Sequence[SaidDay]) -> tuple[int, list[DayTest]]:
    """Return where the words begin, with "before" and "after", and the tests of a candidate's day."""
    lexicon, first = description.lexicon, start
    while first and description.forms[first - 1] in ("the", "el", "del"):
        first -= 1
    earlier = phrase_length_before(description.forms, first, lexicon.at_most)
    later = phrase_length_before(description.forms, first, lexicon.at_least)
    if earlier:
        return first - earlier, [day.is_before for day in days]
    if later:
        return first - later, [day.is_after for day in days]
    return start, [day.is_on for day in days]


def _days_said(description: Description) -> Iterator[tuple[int, int, Sequence[SaidDay]]]:
    yield from _numeric_days(description)
    yield from _months_and_days(description)
    yield from _relative_days(description)
    yield from _weekdays(description)
    yield from _years_and_bare_days(description)


def _numeric_days(description: Description) -> Iterator[tuple[int, int, Sequence[SaidDay]]]:
    for match in ISO_DAY.finditer(description.text):
        day = SaidDay(year=int(match[1]), month=int(match[2]), day=int(match[3]))
        yield (*_word_range(description, match.start(), match.end()), [day])
    for match in NUMERIC_DAY.finditer(description.text):
        first, second = int(match[1]), int(match[2])
        year = int(match[3]) + (2000 if len(match[3]) == len("26") else 0) if match[3] else None
        is_date = "/" in match.group() or match[3]
        if is_date and max(first, second) <= MAX_DAY and min(first, second) <= MONTHS_IN_YEAR:
            days = [SaidDay(first, second, year), SaidDay(second, first, year)]
            yield (*_word_range(description, match.start(), match.end()), days)


def _word_range(description: Description, start: int, end: int) -> tuple[int, int]:
    places = [place for place, word in enumerate(description.words) if start <= word.start < end]
    return (places[0], places[-1] + 1) if places else (0, 0)


def _months_and_days(description: Description) -> Iterator[tuple[int, int, Sequence[SaidDay]]]:
    """ "3 May 2026", "May 3rd", "the third of May", "el 3 de mayo de 2026", "March"."""
    forms, lexicon = description.forms, description.lexicon
    for place, form in enumerate(forms):
        month = lexicon.months.get(form)
        if month is None:
            continue
        start, day = _day_before(description, place)
        behind = _day_at(description, place + 1) if day is None else None
        said, end = behind or (day, place + 1)
        end, year = _year_behind(description, end)
        is_certain = form != "may" or said or year or (place and forms[place - 1] in lexicon.date_leads)
        if is_certain:
            yield start, end, [SaidDay(said, month, year)]


def _day_before(description: Description, place: int) -> tuple[int, int | None]:
    end = place - 1 if place and description.forms[place - 1] in ("of", "de") else place
    for length in (1, 2):
        behind = _day_at(description, end - length) if end - length >= 0 else None
        if behind and behind[1] == end:
            return end - length, behind[0]
    return place, None


def _day_at(description: Description, place: int) -> tuple[int, int] | None:
    """Return the day of the month that is said at this place, and where it ends: "3", "3rd", "third"."""
    forms, lexicon = description.forms, description.lexicon
    if place >= len(forms):
        return None
    ordinal = lexicon.ordinals.get(forms[place])
    if ordinal:
        return ordinal, place + 1
    if not forms[place].isdecimal() or not 1 <= int(forms[place]) <= MAX_DAY:
        return None
    ending = place + 1 < len(forms) and forms[place + 1] in lexicon.ordinal_endings
    glued = ending and not description.between(place, place + 1)
    return int(forms[place]), place + (2 if glued else 1)


def _year_behind(description: Description, end: int) -> tuple[int, int | None]:
    start = end + 1 if end < len(description.forms) and description.forms[end] in ("of", "de") else end
    year = _year_at(description, start)
    return (start + 1, year) if year else (end, None)


def _year_at(description: Description, place: int) -> int | None:
    text = description.forms[place] if place < len(description.forms) else ""
    is_year = len(text) == len("2026") and text.isdecimal() and FIRST_YEAR <= int(text) <= LAST_YEAR
    return int(text) if is_year else None


def _relative_days(description: Description) -> Iterator[tuple[int, int, Sequence[SaidDay]]]:
    today, lexicon = description.today, description.lexicon
    if today is None:
        return
    monday = today - timedelta(days=today.weekday())
    month_before = today.replace(day=1) - timedelta(days=1)
    week = timedelta(days=DAYS_IN_WEEK - 1)
    days = [
        (lexicon.this_week, SaidDay(first=monday, last=monday + week)),
        (lexicon.last_week, SaidDay(first=monday - timedelta(days=DAYS_IN_WEEK), last=monday - timedelta(days=1))),
        (lexicon.this_month, SaidDay(month=today.month, year=today.year)),
        (lexicon.last_month, SaidDay(month=month_before.month, year=month_before.year)),
        (lexicon.this_year, SaidDay(year=today.year)),
        (lexicon.last_year, SaidDay(year=today.year - 1)),
    ]
    for phrase, distance in lexicon.days_back.items():
        day = today - timedelta(days=distance)
        days.append((frozenset({phrase}), SaidDay(first=day, last=day)))
    for phrases, said in days:
        for start, end in find_phrases(description.forms, phrases):
            yield start, end, [said]


def _weekdays(description: Description) -> Iterator[tuple[int, int, Sequence[SaidDay]]]:
    for place, form in enumerate(description.forms):
        weekday = description.lexicon.weekdays.get(form.removesuffix("s") if form.endswith("days") else form)
        if weekday is not None:
            yield place, place + 1, [SaidDay(weekday=weekday)]


def _years_and_bare_days(description: Description) -> Iterator[tuple[int, int, Sequence[SaidDay]]]:
    """ "From 2024", "from the 3rd"."""
    forms, lexicon = description.forms, description.lexicon
    for place in range(1, len(forms)):
        before = forms[place - 2] if forms[place - 1] in ("the", "el", "dia") and place > 1 else forms[place - 1]
        if before not in lexicon.date_leads:
            continue
        year = _year_at(description, place)
        day = _day_at(description, place)
        if year:
            yield place, place + 1, [SaidDay(year=year)]
        elif day and forms[place - 1] in ("the", "el", "dia") and not forms[place].isalpha():
            yield place, day[1], [SaidDay(day=day[0])]
