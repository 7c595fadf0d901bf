"""Answers to single fields: `g12.0` in any order; the last field that is required submits the session."""

from collections.abc import Mapping
from typing import Any

from dialogue.desk.access.people import Caller
from dialogue.desk.forms import choices, forms
from dialogue.desk.forms.forms import NOTHING, REASON, Field, InputFormat
from dialogue.desk.forms.refusals import Refused
from dialogue.desk.forms.sentences import sentence as _
from dialogue.desk.sessions import drafts, transitions
from dialogue.desk.sessions.claims import renew_claim
from dialogue.desk.sessions.decisions import Answer, submit
from dialogue.desk.sessions.drafts import DraftText
from dialogue.desk.sessions.operation import Operation, Outcome, Request, dry_run, run_operation
from dialogue.models import HITLSession


class FieldNotFound(Refused):
    """The session has no field of that number."""

    status, code = 404, "not_found"


def answer_field(
    number: int, position: int, caller: Caller, value: Any, input_format: InputFormat = InputFormat.JSON
) -> Outcome:
    """Store one field's answer. Status 200, or the submission's 201 if it was the last one and there is one action.

    Raises FieldNotFound, InvalidValue, and what `submit` raises.
    """

    def store(operation: Operation) -> Outcome:
        field, stored_value = read_field_answer(operation, position, value, input_format)
        drafts.store_answer(operation.session, operation.person.id, field.name, stored_value, operation.at)
        renew_claim(operation)
        return Outcome(operation.session)

    outcome = run_operation(Request(number, caller, transitions.SAVE_DRAFT, draft=DraftText()), store)
    ready = complete_answer(outcome.session)
    return submit(number, caller, ready) if ready else outcome


def read_field_answer(operation: Operation, position: int, value: Any, input_format: InputFormat) -> tuple[Field, Any]:
    """Return the field and its stored value if this person may answer it now. Raises Refused."""
    operation.check_all()
    field = field_at(operation.session, position)
    return field, forms.read_value(operation.session, field, value, input_format)


def check_field_answer(
    number: int, position: int, caller: Caller, value: Any, input_format: InputFormat
) -> tuple[Field, Any]:
    """Return what `answer_field` would store, without changes. Raises what it would raise."""
    return dry_run(
        Request(number, caller, transitions.SAVE_DRAFT),
        lambda operation: read_field_answer(operation, position, value, input_format),
    )


def field_at(session: HITLSession, position: int) -> Field:
    """Return the field `g<number>.<position>`. Raises FieldNotFound, which names the existing fields."""
    fields = forms.fields_of(session)
    if not 0 <= position < len(fields):
        references = ", ".join(field.reference for field in fields) or _("none")
        facts = {"field": f"{session.name}.{position}", "fields": references}
        raise FieldNotFound(_("There is no field %(field)s. Choose: %(fields)s.") % facts, session=session)
    return fields[position]


def unanswered_fields(session: HITLSession) -> tuple[Field, ...]:
    """Return the fields without a stored answer."""
    answered = drafts.answers_of(session)
    return tuple(field for field in forms.fields_of(session) if field.name not in answered)


def complete_answer(session: HITLSession, more: Mapping[str, Any] = NOTHING) -> Answer | None:
    """Return the answer made of all field answers, if none is missing and there is only one action; else None.

    `more` are answers that are not stored yet.
    """
    action = choices.only_action(session)
    values = {**drafts.answers_of(session), **more}
    still_open = [field for field in unanswered_fields(session) if field.name not in more]
    missing = [field for field in still_open if field.slot.required and field.slot.default is None]
    if action is None or missing or (action.reason and not values.get(REASON)):
        return None
    return Answer(action.id, values, InputFormat.PLAIN)
