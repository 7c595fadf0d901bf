"""The content of stored files: opened for actions and downloads, and deleted with its row."""

import logging
from collections.abc import Iterable
from datetime import timedelta
from functools import partial
from typing import BinaryIO, cast
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from dialogue.engine.actions import FileGone
from dialogue.models import FileDeletion, UploadedFile
from dialogue.models.conversations.uploaded_file import content_name, file_storage
from dialogue.turns import clock
from dialogue.turns.process.crash_points import crash_point

log = logging.getLogger(__name__)

MAX_UPLOAD_TIME = timedelta(hours=1)
"""An upload stores its content at most this long after its row."""


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
    """Delete rows, and their content once the open transaction has committed; return the number of rows.

    The same transaction lists the contents, so that `finish_deletions` removes them if this process ends before it has.
    """
    deleted_rows = list(rows)
    if not deleted_rows:
        return 0
    names = [_content_name(row) for row in deleted_rows]
    with transaction.atomic():
        _list_contents(names)
        rows.delete()
        transaction.on_commit(partial(_remove_listed, names), robust=True)
    return len(deleted_rows)


def finish_deletions(limit: int = 100) -> int:
    """Remove listed contents that are still there; return the number of contents that are gone.

    An entry goes an hour after its content did, when no upload that had begun before can store it again.
    """
    old = Q(removed_at__lt=clock.now() - MAX_UPLOAD_TIME)
    due = FileDeletion.objects.filter(Q(removed_at=None) | old)
    # In random order, so that contents which the storage cannot delete do not keep the others back.
    removed_names = _remove_contents(list(due.order_by("?").values_list("content", flat=True)[:limit]))
    FileDeletion.objects.filter(old, content__in=removed_names).delete()
    FileDeletion.objects.filter(content__in=removed_names, removed_at=None).update(removed_at=clock.now())
    return len(removed_names)


def delete_contents(rows: Iterable[UploadedFile]) -> None:
    """Delete the content of these rows, also what an interrupted upload stored before its row had the name.

    What the storage does not delete is listed, so that `finish_deletions` tries again.
    """
    names = [_content_name(row) for row in rows]
    removed_names = _remove_contents(names)
    _list_contents(name for name in names if name not in removed_names)


def _list_contents(names: Iterable[str]) -> None:
    FileDeletion.objects.bulk_create([FileDeletion(content=name) for name in names], ignore_conflicts=True)


def _content_name(row: UploadedFile) -> str:
    return content_name(row.conversation_id, row.pk)


def _remove_listed(names: list[str]) -> None:
    crash_point("U6")
    removed_names = _remove_contents(names)
    FileDeletion.objects.filter(content__in=removed_names).update(removed_at=clock.now())


def _remove_contents(names: Iterable[str]) -> list[str]:
    """Remove contents from the storage; return the names of those that are gone."""
    storage, removed_names = file_storage(), list[str]()
    for name in names:
        try:
            storage.delete(name)
            removed_names.append(name)
        except Exception:  # a storage of the project may raise anything
            log.exception("The content of a deleted file could not be removed; the next run tries again: %s", name)
    return removed_names
