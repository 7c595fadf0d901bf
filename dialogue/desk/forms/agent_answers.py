"""Answers to agents of other systems: checked against what the agent proposed, and against the schema of its form."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext_noop

from dialogue.desk.forms import choices, forms
from dialogue.desk.forms.refusals import WrongField
from dialogue.desk.forms.sentences import joined
from dialogue.desk.forms.sentences import sentence as _
from dialogue.dialects.answer_forms import (
    AnswerField,
    changed_args,
    edited_args,
    problems_of_answer,
    values_of_answer,
)
from dialogue.dialects.json_schemas import SchemaProblem
from dialogue.dialects.pauses import Meaning, OfferedAnswer, Pause
from dialogue.engine.language.steps import HumanAction
from dialogue.engine.slots.form_schema import NEEDED_FOR, form_schema
from dialogue.engine.slots.models import Slot
from dialogue.models import AgentPause, HITLSession

FIELDS = "fields"
"""The key of a snapshot under which the fields of the form stand."""

_SENTENCES = {
    "type": gettext_noop("A value of type %s is expected."),
    "enum": gettext_noop("Choose one of the values that the agent offers."),
    "const": gettext_noop("Only the value %s is possible."),
    "required": gettext_noop("This value is missing."),
    "minimum": gettext_noop("At least %s is expected."),
    "maximum": gettext_noop("At most %s is expected."),
    "exclusiveMinimum": gettext_noop("More than %s is expected."),
    "exclusiveMaximum": gettext_noop("Less than %s is expected."),
    "multipleOf": gettext_noop("A multiple of %s is expected."),
    "minLength": gettext_noop("At least %s characters are expected."),
    "maxLength": gettext_noop("At most %s characters are expected."),
    "pattern": gettext_noop("The text must match the pattern %s."),
    "minItems": gettext_noop("At least %s entries are expected."),
    "maxItems": gettext_noop("At most %s entries are expected."),
}
_OTHER_SENTENCE = gettext_noop("The value does not fit what the agent expects.")
"""What to say about a value that breaks a rule of the agent's schema; `%s` is the rule's limit."""


class AskedPause(NamedTuple):
    """A stored question with the fields of its form."""

    pause: Pause
    fields: tuple[AnswerField, ...]

    def values_for(self, answer: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return what an answer sends: the call's arguments, or the form's values. Raises ValueError for bad JSON."""
        offered = self.pause.answer(answer)
        if offered is None or not self.fields:
            return {}
        if offered.meaning is Meaning.EDIT and self.pause.proposal:
            return edited_args(self.fields, self.pause.proposal.args, values)
        is_as_proposed = offered.meaning is Meaning.AGREE and self.pause.proposal
        return {} if is_as_proposed else values_of_answer(self.fields, values)


def asked_pause(row: AgentPause) -> AskedPause:
    """Return the question of a row."""
    fields = tuple(AnswerField(**field) for field in row.snapshot[FIELDS])
    return AskedPause(Pause.from_plain(row.snapshot), fields)


def snapshot_of(pause: Pause, fields: tuple[AnswerField, ...]) -> dict[str, Any]:
    """Return what is stored of a question."""
    return {**pause.plain(), FIELDS: [field.plain() for field in fields]}


def form_of_fields(pause: Pause, fields: tuple[AnswerField, ...]) -> dict[str, Any]:
    """Return the form as a gate stores it. A field that the agent requires is needed for its answers, not to refuse."""
    if not fields:
        return {}
    slot = Slot.model_validate(
        {"type": "object", "fields": {field.name: dict(field.slot) for field in fields}}, context={"language": "en"}
    )
    form = form_schema(slot.fields)
    sending = (Meaning.EDIT,) if pause.proposal else (Meaning.CHOOSE, Meaning.AGREE)
    needing = [answer.id for answer in pause.answers if answer.meaning in sending]
    for field in fields:
        if field.needed:
            form["properties"][field.name][NEEDED_FOR] = needing
    return form


