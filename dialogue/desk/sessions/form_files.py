"""Files that people send for a field of a gate's form, before they decide it."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from dialogue.desk.access.people import DECIDE, TEST, Caller, read_caller
from dialogue.desk.forms.forms import fields_of
from dialogue.models import HITLSession, UploadedFile
from dialogue.turns.files.refusals import FileNotExpected, FileRefused
from dialogue.turns.process.crash_points import crash_point


def receive_form_files(
    session: HITLSession, field_name: str, uploads: Sequence[Any], caller: Caller
) -> list[UploadedFile]:
    """Store files for a field of the session's form; a decision that names them makes them used. Raises FileRefused."""
    from dialogue.turns.files.uploads import (
        FilePlace,
        store_uploads,
    )  # the engine is loaded with the first file, not at start

    field = next((field for field in fields_of(session) if field.name == field_name), None)
    if field is None or session.state in HITLSession.FINAL:
        raise FileNotExpected
    person = read_caller(caller)
    may_test = session.conversation.test and person.has(TEST)
    if person.is_auditor or not (person.has(DECIDE) or may_test or caller.link):
        raise FileRefused(_("You may not answer this."))
    rows = store_uploads(FilePlace(session.conversation, field.slot, person.name, session), uploads)
    crash_point("U7")
    return rows
