"""Messages: lists and tables have entries of a known type with these fields, and addresses can be shown."""

import re
from collections.abc import Iterator

from dialogue.engine.expressions.conditions import Condition
from dialogue.engine.language.first_texts import ALL_FIRST_TEXTS
from dialogue.engine.language.list_entries import entry_slot, slot_in
from dialogue.engine.language.message_parts import ENTRY, EntryButtons, MessageParts, is_entry_name
from dialogue.engine.language.steps import Say
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import FlowView
from dialogue.engine.language.verifier.names import check_computed_text
from dialogue.engine.slots.models import Slot, has_field
from dialogue.engine.slots.templates import Template
from dialogue.engine.source.parser import DocumentPath
from dialogue.engine.source.phrases import Phrase
from dialogue.engine.source.problems import did_you_mean

_LINK_START = re.compile(r"(https?://[^\s{}/]|mailto:|\{[^{}]+\}$)", re.IGNORECASE)
_IMAGE_START = re.compile(r"(https://[^\s{}/]|images/|\{[^{}]+\}$)", re.IGNORECASE)
_STRUCTURED_TYPES = frozenset({"list", "object"})


def check_messages(view: FlowView) -> Iterator[Finding]:
    """Yield lists of unknown entries, fields that the entries do not have, and addresses that cannot be opened."""
    for path, step in view.steps_with_paths:
        if isinstance(step, Say) and isinstance(step.buttons, EntryButtons):
            yield from _check_buttons(view, (*path, "buttons"), step.buttons)
        if isinstance(step, MessageParts) and step.has_parts:
            yield from _check_lists(view, path, step)
            yield from _check_addresses(view, path, step)


def check_first_texts(view: FlowView) -> Iterator[Finding]:
    """Yield the texts that a new flow or step began with and that its author left as they were."""
    for path, value in view.leaves:
        if isinstance(value, str | Template) and _is_first_text(value):
            text = Phrase("this is still the text that a new step or flow begins with")
            yield view.warning("first_text", path, text, Phrase("Write your own words"))


def _is_first_text(value: str | Template) -> bool:
    text = value if isinstance(value, str) else value.text
    return text.strip() in ALL_FIRST_TEXTS


def _check_lists(view: FlowView, path: DocumentPath, step: MessageParts) -> Iterator[Finding]:
    if step.each is not None and step.line is not None:
        entry = _entry_of(view, step.each)
        if entry is None:
            yield from _unknown_entries(view, (*path, "each"), step.each)
        else:
            yield from _check_entry_text(view, (*path, "line"), entry, step.line)
    if step.table is not None:
        entry = _entry_of(view, step.table.source)
        if entry is None:
            yield from _unknown_entries(view, (*path, "table", "from"), step.table.source)
            return
        for column in step.table.columns:
            yield from _check_field(view, (*path, "table", "columns"), entry, column.value)


def _check_buttons(view: FlowView, path: DocumentPath, buttons: EntryButtons) -> Iterator[Finding]:
    entry = _entry_of(view, buttons.source)
    if entry is None:
        yield from _unknown_entries(view, (*path, "from"), buttons.source)
        return
    yield from _check_field(view, (*path, "value"), entry, buttons.value)
    value_slot = _slot_at(entry, buttons.value)
    if value_slot is not None and value_slot.type in _STRUCTURED_TYPES:
        text = Phrase(
            "a button cannot send `{buttons_value}`, which is of the type {value}",
            buttons_value=buttons.value,
            value=value_slot.record or value_slot.type,
        )
        yield view.error("button_value", (*path, "value"), text, Phrase("Name a field with a single value"))
    if buttons.label is not None:
        yield from _check_entry_text(view, (*path, "label"), entry, buttons.label)


def _entry_of(view: FlowView, source: Condition) -> Slot | None:
    def find_slot(name: str) -> Slot | None:
        head, _, rest = name.partition(".")
        return slot_in(view.slots.get(head), rest)

    return entry_slot(source.tree, find_slot)


def _unknown_entries(view: FlowView, path: DocumentPath, source: Condition) -> Iterator[Finding]:
    # A name that does not exist is reported by the check of names.
    if all(name.split(".")[0] in view.slots for name in source.slots):
        text = Phrase("`{text}` is not a list of known entries", text=source.text[:64])
        yield view.error(
            "not_a_list", path, text, Phrase("Write the name of a list slot, or filter, sort or pick of one")
        )


def _slot_at(entry: Slot, path: str) -> Slot | None:
    return entry if path == ENTRY else slot_in(entry, path.removeprefix(f"{ENTRY}."))


def _check_field(view: FlowView, path: DocumentPath, entry: Slot, field: str) -> Iterator[Finding]:
    if _slot_at(entry, field) is None:
        text = Phrase("the entries have no field `{field}`", field=field[:64])
        advice = did_you_mean(field.removeprefix(f"{ENTRY}."), entry.fields) or Phrase(
            "Write item for the entry itself"
        )
        yield view.error("unknown_field", path, text, advice)


def _check_entry_text(view: FlowView, path: DocumentPath, entry: Slot, template: Template) -> Iterator[Finding]:
    """Yield names in a text about an entry that are neither a field of it nor a slot."""
    known_names = view.template_names
    yield from check_computed_text(view, path, template)
    for name in sorted(template.slot_names):
        is_field = (is_entry_name(name) or name.split(".")[0] in entry.fields) and _slot_at(entry, name) is not None
        is_known = name in known_names or has_field(view.slots, name)
        if not is_field and (is_entry_name(name) or not is_known):
            fields = [f"{ENTRY}.{field}" for field in entry.fields]
            text = Phrase("the text names `{{{name}}}`, which is neither a field of the entries nor a slot", name=name)
            advice = did_you_mean(name, [*fields, *known_names])
            yield view.error("unknown_field", path, text, advice, offset=max(template.text.find(name), 0))


def _check_addresses(view: FlowView, path: DocumentPath, step: MessageParts) -> Iterator[Finding]:
    for index, link in enumerate(step.links):
        place = (*path, "links", index, "url")
        yield from _check_address(view, place, link.url, _LINK_START, Phrase("a web page or mail address"))
    if step.image is not None:
        yield from _check_address(view, (*path, "image", "url"), step.image.url, _IMAGE_START, Phrase("an image"))


def _check_address(
    view: FlowView, path: DocumentPath, url: Template, start: "re.Pattern[str]", purpose: str
) -> Iterator[Finding]:
    if not start.match(url.text):
        text = Phrase("`{text}` is not the address of {purpose}", text=url.text[:64], purpose=purpose)
        examples = (
            Phrase("https://example.org/image.png or images/map.png")
            if start is _IMAGE_START
            else Phrase("https://… or mailto:…")
        )
        yield view.error(
            "address",
            path,
            text,
            Phrase("Write an address such as {examples}, or one placeholder alone", examples=examples),
        )
    sensitive = [name for name in sorted(url.names) if (slot := view.slots.get(name.split(".")[0])) and slot.sensitive]
    if sensitive:
        text = Phrase("the address contains `{sensitive}`, which is sensitive", sensitive=sensitive[0])
        yield view.warning("sensitive_address", path, text, Phrase("Other servers log addresses: leave it out"))
