"""One extractor for each slot type: where in a message the slot's values are."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, has_pattern, words_about
from dialogue.nlu.slots.people_counts import find_people_sums
from dialogue.nlu.slots.spans import Span, without_overlaps
from dialogue.nlu.slots.typed.dates_and_times import find_dates, find_times
from dialogue.nlu.slots.typed.durations import find_durations
from dialogue.nlu.slots.typed.numbers import find_numbers
from dialogue.nlu.slots.typed.options import find_options
from dialogue.nlu.slots.typed.patterns import find_emails, find_pattern_values, find_phones
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.lexicons import LEXICONS
from dialogue.nlu.text.phrases import find_phrase
from dialogue.nlu.text.tokens import folded_words, fuzzy_in

Extractor = Callable[[Slot, Utterance], tuple[Span, ...]]
# The more of its own form a type has, the earlier it takes its place in a message.
TYPES_BY_DISTINCTNESS = (
    "code", "email", "datetime", "date", "time", "phone", "choice", "money", "integer", "number", "list", "boolean",
    "object", "text", "file",
)  # fmt: skip
NOON, HALF_DAY_HOURS = "12:00", 12
# Before this hour a bare number means the afternoon.
EARLIEST = "07:00"
# "Friday, 5 December, at 9": more text between a date and a time separates them.
MAX_DATE_TIME_GAP_CHARACTERS = 12
# "" stands for the beginning and the end of the message.
CLAUSE_MARKS = frozenset({"", ",", ";", ":", ".", "!", "?", "\n"})
# In what authors call a slot for a day of birth.
BIRTH_WORDS = frozenset({"birth", "born", "dob", "nacimiento", "naciste", "nacio", "nacido"})
SPELLED_YEAR = re.compile(r"[0-9]{4}|[0-9][/.-][0-9]{1,2}[/.-][0-9]{2}")
# A date that is longer says a month or a weekday beside its number.
MAX_BARE_DAY_CHARACTERS = 5


def find_values(slot: Slot, utterance: Utterance) -> tuple[Span, ...]:
    """Return a span for every value that its form shows to be one for the slot; () for free text."""
    finder = _pattern_values if has_pattern(slot) else EXTRACTORS.get(slot.type)
    return finder(slot, utterance) if finder else ()


def find_dates_in(utterance: Utterance, *, looks_back: bool = False) -> tuple[Span, ...]:
    """Return the dates in the message; with `looks_back`, for a slot that allows no future."""
    return utterance.remember(_dates_in, looks_back)


def _dates_in(looks_back: bool, utterance: Utterance) -> tuple[Span, ...]:
    dates = find_dates(utterance.text, utterance.lexicon, utterance.clock(looks_back=looks_back))
    return tuple(date for date in dates if not _is_verb(date, utterance))


def _is_verb(date: Span, utterance: Utterance) -> bool:
    """ "I sat on my glasses": no Saturday."""
    words = tuple(token.folded for token in utterance.tokens if token.start >= date.start)[:2]
    return words in utterance.lexicon.calendar.day_lookalikes


def find_times_in(utterance: Utterance) -> tuple[Span, ...]:
    """Return the times in the message."""
    return utterance.remember(_times_in)


def _times_in(utterance: Utterance) -> tuple[Span, ...]:
    now = utterance.context.now.astimezone(ZoneInfo(utterance.context.timezone))
    return find_times(utterance.text, utterance.lexicon, now)


def find_numbers_in(utterance: Utterance) -> tuple[Span, ...]:
    """Return the numbers in the message that are values: not "one of them", not "three times"."""
    return utterance.remember(_numbers_in)


def _numbers_in(utterance: Utterance) -> tuple[Span, ...]:
    return tuple(
        span
        for span in find_numbers(utterance.text, utterance.lexicon.numerals)
        if not _counts_nothing(span, utterance)
    )


def _numbers_for(slot_words: frozenset[str], utterance: Utterance) -> tuple[Span, ...]:
    """The numbers for a slot: "4 hours" is one where the slot says "hours"."""
    numbers = find_numbers(utterance.text, utterance.lexicon.numerals)
    return tuple(span for span in numbers if not _counts_nothing(span, utterance, slot_words))


def _counts_nothing(span: Span, utterance: Utterance, slot_words: frozenset[str] = frozenset()) -> bool:
    """ "One of your colleagues", "three times", "un momento": the number is not a value by itself."""
    cues, awaited = utterance.lexicon.cues, utterance.awaited_slot
    following = next((token for token in utterance.tokens if token.start >= span.end), None)
    if following is None or utterance.text[span.end : following.start].strip() or _is_calendar(awaited):
        return False
    in_words = not _has_digit(utterance.text[span.start : span.end])
    if span.weak and following.folded in cues.partitives:
        return True
    counted = following.folded in cues.counted_nouns - slot_words - _question_words(utterance)
    return counted and (in_words or not _is_plain_number(awaited))


def _is_calendar(slot: Slot | None) -> bool:
    return slot is not None and slot.type in ("date", "time", "datetime")


def _is_plain_number(slot: Slot | None) -> bool:
    return slot is not None and slot.type in ("integer", "number")


def _question_words(utterance: Utterance) -> frozenset[str]:
    slot, task = utterance.awaited_slot, utterance.context.awaited
    about = f"{slot.name.replace('_', ' ')} {slot.description or ''} {slot.prompt or ''}" if slot is not None else ""
    return frozenset(folded_words(about)).union(folded_words(task.message if task else ""))


def distinctness_rank(slot: Slot) -> int:
    """Return the slot's place in TYPES_BY_DISTINCTNESS: 0 for the most distinct form."""
    return TYPES_BY_DISTINCTNESS.index("code" if has_pattern(slot) else slot.type)


