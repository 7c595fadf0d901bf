"""Values that come from other programs: a payload is read against the slots that declare its fields."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.values import ValueRefused, value_from_any
from dialogue.engine.source.problems import did_you_mean


@dataclass(frozen=True)
class WrongField:
    """A field that was not accepted: its name, the rule ("unknown", "missing" or "invalid"), and why."""

    name: str
    rule: str
    message: str


@dataclass(frozen=True)
class Payload:
    """What was read: the `values` in stored form by field, without empty ones, and the `wrong` fields."""

    values: dict[str, Any] = field(default_factory=dict)
    wrong: tuple[WrongField, ...] = ()


def read_payload(
    slots: Mapping[str, Slot],
    raw_values: Mapping[str, Any],
    *,
    now: datetime,
    timezone: str,
    language: str,
    partial: bool = False,
) -> Payload:
    """Return the values that fit their slots, and every field that is unknown, missing, or does not fit.

    With `partial`, a slot may be left out although it is required: it is asked for later.
    """
    values: dict[str, Any] = {}
    wrong = [_unknown_field(name, slots) for name in raw_values if name not in slots]
    for name, slot in slots.items():
        raw_value = raw_values.get(name)
        if raw_value is None:
            wrong += [_missing_field(name)] if slot.required and not partial else []
            continue
        try:
            value = value_from_any(slot, raw_value, now=now, timezone=timezone, language=language)
        except ValueRefused as error:
            wrong.append(WrongField(name, "invalid", error.sentence(language)))
            continue
        if value is not None:
            values[name] = value
        elif slot.required and not partial:
            wrong.append(_missing_field(name))
    return Payload(values, tuple(wrong))


def _missing_field(name: str) -> WrongField:
    return WrongField(name, "missing", "this value is needed")


def _unknown_field(name: str, slots: Mapping[str, Slot]) -> WrongField:
    advice = did_you_mean(name, slots)
    return WrongField(name[:64], "unknown", f"there is no value of this name here. {advice}".rstrip(". ") + ".")
