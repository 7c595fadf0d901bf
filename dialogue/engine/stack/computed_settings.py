"""Settings with expressions, computed for one frame: limits and defaults of slots, and what staff see of a gate.

An expression without a value counts as a setting that was not written: no limit, no default. Only a gate whose group is
not known is left to supervisors.
"""

import logging
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from pydantic import JsonValue

from dialogue.engine.expressions.conditions import Condition, ExpressionTooCostly, with_slots
from dialogue.engine.expressions.values import TypedValue
from dialogue.engine.language.compiler import Human, Slot
from dialogue.engine.language.human_steps import PRIORITIES
from dialogue.engine.slots.definitions.slot_types import NUMBER_TYPES
from dialogue.engine.slots.display import display_or_redact
from dialogue.engine.slots.form_schema import slot_definition
from dialogue.engine.slots.values import json_value, typed_value
from dialogue.engine.stack.slot_access import evaluate, read_hashes, resolve_name
from dialogue.engine.stack.state import Frame
from dialogue.engine.stack.turn import Turn

log = logging.getLogger(__name__)

_CLOCK_CLASSES: Mapping[str, type[date] | type[time]] = {"date": date, "time": time, "datetime": datetime}
MAX_NAME_CHARACTERS = 150


def compute(turn: Turn, frame: Frame | None, expression: Condition) -> TypedValue:
    """Return the value of a setting's expression, or None. Without a frame it reads the conversation's slots."""
    try:
        if frame is not None:
            return evaluate(turn, frame, expression)
        names = [name for name in with_slots(expression.slots) if "." not in name]
        return expression.evaluate({name: _conversation_value(turn, name) for name in names}, turn.now)
    except ExpressionTooCostly as error:
        log.error("a setting in conversation %s, `%s`: %s", turn.context.conversation, expression, error)
        return None


def _conversation_value(turn: Turn, name: str) -> TypedValue:
    slot, stored = turn.assistant.slots.get(name), turn.memory["slots"].get(name)
    return typed_value(slot, stored["value"]) if slot and stored else None


def computed_slot(turn: Turn, frame: Frame | None, slot: Slot) -> Slot:
    """Return the slot with its limits and its default as values."""
    if not slot.is_computed:
        return slot
    values = {key: compute(turn, frame, expression) for key, expression in slot.computed_settings.items()}
    limits = {key: _limit_of(slot, value) for key, value in values.items() if key != "default"}
    default = {"default": json_value(values["default"])} if "default" in values else {}
    return slot.with_settings(**limits, **default)


def _limit_of(slot: Slot, value: TypedValue) -> Decimal | str | None:
    """Return a limit in the form of a literal one, or None if the value is of another type."""
    if slot.type in NUMBER_TYPES:
        return value if isinstance(value, Decimal) else None
    # A datetime is a date for Python, but not the limit of one.
    fits = type(value) is _CLOCK_CLASSES.get(slot.type)
    return value.isoformat() if fits and isinstance(value, date | time) else None


def limit_hashes(turn: Turn, frame: Frame, slot: Slot) -> dict[str, str] | None:
    """Return the hashes of what the limits of the slot are computed from, or None for literal limits."""
    if not slot.is_computed:
        return None
    limits = (expression for key, expression in slot.computed_settings.items() if key != "default")
    return read_hashes(turn, frame, {name for expression in limits for name in expression.slots})


def gate_title(turn: Turn, frame: Frame, step: Human) -> str:
    """Return the title in staff's list, with the values that it names; sensitive ones are masked."""
    template = step.title_template
    if template is None:
        return step.title.in_language(turn.language)
    return template.in_language(turn.language).render(lambda name: _masked_text(turn, frame, name))


def gate_summary(turn: Turn, frame: Frame, step: Human) -> str:
    """Return the step's summary for lists, in one line; sensitive values are masked. "" without a summary."""
    if step.summary is None:
        return ""
    template = step.summary.in_language(turn.language)
    return " ".join(template.render(lambda name: _masked_value(turn, frame, name)).split())


def _masked_text(turn: Turn, frame: Frame, name: str) -> str | None:
    resolved = resolve_name(turn, frame, name)
    if resolved is None:
        # Titles of the first version showed what stands in braces.
        return f"{{{name}}}"
    return _display_masked(turn, *resolved)


def _masked_value(turn: Turn, frame: Frame, name: str) -> str | None:
    resolved = resolve_name(turn, frame, name)
    return _display_masked(turn, *resolved) if resolved is not None else None


def _display_masked(turn: Turn, slot: Slot, value: JsonValue) -> str | None:
    return display_or_redact(slot, value, language=turn.language, timezone=turn.context.timezone) or None


def computed_gate(turn: Turn, frame: Frame, step: Human) -> dict[str, Any]:
    """Return the gate's settings that have expressions, as plain JSON: {group, queue, priority, due, form}.

    `due` is an ISO datetime, `form` has the definitions of fields with computed limits or defaults. What has no value
    is None.
    """
    settings: dict[str, Any] = {}
    for key, expression in step.computed_settings.items():
        settings[key] = _GATE_READERS[key](turn, compute(turn, frame, expression))
    fields = {name: slot for name, slot in step.form.items() if slot.is_computed}
    if fields:
        settings["form"] = {name: slot_definition(computed_slot(turn, frame, slot)) for name, slot in fields.items()}
    return settings


def _name_of(turn: Turn, value: TypedValue) -> str | None:
    return value[:MAX_NAME_CHARACTERS].strip() or None if isinstance(value, str) else None


def _priority_of(turn: Turn, value: TypedValue) -> str | None:
    return value if isinstance(value, str) and value in PRIORITIES else None


def _due_moment(turn: Turn, value: TypedValue | timedelta) -> str | None:
    """Return when staff should have decided: a moment, a time from now on, or the end of a day."""
    match value:
        case datetime():
            return value.isoformat()
        case date():
            return datetime.combine(value + timedelta(days=1), time(), turn.now.tzinfo).isoformat()
        case timedelta():
            return (turn.now + value).isoformat()
        case _:
            return None


_GATE_READERS = {"group": _name_of, "queue": _name_of, "priority": _priority_of, "due": _due_moment}