def check_agent_answer(session: HITLSession, action: HumanAction, values: Mapping[str, Any]) -> None:
    """Raise InvalidValue if an approval changes the proposal, or if the values do not fit the agent's schema."""
    asked = asked_pause(AgentPause.objects.get(session=session))
    offered = asked.pause.answer(action.id)
    if offered is None or not asked.fields:
        return
    wrong = _texts_without_json(session, asked, values)
    if wrong:
        raise forms.wrong_values(session, wrong)
    if offered.meaning is Meaning.AGREE and asked.pause.proposal:
        wrong = _changes(session, asked, action, values)
    elif offered.meaning in (Meaning.AGREE, Meaning.EDIT, Meaning.CHOOSE):
        problems = problems_of_answer(asked.pause.form, asked.values_for(action.id, values))
        wrong = [_wrong_field(session, asked, problem) for problem in problems]
    if wrong:
        raise forms.wrong_values(session, wrong)


def consequence_texts(session: HITLSession) -> dict[str, str]:
    """Return what the agent does after each answer, and under "" what it is told when no one answers."""
    pause = asked_pause(AgentPause.objects.get(session=session)).pause
    texts = {answer.id: _consequence_text(pause, answer) for answer in pause.answers}
    ending = texts.get(session.on_timeout) or _("The agent is told nothing but that the time is over.")
    return {**texts, "": ending}


def _consequence_text(pause: Pause, answer: OfferedAnswer) -> str:
    call = pause.proposal.name if pause.proposal else ""
    match answer.meaning:
        case Meaning.AGREE if call:
            return _("the agent runs %s as it proposed") % call
        case Meaning.EDIT:
            return _("the agent runs %s with your changes") % call
        case Meaning.REFUSE if call:
            return _("the agent does not run %s; it is told why and goes on") % call
        case Meaning.RESPOND:
            return _("the agent reads your text; nothing runs, and it may ask again")
        case Meaning.LEAVE:
            return _("the agent is told that no one decided")
        case _:
            return _("the agent gets “%s”") % (answer.word or answer.id)


def _texts_without_json(session: HITLSession, asked: AskedPause, values: Mapping[str, Any]) -> list[WrongField]:
    wrong = []
    for field in asked.fields:
        try:
            values_of_answer([field], values)
        except ValueError:
            wrong.append(_wrong(session, field.name, "json", _("This is not JSON. Write texts in double quotes.")))
    return wrong


def _changes(
    session: HITLSession, asked: AskedPause, action: HumanAction, values: Mapping[str, Any]
) -> list[WrongField]:
    proposed = asked.pause.proposal.args if asked.pause.proposal else {}
    edit = asked.pause.answer_meaning(Meaning.EDIT)
    facts = {
        "approve": choices.label_of(action),
        "edit": choices.label_of_handle(session, edit.id) if edit else "",
    }
    sentence = _("“%(approve)s” sends what was proposed. Choose “%(edit)s”, or put the value back.") % facts
    return [_wrong(session, name, "changed", sentence) for name in changed_args(asked.fields, proposed, values)]


def _wrong_field(session: HITLSession, asked: AskedPause, problem: SchemaProblem) -> WrongField:
    names = {field.prop: field.name for field in asked.fields}
    head, _dot, path = problem.path.partition(".")
    sentence = _(_SENTENCES.get(problem.rule, _OTHER_SENTENCE))
    if "%s" in sentence:
        sentence %= problem.limit
    whole = joined((path, ": ", sentence)) if path else sentence
    return _wrong(session, names.get(head, head), problem.rule, whole)


def _wrong(session: HITLSession, name: str, rule: str, sentence: str) -> WrongField:
    references = {field.name: field.reference for field in forms.fields_of(session)}
    return WrongField(name, references.get(name, ""), rule, sentence, "")
