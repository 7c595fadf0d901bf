"""Check a value of the right type against the limits of its slot."""

from datetime import date, datetime, time
from decimal import Decimal

from pydantic import JsonValue

from dialogue.engine.expressions.conditions import Condition
from dialogue.engine.slots.definitions.bounds import compile_pattern
from dialogue.engine.slots.definitions.slot_types import CLOCK_TYPES, NUMBER_TYPES, TEXT_TYPES
from dialogue.engine.slots.file_values import check_file_limits
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.readers import ReadingContext
from dialogue.engine.validators import find_validator

ComparableValue = Decimal | date | time | datetime
_SATURDAY = 5


def check_limits(value: JsonValue, context: ReadingContext) -> JsonValue:
    """Return the value if it is within every limit of its slot. Raises ValueRefused."""
    slot = context.slot
    if slot.type in TEXT_TYPES:
        _check_length(value, context)
        _check_pattern(value, context)
    if slot.type == "file":
        check_file_limits(value, context)
    if slot.type == "list":
        _check_count(value, context)
    if slot.type in NUMBER_TYPES | CLOCK_TYPES:
        _check_bounds(value, context)
    if slot.type in ("date", "datetime"):
        _check_day(value, context)
    # Registered validators come last, so they only see values within the limits.
    if slot.validator and not find_validator(slot.validator).check(str(value)):
        raise context.refuse("validator", value, validator=slot.validator)
    return value


def _check_length(value: JsonValue, context: ReadingContext) -> None:
    slot, length = context.slot, len(str(value))
    if slot.min_length is not None and length < slot.min_length:
        raise context.refuse("too_short", value, min_length=slot.min_length)
    if slot.max_length is not None and length > slot.max_length:
        raise context.refuse("too_long", value, max_length=slot.max_length)


def _check_count(value: JsonValue, context: ReadingContext) -> None:
    slot, count = context.slot, len(value) if isinstance(value, list) else 0
    if slot.min_length is not None and count < slot.min_length:
        raise context.refuse("too_few", "", min_length=slot.min_length)
    if slot.max_length is not None and count > slot.max_length:
        raise context.refuse("too_many", "", max_length=slot.max_length)


def _check_pattern(value: JsonValue, context: ReadingContext) -> None:
    pattern = context.slot.pattern
    if pattern is not None and not compile_pattern(pattern).fullmatch(str(value)):
        raise context.refuse("pattern", value)


def _check_bounds(value: JsonValue, context: ReadingContext) -> None:
    slot, number = context.slot, comparable_value(context.slot, value)
    low, high = (comparable_value(slot, bound) for bound in (slot.minimum, slot.maximum))
    too_low, too_high = low is not None and number < low, high is not None and number > high  # type: ignore[operator]
    if not too_low and not too_high:
        return
    rule = "between" if low is not None and high is not None else "at_least" if too_low else "at_most"
    raise context.refuse(rule, value, minimum=slot.minimum, maximum=slot.maximum)


def comparable_value(slot: Slot, value: object) -> ComparableValue | None:
    """Return a value or a bound of the slot as a Decimal, date, time or datetime.

    None stands for a missing bound, and for one whose expression nothing has computed.
    """
    if value is None or isinstance(value, Condition):
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


def _check_day(value: JsonValue, context: ReadingContext) -> None:
    slot, day = context.slot, comparable_value(context.slot, value)
    present = context.now if slot.type == "datetime" else context.today
    if slot.not_past and day < present:  # type: ignore[operator]
        raise context.refuse("past", value)
    if slot.not_future and day > present:  # type: ignore[operator]
        raise context.refuse("future", value)
    if slot.weekdays and _weekday_of(day, context) >= _SATURDAY:
        raise context.refuse("weekday", value)


def _weekday_of(day: ComparableValue | None, context: ReadingContext) -> int:
    # An instant may be Friday in UTC and Saturday where the conversation takes place.
    if isinstance(day, datetime):
        return day.astimezone(context.zone).weekday()
    return day.weekday() if isinstance(day, date) else 0
