"""What each answer to an agent's question would send, while a person fills in the form. Nothing is stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import ngettext

from dialogue.desk.access.people import Person
from dialogue.desk.forms.agent_answers import AskedPause, asked_pause
from dialogue.desk.forms.choices import actions_of, label_of
from dialogue.desk.forms.forms import InputFormat, read_values
from dialogue.desk.forms.refusals import InvalidValue, Refused
from dialogue.desk.sessions.decisions import Answer, read_answer
from dialogue.dialects.answer_forms import changed_args
from dialogue.dialects.pauses import Decision, Meaning
from dialogue.dialects.table import write_answer
from dialogue.engine.language.steps import HumanAction
from dialogue.models import AgentPause, AgentRequest, HITLSession


@dataclass(frozen=True)
class AnswerPreview:
    """One answer: the words on its button, and its `body` in the dialect's shape or the `problem` with what is typed.

    `body` is None where the dialect has no word for the answer, and beside a problem.
    """

    action: str
    label: str
    body: Any = None
    problem: str = ""


@dataclass(frozen=True)
class Previews:
    """All answers in the order of the buttons, and the arguments that differ from the proposal."""

    answers: tuple[AnswerPreview, ...]
    changed: tuple[str, ...]


def preview_answers(session: HITLSession, person: Person, typed: Mapping[str, str], reason: str) -> Previews:
    """Return what each answer of an agent's gate would send for what is `typed` (texts by field name)."""
    row = AgentPause.objects.select_related("request").get(session=session)
    asked = asked_pause(row)
    changed = _changed_arguments(session, asked, typed)
    answers = []
    for action in actions_of(session):
        label = _label_with_count(asked, action, len(changed))
        try:
            _action, values, text = read_answer(session, Answer(action.id, typed, InputFormat.TYPED, reason))
        except Refused as refused:
            answers.append(AnswerPreview(action.id, label, problem=refused.detail))
        else:
            offered, sent = asked.pause.answer(action.id), asked.values_for(action.id, values)
            decision = Decision(offered, sent, text, person.name, str(session.uid))
            answers.append(AnswerPreview(action.id, label, _body_of(row.request, asked, decision)))
    return Previews(tuple(answers), changed)


def _body_of(request: AgentRequest, asked: AskedPause, decision: Decision) -> Any:
    """Return what is sent for this question; a request with several sends theirs beside it."""
    return write_answer(request.dialect, request.ask, [asked.pause], [decision])


def _changed_arguments(session: HITLSession, asked: AskedPause, typed: Mapping[str, str]) -> tuple[str, ...]:
    """Return the agent's own names of the arguments that people changed; none while a value cannot be read."""
    if asked.pause.proposal is None or not asked.fields:
        return ()
    try:
        values = read_values(session, typed, InputFormat.TYPED)
        changed = changed_args(asked.fields, asked.pause.proposal.args, values)
    except (InvalidValue, ValueError):
        return ()
    return tuple(field.prop for field in asked.fields if field.name in changed)


def _label_with_count(asked: AskedPause, action: HumanAction, changes: int) -> str:
    """Return the words on the button: "Approve with 2 changes", where the words are ours and there are changes."""
    offered = asked.pause.answer(action.id)
    if not changes or offered is None or offered.meaning is not Meaning.EDIT or offered.label:
        return label_of(action)
    return ngettext("Approve with %(count)s change", "Approve with %(count)s changes", changes) % {"count": changes}
