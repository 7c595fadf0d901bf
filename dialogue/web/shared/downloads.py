"""Downloads of files that people sent: always an attachment, never shown by a browser as a page of ours."""

from uuid import UUID

from django.http import FileResponse, Http404
from django.utils.translation import gettext as _

from dialogue.engine.actions import FileGone
from dialogue.engine.slots.file_kinds import FILE_KINDS
from dialogue.models import UploadedFile
from dialogue.turns.files.contents import open_content

HEADERS = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox"}


def file_response(row: UploadedFile) -> FileResponse:
    """Return the content as an attachment. Raises Http404 if it is gone.

    The caller checks that the reader may have it.
    """
    try:
        content = open_content(row.conversation_id, str(row.pk))
    except FileGone:
        raise Http404(_("The content of this file is not there any more.")) from None
    media_type = FILE_KINDS[row.kind].media_type
    return FileResponse(content, as_attachment=True, filename=row.name, content_type=media_type, headers=HEADERS)


def find_file(conversation: UUID, file_id: str) -> UploadedFile | None:
    """Return the row of a file of this conversation, or None."""
    try:
        return UploadedFile.objects.filter(pk=UUID(file_id), conversation_id=conversation).first()
    except ValueError:
        return None
