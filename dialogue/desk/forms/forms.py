"""A session's form: its fields, and the validator of all channels.

Answers are checked against the snapshot in the row, never against a newer release. Typed texts, JSON bodies and the
plain values of scenarios are read by different readers of the same slot, and give the same stored values.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from functools import partial
from typing import Any

from django.utils.translation import get_language

from dialogue.desk.forms.refusals import InvalidValue, WrongField, sentence_of_fields
from dialogue.desk.forms.sentences import sentence as _
from dialogue.desk.forms.sentences import value_sentence
from dialogue.desk.forms.stored_files import has_ids, resolve_files, takes_files
from dialogue.engine.language.steps import HumanAction
from dialogue.engine.slots.form_schema import NEEDED_FOR
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.values import (
    ValueRefused,
    slots_from_schema,
    value_from_any,
    value_from_json,
    value_from_text,
)
from dialogue.models import HITLSession
from dialogue.turns import clock
from dialogue.turns.answer_links import is_rehearsal

REASON = "reason"
"""The value that carries an action's reason, whether or not the form has a field of that name."""

MAX_QUOTE_CHARACTERS = 200
MAX_ROW_DIGITS = 4
NOTHING: Mapping[str, Any] = {}


class InputFormat(Enum):
    """How values arrive: typed by a person, in a strict JSON body, or plain, as a scenario writes them."""

    TYPED = "typed"
    JSON = "json"
    PLAIN = "plain"


@dataclass(frozen=True)
class Field:
    """One typed field of a session; `reference` is its public name, such as `g12.0`."""

    name: str
    reference: str
    slot: Slot
    needed_for: tuple[str, ...] = ()
    """The actions that cannot be chosen while it is empty, though the field is optional."""


@dataclass(frozen=True)
class ReadingContext:
    """What readers need: the time, and the conversation's time zone and language."""

    now: datetime
    timezone: str
    language: str


Reader = Callable[[Slot, Any], Any]


def fields_of(session: HITLSession) -> tuple[Field, ...]:
    """Return the form's fields in the order of the flow; the position is part of the reference."""
    slots = slots_from_schema(session.schema) if session.schema else {}
    return tuple(_field_from_slot(session, position, slot) for position, slot in enumerate(slots.values()))


def _field_from_slot(session: HITLSession, position: int, slot: Slot) -> Field:
    needed_for = session.schema["properties"][slot.name].get(NEEDED_FOR, ())
    return Field(slot.name, f"{session.name}.{position}", slot, tuple(needed_for))


def check_needed(session: HITLSession, action: HumanAction, values: Mapping[str, Any]) -> None:
    """Raise InvalidValue with every empty field that this action needs."""
    empty = [field for field in fields_of(session) if action.id in field.needed_for and values.get(field.name) is None]
    if empty:
        label = action.label.in_language(get_language() or "")
        sentence = _("“%s” needs this result, because the flow uses it afterwards.")
        message = (_("“%s” needs this value.") if session.is_from_agent else sentence) % label
        raise wrong_values(
            session, [WrongField(field.name, field.reference, "required", message, "") for field in empty]
        )


def read_values(
    session: HITLSession,
    values_sent: Mapping[str, Any],
    input_format: InputFormat,
    answered: Mapping[str, Any] = NOTHING,
) -> dict[str, Any]:
    """Return every field's stored value. Raises InvalidValue with every wrong one.

    A field that was not sent takes its stored answer in `answered`, or else its default.
    """
    fields = fields_of(session)
    values_sent = gather_object_parts(fields, values_sent) if input_format is InputFormat.TYPED else values_sent
    read_slot = reader_for(session, input_format)
    values: dict[str, Any] = {}
    wrong = _unknown_fields(session, fields, values_sent)
    for field in fields:
        try:
            values.update(_field_value(field, values_sent, answered, read_slot))
        except ValueRefused as refused:
            # A page shows each part of an object as a field, so the error belongs to the part.
            field_error = wrong_field(field, refused, values_sent.get(field.name))
            inside = input_format is InputFormat.TYPED and refused.field.startswith(f"{field_error.name}.")
            wrong.append(replace(field_error, name=refused.field, value=refused.value_text) if inside else field_error)
    if wrong:
        raise wrong_values(session, wrong)
    return values


