"""Times of day in a description: "at 4pm", "half past four", "a las cinco y media", "the morning one"."""

from collections.abc import Callable, Iterator, Sequence

from dialogue.engine.slots.matching.candidate_index import Mask
from dialogue.engine.slots.matching.description import Description, phrase_length_before

HOURS, HALF_DAY, MINUTES, HALF_HOUR, QUARTER = 24, 12, 60, 30, 15


def find_times(description: Description) -> None:
    """Find times, where the candidates have any: "at 4pm", "half past four", "in the morning"."""
    columns = [column for name, column in description.index.moments.items() if name not in description.index.dates]
    if not columns:
        return
    for start, end, minutes in _times_said(description):
        if description.free(start, end):
            part, part_words = _day_part_beside(description, end)
            description.add(_at_time(columns, minutes, part), set(range(start, end)) | part_words, "date", strict=True)
    for place, form in enumerate(description.forms):
        hours = description.lexicon.day_parts.get(form)
        if hours and description.free(place, place + 1) and not description.index.find_exactly(form):
            description.add(_in_day_part(columns, hours), {place}, "date")


def _times_said(description: Description) -> Iterator[tuple[int, int, tuple[int, int]]]:
    forms = description.forms
    for place, form in enumerate(forms):
        lead = phrase_length_before(forms, place, description.lexicon.clock_leads)
        if ":" in form:
            hour, minute = (int(part) for part in form.split(":")[:2])
            if hour < HOURS and minute < MINUTES:
                yield place - lead, place + 1, (hour, minute)
            continue
        hour = description.lexicon.numbers.get(form, 0) if form.isalpha() else _small_number(form)
        if not 0 < hour <= HOURS:
            continue
        before = phrase_length_before(forms, place, description.lexicon.half_before | description.lexicon.quarter_to)
        minute, end = _minutes_behind(description, place + 1)
        has_part = end < len(forms) and forms[end] in ("am", "pm", "oclock", "h")
        if before:
            half = bool(phrase_length_before(forms, place, description.lexicon.half_before))
            yield place - before, end, (hour if half else hour - 1, HALF_HOUR if half else MINUTES - QUARTER)
        elif lead or has_part:
            earlier = minute < 0
            yield place - lead, end, (hour - 1 if earlier else hour, minute % MINUTES)


def _small_number(form: str) -> int:
    return int(form) if form.isdigit() and len(form) <= len("24") else 0


def _minutes_behind(description: Description, end: int) -> tuple[int, int]:
    """Return the minutes behind the hour, negative for "menos cuarto", and where they end."""
    lexicon = description.lexicon
    for phrases, minutes in (
        (lexicon.half, HALF_HOUR),
        (lexicon.quarter, QUARTER),
        (lexicon.quarter_to_behind, -QUARTER),
    ):
        for phrase in phrases:
            if tuple(description.forms[end : end + len(phrase)]) == phrase:
                return minutes, end + len(phrase)
    return 0, end


def _day_part_beside(description: Description, end: int) -> tuple[tuple[int, int], set[int]]:
    """Return the hours of "pm" or "in the morning" behind a time; the whole day without them."""
    for place in range(end, min(end + 3, len(description.forms))):
        hours = description.lexicon.day_parts.get(description.forms[place])
        if hours:
            return hours, set(range(end, place + 1))
    return (0, HOURS), set()


def _at_time(columns: Sequence[Sequence[str | None]], said: tuple[int, int], part: tuple[int, int]) -> Mask:
    """The candidates at this time; one of up to twelve hours may also be in the second half of the day."""
    hour, minute = said
    hours = {hour, hour + HALF_DAY} if hour <= HALF_DAY else {hour}
    wanted = {f"{hour % HOURS:02}:{minute:02}" for hour in hours if part[0] <= hour % HOURS < part[1]}
    return _mask_where(columns, lambda text: text[:5] in wanted)


def _in_day_part(columns: Sequence[Sequence[str | None]], part: tuple[int, int]) -> Mask:
    return _mask_where(columns, lambda text: part[0] <= int(text[:2]) < part[1])


def _mask_where(columns: Sequence[Sequence[str | None]], test: Callable[[str], bool]) -> Mask:
    mask = 0
    for column in columns:
        for place, text in enumerate(column):
            mask |= 1 << place if text is not None and test(text) else 0
    return mask
