"""Times of day in a description: "at 4pm", "half past four", "a las cinco y media", "the morning one"."""

import re
from collections.abc import Callable, Iterator, Sequence

from dialogue.engine.slots.matching.candidate_index import Mask
from dialogue.engine.slots.matching.description import Description, phrase_length_before

HOURS, HALF_DAY, MINUTES = 24, 12, 60
CLOCK = re.compile(r"([0-9]{1,2})[:.]([0-9]{2})(?::[0-9]{2})?")
TimeTest = Callable[[str], bool]


def find_times(description: Description) -> None:
    """Find times, where the candidates have any: "at 4pm", "half past four", "before noon", "in the morning"."""
    columns = [column for name, column in description.index.moments.items() if name not in description.index.dates]
    if not columns:
        return
    for start, end, said in _times_said(description):
        if description.free(start, end):
            part, part_words = _day_part_beside(description, end)
            words = set(range(start, end)) | part_words
            description.add(
                _mask_where(columns, _near_or_at(description, start, said, part)), words, "date", strict=True
            )
    for place, form in enumerate(description.forms):
        hours = description.lexicon.day_parts.get(form)
        if hours and description.free(place, place + 1) and not description.index.find_exactly(form):
            description.add(_mask_where(columns, _in_part(description, place, hours)), {place}, "date")


def _near_or_at(description: Description, start: int, said: tuple[int, int], part: tuple[int, int]) -> TimeTest:
    """Test for the time itself, or for what comes before or after it: "after 8pm"."""
    hour, minute = said
    # Up to twelve hours may also be in the second half of the day.
    hours = {hour, hour + HALF_DAY} if hour <= HALF_DAY else {hour}
    times = {f"{each % HOURS:02}:{minute:02}" for each in hours if part[0] <= each % HOURS < part[1]}
    if phrase_length_before(description.forms, start, description.lexicon.at_most):
        return lambda text: bool(times) and text[:5] < min(times)
    if phrase_length_before(description.forms, start, description.lexicon.at_least):
        return lambda text: bool(times) and text[:5] > min(times)
    return lambda text: text[:5] in times


def _in_part(description: Description, place: int, hours: tuple[int, int]) -> TimeTest:
    if phrase_length_before(description.forms, place, description.lexicon.at_most):
        return lambda text: int(text[:2]) < hours[0]
    if phrase_length_before(description.forms, place, description.lexicon.at_least):
        return lambda text: int(text[:2]) >= hours[0]
    return lambda text: hours[0] <= int(text[:2]) < hours[1]


def _times_said(description: Description) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """Yield the places and the hour and minute of each time."""
    forms, lexicon = description.forms, description.lexicon
    for place, form in enumerate(forms):
        written = _written_time(form, description)
        if written:
            yield place - phrase_length_before(forms, place, lexicon.clock_leads), place + 1, written
            continue
        hour = lexicon.numbers.get(form, 0) if form.isalpha() else _small_number(form)
        spoken = _spoken_time(description, place, hour) if 0 < hour <= HOURS else None
        if spoken:
            yield spoken


def _written_time(form: str, description: Description) -> tuple[int, int] | None:
    """Return 9:05, and 9.05 where that is no amount of the options."""
    match = CLOCK.fullmatch(form)
    if match is None or ("." in form and description.index.has_amount(form)):
        return None
    hour, minute = int(match[1]), int(match[2])
    return (hour, minute) if hour < HOURS and minute < MINUTES else None


def _spoken_time(description: Description, place: int, hour: int) -> tuple[int, int, tuple[int, int]] | None:
    """Return "half past four", "las cinco y media", "at seven fifteen" or "4 pm" with its places; or None."""
    forms, lexicon = description.forms, description.lexicon
    for phrase, minutes in lexicon.minutes_before.items():
        if tuple(forms[max(place - len(phrase), 0) : place]) == phrase:
            return place - len(phrase), place + 1, _clock_time(hour, minutes)
    lead = phrase_length_before(forms, place, lexicon.clock_leads)
    minutes, end = _minutes_behind(description, place + 1)
    has_part = end < len(forms) and forms[end] in ("am", "pm", "oclock", "h")
    return (place - lead, end, _clock_time(hour, minutes)) if lead or has_part else None


def _clock_time(hour: int, minutes: int) -> tuple[int, int]:
    return (hour, minutes) if minutes >= 0 else (hour - 1, MINUTES + minutes)


def _small_number(form: str) -> int:
    return int(form) if form.isdecimal() and len(form) <= len("24") else 0


def _minutes_behind(description: Description, end: int) -> tuple[int, int]:
    """Return the minutes behind the hour, negative for "menos cuarto", and where they end."""
    for phrase, minutes in description.lexicon.minutes_behind.items():
        if tuple(description.forms[end : end + len(phrase)]) == phrase:
            return minutes, end + len(phrase)
    following = description.forms[end] if end < len(description.forms) else ""
    if following.isdecimal() and len(following) == len("15") and int(following) < MINUTES:
        return int(following), end + 1
    return 0, end


def _day_part_beside(description: Description, end: int) -> tuple[tuple[int, int], set[int]]:
    """Return the hours of "pm" or "in the morning" behind a time; the whole day without them."""
    for place in range(end, min(end + 3, len(description.forms))):
        hours = description.lexicon.day_parts.get(description.forms[place])
        if hours:
            return hours, set(range(end, place + 1))
    return (0, HOURS), set()


def _mask_where(columns: Sequence[Sequence[str | None]], test: TimeTest) -> Mask:
    mask = 0
    for column in columns:
        for place, text in enumerate(column):
            mask |= 1 << place if text is not None and test(text) else 0
    return mask
