"""Where in a message a slot's values are: one finder a type."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from dialogue.engine.slots import Slot
from dialogue.nlu.codes import find_emails, find_pattern, find_phones
from dialogue.nlu.dates import find_dates
from dialogue.nlu.numerals import find_numbers
from dialogue.nlu.options import find_options
from dialogue.nlu.program import has_form
from dialogue.nlu.spans import Span, apart
from dialogue.nlu.times import find_times
from dialogue.nlu.utterance import Utterance

Finder = Callable[[Slot, Utterance], tuple[Span, ...]]
# The more of its own form a type has, the earlier it takes its place in a message.
DISTINCT = (
    "code", "email", "datetime", "date", "time", "phone", "choice", "money", "integer", "number", "list", "boolean",
    "object", "text",
)  # fmt: skip
GAP = 12
# A date that is longer says a month or a weekday beside its number.
LONGEST_DAY = 5


def find_values(slot: Slot, said: Utterance) -> tuple[Span, ...]:
    """Every value for the slot that the message shows by its form; none for free text."""
    finder = _pattern if has_form(slot) else FINDERS.get(slot.type)
    return finder(slot, said) if finder else ()


def dates_in(said: Utterance, *, past: bool = False) -> tuple[Span, ...]:
    """Every date in the message; with `past`, for a slot that allows no future."""
    return said.once(_dates_in, past)


def _dates_in(past: bool, said: Utterance) -> tuple[Span, ...]:
    return find_dates(said.text, said.lexicon, said.clock(past=past))


def times_in(said: Utterance) -> tuple[Span, ...]:
    return said.once(_times_in)


def _times_in(said: Utterance) -> tuple[Span, ...]:
    return find_times(said.text, said.lexicon)


def numbers_in(said: Utterance) -> tuple[Span, ...]:
    return said.once(_numbers_in)


def _numbers_in(said: Utterance) -> tuple[Span, ...]:
    return find_numbers(said.text, said.lexicon.numerals)


def distinctness(slot: Slot) -> int:
    return DISTINCT.index("code" if has_form(slot) else slot.type)


def values_apart(slots: Iterable[Slot], said: Utterance) -> Mapping[str, tuple[Span, ...]]:
    """Spans by slot name; a number inside a date, a code or a telephone number is none."""
    taken = list(_calendar(said))
    found: dict[str, tuple[Span, ...]] = {}
    for slot in sorted(slots, key=distinctness):
        spans = tuple(span for span in find_values(slot, said) if not _inside(span, taken))
        found[slot.name] = spans
        taken += [span for span in spans if not span.weak]
    return found


def _calendar(said: Utterance) -> Iterator[Span]:
    """The dates of the message, whether or not a slot is for them; the 3 of "the 3rd of May" counts nothing."""
    return (span for span in dates_in(said) if span.length > LONGEST_DAY)


def _inside(span: Span, taken: Iterable[Span]) -> bool:
    """Equal spans compete; a shorter one within a longer one is only a piece of it."""
    return any(span.overlaps(other) and span.length < other.length for other in taken)


def _pattern(slot: Slot, said: Utterance) -> tuple[Span, ...]:
    return find_pattern(slot, said.text)


def _numbers(slot: Slot, said: Utterance) -> tuple[Span, ...]:
    return numbers_in(said)


def _amounts(slot: Slot, said: Utterance) -> tuple[Span, ...]:
    """Numbers, and "fourteen fifty" as one of them."""
    joined: list[Span] = []
    for span in _numbers(slot, said):
        fraction = bool(joined) and _is_fraction(joined[-1], span, said.text)
        joined.append(_joined(joined.pop(), span) if fraction else span)
    return tuple(joined)


def _joined(whole: Span, fraction: Span) -> Span:
    return Span(whole.start, fraction.end, f"{whole.value}.{int(str(fraction.value)):02}")


def _is_fraction(whole: Span, span: Span, text: str) -> bool:
    said = text[whole.start : span.end]
    both = str(whole.value).isdigit() and str(span.value).isdigit()
    return both and text[whole.end : span.start] == " " and not _has_digit(said) and 10 <= int(str(span.value)) < 100


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)


def _integers(slot: Slot, said: Utterance) -> tuple[Span, ...]:
    spans = _numbers(slot, said)
    return tuple(replace(span, value=_whole(span)) for span in spans)


def _whole(span: Span) -> int | str:
    digits = str(span.value)
    return int(digits) if digits.lstrip("-").isdigit() else digits


def _dates(slot: Slot, said: Utterance) -> tuple[Span, ...]:
    return dates_in(said, past=slot.not_future)


def _times(slot: Slot, said: Utterance) -> tuple[Span, ...]:
    return times_in(said)


def _moments(slot: Slot, said: Utterance) -> tuple[Span, ...]:
    """A date and a time close to each other, in either order."""
    dates = _dates(slot, said)
    times = [time for time in _times(slot, said) if not any(time.overlaps(day) for day in dates)]
    pairs = ((day, time) for day in dates for time in times)
    return apart(_moment(day, time, said) for day, time in pairs if _distance(day, time) <= GAP)


def half_moment(slot: Slot, shown: str, said: Utterance) -> Span | None:
    """A new time on the day that is shown, or the time that is shown on a new day."""
    days, times = _dates(slot, said), [span for span in _times(slot, said) if not span.weak]
    known = _moments(slot, said.part(shown))
    if len(known) != 1 or len(days) + len(times) != 1:
        return None
    day, _, time = str(known[0].value).partition("T")
    span = (*days, *times)[0]
    return _moment(
        replace(span, value=span.value if days else day), replace(span, value=time[:5] if days else span.value), said
    )


def _distance(left: Span, right: Span) -> int:
    return max(left.start, right.start) - min(left.end, right.end)


def _moment(day: Span, time: Span, said: Utterance) -> Span:
    naive = datetime.fromisoformat(f"{day.value}T{time.value}")
    value = naive.replace(tzinfo=ZoneInfo(said.context.timezone)).isoformat()
    return Span(min(day.start, time.start), max(day.end, time.end), value)


def _options(slot: Slot, said: Utterance) -> tuple[Span, ...]:
    return find_options(slot, said.tokens)


def _emails(slot: Slot, said: Utterance) -> tuple[Span, ...]:
    return find_emails(said.text)


def _phones(slot: Slot, said: Utterance) -> tuple[Span, ...]:
    return find_phones(said.text)


def _lists(slot: Slot, said: Utterance) -> tuple[Span, ...]:
    """All values of the items' type together, as one list."""
    spans = [span for span in find_values(slot.items, said) if not span.weak] if slot.items else []
    if not spans:
        return ()
    return (Span(spans[0].start, spans[-1].end, [span.value for span in spans]),)


FINDERS: Mapping[str, Finder] = {
    "integer": _integers,
    "number": _numbers,
    "money": _amounts,
    "date": _dates,
    "time": _times,
    "datetime": _moments,
    "choice": _options,
    "email": _emails,
    "phone": _phones,
    "list": _lists,
}
