"""A customer sends files: stored, and accepted as one event with one line in the transcript."""

from collections.abc import Sequence
from contextlib import suppress
from uuid import UUID

from django.db import transaction

from dialogue.engine.ports.message_parts import plain_text
from dialogue.models import Conversation, Event, Message, UploadedFile, hot_path
from dialogue.turns import clock
from dialogue.turns.accept import (
    Accepted,
    ConversationNotFound,
    ConversationOver,
    Incoming,
    SameIdOtherBody,
    accept,
    lock_conversation,
    repeated_event,
)
from dialogue.turns.files.refusals import FileRefused
from dialogue.turns.files.uploads import FilePlace, Upload, expected_slot, mark_used, store_uploads
from dialogue.turns.process.crash_points import crash_point

REFUSED_KEY = "file_refused"
"""Key of the line that says why a file was not kept. It belongs to no turn."""


def send_files(conversation: Conversation, client_id: str, uploads: Sequence[Upload], claim_for: str = "") -> Accepted:
    """Store the files and accept them as an event, for the slot that asks for them.

    A repeated `client_id` returns the first answer, whatever it comes with: the files of a retry are the same. Raises
    FileRefused, whose reason is a new line of the transcript then, and what `accept` raises; what was stored then is
    removed as unused.
    """
    if earlier := _earlier_answer(conversation, client_id):
        return earlier
    try:
        rows = store_uploads(FilePlace(conversation, expected_slot(conversation)), uploads)
    except FileRefused as refused:
        if uploads:
            note_refusal(conversation.pk, refused)
        raise
    crash_point("U3")
    try:
        with transaction.atomic():
            accepted = accept(conversation.pk, incoming_files(client_id, rows), claim_for)
            mark_used([row.pk for row in rows], clock.now())
            crash_point("U4")
    except SameIdOtherBody:  # a retry stored the same files beside its first request, under other ids
        if earlier := _earlier_answer(conversation, client_id):
            return earlier
        raise
    return accepted


def note_refusal(conversation: UUID, refused: FileRefused) -> None:
    """Add the reason to the transcript, so that the customer still reads it later and staff know of the attempt."""
    with suppress(ConversationNotFound, ConversationOver), transaction.atomic():
        row, at = lock_conversation(conversation)
        seq, role = row.last_message + 1, Message.Role.SYSTEM
        line = Message(conversation=row, seq=seq, role=role, key=REFUSED_KEY, text=refused.detail, at=at)
        hot_path.update(Conversation, {"id": row.pk}, {"last_message": seq})
        hot_path.insert([line], returning_keys=True)


def _earlier_answer(conversation: Conversation, client_id: str) -> Accepted | None:
    """Return the answer that files with this id got before. Raises SameIdOtherBody for the id of another event."""
    earlier = Event.objects.filter(conversation=conversation, client_id=client_id).select_related("message").first()
    if earlier is None:
        return None
    if earlier.kind != Event.Kind.FILE:
        return repeated_event(earlier, Incoming(Event.Kind.FILE, client_id))
    return Accepted(earlier.pk, earlier.number, earlier.message.seq if earlier.message else None, repeated=True)


def incoming_files(client_id: str, rows: Sequence[UploadedFile]) -> Incoming:
    """Return the event of stored files, and its line."""
    return incoming_values(client_id, [row.value for row in rows])


def incoming_values(client_id: str, values: Sequence[dict[str, object]]) -> Incoming:
    """Return the event of file values `{id, name, kind, size, digest}`, and its line."""
    files = [{name: value[name] for name in ("id", "name", "kind", "size")} for value in values]
    parts = ({"type": "files", "files": files},)
    payload = {"files": list(values)}
    return Incoming(Event.Kind.FILE, client_id, payload, text=plain_text(parts), parts=parts)


def file_of(conversation: UUID, file_id: UUID) -> UploadedFile | None:
    """Return the row of a file of this conversation, or None."""
    return UploadedFile.objects.filter(pk=file_id, conversation_id=conversation).first()