def find_separate_values(slots: Collection[Slot], utterance: Utterance) -> Mapping[str, tuple[Span, ...]]:
    """Return spans by slot name, without numbers inside a date, a code or a telephone number."""
    # The dates of the message, whether or not a slot is for them; the 3 of "the 3rd of May" counts nothing.
    dates = [span for span in find_dates_in(utterance) if span.length > MAX_BARE_DAY_CHARACTERS]
    # "On the 2nd floor" is an option, and no day.
    options = [span for slot in slots if slot.type == "choice" for span in find_options(slot, utterance.tokens)]
    phrases = [span for span in options if " " in utterance.text[span.start : span.end]]
    taken_spans = [date for date in dates if not any(map(date.overlaps, phrases))]
    spans_by_slot: dict[str, tuple[Span, ...]] = {}
    for slot in sorted(slots, key=distinctness_rank):
        spans = tuple(span for span in find_values(slot, utterance) if not _is_inside(span, taken_spans))
        spans_by_slot[slot.name] = spans
        taken_spans += [span for span in spans if not span.weak]
    return spans_by_slot


def _is_inside(span: Span, others: Iterable[Span]) -> bool:
    """Return whether a longer span covers this one. Equal spans compete."""
    return any(span.overlaps(other) and span.length < other.length for other in others)


def _pattern_values(slot: Slot, utterance: Utterance) -> tuple[Span, ...]:
    return tuple(span for span in find_pattern_values(slot, utterance.text) if _is_written_as_code(span, utterance))


def _is_written_as_code(span: Span, utterance: Utterance) -> bool:
    """As the pattern demands, with a digit, or alone between marks: not the "as" in "same as last time"."""
    text = utterance.text[span.start : span.end]
    if _has_digit(text) or text == span.value or not any(character.isalpha() for character in text):
        return True
    before, after = utterance.text[: span.start].rstrip(), utterance.text[span.end :].lstrip()
    alone = before[-1:] in CLAUSE_MARKS and after[:1] in CLAUSE_MARKS
    rest = (token.folded for token in utterance.tokens if not span.start <= token.start < span.end)
    small = FUNCTION_WORDS | utterance.lexicon.filler_words
    return alone or (utterance.awaits_value and not small.issuperset(folded_words(text)) and small.issuperset(rest))


def _number_values(slot: Slot, utterance: Utterance) -> tuple[Span, ...]:
    return utterance.remember(_numbers_for, words_about(slot))


