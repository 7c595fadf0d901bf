"""The limits of a slot, checked on a value of the right type."""

from collections.abc import Callable, Iterator
from datetime import date, datetime, time
from decimal import Decimal

from pydantic import JsonValue

from dialogue.engine.slots.models import CLOCK_TYPES, NUMBER_TYPES, TEXT_TYPES, Slot, compile_pattern
from dialogue.engine.slots.readers import ReadingContext
from dialogue.engine.validators import find_validator

Comparable = Decimal | date | time | datetime
_SATURDAY = 5


def check_limits(value: JsonValue, reading: ReadingContext) -> JsonValue:
    """The value, when it is within every limit of its slot; raises ValueRefused."""
    for check in _checks(reading.slot):
        check(value, reading)
    return value


def _checks(slot: Slot) -> Iterator[Callable[[JsonValue, ReadingContext], None]]:
    if slot.type in TEXT_TYPES:
        yield _check_length
        yield _check_pattern
    if slot.type == "list":
        yield _check_count
    if slot.type in NUMBER_TYPES | CLOCK_TYPES:
        yield _check_bounds
    if slot.type in ("date", "datetime"):
        yield _check_day
    if slot.validator:
        yield _check_validator


def _check_length(value: JsonValue, reading: ReadingContext) -> None:
    slot, length = reading.slot, len(str(value))
    if slot.min_length is not None and length < slot.min_length:
        raise reading.refuse("too_short", value, min_length=slot.min_length)
    if slot.max_length is not None and length > slot.max_length:
        raise reading.refuse("too_long", value, max_length=slot.max_length)


def _check_count(value: JsonValue, reading: ReadingContext) -> None:
    slot, count = reading.slot, len(value) if isinstance(value, list) else 0
    if slot.min_length is not None and count < slot.min_length:
        raise reading.refuse("too_few", "", min_length=slot.min_length)
    if slot.max_length is not None and count > slot.max_length:
        raise reading.refuse("too_many", "", max_length=slot.max_length)


def _check_pattern(value: JsonValue, reading: ReadingContext) -> None:
    pattern = reading.slot.pattern
    if pattern is not None and not compile_pattern(pattern).fullmatch(str(value)):
        raise reading.refuse("pattern", value)


def _check_bounds(value: JsonValue, reading: ReadingContext) -> None:
    slot, given = reading.slot, comparable_value(reading.slot, value)
    low, high = (comparable_value(slot, each) for each in (slot.minimum, slot.maximum))
    too_low, too_high = low is not None and given < low, high is not None and given > high  # type: ignore[operator]
    if not too_low and not too_high:
        return
    rule = "between" if low is not None and high is not None else "at_least" if too_low else "at_most"
    raise reading.refuse(rule, value, minimum=slot.minimum, maximum=slot.maximum)


def comparable_value(slot: Slot, value: object) -> Comparable | None:
    """A value or a bound of the slot as something that can be compared; None for no bound."""
    if value is None:
        return None
    match slot.type:
        case "date":
            return date.fromisoformat(str(value))
        case "time":
            return time.fromisoformat(str(value))
        case "datetime":
            return datetime.fromisoformat(str(value))
        case _:
            return Decimal(str(value))


def _check_day(value: JsonValue, reading: ReadingContext) -> None:
    slot, given = reading.slot, comparable_value(reading.slot, value)
    present = reading.now if slot.type == "datetime" else reading.today
    if slot.not_past and given < present:  # type: ignore[operator]
        raise reading.refuse("past", value)
    if slot.not_future and given > present:  # type: ignore[operator]
        raise reading.refuse("future", value)
    if slot.weekdays and _weekday(given, reading) >= _SATURDAY:
        raise reading.refuse("weekday", value)


def _weekday(day: Comparable | None, reading: ReadingContext) -> int:
    if isinstance(day, datetime):
        return day.astimezone(reading.zone).weekday()
    return day.weekday() if isinstance(day, date) else 0


def _check_validator(value: JsonValue, reading: ReadingContext) -> None:
    name = reading.slot.validator
    if name is not None and not find_validator(name).check(str(value)):
        raise reading.refuse("validator", value, validator=name)
