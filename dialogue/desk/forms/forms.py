"""A session's form: its fields and gates, and the one validator for every channel.

What is answered is checked against the snapshot in the row, never against a newer release. Texts that a person typed,
JSON bodies and plain values (a scenario's) come in by different doors of the same slot and leave as stored values.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from functools import partial
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from dialogue.desk.forms.refusals import InvalidValue, WrongField
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

REASON = "reason"
"""The value that carries an action's reason, whether or not the form has a field of that name."""

MAX_QUOTE_CHARACTERS = 200
NOTHING: Mapping[str, Any] = {}


class InputFormat(Enum):
    """How values arrive: typed by a person, in a strict JSON body, or plain, as a scenario writes them."""

    TYPED = "typed"
    JSON = "json"
    PLAIN = "plain"


@dataclass(frozen=True)
class Field:
    """One typed field of a session, which is a gate of its own: `g12.0`."""

    name: str
    reference: str
    slot: Slot
    needed_for: tuple[str, ...] = ()
    """The actions that cannot be chosen while it is empty, though the field is optional."""


@dataclass(frozen=True)
class ReadingContext:
    """What values are read by: the time, and the conversation's zone and language."""

    now: datetime
    timezone: str
    language: str


Reader = Callable[[Slot, Any], Any]


def fields_of(session: HITLSession) -> tuple[Field, ...]:
    """The form's fields in the order of the flow; their places are the gates' numbers."""
    slots = slots_from_schema(session.schema) if session.schema else {}
    return tuple(_field(session, place, slot) for place, slot in enumerate(slots.values()))


def _field(session: HITLSession, place: int, slot: Slot) -> Field:
    needed_for = session.schema["properties"][slot.name].get(NEEDED_FOR, ())
    return Field(slot.name, f"{session.name}.{place}", slot, tuple(needed_for))


def check_needed(session: HITLSession, action: HumanAction, values: Mapping[str, Any]) -> None:
    """Raise InvalidValue, which names each empty field without which this action cannot be chosen."""
    empty = [each for each in fields_of(session) if action.id in each.needed_for and values.get(each.name) is None]
    if empty:
        label = action.label.in_language(get_language() or "")
        message = _("“%s” needs this result, because the flow uses it afterwards.") % label
        raise wrong_values(session, [WrongField(each.name, each.reference, "required", message, "") for each in empty])


def read_values(
    session: HITLSession, given: Mapping[str, Any], manner: InputFormat, answered: Mapping[str, Any] = NOTHING
) -> dict[str, Any]:
    """Every field's stored value; raises InvalidValue that names each wrong one.

    A field that is left out takes what was `answered` at its gate, or else its default.
    """
    fields = fields_of(session)
    given = gather_object_parts(fields, given) if manner is InputFormat.TYPED else given
    read = reader_for(session, manner)
    values: dict[str, Any] = {}
    wrong = _strangers(session, fields, given)
    for field in fields:
        try:
            values.update(_field_value(field, given, answered, read))
        except ValueRefused as refused:
            wrong.append(_placed(wrong_field(field, refused, given.get(field.name)), refused, manner))
    if wrong:
        raise wrong_values(session, wrong)
    return values


def parts_of(slot: Slot) -> Mapping[str, Slot]:
    """The parts of an object that a page asks for one by one; none where a part has parts of its own."""
    nested = any(part.type in ("object", "list") for part in slot.fields.values())
    return {} if slot.type != "object" or nested else slot.fields


def gather_object_parts(fields: tuple[Field, ...], given: Mapping[str, Any]) -> dict[str, Any]:
    """What was typed in the parts of an object, as `address.street`, under the object's own name."""
    values = dict(given)
    for field in fields:
        names = {part: f"{field.name}.{part}" for part in parts_of(field.slot)}
        typed = {part: values.pop(name) for part, name in names.items() if name in values}
        if typed:
            values[field.name] = typed
    return values


def _placed(wrong: WrongField, refused: ValueRefused, manner: InputFormat) -> WrongField:
    """On a page the part of an object that is wrong is a field of its own."""
    inside = manner is InputFormat.TYPED and refused.field.startswith(f"{wrong.name}.")
    return replace(wrong, name=refused.field, value=refused.value_text) if inside else wrong


