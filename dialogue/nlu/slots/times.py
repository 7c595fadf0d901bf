"""Times of the day in running text: "9:30", "half past nine", "7 pm", "a las cinco de la tarde"."""

import re
from collections.abc import Callable, Iterator

from dialogue.nlu.slots.spans import Span, without_overlaps
from dialogue.nlu.text.calendar_patterns import CalendarParts, read_parts, time_patterns
from dialogue.nlu.text.lexicons.lexicon import Lexicon
from dialogue.nlu.text.tokens import fold

CLOCK_TIME = re.compile(
    r"(?<![\w:.-])(?P<hour>2[0-3]|[01]?[0-9])[:.h](?P<minute>[0-5][0-9])(?::[0-5][0-9])?(?![\w:-]|\.[0-9])"
)
LONE_HOUR = re.compile(r"(?<![\w:.,-])(?P<hour>2[0-4]|[01]?[0-9])(?![\w:,-]|\.[0-9])")
HOUR_WITH_HALF = re.compile(
    r"(?<![\w:.-])(?P<hour>1[0-2]|0?[0-9])(?:[:.](?P<minute>[0-5][0-9]))?\s?(?P<half>am|pm|a\.m\.?|p\.m\.?)(?!\w)"
)
NOON_HOUR = 12
DAY_HOURS = 24


def find_times(text: str, lexicon: Lexicon) -> tuple[Span, ...]:
    """Every time in the text as "09:30"; a lone hour ("9") is weak and needs its question."""
    folded = fold(text)
    spans = (*_clock_times(folded), *_times_with_half(folded), *_time_phrases(folded, lexicon))
    strong = without_overlaps(_with_half(folded, span, lexicon) for span in spans)
    return without_overlaps((*strong, *_lone_hours(folded, strong, lexicon)))


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


def _lone_hours(text: str, strong: tuple[Span, ...], lexicon: Lexicon) -> Iterator[Span]:
    """A lone hour; with a half of the day behind it ("9 in the evening") it is sure."""
    for match in LONE_HOUR.finditer(text):
        plain = _time_span(match, int(match["hour"]), 0)
        span = _with_half(text, plain, lexicon)
        if not any(map(span.overlaps, strong)):
            yield Span(span.start, span.end, span.value, weak=span == plain)


def _with_half(text: str, span: Span, lexicon: Lexicon) -> Span:
    hour, minute = map(int, str(span.value).split(":"))
    rest = text[span.end :]
    half = _phrase_length(rest, lexicon.calendar.afternoon)
    if half and hour < NOON_HOUR:
        return Span(span.start, span.end + half, f"{hour + NOON_HOUR:02}:{minute:02}")
    morning = _phrase_length(rest, lexicon.calendar.morning)
    if morning:
        return Span(span.start, span.end + morning, f"{hour % NOON_HOUR:02}:{minute:02}")
    return Span(span.start, span.end + half, span.value)


def _phrase_length(text: str, phrases: frozenset[str]) -> int:
    """The length of the longest of the phrases that the text begins with, blanks before it included; else 0."""
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
