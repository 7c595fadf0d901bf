"""Records as tables, for people who decide about them: one row for each record of a list, or for each field of one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from dialogue.engine.slots.definitions.slot_types import NUMBER_TYPES
from dialogue.engine.slots.display import display_or_redact, field_of, format_value
from dialogue.engine.slots.models import Slot


@dataclass(frozen=True)
class Column:
    """A field of a record by its path, such as address.zip; `is_number`: its values are aligned at their ends."""

    path: str
    slot: Slot

    @property
    def is_number(self) -> bool:
        """Whether its values are numbers or amounts."""
        return self.slot.type in NUMBER_TYPES


@dataclass(frozen=True)
class RecordTable:
    """`rows` have a text for each column. A single record has one row, and is better read from top to bottom."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    is_single: bool = False


def columns_of(record: Slot) -> tuple[Column, ...]:
    """Return the fields of a record, and in their place those of a record in it that has no label."""
    return tuple(_columns(record, ""))


def _columns(record: Slot, path: str) -> Iterator[Column]:
    for name, field in record.fields.items():
        if field.type == "object" and field.label is None:
            yield from _columns(field, f"{path}{name}.")
        else:
            yield Column(f"{path}{name}", field)


def record_table(
    slot: Slot, value: JsonValue, *, masks: bool, language: str = "en", timezone: str = "UTC"
) -> RecordTable | None:
    """Return the table of a record or of a list of records, or None for other values.

    `masks`: sensitive fields are masked. A value that is sensitive as a whole has no table then.
    """
    record = slot.items if slot.type == "list" else slot
    if record is None or record.type != "object" or (masks and slot.sensitive):
        return None
    entries = value if isinstance(value, list) else [value]
    columns, write = columns_of(record), display_or_redact if masks else format_value

    def cells(entry: Mapping[str, JsonValue]) -> Iterator[str]:
        for column in columns:
            part = field_of(record, dict(entry), column.path)
            yield write(*part, language=language, timezone=timezone) if part else ""

    rows = tuple(tuple(cells(entry)) for entry in entries if isinstance(entry, Mapping))
    return RecordTable(columns, rows, is_single=slot.type == "object") if rows else None