def _money_values(slot: Slot, utterance: Utterance) -> tuple[Span, ...]:
    """Numbers, and "fourteen fifty" as one of them; not those that count something ("two questions")."""
    joined: list[Span] = []
    for span in (span for span in _number_values(slot, utterance) if not _counts_a_noun(span, slot, utterance)):
        fraction = bool(joined) and _is_fraction(joined[-1], span, utterance.text)
        joined.append(_join_fraction(joined.pop(), span) if fraction else span)
    return tuple(joined)


def _counts_a_noun(span: Span, slot: Slot, utterance: Utterance) -> bool:
    """Is the number in words, and right behind it a noun that is neither money nor of the slot?

    A mere "one" is an amount only where nothing else is said.
    """
    if span.weak:
        return any(
            token.folded not in FUNCTION_WORDS | utterance.lexicon.filler_words
            for token in utterance.tokens
            if token.start != span.start
        )
    following = next((token for token in utterance.tokens if token.start >= span.end), None)
    text = utterance.text[span.start : span.end]
    if following is None or _has_digit(text) or utterance.text[span.end : following.start].strip():
        return False
    numerals = utterance.lexicon.numerals
    if not numerals.currencies.isdisjoint(folded_words(text)) or following.text[:1].isupper():
        return False
    known_words = FUNCTION_WORDS | numerals.units.keys() | numerals.scales.keys() | utterance.lexicon.filler_words
    if following.folded in utterance.lexicon.cues.partitives:
        return True
    slot_words_asked = _question_words(utterance) | set(
        folded_words(f"{slot.name.replace('_', ' ')} {slot.description or ''}")
    )
    return following.folded not in known_words and not fuzzy_in(
        following.folded, slot_words_asked | numerals.currencies
    )


def _join_fraction(whole: Span, fraction: Span) -> Span:
    return Span(whole.start, fraction.end, f"{whole.value}.{int(str(fraction.value)):02}")


def _is_fraction(whole: Span, span: Span, text: str) -> bool:
    amount_text = text[whole.start : span.end]
    both = str(whole.value).isdigit() and str(span.value).isdigit()
    return (
        both
        and text[whole.end : span.start] == " "
        and not _has_digit(amount_text)
        and 10 <= int(str(span.value)) < 100
    )


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)


def _integer_values(slot: Slot, utterance: Utterance) -> tuple[Span, ...]:
    numbers = tuple(replace(span, value=_whole_number(span)) for span in _number_values(slot, utterance))
    sums = find_people_sums(slot, numbers, utterance)
    return without_overlaps((*sums, *find_durations(slot, numbers, utterance), *numbers))


def _whole_number(span: Span) -> int | str:
    digits = str(span.value)
    return int(digits) if digits.lstrip("-").isdigit() else digits


def _date_values(slot: Slot, utterance: Utterance) -> tuple[Span, ...]:
    days = find_dates_in(utterance, looks_back=looks_back(slot))
    if words_about(slot).isdisjoint(BIRTH_WORDS):
        return days
    # A day of birth is said with its year: "on Thursday" and "3 May" are none.
    return tuple(day for day in days if SPELLED_YEAR.search(utterance.text[day.start : day.end]))


def looks_back(slot: Slot) -> bool:
    """Return whether the slot is for a day that is over: by its author's rule, or by its words ("when it happened")."""
    if slot.not_future:
        return True
    words, calendars = words_about(slot), [lexicon.calendar for lexicon in LEXICONS.values()]
    is_wished = any(not calendar.wish_words.isdisjoint(words) for calendar in calendars)
    return not is_wished and any(not calendar.past_words.isdisjoint(words) for calendar in calendars)


def _time_values(slot: Slot, utterance: Utterance) -> tuple[Span, ...]:
    return tuple(_in_bounds(slot, span, utterance) for span in find_times_in(utterance))


