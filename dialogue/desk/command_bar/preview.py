"""Preview what a line would do now, by the parser and the checks of the real command; nothing is stored."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from dialogue.desk.access.people import Caller
from dialogue.desk.command_bar import bar, lines
from dialogue.desk.command_bar.lines import Command, FieldRef, Input
from dialogue.desk.forms import choices
from dialogue.desk.forms.forms import Field, InputFormat
from dialogue.desk.forms.refusals import LineRefused, Refused
from dialogue.desk.queue import do_not_disturb
from dialogue.desk.sessions import claims, decisions, field_answers, transitions
from dialogue.desk.sessions.operation import Request, dry_run
from dialogue.desk.sessions.transitions import Transition
from dialogue.engine.slots.display import format_value
from dialogue.models import HITLSession

FALLBACK_LINE = "next"
"""The line that everyone may run at any time."""

TRANSITIONS: dict[type[Command], Transition] = {
    lines.Claim: transitions.CLAIM,
    lines.Release: transitions.RELEASE,
    lines.Expire: transitions.EXPIRE,
    lines.Cancel: transitions.CANCEL,
    lines.Unsnooze: transitions.UNSNOOZE,
}
"""The transition that each command makes."""


@dataclass(frozen=True)
class Preview:
    """A line that would be accepted: its `effect`, and what happens or is missing `next`."""

    effect: str
    next: str = ""


def preview_command(command: Command, caller: Caller) -> Preview:
    """Return what the command would do. Raises the LineRefused or Refused that the command would raise."""
    command = bar.resolve_command(command, caller)
    match command:
        case Input(FieldRef(number, int(position)), text):
            return _preview_answer(number, position, text, caller)
        case lines.Submit(number, action, reason):
            action = decisions.check_submit(number, caller, bar.answer_of(number, caller, action, reason)).id
            return Preview(str(lines.Submit(number, action, reason)))
        case lines.Claim() | lines.Release() | lines.Expire() | lines.Cancel() | lines.Unsnooze():
            reason = getattr(command, "reason", "")
            dry_run(
                Request(command.number, caller, TRANSITIONS[type(command)], reason=reason),
                lambda operation: operation.check_all(),
            )
        case lines.Snooze(number, duration):
            dry_run(
                Request(number, caller, transitions.SNOOZE), lambda operation: claims.check_snooze(operation, duration)
            )
        case lines.Mute(duration):
            do_not_disturb.check_mute_duration(duration)
        case _:
            pass
    return Preview(str(command))


def example_for(session: HITLSession, caller: Caller) -> str:
    """Return a line about this session that would be accepted now; `next` if there is none."""
    return next((line for line in _example_lines(session) if _is_accepted(line, caller)), FALLBACK_LINE)


def _example_lines(session: HITLSession) -> Iterator[str]:
    if session.state in HITLSession.FINAL or session.kind == HITLSession.Kind.HANDOFF:
        return
    open_fields = field_answers.unanswered_fields(session)
    for field in open_fields:
        answer = _example_answer(field)
        if answer:
            yield f"@{session.name if len(open_fields) == 1 else field.reference} {answer}"
    for action in choices.actions_of(session):
        yield f"@{session.name} {action.id}{' …' if action.reason else ''}"
    yield f"claim {session.name}"
    yield f"snooze {session.name} 15m"


def _example_answer(field: Field) -> str:
    """Return an answer that this field accepts; empty for text and other types without an obvious example."""
    slot = field.slot
    if slot.type == "boolean":
        return "yes"
    if slot.options:
        return slot.options[0].value
    limit = slot.minimum if slot.minimum is not None else slot.maximum  # an example should not be the largest
    return str(limit) if limit is not None and slot.type in ("integer", "number") else ""


def _is_accepted(line: str, caller: Caller) -> bool:
    try:
        preview_command(lines.parse_line(line), caller)
    except (LineRefused, Refused):
        return False
    return True


def _preview_answer(number: int, position: int, text: str, caller: Caller) -> Preview:
    """Preview the stored value, and what is missing then. Raises Refused."""
    field, value = field_answers.check_field_answer(number, position, caller, text, InputFormat.TYPED)
    session = bar.visible_session(number, caller)
    effect = f"{field.reference} {field.name} = {format_value(field.slot, value) or _('empty')}"
    ready = field_answers.complete_answer(session, {field.name: value})
    if ready is not None:
        action = decisions.check_submit(number, caller, ready)
        return Preview(effect, _("and sends “%s”") % choices.label_of(action))
    open_fields = field_answers.unanswered_fields(session)
    missing = [
        open_field.reference
        for open_field in open_fields
        if open_field.reference != field.reference and open_field.slot.required
    ]
    return Preview(effect, _("%s still needs an answer") % ", ".join(missing) if missing else "")
