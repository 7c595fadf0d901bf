"""Values of file fields: what a form sends are ids, what is stored are the facts of the files with these ids."""

import json
from collections.abc import Iterator, Mapping
from typing import Any
from uuid import UUID

from dialogue.engine.slots.models import Slot
from dialogue.engine.source.value_errors import ValueRefused
from dialogue.models import HITLSession, UploadedFile

MAX_FILES = 20


def takes_files(slot: Slot) -> bool:
    """Return whether the slot holds a file or a list of files."""
    single = slot.items if slot.type == "list" else slot
    return single is not None and single.type == "file"


def has_ids(value: Any) -> bool:
    """Return whether the value names stored files, and does not only describe some."""
    entries = value if isinstance(value, list | tuple) else [value]
    return any(isinstance(entry, str) or (isinstance(entry, Mapping) and entry.get("id")) for entry in entries)


def resolve_files(session: HITLSession, slot: Slot, value: Any) -> Any:
    """Return the stored values of the files that an answer names by their ids, or None for none.

    Only files of this gate and those that its conversation's customer sent are found. Raises ValueRefused.
    """
    ids = list(_ids_in(value))
    if not ids:
        return None
    rows = {row.pk: row for row in UploadedFile.objects.filter(conversation=session.conversation_id, pk__in=ids)}
    files = [rows[key] for key in dict.fromkeys(ids) if key in rows and rows[key].session_id in (None, session.pk)]
    if len(files) < len(set(ids)) or (slot.type != "list" and len(files) > 1):
        raise ValueRefused(slot.name, "file", "", {})
    return [row.value for row in files] if slot.type == "list" else files[0].value


def _ids_in(value: Any) -> Iterator[UUID]:
    """Yield the ids in what was sent: a text or a list of ids or of values with an id. Raises ValueRefused."""
    if isinstance(value, str):
        # A form sends the ids with commas between them; a draft may hold the JSON of a value.
        value = _parse_json(value) if value.startswith(("[", "{")) else value.split(",")
    entries = value if isinstance(value, list | tuple) else [value]
    if len(entries) > MAX_FILES:
        raise ValueRefused("", "file", "", {})  # never some of them
    for entry in entries:
        if entry is None or (isinstance(entry, str) and not entry.strip()):
            continue
        key = entry.get("id") if isinstance(entry, Mapping) else entry
        try:
            yield UUID(str(key).strip())
        except ValueError:
            raise ValueRefused("", "file", "", {}) from None


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise ValueRefused("", "file", "", {}) from None


def used_files(values: Mapping[str, Any]) -> list[UUID]:
    """Return the ids of the files in the values of an answer."""
    return list(_file_ids(list(values.values())))


def _file_ids(value: Any) -> Iterator[UUID]:
    if isinstance(value, list):
        for entry in value:
            yield from _file_ids(entry)
    elif isinstance(value, dict) and {"id", "kind", "digest"} <= value.keys() and value["id"]:
        yield UUID(str(value["id"]))
