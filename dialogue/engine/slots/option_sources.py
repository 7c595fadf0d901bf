"""Options from data: the `options` of a choice that name a list instead of writing the options down."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, Field

from dialogue.engine.slots.fields import (
    IDENTIFIER,
    ConditionText,
    ExpressionText,
    Identifier,
    LanguagePart,
    Message,
    WholeNumber,
)

DEFAULT_PAGE_SIZE = 10
MAX_PAGE_SIZE = 50

FieldPath = Annotated[str, Field(pattern=rf"^{IDENTIFIER}(\.{IDENTIFIER})*$")]
"""A name, or names joined by dots: items, or current.items."""


class OptionsFrom(LanguagePart):
    """Where the options of a choice come from: a list in a slot, or an action that returns one."""

    source: FieldPath = Field(alias="from")
    """The list: a slot such as orders, a field such as order.items, or an action whose only result is a list."""
    value: FieldPath | None = None
    """The field that tells entries apart; a choice stores it. Without it, the first field of the record."""
    label: Message | None = None
    """The text of an entry, with its fields: "{order_id}, {summary}". Without it, the record's own label."""
    when: ConditionText | None = None
    """Only entries for which this holds are offered; it may name fields of the entry, and slots."""
    attributes: tuple[FieldPath, ...] = ()
    """The fields that words may refer to ("the blue one"); without it, every field that is not a list."""
    inputs: dict[Identifier, ExpressionText] | None = None
    """Inputs of the action → expression; without it, the slots with the inputs' names."""
    page_size: WholeNumber = Field(default=DEFAULT_PAGE_SIZE, ge=1, le=MAX_PAGE_SIZE)
    """The most options that are shown at a time; a button shows more."""


class DataOptions(tuple[Any, ...]):
    """The options of a slot that come from data: none in the document, and the `source` that gives them."""

    source: OptionsFrom

    def __new__(cls, source: OptionsFrom) -> "DataOptions":
        options = super().__new__(cls)
        options.source = source
        return options

    def __getnewargs__(self) -> tuple[OptionsFrom]:
        return (self.source,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DataOptions) and self.source == other.source

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((DataOptions, self.source.source))


@dataclass(frozen=True)
class OrMapping:
    """Mark of a field that takes a mapping of this model too, beside what its annotation says."""

    model: type[BaseModel]


def parse_data_options(value: object, context: Mapping[str, Any] | None) -> DataOptions | None:
    """Return the options if they name a source; None if they are a list. Raises ValidationError for a wrong source."""
    if isinstance(value, DataOptions):
        return value
    if isinstance(value, OptionsFrom):
        return DataOptions(value)
    return DataOptions(OptionsFrom.model_validate(value, context=context)) if isinstance(value, Mapping) else None