def read_value(session: HITLSession, field: Field, given: Any, manner: InputFormat) -> Any:
    """One field's stored value; raises InvalidValue."""
    try:
        return reader_for(session, manner)(field.slot, given)
    except ValueRefused as refused:
        raise wrong_values(session, [wrong_field(field, refused, given)]) from None


def wrong_values(session: HITLSession, wrong: list[WrongField]) -> InvalidValue:
    """The refusal that names every wrong field; its detail is what a command line prints."""
    detail = " ".join(f"{each.gate or each.name}: {each.message}" for each in wrong)
    return InvalidValue(detail, session=session, fields=tuple(wrong))


def wrong_field(field: Field, refused: ValueRefused, given: Any) -> WrongField:
    sentence = refused.sentence(get_language() or "en")
    return WrongField(field.name, field.reference, refused.rule, sentence, quote_value(given), field.slot.sensitive)


def quote_value(value: Any) -> str:
    """What was sent, as text, cut after 200 characters."""
    text = "" if value is None else str(value)
    return text if len(text) <= MAX_QUOTE_CHARACTERS else text[: MAX_QUOTE_CHARACTERS - 1] + "…"


def reader_for(session: HITLSession, manner: InputFormat) -> Reader:
    """The slot reader of one manner, in the conversation's zone and language."""
    setting = reading_context_of(session)
    match manner:
        case InputFormat.TYPED:
            return partial(_typed, setting)
        case InputFormat.JSON:
            return partial(_strict, setting)
        case InputFormat.PLAIN:
            return partial(_plain, setting)


def reading_context_of(session: HITLSession) -> ReadingContext:
    """What this session's values are read by."""
    from dialogue.turns.compiled_releases import (
        assistant_of,  # the engine is loaded when a gate is answered, not at start
    )

    assistant = assistant_of(session.release)
    language = session.conversation.language or assistant.language
    return ReadingContext(clock.now(), assistant.timezone, language)


def _typed(setting: ReadingContext, slot: Slot, given: Any) -> Any:
    if isinstance(given, Mapping):
        return _typed_parts(setting, slot, given)
    text = given if isinstance(given, str) else ""
    return value_from_text(slot, text, now=setting.now, timezone=setting.timezone, language=setting.language)


def _typed_parts(setting: ReadingContext, slot: Slot, given: Mapping[str, Any]) -> Any:
    """An object from what was typed in its parts; nothing typed anywhere is no object."""
    if not any(str(text).strip() for text in given.values()):
        return _typed(setting, slot, "")
    return {name: _typed_part(setting, slot, name, given.get(name, "")) for name in parts_of(slot)}


def _typed_part(setting: ReadingContext, slot: Slot, name: str, given: Any) -> Any:
    try:
        return _typed(setting, slot.fields[name], given)
    except ValueRefused as refused:
        raise ValueRefused(f"{slot.name}.{name}", refused.rule, refused.value_text, refused.limits) from None


def _strict(setting: ReadingContext, slot: Slot, given: Any) -> Any:
    return value_from_json(slot, given, now=setting.now, timezone=setting.timezone)


def _plain(setting: ReadingContext, slot: Slot, given: Any) -> Any:
    return value_from_any(slot, given, now=setting.now, timezone=setting.timezone, language=setting.language)


def _field_value(field: Field, given: Mapping[str, Any], answered: Mapping[str, Any], read: Reader) -> dict[str, Any]:
    if field.name in given:
        return {field.name: read(field.slot, given[field.name])}
    if field.name in answered:
        return {field.name: answered[field.name]}
    if field.slot.default is not None:
        return {field.name: field.slot.default}
    if field.slot.required:
        raise missing_value(field)
    return {}


def missing_value(field: Field) -> ValueRefused:
    return ValueRefused(field.name, "required", "")


def _strangers(session: HITLSession, fields: tuple[Field, ...], given: Mapping[str, Any]) -> list[WrongField]:
    known = {field.name for field in fields} | {REASON}
    message = _("This gate has no such field.")
    return [
        WrongField(str(name), "", "unknown_field", message, quote_value(given[name]))
        for name in given
        if name not in known
    ]
