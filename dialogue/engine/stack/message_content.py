"""The content of a message in a turn: its text and its parts, filled with the frame's values."""

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from pydantic import JsonValue

from dialogue.engine.expressions.conditions import Condition
from dialogue.engine.expressions.model import Name
from dialogue.engine.language.list_entries import entry_slot
from dialogue.engine.language.message_parts import (
    ENTRY,
    EntryButtons,
    MessageImage,
    MessageLink,
    MessageParts,
    MessageTable,
    is_entry_name,
)
from dialogue.engine.ports.message_parts import plain_text
from dialogue.engine.ports.sinks import Button
from dialogue.engine.slots.display import field_of
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.values import format_value, json_value
from dialogue.engine.stack.slot_access import display_value, evaluate, render_template, resolve_name, value_of
from dialogue.engine.stack.state import Frame
from dialogue.engine.stack.turn import Turn

log = logging.getLogger(__name__)

OWN_IMAGE = re.compile(r"images/[A-Za-z0-9][A-Za-z0-9_-]{0,80}\.(png|jpe?g|gif|webp)")
"""The address of an image of the assistant itself."""
_LINK = re.compile(r"(https?://|mailto:)[^\s<>\"\\]+", re.IGNORECASE)
_MAX_ADDRESS_CHARACTERS = 2_000
_TEXT = Slot(type="text")

MessagePart = dict[str, Any]


@dataclass(frozen=True)
class MessageContent:
    """What a message says: `text`, and its `parts` if it shows more (see `dialogue.engine.ports.message_parts`)."""

    text: str
    parts: tuple[MessagePart, ...] = ()


@dataclass(frozen=True)
class Entries:
    """The entries of a list, and the slot that describes each of them."""

    slot: Slot
    values: tuple[JsonValue, ...]


def message_content(turn: Turn, frame: Frame, step: MessageParts, text: str) -> MessageContent:
    """Return the content of the step's message, whose own text is rendered already."""
    if not step.has_parts:
        return MessageContent(text)
    parts = tuple(_ContentWriter(turn, frame).parts(step, text))
    return MessageContent(plain_text(parts), parts)


def entry_buttons(turn: Turn, frame: Frame, buttons: EntryButtons) -> tuple[Button, ...]:
    """Return a button for each entry of the list; entries with an empty or repeated value have none."""
    writer = _ContentWriter(turn, frame)
    entries = writer.entries(buttons.source)
    labels: dict[str, str] = {}
    for entry in entries.values:
        value = writer.plain_value(entries.slot, entry, buttons.value)
        if value and value not in labels:
            template = buttons.label
            shown = writer.entry_text(entries.slot, entry, template) if template else writer.format(entries.slot, entry)
            labels[value] = shown or value
    return tuple(Button(value, label) for value, label in list(labels.items())[: buttons.limit])


