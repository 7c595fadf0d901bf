"""Records: types with a name and fields of their own, which assistant.yaml declares and every slot may use."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, PrivateAttr, ValidationError, model_validator

from dialogue.engine.slots.definitions.slot_types import RESERVED_WORDS, SLOT_TYPES
from dialogue.engine.slots.fields import Identifier, LanguagePart, Message, TranslatedText, field_error
from dialogue.engine.slots.models import Fields, check_label
from dialogue.engine.slots.short_forms import type_names_in_fields
from dialogue.engine.source.phrases import Phrase

MAX_FIELDS = 1_000
"""The most fields of one record, those of the records in it included."""


class Record(LanguagePart):
    """A type with fields, such as an order. Its name stands where a slot type stands: `type: order`."""

    description: TranslatedText | None = None
    """What it is."""
    fields: Fields = Field(min_length=1)
    """Its fields: field → slot, such as text, "optional date" or "list of item"."""
    label: Message | None = None
    """The text that stands for one of them, which names its fields, such as "{order_id}, {status}"."""
    _name: str = PrivateAttr("")

    @property
    def name(self) -> str:
        """The key under which the record is declared."""
        return self._name

    @model_validator(mode="after")
    def _label_fits(self) -> "Record":
        check_label(self.label, self.fields)
        count = sum(field.field_count for field in self.fields.values())
        if count > MAX_FIELDS:
            text = Phrase("the record has {count} fields with those of the records in it", count=f"{count:,}")
            raise field_error(
                "too_many_fields",
                text,
                Phrase("Write at most {max_fields}", max_fields=f"{MAX_FIELDS:,}"),
                key="fields",
            )
        return self


class RecordTypes(Mapping[str, Record | None]):
    """The records that assistant.yaml declares, by name, validated when they are first asked for.

    A record that cannot be read is None: its mistakes are reported where it is declared, and a slot that uses it has
    none of its own.
    """

    def __init__(self, definitions: object, language: str = "en") -> None:
        names = definitions if isinstance(definitions, Mapping) else {}
        self._definitions = {name: names[name] for name in names if isinstance(name, str) and name not in SLOT_TYPES}
        self._context = {"language": language, "records": self}
        self._records: dict[str, Record | None] = {}

    def __getitem__(self, name: str) -> Record | None:
        if name not in self._records:
            definition = self._definitions[name]
            # A record that contains itself finds this None, so that the search ends.
            self._records[name] = None
            self._records[name] = self._read(name, definition)
        return self._records[name]

    def _read(self, name: str, definition: object) -> Record | None:
        try:
            record = Record.model_validate(definition, context=self._context)
        except ValidationError:
            return None
        record._name = name
        return record

    def __iter__(self) -> Iterator[str]:
        return iter(self._definitions)

    def __len__(self) -> int:
        return len(self._definitions)


def _check_definitions(definitions: object) -> object:
    if isinstance(definitions, Mapping):
        for name in definitions:
            _check_name(str(name))
        for name in definitions:
            _check_circle(definitions, name)
    return definitions


def _check_name(name: str) -> None:
    if name in SLOT_TYPES:
        text = Phrase("`{name}` is a slot type already", name=name)
    elif name in RESERVED_WORDS | {"optional"}:
        text = Phrase("`{name}` is a reserved word", name=name)
    else:
        return
    raise field_error("reserved", text, Phrase("Choose another name"), key=name)


def _check_circle(definitions: Mapping[str, Any], start: str) -> None:
    """Raise a validation error if the record contains itself, directly or in its records."""
    paths: dict[str, tuple[str, ...]] = {start: (start,)}
    pending = [start]
    while pending:
        path = paths[pending.pop()]
        definition = definitions[path[-1]]
        fields = definition.get("fields") if isinstance(definition, Mapping) else None
        for name in type_names_in_fields(fields):
            if name == start:
                circle = " → ".join((*path, name))
                advice = Phrase("Keep the identifier of the other one as a text instead")
                raise field_error(
                    "record_circle", Phrase("the record contains itself: {circle}", circle=circle), advice, key=start
                )
            if name in definitions and name not in paths:
                paths[name] = (*path, name)
                pending.append(name)


def _name_records(records: dict[str, Record]) -> dict[str, Record]:
    for name, record in records.items():
        record._name = name
    return records


Records = Annotated[dict[Identifier, Record], BeforeValidator(_check_definitions), AfterValidator(_name_records)]
"""The records of an assistant, by name."""
