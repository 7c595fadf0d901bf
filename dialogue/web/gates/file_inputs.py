"""Files in a gate's form: those that were sent with it, and the links to those that its values hold."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.http import HttpRequest

from dialogue.desk.access.people import Caller
from dialogue.desk.forms.forms import fields_of, wrong_values
from dialogue.desk.forms.refusals import Refused, WrongField
from dialogue.desk.sessions.form_files import receive_form_files
from dialogue.models import HITLSession, UploadedFile
from dialogue.turns.files.refusals import FileRefused
from dialogue.web.gates.forms import PREFIX, FormInput, read_form_input


@dataclass(frozen=True)
class FileLink:
    """A file of a value, as a page links to it."""

    id: str
    name: str


def read_sent_form(request: HttpRequest, session: HITLSession, caller: Caller) -> tuple[FormInput, Refused | None]:
    """Return the submitted form, with the ids of the files that came with it, and why a file was refused."""
    typed = read_form_input(request)
    values, wrong = dict(typed.values), list[WrongField]()
    for field in fields_of(session):
        uploads = request.FILES.getlist(PREFIX + field.name)
        if not uploads:
            continue
        try:
            rows = receive_form_files(session, field.name, uploads, caller)
        except FileRefused as refused:
            wrong.append(WrongField(field.name, field.reference, refused.code, refused.detail, ""))
        else:
            # A newly chosen file takes the place of what was sent before.
            values[field.name] = ",".join(str(row.pk) for row in rows)
    refusal = wrong_values(session, wrong) if wrong else None
    return replace(typed, values=values), refusal


def file_links(value: Any) -> tuple[FileLink, ...]:
    """Return links to the files that a stored value holds."""
    entries = value if isinstance(value, list) else [value]
    return tuple(FileLink(str(entry["id"]), str(entry["name"])) for entry in entries if _is_file(entry))


def typed_file_links(session: HITLSession, typed: str) -> tuple[FileLink, ...]:
    """Return links to the files whose ids a form holds, of this session's conversation."""
    rows = UploadedFile.objects.filter(conversation=session.conversation_id, pk__in=list(_ids_in(typed)))
    return tuple(FileLink(str(row.pk), row.name) for row in rows)


def _is_file(entry: Any) -> bool:
    return isinstance(entry, dict) and {"id", "name", "kind", "digest"} <= entry.keys() and bool(entry["id"])


def _ids_in(typed: str) -> Iterable[UUID]:
    for part in typed.split(","):
        try:
            yield UUID(part.strip())
        except ValueError:
            continue