def _in_bounds(slot: Slot, span: Span, utterance: Utterance) -> Span:
    """ "At 5": in the afternoon, where the morning is not said and the slot's limits allow it or there are none.

    Few appointments are before seven in the morning; a slot that looks back ("since when") may well mean the night.
    """
    words, time = utterance.text[span.start : span.end].lower(), str(span.value)
    is_morning = words.startswith("0") or any(phrase in words for phrase in utterance.lexicon.calendar.morning)
    later = f"{int(time[:2]) + HALF_DAY_HOURS:02}{time[2:]}"
    has_limits = slot.minimum is not None or slot.maximum is not None
    is_too_early = not _is_within(slot, time) if has_limits else time < EARLIEST and not looks_back(slot)
    fits_later = is_too_early and time < NOON and _is_within(slot, later)
    return replace(span, value=later) if fits_later and not is_morning else span


def _is_within(slot: Slot, time: str) -> bool:
    """Return whether the time keeps the slot's limits; those that are computed count as kept."""
    low, high = (bound[:5] if isinstance(bound, str) else None for bound in (slot.minimum, slot.maximum))
    return (low is None or low <= time) and (high is None or time <= high)


def _datetime_values(slot: Slot, utterance: Utterance) -> tuple[Span, ...]:
    """A date and a time close to each other, in either order."""
    dates = _date_values(slot, utterance)
    times = [time for time in _time_values(slot, utterance) if not any(time.overlaps(day) for day in dates)]
    pairs = ((day, time) for day in dates for time in times)
    return without_overlaps(
        _datetime_span(day, time, utterance)
        for day, time in pairs
        if max(day.start, time.start) - min(day.end, time.end) <= MAX_DATE_TIME_GAP_CHARACTERS
    )


def find_datetime_part(slot: Slot, filled_text: str, utterance: Utterance) -> Span | None:
    """Return a new time on the filled day, or the filled time on a new day; None without exactly one."""
    days, times = _date_values(slot, utterance), [span for span in _time_values(slot, utterance) if not span.weak]
    filled_spans = _datetime_values(slot, utterance.with_text(filled_text))
    if len(filled_spans) != 1 or len(days) + len(times) != 1:
        return None
    day, _, time = str(filled_spans[0].value).partition("T")
    span = (*days, *times)[0]
    return _datetime_span(
        replace(span, value=span.value if days else day),
        replace(span, value=time[:5] if days else span.value),
        utterance,
    )


def _datetime_span(day: Span, time: Span, utterance: Utterance) -> Span:
    naive = datetime.fromisoformat(f"{day.value}T{time.value}")
    value = naive.replace(tzinfo=ZoneInfo(utterance.context.timezone)).isoformat()
    return Span(min(day.start, time.start), max(day.end, time.end), value)


def _option_values(slot: Slot, utterance: Utterance) -> tuple[Span, ...]:
    return find_options(slot, utterance.tokens)


def _email_values(slot: Slot, utterance: Utterance) -> tuple[Span, ...]:
    return find_emails(utterance.text)


def _phone_values(slot: Slot, utterance: Utterance) -> tuple[Span, ...]:
    return tuple(span for span in find_phones(utterance.text) if not _goes_on_before(span, utterance))


def _goes_on_before(span: Span, utterance: Utterance) -> bool:
    """ "0 double seven 00 900123": the digits begin in words, so that the number is not whole."""
    before = [token.folded for token in utterance.tokens if token.end <= span.start]
    return bool(before) and before[-1] in utterance.lexicon.numerals.units


def _list_values(slot: Slot, utterance: Utterance) -> tuple[Span, ...]:
    """All values of the items' type together, as one list."""
    spans = [span for span in find_values(slot.items, utterance) if not span.weak] if slot.items else []
    if not spans or find_phrase(utterance.folded, utterance.lexicon.cues.exclusions):
        return ()
    return (Span(spans[0].start, spans[-1].end, [span.value for span in spans]),)


EXTRACTORS: Mapping[str, Extractor] = {
    "integer": _integer_values,
    "number": _number_values,
    "money": _money_values,
    "date": _date_values,
    "time": _time_values,
    "datetime": _datetime_values,
    "choice": _option_values,
    "email": _email_values,
    "phone": _phone_values,
    "list": _list_values,
}
