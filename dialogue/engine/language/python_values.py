"""Convert the values of an action: stored JSON in the engine, Python types in the function.

| type | Python |
|---|---|
| text, email, phone, choice | `str` |
| integer, number, boolean | `int`, `float`, `bool` |
| money | `Decimal` |
| date, time, datetime | `date`, `time`, `datetime` with its offset |
| list, object | `list`, `dict` of these |
| file | `ActionFile` of `dialogue.engine.actions`, with `name`, `kind`, `size`, `digest` and `open()` |

An action may return the same types, and also None, an Enum (its value counts), a Pydantic model or a dataclass.
"""

import dataclasses
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Any, BinaryIO
from uuid import UUID

from pydantic import BaseModel, JsonValue

from dialogue.engine.language.compiler import ActionContract, Slot
from dialogue.engine.slots.file_kinds import FILE_KINDS
from dialogue.engine.slots.file_values import FILE_KEYS
from dialogue.engine.slots.values import ValueRefused, value_from_any
from dialogue.engine.source.problems import did_you_mean

_TEXT = Slot.model_validate({"type": "text"})
_MAX_EXACT_DIGITS = 60


class NotStorable(TypeError):
    """No type of the language can hold this Python value."""


FileOpener = Callable[[str], BinaryIO]
"""Opens the content of a file by its id. Raises FileGone."""


class FileGone(Exception):
    """The content of a file is not there any more, or never was: it was erased, or belongs to a test."""


def no_file(file_id: str) -> BinaryIO:
    """Raise FileGone: without a host there is no content."""
    raise FileGone(file_id)


@dataclasses.dataclass(frozen=True)
class ActionFile:
    """A file as an action receives it. `kind` is a name of FILE_KINDS, `size` in bytes, `digest` SHA-256 in hex."""

    id: str
    name: str
    kind: str
    size: int
    digest: str
    opener: FileOpener = dataclasses.field(default=no_file, repr=False, compare=False)

    @property
    def media_type(self) -> str:
        """The media type of the content, such as application/pdf."""
        return FILE_KINDS[self.kind].media_type

    def open(self) -> BinaryIO:
        """Open the content for reading in binary; close it afterwards. Raises FileGone. It blocks the thread."""
        return self.opener(self.id)


def python_inputs(
    contract: ActionContract, inputs: Mapping[str, JsonValue], open_file: FileOpener = no_file
) -> dict[str, Any]:
    """Return the stored inputs of a call as Python values of the contract's types, by name."""
    return {name: to_python(contract.inputs.get(name, _TEXT), value, open_file) for name, value in inputs.items()}


_PARSERS: Mapping[str, Callable[[str], Any]] = {
    "integer": int,
    "number": float,
    "money": Decimal,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "datetime": datetime.fromisoformat,
}


def to_python(slot: Slot, value: JsonValue, open_file: FileOpener = no_file) -> Any:
    """Return the Python value of a stored one; `open_file` opens the content of a file."""
    match value:
        case None:
            return None
        case dict() if slot.type == "file":
            texts = {name: str(value.get(name, "")) for name in FILE_KEYS if name != "size"}
            return ActionFile(**texts, size=int(str(value.get("size", 0))), opener=open_file)
        case list():
            return [to_python(slot.items or _TEXT, item, open_file) for item in value]
        case dict():
            return {name: to_python(slot.fields.get(name, _TEXT), item, open_file) for name, item in value.items()}
        case _:
            parse = _PARSERS.get(slot.type)
            return parse(str(value)) if parse else value


@dataclasses.dataclass(frozen=True)
class StoredResults:
    """The outputs of an action in stored form.

    `type_mismatch` says which outputs do not fit their type. `unknown_outputs` says which ones the contract does not
    have, and is filled only when a required output is missing. Both are sentences, "" when all is well.
    """

    outputs: dict[str, JsonValue]
    type_mismatch: str = ""
    unknown_outputs: str = ""


