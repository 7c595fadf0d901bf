"""Receive files: which slot they are for, whether they fit it, and their rows."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import BinaryIO, Protocol
from uuid import UUID

from django.core.files.base import File
from django.db import transaction
from django.utils.translation import get_language

from dialogue.engine.language.file_slots import all_file_slots, expected_file_slot
from dialogue.engine.slots.file_kinds import kind_of_file
from dialogue.engine.slots.file_values import endings_of, file_slot_of, max_bytes_of, safe_name, size_text
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.values import ValueRefused, value_from_json
from dialogue.models import Conversation, HITLSession, Release, UploadedFile
from dialogue.turns import clock
from dialogue.turns.compiled_releases import assistant_of
from dialogue.turns.files.contents import delete_contents, delete_files
from dialogue.turns.files.refusals import FileNotExpected, FileRefused, TooManyFiles
from dialogue.turns.files.scanning import scan_file
from dialogue.turns.process.crash_points import crash_point

MAX_FILES_PER_CONVERSATION = 100
MAX_FILES_AT_ONCE = 10
UNUSED_KEPT = timedelta(days=1)
_CHUNK_BYTES = 64 * 1024


class Upload(Protocol):
    """A file of a request, as Django parsed it."""

    name: str | None
    size: int | None
    file: BinaryIO


@dataclass(frozen=True)
class FilePlace:
    """Where files are received: for this slot of a conversation, from this person, in the form of `session`, if any."""

    conversation: Conversation
    slot: Slot
    sender: str = ""
    session: HITLSession | None = None

    @property
    def single(self) -> Slot:
        """The slot of one file. Raises FileNotExpected for a slot that takes none."""
        single = file_slot_of(self.slot)
        if single is None:
            raise FileNotExpected
        return single


def expected_slot(conversation: Conversation) -> Slot:
    """Return the slot that a file of the customer is for now. Raises FileNotExpected."""
    running = conversation.stack[-1] if conversation.stack else None
    assistant = assistant_of(conversation.release)
    flow = assistant.flows.get(running["flow"]) if running else None
    slot = expected_file_slot(assistant, flow, running["step"]) if flow and running else None
    if slot is None:
        raise FileNotExpected
    return slot


def accepted_endings(release: Release) -> str:
    """Return the endings of names that some flow accepts, for a file chooser: ".pdf,.png"; "" if none takes files."""
    slots = [file_slot_of(slot) for slot in all_file_slots(assistant_of(release))]
    return ",".join(dict.fromkeys(ending for slot in slots if slot for ending in endings_of(slot)))


def store_uploads(place: FilePlace, uploads: Sequence[Upload]) -> list[UploadedFile]:
    """Check and store files; return their rows, which are unused.

    Raises FileRefused, and stores nothing then.

    The same content under the same name that is not used yet is not stored twice.
    """
    _check_count(place.conversation, place.slot, uploads)
    began = clock.now()
    stored: list[UploadedFile] = []
    try:
        for upload in uploads:
            stored.append(_store(place, upload))
    except FileRefused:
        # Not the files that were sent before: a draft or another request may name them.
        own = UploadedFile.objects.filter(pk__in=[row.pk for row in stored], at__gte=began, used_at=None)
        delete_files(own)
        raise
    return stored


def _check_count(conversation: Conversation, slot: Slot, uploads: Sequence[Upload]) -> None:
    limit = min(slot.max_length or MAX_FILES_AT_ONCE, MAX_FILES_AT_ONCE) if slot.type == "list" else 1
    if not uploads:
        raise FileRefused(ValueRefused(slot.name, "file", "", {}).sentence(get_language() or "en"))
    if len(uploads) > limit:
        raise TooManyFiles(limit)
    if conversation.files.count() + len(uploads) > MAX_FILES_PER_CONVERSATION:
        raise TooManyFiles(MAX_FILES_PER_CONVERSATION)


def _store(place: FilePlace, upload: Upload) -> UploadedFile:
    slot, single = place.slot, place.single
    file, size = upload.file, upload.size or 0
    if size > max_bytes_of(single):  # before anything of a large file is read
        raise _refusal(slot, "file_size", upload.name or "", max_size=size_text(max_bytes_of(single)))
    kind = kind_of_file(file)
    if not kind:
        raise _kind_refusal(slot, single, upload.name or "")
    row = UploadedFile(
        conversation=place.conversation,
        session=place.session,
        field=slot.name[:140],
        name=safe_name(upload.name or "", kind),
        kind=kind,
        size=size,
        digest=_digest_of(file),
        sensitive=slot.sensitive or single.sensitive,
        sender=place.sender[:150],
        at=clock.now(),
    )
    _check_value(slot, single, row)
    unused = UploadedFile.objects.filter(conversation=place.conversation, session=place.session, used_at=None)
    complete = unused.exclude(content="")
    earlier = complete.filter(digest=row.digest, name=row.name, field=row.field).first()
    if earlier is not None:
        return earlier
    scan_file(file, row.name, kind)
    _save_with_content(row, file)
    return row


def _save_with_content(row: UploadedFile, file: BinaryIO) -> None:
    """Save the row, then its content, then the name of the content in the row.

    A process that ends in between leaves a row without that name, so that `delete_unused` removes what was stored.
    Raises FileNotExpected when the row was deleted meanwhile.
    """
    row.save(force_insert=True)
    crash_point("U1")
    row.content.save("", File(file), save=False)
    crash_point("U2")
    if not UploadedFile.objects.filter(pk=row.pk).update(content=row.content.name):
        delete_contents([row])  # the conversation was erased meanwhile, and its files with it
        raise FileNotExpected


def _check_value(slot: Slot, single: Slot, row: UploadedFile) -> None:
    try:
        value_from_json(single, row.value, now=clock.now(), timezone="UTC")
    except ValueRefused as refused:
        raise _refusal(slot, refused.rule, row.name, **refused.limits) from None


def _kind_refusal(slot: Slot, single: Slot, name: str) -> FileRefused:
    kinds = ", ".join(ending.removeprefix(".") for ending in endings_of(single))
    return _refusal(slot, "file_kind", name, kinds=kinds)


def _refusal(slot: Slot, rule: str, name: str, **limits: str) -> FileRefused:
    shown = "••••" if slot.sensitive else name[:100]
    refused = FileRefused(ValueRefused(slot.name, rule, shown, limits).sentence(get_language() or "en"))
    refused.code = rule
    return refused


def _digest_of(file: BinaryIO) -> str:
    file.seek(0)
    digest = hashlib.sha256()
    while chunk := file.read(_CHUNK_BYTES):
        digest.update(chunk)
    file.seek(0)
    return digest.hexdigest()


def mark_used(ids: Sequence[UUID], at: datetime) -> None:
    """Note that values hold these files now, so that they are kept as long as the values are."""
    UploadedFile.objects.filter(pk__in=ids, used_at=None).update(used_at=at)


def delete_unused(limit: int = 100) -> int:
    """Delete files that were sent a day ago and that no value holds; return their number.

    The content goes before its row: if the process ends in between, the row is still there for the next call.
    """
    old = UploadedFile.objects.filter(used_at=None, at__lt=clock.now() - UNUSED_KEPT).order_by("at")
    with transaction.atomic():
        rows = list(old.select_for_update()[:limit])
        delete_contents(rows)
        crash_point("U5")
        UploadedFile.objects.filter(pk__in=[row.pk for row in rows]).delete()
    return len(rows)
