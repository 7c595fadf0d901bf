"""What a message shows besides its text: a list, a table, links, an image, and buttons from data."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Self

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from dialogue.engine.slots.definitions.options import Options
from dialogue.engine.slots.fields import (
    IDENTIFIER,
    ExpressionText,
    LanguagePart,
    Message,
    TranslatedText,
    WholeNumber,
    field_error,
)
from dialogue.engine.slots.templates import Template
from dialogue.engine.source.phrases import Phrase

ENTRY = "item"
"""The name of an entry in the texts of a list: `{item}`, or `{item.price}` for a field of it."""
DEFAULT_ENTRIES = 20
MAX_ENTRIES = 100
MAX_COLUMNS = 10
MAX_LINKS = 10
MAX_BUTTONS = 30
_PATH = rf"{IDENTIFIER}(\.{IDENTIFIER})*"

EntryPath = Annotated[str, Field(pattern=f"^{_PATH}$")]
"""A field of an entry, such as price or address.zip."""


class TableColumn(LanguagePart):
    """One column of a table."""

    label: TranslatedText
    """The heading."""
    value: EntryPath
    """The field that it shows, such as total or address.zip; `item` is the entry itself."""


def _parse_columns(value: object) -> object:
    """Expand a mapping of heading → field."""
    if not isinstance(value, Mapping):
        return value
    return tuple({"label": str(label), "value": path} for label, path in value.items())


Columns = Annotated[
    tuple[TableColumn, ...],
    BeforeValidator(_parse_columns, json_schema_input_type=tuple[TableColumn, ...] | dict[str, str]),
    Field(min_length=1, max_length=MAX_COLUMNS),
]


class MessageTable(LanguagePart):
    """A table with a row for each entry of a list."""

    source: ExpressionText = Field(alias="from")
    """The list: a slot such as orders, or an expression such as filter(orders, status == 'pending')."""
    columns: Columns
    """Heading → field, such as {Order: order_id, Total: total}; or a list of {label, value}, where labels may have
    translations."""
    limit: WholeNumber = Field(default=DEFAULT_ENTRIES, ge=1, le=MAX_ENTRIES)
    """The most rows; of the others, the message says only how many there are."""


class MessageLink(LanguagePart):
    """A link below a message."""

    label: Message
    """The text of the link."""
    url: Message
    """Its address, which begins with https:, http: or mailto:. The values of placeholders are encoded for it; a
    placeholder alone is a whole address."""


class MessageImage(LanguagePart):
    """An image below a message."""

    url: Message
    """`images/<name>` for an image in the assistant's folder, or an https address whose origin the settings allow."""
    alt: Message
    """What the image shows, for people who do not see it and for channels without images."""


class EntryButtons(LanguagePart):
    """Buttons for the entries of a list."""

    source: ExpressionText = Field(alias="from")
    """The list: a slot such as orders, or an expression such as filter(orders, status == 'pending')."""
    value: EntryPath = ENTRY
    """The field whose value the button sends; `item`, for a list of texts, is the entry itself."""
    label: Message | None = None
    """The button's text, with fields of the entry: "{order_id}, {summary}". Without it, the entry as it is shown."""
    limit: WholeNumber = Field(default=10, ge=1, le=MAX_BUTTONS)
    """The most buttons."""


def _buttons_kind(value: object) -> str:
    return "entry buttons" if isinstance(value, Mapping | EntryButtons) else "written buttons"


Buttons = Annotated[
    Annotated[Options, Tag("written buttons")] | Annotated[EntryButtons, Tag("entry buttons")],
    Discriminator(_buttons_kind),
]


class MessageParts(LanguagePart):
    """The keys of a message for what it shows besides its text."""

    each: ExpressionText | None = None
    """A list: the message shows `line` for each of its entries. An expression, such as filter(orders, total > 50)."""
    line: Message | None = None
    """The line of one entry: "{item.order_id}: {item.total}"."""
    empty: Message | None = None
    """The text that stands in place of the message and its list or table when there are no entries."""
    limit: WholeNumber = Field(default=DEFAULT_ENTRIES, ge=1, le=MAX_ENTRIES)
    """The most lines; of the other entries, the message says only how many there are."""
    table: MessageTable | None = None
    """A table of a list of records."""
    links: Annotated[tuple[MessageLink, ...], Field(max_length=MAX_LINKS)] = ()
    """Links below the message."""
    image: MessageImage | None = None
    """An image below the message."""

    @model_validator(mode="after")
    def _keys_fit(self) -> Self:
        if (self.each is None) != (self.line is None):
            missing, key = ("line", "each") if self.line is None else ("each", "line")
            advice = Phrase('Write both, such as each: orders and line: "{item.order_id}"')
            raise field_error(
                "message_list", Phrase("`{key}` has no `{missing}`", key=key, missing=missing), advice, key=key
            )
        if self.each is not None and self.table is not None:
            text = Phrase("a message shows a list or a table, not both")
            raise field_error("message_list", text, Phrase("Write two steps of type say"), key="table")
        if self.empty is not None and self.each is None and self.table is None:
            text = Phrase("`empty` stands for an empty list, but there is no list")
            raise field_error("message_list", text, Phrase("Add `each` and `line`, or a `table`"), key="empty")
        return self

    @property
    def has_parts(self) -> bool:
        """Whether the message shows more than its text."""
        return bool(self.each or self.table or self.links or self.image)

    def part_names(self) -> frozenset[str]:
        """Return the names that the parts read, translations included, without those of the entries."""
        sources = (self.each, self.table.source if self.table else None)
        line = self.line.names if self.line else frozenset[str]()
        return frozenset(name for name in line if not is_entry_name(name)).union(
            *(source.slots for source in sources if source), *(template.names for template in self.frame_templates())
        )

    def frame_templates(self) -> Iterator[Template]:
        """Yield the texts of the parts that do not belong to an entry."""
        if self.empty is not None:
            yield self.empty
        for link in self.links:
            yield from (link.label, link.url)
        if self.image is not None:
            yield from (self.image.url, self.image.alt)


def is_entry_name(name: str) -> bool:
    """Return whether a name in the text of an entry means the entry or a field of it."""
    return name == ENTRY or name.startswith(f"{ENTRY}.")