def parts_of(slot: Slot) -> Mapping[str, Slot]:
    """Return the parts of an object that a page asks for one by one, such as street and place.city.

    There are none if a list is among them.
    """
    parts = dict(_parts_in(slot, "")) if slot.type == "object" else {}
    return {} if any(part.type == "list" for part in parts.values()) else parts


def _parts_in(slot: Slot, path: str) -> Iterator[tuple[str, Slot]]:
    for name, part in slot.fields.items():
        if part.type == "object":
            yield from _parts_in(part, f"{path}{name}.")
        else:
            yield f"{path}{name}", part


def row_parts_of(slot: Slot) -> Mapping[str, Slot]:
    """Return the parts of each record in a list, which a page shows as a table; none for other lists."""
    return parts_of(slot.items) if slot.type == "list" and slot.items else {}


def gather_object_parts(fields: tuple[Field, ...], values_sent: Mapping[str, Any]) -> dict[str, Any]:
    """Gather what was typed in the parts of an object, such as `address.street`, under the object's name.

    The parts of records in a list have the number of their row before them: `orders.0.status`.
    """
    values = dict(values_sent)
    for field in fields:
        typed = _pop_typed(values, field.name, parts_of(field.slot))
        if typed:
            values[field.name] = typed
        rows = _pop_rows(values, field.name, row_parts_of(field.slot))
        if rows:
            values[field.name] = rows
    return values


def _pop_typed(values: dict[str, Any], prefix: str, parts: Iterable[str]) -> dict[str, Any]:
    names = {part: f"{prefix}.{part}" for part in parts}
    return {part: values.pop(name) for part, name in names.items() if name in values}


def _pop_rows(values: dict[str, Any], prefix: str, parts: Mapping[str, Slot]) -> dict[int, dict[str, Any]]:
    """Return what was typed in the rows of a table, by row, and take it out of the values."""
    if not parts:
        return {}
    heads = (name.removeprefix(f"{prefix}.").partition(".")[0] for name in values if name.startswith(f"{prefix}."))
    rows = sorted({int(head) for head in heads if head.isascii() and head.isdigit() and len(head) <= MAX_ROW_DIGITS})
    return {row: _pop_typed(values, f"{prefix}.{row}", parts) for row in rows}


def read_value(session: HITLSession, field: Field, value: Any, input_format: InputFormat) -> Any:
    """Return one field's stored value. Raises InvalidValue."""
    try:
        return reader_for(session, input_format)(field.slot, value)
    except ValueRefused as refused:
        raise wrong_values(session, [wrong_field(field, refused, value)]) from None


def wrong_values(session: HITLSession, wrong: list[WrongField]) -> InvalidValue:
    """Return the refusal with every wrong field; its detail is what a terminal prints."""
    return InvalidValue(sentence_of_fields(wrong), session=session, fields=tuple(wrong))


def wrong_field(field: Field, refused: ValueRefused, value: Any) -> WrongField:
    """Return the error of one field in the reader's language, with the value that was sent."""
    sentence = value_sentence(refused)
    return WrongField(field.name, field.reference, refused.rule, sentence, quote_value(value), field.slot.hides_values)


def quote_value(value: Any) -> str:
    """What was sent, as text, cut after 200 characters."""
    text = "" if value is None else str(value)
    return text if len(text) <= MAX_QUOTE_CHARACTERS else text[: MAX_QUOTE_CHARACTERS - 1] + "…"


def reader_for(session: HITLSession, input_format: InputFormat) -> Reader:
    """Return the slot reader for one input format, in the conversation's time zone and language."""
    context = reading_context_of(session)
    return partial(_read_with_files, session, _format_reader(context, input_format))


def _read_with_files(session: HITLSession, read: Reader, slot: Slot, value: Any) -> Any:
    """Read a value; of a file field, look up the files that it names."""
    if not takes_files(slot):
        return read(slot, value)
    # A scenario writes files down, which have no content.
    is_invented = is_rehearsal(session.conversation) and not has_ids(value)
    files = value if is_invented else resolve_files(session, slot, value)
    return _read_json(reading_context_of(session), slot, files or None)


def _format_reader(context: ReadingContext, input_format: InputFormat) -> Reader:
    match input_format:
        case InputFormat.TYPED:
            return partial(_read_typed, context)
        case InputFormat.JSON:
            return partial(_read_json, context)
        case InputFormat.PLAIN:
            return partial(_read_plain, context)


