from datetime import date, datetime

import pytest

from dialogue.nlu.slots.typed.dates_and_times import Clock, find_dates, find_times
from dialogue.nlu.text.lexicons import lexicon_of

MONDAY = date(2026, 11, 23)
NOW = datetime(2026, 11, 23, 9, 30)


@pytest.mark.parametrize(
    ("language", "text", "day"),
    [
        ("en", "today", "2026-11-23"),
        ("en", "the day after tomorrow", "2026-11-25"),
        ("en", "a week from today", "2026-11-30"),
        ("en", "a week from Friday", "2026-12-04"),
        ("en", "the 5th", "2026-12-05"),
        ("en", "on the 31st", "2026-12-31"),
        ("en", "the third of March", "2027-03-03"),
        ("en", "May 5th, 2028", "2028-05-05"),
        ("en", "Friday", "2026-11-27"),
        ("en", "on Monday", "2026-11-30"),
        ("en", "next Friday", "2026-12-04"),
        ("en", "Friday week", "2026-12-04"),
        ("en", "Saturday 5th", "2026-12-05"),
        ("en", "Wednesday the 23rd", "2026-12-23"),
        ("en", "Friday the 5th", "2027-02-05"),
        ("en", "the first Monday in December", "2026-12-07"),
        ("en", "the second Friday of November", "2027-11-12"),
        ("en", "last Tuesday", "2026-11-17"),
        ("en", "in two weeks", "2026-12-07"),
        ("en", "10 days ago", "2026-11-13"),
        ("en", "14/12/2026", "2026-12-14"),
        ("en", "12/14/2026", "2026-12-14"),
        ("en", "at the end of the month", "2026-11-30"),
        ("en", "the last day of February", "2027-02-28"),
        ("en", "5 November last year", "2025-11-05"),
        ("en", "June 1st, next year", "2027-06-01"),
        ("en", "on Boxing Day", "2026-12-26"),
        ("en", "New Year's Eve", "2026-12-31"),
        ("en", "30.11. please", "2026-11-30"),
        ("en", "24.12", "2026-12-24"),
        ("en", "the 3rd Saturday of June", "2027-06-19"),
        ("en", "last Saturday in January", "2027-01-30"),
        ("en", "Easter Monday", "2027-03-29"),
        ("en", "on Good Friday", "2027-03-26"),
        ("en", "this morning", "2026-11-23"),
        ("en", "last night", "2026-11-22"),
        ("en", "an hour ago", "2026-11-23"),
        ("es", "pasado mañana", "2026-11-25"),
        ("es", "el quince de enero", "2027-01-15"),
        ("es", "el 5 de mayo del año pasado", "2025-05-05"),
        ("es", "en Nochevieja", "2026-12-31"),
        ("es", "el 5 de mayo", "2027-05-05"),
        ("es", "el viernes", "2026-11-27"),
        ("es", "el sábado 5", "2026-12-05"),
        ("es", "el primer lunes de diciembre", "2026-12-07"),
        ("es", "dentro de tres días", "2026-11-26"),
        ("es", "hace dos semanas", "2026-11-09"),
        ("es", "hace media hora", "2026-11-23"),
        ("es", "anoche", "2026-11-22"),
        ("es", "Viernes Santo", "2027-03-26"),
        ("es", "el último sábado de enero", "2027-01-30"),
        ("es", "mañana por la mañana", "2026-11-24"),
    ],
)
def test_a_day_is_found_from_today_on(language: str, text: str, day: str) -> None:
    found = find_dates(text, lexicon_of(language), Clock(MONDAY))

    assert [span.value for span in found] == [day]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("5 May", "2026-05-05"),
        ("Friday", "2026-11-20"),
        ("the 24th", "2026-10-24"),
        ("12/03/85", "1985-03-12"),
        ("3.4.05", "2005-04-03"),
        ("the first Monday in May", "2026-05-04"),
        ("last Friday in October", "2026-10-30"),
        ("Easter Sunday", "2026-04-05"),
    ],
)
def test_a_slot_without_a_future_looks_back(text: str, day: str) -> None:
    found = find_dates(text, lexicon_of("en"), Clock(MONDAY, looks_back=True))

    assert [span.value for span in found] == [day]


@pytest.mark.parametrize(
    "text", ["31/02/2027", "2026-13-01", "may I have it", "it costs 3.50", "it took 3.12 hours", "in 99999999999 years"]
)
def test_what_is_no_day_is_not_found(text: str) -> None:
    assert find_dates(text, lexicon_of("en"), Clock(MONDAY)) == ()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "a Saturday in May"),
        ("en", "any Saturday"),
        ("en", "Saturdays in June"),
        ("es", "un sábado de mayo"),
        ("es", "cualquier viernes"),
    ],
)
def test_a_weekday_of_which_there_are_several_is_no_day(language: str, text: str) -> None:
    assert find_dates(text, lexicon_of(language), Clock(MONDAY)) == ()


def test_americans_write_the_month_first() -> None:
    (day,) = find_dates("05/06/2027", lexicon_of("en"), Clock(MONDAY, month_first=True))

    assert day.value == "2027-05-06"


@pytest.mark.parametrize(
    ("language", "text", "time"),
    [
        ("en", "9:30", "09:30"),
        ("en", "7 pm", "19:00"),
        ("en", "12 am", "00:00"),
        ("en", "half past nine", "09:30"),
        ("en", "quarter to ten", "09:45"),
        ("en", "ten past five pm", "17:10"),
        ("en", "noon", "12:00"),
        ("en", "at seven in the evening", "19:00"),
        ("en", "half past 2 in the afternoon", "14:30"),
        ("en", "tonight at 8", "20:00"),
        ("en", "8 this evening", "20:00"),
        ("en", "in half an hour", "10:00"),
        ("en", "in two hours", "11:30"),
        ("en", "20 minutes ago", "09:10"),
        ("es", "a las 9 y media", "09:30"),
        ("es", "a las cinco de la tarde", "17:00"),
        ("es", "las 8 menos cuarto", "07:45"),
        ("es", "a las 20:15", "20:15"),
        ("es", "a las 9 esta noche", "21:00"),
        ("es", "dentro de media hora", "10:00"),
        ("es", "hace tres horas", "06:30"),
    ],
)
def test_a_time_is_found(language: str, text: str, time: str) -> None:
    found = find_times(text, lexicon_of(language), NOW)

    assert [(span.value, span.weak) for span in found] == [(time, False)]


@pytest.mark.parametrize(
    ("text", "time"),
    [("at 9", "09:00"), ("9ish", "09:00"), ("21h", "21:00"), ("eleven", "11:00"), ("nine thirty", "09:30"),
     ("ten forty five", "10:45"), ("one", "01:00"), ("930", "09:30"), ("1745", "17:45")],
)  # fmt: skip
def test_a_lone_hour_needs_its_question(text: str, time: str) -> None:
    (hour,) = find_times(text, lexicon_of("en"), NOW)

    assert (hour.value, hour.weak) == (time, True)


@pytest.mark.parametrize("text", ["my order is 1745", "the red one", "room 930 please"])
def test_other_numbers_are_no_hours(text: str) -> None:
    assert find_times(text, lexicon_of("en"), NOW) == ()


def test_half_an_hour_more_is_not_left_out() -> None:
    assert find_times("in an hour and a half", lexicon_of("en"), NOW) == ()


def test_now_needs_its_question() -> None:
    (now,) = find_times("right now", lexicon_of("en"), NOW)

    assert (now.value, now.weak) == ("09:30", True)
