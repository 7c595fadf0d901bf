"""The content of stored files: opened for actions and downloads, and deleted with its row."""

import logging
from collections.abc import Iterable
from functools import partial
from typing import BinaryIO, cast
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from dialogue.engine.actions import FileGone
from dialogue.models import UploadedFile
from dialogue.models.conversations.uploaded_file import content_name, file_storage

log = logging.getLogger(__name__)


def open_content(conversation: UUID, file_id: str) -> BinaryIO:
    """Open the content of a file of this conversation. Raises FileGone, also for a file of another one.

    The database is not asked, so that async actions may call it: the place of the content follows from both ids.
    """
    try:
        content = file_storage().open(content_name(conversation, UUID(file_id)), "rb")
    except (ValueError, OSError) as error:
        raise FileGone(file_id) from error
    return cast(BinaryIO, content)  # Django's File has the methods of one


def delete_files(rows: QuerySet[UploadedFile]) -> int:
    """Delete rows, and their content once the open transaction has committed; return the number of rows."""
    deleted_rows = list(rows)
    if deleted_rows:
        rows.delete()
        transaction.on_commit(partial(delete_contents, deleted_rows))
    return len(deleted_rows)


def delete_contents(rows: Iterable[UploadedFile]) -> None:
    """Delete the content of these rows, also what an interrupted upload stored before its row had the name."""
    storage = file_storage()
    for name in [content_name(row.conversation_id, row.pk) for row in rows]:
        try:
            storage.delete(name)
        except Exception:  # a storage of the project may raise anything, and the rows are gone
            log.exception("The content of a deleted file could not be removed: %s", name)