def stored_results(contract: ActionContract, result: object, *, now: datetime, timezone: str) -> StoredResults:
    """Convert what an action returned by its contract. Never raises: the action has already done its work."""
    try:
        values = _values_by_name(result)
    except Exception as error:  # computed fields of a model may raise anything
        return StoredResults({}, f"{type(error).__name__}: {error}")
    outputs: dict[str, JsonValue] = {}
    misfits: list[str] = []
    for name, slot in contract.outputs.items():
        if name not in values:
            continue
        try:
            plain = from_python(slot, values[name])
            # An empty result, None or "", is left to the slot that receives it.
            outputs[name] = plain if plain in (None, "") else value_from_any(slot, plain, now=now, timezone=timezone)
        except (ValueError, TypeError, ArithmeticError) as error:
            misfits.append(f"`{name}` does not fit the type {slot.type}: {_reason_of(slot, error)}")
    return StoredResults(outputs, " ".join(misfits), _explain_unknown_outputs(contract, values))


def _reason_of(slot: Slot, error: Exception) -> str:
    """Return why a value does not fit, with the field that is wrong: "orders[2].status: “lost” is not one of these"."""
    # A refusal inside a list or an object quotes the inner value unmasked.
    if slot.sensitive and slot.type in ("list", "object"):
        return "its value is not shown"
    part = error.field if isinstance(error, ValueRefused) and error.field != slot.name else ""
    return f"`{part}`: {error}" if part else str(error)


def _explain_unknown_outputs(contract: ActionContract, values: Mapping[str, object]) -> str:
    """Explain outputs that the contract does not have if a required one is missing; others may be extra."""
    missing = [name for name, slot in contract.outputs.items() if slot.required and name not in values]
    unknown = [name for name in values if name not in contract.outputs]
    if not missing:
        return ""
    advice = {name: did_you_mean(name, missing) for name in unknown}
    return " ".join(f"`{name[:64]}` is not an output of the contract. {advice[name]}" for name in unknown)


def _values_by_name(result: object) -> dict[str, object]:
    """Return the outputs by name; none for None. Raises NotStorable for anything but a mapping or a model."""
    if result is None:
        return {}
    values = _unwrap(result)
    if not isinstance(values, Mapping):
        raise NotStorable(f"the action returned {_describe_type(result)}; return a dict of outputs, or None")
    return {str(name): value for name, value in values.items()}


def from_python(slot: Slot, value: object) -> JsonValue:
    """Return plain JSON of a Python value, as `value_from_any` reads it for this slot. Raises NotStorable."""
    value = _unwrap(value)
    match value:
        case None | bool() | str():
            return value
        case Decimal():
            return _json_number(slot, value)
        case int() | float():
            return value
        case date() | time():  # a datetime is a date
            return value.isoformat()
        case UUID():
            return str(value)
        case list() | tuple():
            return [from_python(slot.items or _TEXT, item) for item in value]
        case Mapping():
            return {str(name): from_python(slot.fields.get(str(name), _TEXT), item) for name, item in value.items()}
        case _:
            raise NotStorable(f"{_describe_type(value)} cannot be stored")


def _unwrap(value: object) -> object:
    if isinstance(value, ActionFile):
        return {name: getattr(value, name) for name in FILE_KEYS}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, BaseModel):
        return {name: getattr(value, name) for name in type(value).model_fields}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return value


def _json_number(slot: Slot, number: Decimal) -> JsonValue:
    """Return a Decimal as a number for number slots, and as text with all its digits for money and texts."""
    if slot.type in ("integer", "number") and number.is_finite():
        whole = number == number.to_integral_value() and number.adjusted() < _MAX_EXACT_DIGITS
        return int(number) if whole else float(number)
    return format(number, "f")


def _describe_type(value: object) -> str:
    return f"a value of the Python type {type(value).__qualname__}"