@dataclass(frozen=True)
class _ContentWriter:
    turn: Turn
    frame: Frame

    def parts(self, step: MessageParts, text: str) -> Iterator[MessagePart]:
        source = step.each or (step.table.source if step.table else None)
        entries = self.entries(source) if source is not None else None
        if entries is not None and not entries.values:
            yield from self._empty_parts(step, text)
        else:
            if text:
                yield {"type": "text", "text": text}
            if entries is not None:
                yield self._list(step, entries) if step.table is None else self._table(step.table, entries)
        links = [link for link in map(self._link, step.links) if link is not None]
        if links:
            yield {"type": "links", "links": links}
        if step.image is not None:
            yield self._image(step.image)

    def _empty_parts(self, step: MessageParts, text: str) -> Iterator[MessagePart]:
        if step.empty is not None:
            yield {"type": "text", "text": render_template(self.turn, self.frame, step.empty)}
            return
        for line in filter(None, (text, self.turn.response_text("empty_list"))):
            yield {"type": "text", "text": line}

    def _list(self, step: MessageParts, entries: Entries) -> MessagePart:
        assert step.line is not None
        items = [self.entry_text(entries.slot, entry, step.line) for entry in entries.values[: step.limit]]
        return {"type": "list", "items": items, **self._count(entries, step.limit)}

    def _table(self, table: MessageTable, entries: Entries) -> MessagePart:
        columns = [column.label.in_language(self.turn.language) for column in table.columns]
        rows = [
            [self._entry_value(entries.slot, entry, column.value) or "" for column in table.columns]
            for entry in entries.values[: table.limit]
        ]
        return {"type": "table", "columns": columns, "rows": rows, **self._count(entries, table.limit)}

    def _count(self, entries: Entries, limit: int) -> MessagePart:
        total = len(entries.values)
        more = self.turn.response_text("and_more", count=total - limit) if total > limit else ""
        return {"total": total, "more": more}

    def _link(self, link: MessageLink) -> dict[str, str] | None:
        url = self._address(link.url)
        if not _LINK.fullmatch(url) or not (url.lower().startswith("mailto:") or _host_of(url)):
            log.warning("A link of step %s is left out: its address is not http, https or mailto", self.frame["step"])
            return None
        return {"label": render_template(self.turn, self.frame, link.label) or url, "url": url}

    def _image(self, image: MessageImage) -> MessagePart:
        """Return the image, or its description in words if its origin is not allowed."""
        url, alt = self._address(image.url), render_template(self.turn, self.frame, image.alt)
        if OWN_IMAGE.fullmatch(url):
            return {"type": "image", "url": f"{self.turn.context.own_images()}{url}", "alt": alt}
        if _origin_of(url) in self.turn.context.image_origins:
            return {"type": "image", "url": url, "alt": alt}
        log.warning("An image of step %s is left out: its origin is not in IMAGE_ORIGINS", self.frame["step"])
        return {"type": "text", "text": alt}

    def _address(self, template: Any) -> str:
        """Render an address: values are encoded, so that none of them can lead elsewhere; a lone one is the address."""
        localized = template.in_language(self.turn.language)
        is_whole = localized.text.startswith("{") and localized.text.endswith("}") and localized.text.count("{") == 1
        text: str = localized.render(lambda name: self._value_in_address(name, is_whole=is_whole))
        return text.strip() if len(text) <= _MAX_ADDRESS_CHARACTERS else ""

    def _value_in_address(self, name: str, *, is_whole: bool) -> str | None:
        value = value_of(self.turn, self.frame, name)
        if value is None:
            return None
        return str(value) if is_whole else quote(str(value), safe="")

    def entries(self, source: Condition) -> Entries:
        """Return the entries of the list; none for an empty slot or an expression that gives no list."""
        slot = entry_slot(source.tree, self._slot_named) or _TEXT
        if isinstance(source.tree, Name):
            values = value_of(self.turn, self.frame, source.tree.name)
        else:
            values = json_value(evaluate(self.turn, self.frame, source))
        return Entries(slot, tuple(values) if isinstance(values, list) else ())

    def _slot_named(self, name: str) -> Slot | None:
        resolved = resolve_name(self.turn, self.frame, name)
        return resolved[0] if resolved else None

    def entry_text(self, slot: Slot, entry: JsonValue, template: Any) -> str:
        """Render a text about an entry: its fields as `item.name` or by their own name, then the frame's values."""

        def find_text(name: str) -> str | None:
            if is_entry_name(name) or name.split(".", maxsplit=1)[0] in slot.fields:
                return self._entry_value(slot, entry, name)
            return display_value(self.turn, self.frame, name)

        text: str = template.in_language(self.turn.language).render(find_text)
        return text

    def _entry_value(self, slot: Slot, entry: JsonValue, path: str) -> str | None:
        part = _part_of(slot, entry, path)
        return self.format(*part) if part is not None and part[1] is not None else None

    def plain_value(self, slot: Slot, entry: JsonValue, path: str) -> str:
        """Return the stored value at the path as a text that a button can send, "" if it has none."""
        part = _part_of(slot, entry, path)
        return str(part[1]) if part is not None and isinstance(part[1], str | int | float) else ""

    def format(self, slot: Slot, value: JsonValue) -> str:
        """Return the value as people read it."""
        return format_value(slot, value, language=self.turn.language, timezone=self.turn.context.timezone)


def _part_of(slot: Slot, entry: JsonValue, path: str) -> tuple[Slot, JsonValue] | None:
    if path == ENTRY:
        return slot, entry
    return field_of(slot, entry, path.removeprefix(f"{ENTRY}."))


def _host_of(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _origin_of(url: str) -> str:
    """Return scheme, host and port of an https address, as `IMAGE_ORIGINS` has them; "" for any other address."""
    if not _LINK.fullmatch(url) or not url.lower().startswith("https://") or not _host_of(url):
        return ""
    parts = urlsplit(url)
    # An address with a name and a password is refused: its origin would read as another one's.
    return f"https://{parts.netloc.lower()}" if "@" not in parts.netloc else ""
