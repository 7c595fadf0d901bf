"""One field at a time: `g12.0` answered alone, in any order; the last one that is needed submits the session."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from dialogue.desk.access.people import Caller
from dialogue.desk.forms import choices, forms
from dialogue.desk.forms.forms import NOTHING, REASON, Field, Manner
from dialogue.desk.forms.refusals import Refused
from dialogue.desk.sessions import drafts, transitions
from dialogue.desk.sessions.claims import renew
from dialogue.desk.sessions.decisions import Answer, submit
from dialogue.desk.sessions.drafts import DraftText
from dialogue.desk.sessions.operation import Knock, Outcome, Visit, go_through, rehearse
from dialogue.models import HITLSession


class GateNotFound(Refused):
    """The session has no field of that number."""

    status, code = 404, "not_found"


def answer_gate(number: int, place: int, caller: Caller, given: Any, manner: Manner = Manner.JSON) -> Outcome:
    """Keep one field's answer. 200, or the submission's 201 when it was the last and there is only one action."""

    def keep(visit: Visit) -> Outcome:
        field, value = acceptable(visit, place, given, manner)
        drafts.keep_answer(visit.session, visit.person.id, field.name, value, visit.at)
        renew(visit)
        return Outcome(visit.session)

    outcome = go_through(Knock(number, caller, transitions.SAVE_DRAFT, sent=DraftText()), keep)
    ready = complete_answer(outcome.session)
    return submit(number, caller, ready) if ready else outcome


def acceptable(visit: Visit, place: int, given: Any, manner: Manner) -> tuple[Field, Any]:
    """The field and its stored value, when this person may answer it now. Raises what is in its way."""
    visit.check()
    field = field_at(visit.session, place)
    return field, forms.read_value(visit.session, field, given, manner)


def check_gate(number: int, place: int, caller: Caller, given: Any, manner: Manner) -> tuple[Field, Any]:
    """What `answer_gate` would keep; raises what it would refuse, and changes nothing."""
    return rehearse(
        Knock(number, caller, transitions.SAVE_DRAFT), lambda visit: acceptable(visit, place, given, manner)
    )


def field_at(session: HITLSession, place: int) -> Field:
    """The field of gate `g<number>.<place>`. Raises GateNotFound, which names the gates that there are."""
    fields = forms.fields_of(session)
    if not 0 <= place < len(fields):
        there = ", ".join(field.gate for field in fields) or _("none")
        facts = {"gate": f"{session.name}.{place}", "there": there}
        raise GateNotFound(_("There is no gate %(gate)s. There are: %(there)s.") % facts, session=session)
    return fields[place]


def open_gates(session: HITLSession) -> tuple[Field, ...]:
    """The fields that nobody has answered yet."""
    answered = drafts.answers_of(session)
    return tuple(field for field in forms.fields_of(session) if field.name not in answered)


def complete_answer(session: HITLSession, more: Mapping[str, Any] = NOTHING) -> Answer | None:
    """The answer that the gates make up together, once nothing is missing and there is nothing to choose.

    `more` are answers that were not kept yet.
    """
    action = choices.only_action(session)
    values = {**drafts.answers_of(session), **more}
    still_open = [field for field in open_gates(session) if field.name not in more]
    missing = [field for field in still_open if field.slot.required and field.slot.default is None]
    if action is None or missing or (action.reason and not values.get(REASON)):
        return None
    return Answer(action.id, values, Manner.PLAIN)
