"""Values of file slots: `{id, name, kind, size, digest}`, where the host keeps the content under the id."""

import re
import unicodedata
from collections.abc import Mapping
from pathlib import PurePath

from pydantic import JsonValue

from dialogue.engine.slots.file_kinds import FILE_KINDS, expand_kinds
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.readers import ReadingContext

DEFAULT_MAX_BYTES = 10 * 1024 * 1024
MAX_NAME_CHARACTERS = 120
FILE_KEYS = ("id", "name", "kind", "size", "digest")
_ID = re.compile(r"([0-9a-f-]{36})?")
_DIGEST = re.compile(r"([0-9a-f]{64})?")
_UNSAFE = re.compile(r'[\\/:*?"<>|\x00-\x1f\x7f]+')
_KIB = 1024


def read_file_value(value: object, context: ReadingContext) -> JsonValue:
    """Return the stored value of a file. Raises ValueRefused.

    Scenarios and tests may leave out id and digest: there is no content then.
    """
    if not isinstance(value, Mapping) or not set(value) <= set(FILE_KEYS):
        raise context.refuse("file", "")
    size, kind = value.get("size"), value.get("kind")
    name = value.get("name")
    is_file = (
        isinstance(name, str)
        and kind in FILE_KINDS
        and isinstance(size, int)
        and not isinstance(size, bool)
        and size >= 0
        and _ID.fullmatch(str(value.get("id", "")))
        and _DIGEST.fullmatch(str(value.get("digest", "")))
    )
    if not is_file:
        raise context.refuse("file", "")
    return {
        "id": str(value.get("id", "")),
        "name": safe_name(str(name), str(kind)),
        "kind": str(kind),
        "size": size,
        "digest": str(value.get("digest", "")),
    }


def check_file_limits(value: JsonValue, context: ReadingContext) -> None:
    """Raise ValueRefused if the file's kind is not accepted or it is too large."""
    assert isinstance(value, dict)
    slot, name = context.slot, value["name"]
    if value["kind"] not in expand_kinds(slot.kinds):
        raise context.refuse("file_kind", name, kinds=kinds_text(slot))
    size = value["size"]
    assert isinstance(size, int)
    if size > max_bytes_of(slot):
        raise context.refuse("file_size", name, max_size=size_text(max_bytes_of(slot)))


def max_bytes_of(slot: Slot) -> int:
    """Return the size of the largest file that the slot accepts, in bytes."""
    return slot.max_size or DEFAULT_MAX_BYTES


def kinds_text(slot: Slot) -> str:
    """Return the accepted kinds as people read them: "pdf, png, jpeg"."""
    return ", ".join(expand_kinds(slot.kinds))


def endings_of(slot: Slot) -> tuple[str, ...]:
    """Return the endings of names of the accepted kinds, such as ".pdf", for a file chooser."""
    return tuple(ending for kind in expand_kinds(slot.kinds) for ending in FILE_KINDS[kind].endings)


def size_text(size: int) -> str:
    """Return a number of bytes as people read it: "210 KB", "1.5 MB"."""
    if size < _KIB:
        return f"{size} B"
    if size < _KIB * _KIB:
        return f"{size / _KIB:.0f} KB"
    return f"{size / _KIB / _KIB:.1f}".removesuffix(".0") + " MB"


def safe_name(name: str, kind: str) -> str:
    """Return the name without folders, control characters and characters of shells, with an ending of its kind."""
    plain = unicodedata.normalize("NFC", PurePath(name.replace("\\", "/")).name)
    shown = "".join(" " if unicodedata.category(character)[0] in "CZ" else character for character in plain)
    cleaned = " ".join(_UNSAFE.sub("_", shown).split()).strip(". ")
    endings = FILE_KINDS[kind].endings
    length = next((len(ending) for ending in endings if cleaned.lower().endswith(ending)), 0)
    stem, ending = cleaned[: len(cleaned) - length], cleaned[len(cleaned) - length :]
    return (stem[: MAX_NAME_CHARACTERS - 10].strip(". ") or "file") + (ending or endings[0])


def file_slot_of(slot: Slot) -> Slot | None:
    """Return the slot of one file if the slot takes files: itself, or the items of a list. None for other slots."""
    if slot.type == "list":
        return slot.items if slot.items is not None and slot.items.type == "file" else None
    return slot if slot.type == "file" else None