def reading_context_of(session: HITLSession) -> ReadingContext:
    """Return the context in which this session's values are read."""
    from dialogue.turns.compiled_releases import (
        assistant_of,  # the engine is loaded when a gate is answered, not at start
    )

    assistant = assistant_of(session.release)
    language = session.conversation.language or assistant.language
    return ReadingContext(clock.now(), assistant.timezone, language)


def _read_typed(context: ReadingContext, slot: Slot, value: Any) -> Any:
    if isinstance(value, Mapping):
        read = _read_typed_rows if slot.type == "list" else _read_typed_parts
        return read(context, slot, value)
    text = value if isinstance(value, str) else ""
    return value_from_text(slot, text, now=context.now, timezone=context.timezone, language=context.language)


def _read_typed_parts(context: ReadingContext, slot: Slot, values: Mapping[str, Any]) -> Any:
    """Read an object from what was typed in its parts; without any text, the object is missing."""
    if _is_blank(values):
        return _read_typed(context, slot, "")
    try:
        return _read_typed_fields(context, slot, values, "")
    except ValueRefused as refused:
        raise ValueRefused(f"{slot.name}.{refused.field}", refused.rule, refused.value_text, refused.limits) from None


def _is_blank(values: Mapping[str, Any]) -> bool:
    return not any(str(text).strip() for text in values.values())


def _read_typed_fields(context: ReadingContext, slot: Slot, values: Mapping[str, Any], path: str) -> Any:
    """Read the fields below a path. A record in it that is optional and has no text is left out."""
    inner = {name: text for name, text in values.items() if name.startswith(path)}
    if path and not slot.required and _is_blank(inner):
        return None
    return {
        name: _read_typed_fields(context, part, inner, f"{path}{name}.")
        if part.type == "object"
        else _read_typed_part(context, part, f"{path}{name}", values.get(f"{path}{name}", ""))
        for name, part in slot.fields.items()
    }


def _read_typed_part(context: ReadingContext, part: Slot, path: str, value: Any) -> Any:
    try:
        return _read_typed(context, part, value)
    except ValueRefused as refused:
        raise ValueRefused(path, refused.rule, refused.value_text, refused.limits) from None


def _read_typed_rows(context: ReadingContext, slot: Slot, rows: Mapping[int, Mapping[str, Any]]) -> Any:
    """Read a list of records from the rows of a table; blank rows do not count."""
    records = []
    for row, values in rows.items():
        if slot.items is not None and not _is_blank(values):
            try:
                records.append(_read_typed_fields(context, slot.items, values, ""))
            except ValueRefused as refused:
                place = f"{slot.name}.{row}.{refused.field}"
                raise ValueRefused(place, refused.rule, refused.value_text, refused.limits) from None
    if not records and not slot.required:
        return None
    return value_from_any(slot, records, now=context.now, timezone=context.timezone, language=context.language)


def _read_json(context: ReadingContext, slot: Slot, value: Any) -> Any:
    return value_from_json(slot, value, now=context.now, timezone=context.timezone)


def _read_plain(context: ReadingContext, slot: Slot, value: Any) -> Any:
    return value_from_any(slot, value, now=context.now, timezone=context.timezone, language=context.language)


def _field_value(
    field: Field, values_sent: Mapping[str, Any], answered: Mapping[str, Any], read_slot: Reader
) -> dict[str, Any]:
    if field.name in values_sent:
        return {field.name: read_slot(field.slot, values_sent[field.name])}
    if field.name in answered:
        return {field.name: answered[field.name]}
    if field.slot.default is not None:
        return {field.name: field.slot.default}
    if field.slot.required:
        raise missing_value(field)
    return {}


def missing_value(field: Field) -> ValueRefused:
    """Return the refusal of an empty required field."""
    return ValueRefused(field.name, "required", "")


def _unknown_fields(
    session: HITLSession, fields: tuple[Field, ...], values_sent: Mapping[str, Any]
) -> list[WrongField]:
    known_names = {field.name for field in fields} | {REASON}
    message = _("This gate does not have this field.")
    return [
        WrongField(str(name), "", "unknown_field", message, quote_value(values_sent[name]))
        for name in values_sent
        if name not in known_names
    ]
