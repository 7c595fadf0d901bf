"""Run the commands of the command bar and the terminal."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.utils.translation import gettext as _

from dialogue.desk.access.people import Caller, read_person, visible_sessions
from dialogue.desk.command_bar import lines
from dialogue.desk.command_bar.lines import Command, FieldRef, Input, NamedFieldRef
from dialogue.desk.command_bar.undo import confirmation_of, repeat_line, undo_line
from dialogue.desk.forms import choices, forms
from dialogue.desk.forms.forms import Field, InputFormat
from dialogue.desk.forms.refusals import LineRefused, Refused, SessionNotFound, decision_sentence
from dialogue.desk.forms.sentences import clock_time
from dialogue.desk.queue import do_not_disturb
from dialogue.desk.queue.queue import next_most_urgent
from dialogue.desk.sessions import drafts, field_answers, service
from dialogue.desk.sessions.decisions import Answer
from dialogue.desk.sessions.operation import Outcome
from dialogue.models import HITLSession
from dialogue.turns.live.titles import listed_title_for_reader


@dataclass(frozen=True)
class CommandResult:
    """The answer to a command: a sentence, the session that it is about, and the HTTP status.

    `undo` is the line that undoes the command; empty if it cannot be undone.
    """

    text: str
    session: HITLSession | None = None
    status: int = 200
    undo: str = ""


def run_command(command: Command, caller: Caller) -> CommandResult:  # noqa: C901 - one arm a command
    """Run a command. Raises Refused, and LineRefused if the line does not name exactly one field."""
    command = resolve_command(command, caller)
    match command:
        case lines.Input():
            return _answer_field(command, caller)
        case lines.Submit(number, action, reason):
            return _result_of_submission(service.submit(number, caller, answer_of(number, caller, action, reason)))
        case lines.Claim(number):
            return _run_undoable("claim", number, caller, lambda: service.claim(number, caller))
        case lines.Release(number):
            return _run_undoable("release", number, caller, lambda: service.release(number, caller))
        case lines.Expire(number, reason):
            return _result_of(service.expire(number, caller, reason=reason), _("%s has expired."))
        case lines.Cancel(number, reason):
            return _result_of(service.cancel(number, caller, reason=reason), _("%s is cancelled."))
        case lines.Snooze(number, duration):
            return _run_undoable("snooze", number, caller, lambda: service.snooze(number, caller, duration))
        case lines.Unsnooze(number):
            return _run_undoable("unsnooze", number, caller, lambda: service.unsnooze(number, caller))
        case lines.Next():
            return _go_to_next(caller)
        case lines.Mute(duration):
            return _mute(duration, caller)
        case lines.Unmute():
            return _unmute(caller)


def visible_session(number: int, caller: Caller) -> HITLSession:
    """Return the session if this person may know of it. Raises SessionNotFound."""
    session = visible_sessions(read_person(caller.user)).filter(pk=number).first()
    if session is None:
        raise SessionNotFound(number)
    return session


def resolve_command(command: Command, caller: Caller) -> Command:
    """Resolve the names in a command: `@g12 …` becomes the answer to one field, or a submission.

    Raises LineRefused, with the lines to choose from, if the command could mean nothing or two things.
    """
    if not isinstance(command, Input):
        return command
    field = command.field if isinstance(command.field, FieldRef) else _newest_field_named(command.field, caller)
    session = visible_session(field.number, caller)
    if field.position is not None:
        return Input(field, command.text)
    if session.state in HITLSession.FINAL:
        return Input(FieldRef(field.number, 0), command.text)  # refused with how it ended
    return _meaning_of(session, command.text)


def _meaning_of(session: HITLSession, text: str) -> Command:
    """Read `approve` and `reject REASON` as actions if the session has them, else as the open field's answer."""
    open_fields = field_answers.unanswered_fields(session)
    field = open_fields[0] if len(open_fields) == 1 else None
    submission = _submission_in(session, text)
    if submission and field and _is_answer_too(session, field, submission, text):
        facts = {
            "text": text[:40],
            "one": f"submit g{submission.number} {submission.action} {submission.reason}"[:80].strip(),
            "other": f"@{field.reference} {text[:40]}",
        }
        raise LineRefused(_("“%(text)s” can mean two things. Write: %(one)s, or: %(other)s") % facts)
    if submission:
        return submission
    if field is None or not text:
        fields = [f"@{field.reference} ({field.name})" for field in open_fields]
        ends = [f"submit {session.name} {action.id}" for action in choices.actions_of(session)]
        names = {"name": session.name, "there": ", ".join([*fields, *ends]) or _("none")}
        raise LineRefused(_("%(name)s does not have exactly one unanswered field. Choose: %(there)s.") % names)
    return Input(FieldRef(session.number, int(field.reference.rpartition(".")[2])), text)


def _submission_in(session: HITLSession, text: str) -> lines.Submit | None:
    whole = choices.action_of(session, text) if text else None
    if whole:
        return lines.Submit(session.number, whole.id)
    word, *rest = text.split(maxsplit=1) or [""]
    action_ids = {action.id for action in choices.actions_of(session)}
    return lines.Submit(session.number, word.lower(), "".join(rest)) if word.lower() in action_ids else None


def _is_answer_too(session: HITLSession, field: Field, submission: lines.Submit, text: str) -> bool:
    """Whether the text could also answer the field; a single word that names an action never answers a text field."""
    if field.slot.type == "text":
        return bool(submission.reason)
    try:
        forms.read_value(session, field, text, InputFormat.TYPED)
    except Refused:
        return False
    return True


def _answer_field(command: Input, caller: Caller) -> CommandResult:
    field = command.field
    if not isinstance(field, FieldRef) or field.position is None:
        raise TypeError(f"{command!r} was not resolved")
    outcome = service.answer_field(field.number, field.position, caller, command.text, InputFormat.TYPED)
    if outcome.status == 201:
        return _result_of_submission(outcome)
    return CommandResult(_("%(gate)s is answered.") % {"gate": str(field)}, outcome.session)


def _newest_field_named(field_name: NamedFieldRef, caller: Caller) -> FieldRef:
    """Find the field in the newest session of its step. Raises LineRefused."""
    person = read_person(caller.user)
    session = visible_sessions(person).filter(step=field_name.step, audience="staff").order_by("-number").first()
    fields = list((session.schema or {}).get("x-order", [])) if session else []
    if session is None or field_name.field not in fields:
        raise LineRefused(_("There is no field %s.") % field_name)
    return FieldRef(session.number, fields.index(field_name.field))


def answer_of(number: int, caller: Caller, action: str, reason: str) -> Answer:
    """Return the field answers stored so far, with the action that is chosen now. Raises SessionNotFound."""
    session = visible_session(number, caller)
    return Answer(action, drafts.answers_of(session), InputFormat.PLAIN, reason)


def _result_of_submission(outcome: Outcome) -> CommandResult:
    if outcome.status == 202:
        text = _("%s needs a second person who agrees.") % outcome.session.name
    else:
        text = f"{outcome.session.name}: {decision_sentence(outcome.session)}"
    return CommandResult(text, outcome.session, outcome.status)


def _result_of(outcome: Outcome, sentence: str) -> CommandResult:
    return CommandResult(sentence % outcome.session.name, outcome.session, outcome.status)


def _run_undoable(name: str, number: int, caller: Caller, run: Callable[[], Outcome]) -> CommandResult:
    """Run a command that can be undone, and return the line that undoes it."""
    before = visible_sessions(read_person(caller.user)).filter(pk=number).first()
    outcome = run()
    undo = undo_line(name, before, caller.user) if before else ""
    return CommandResult(confirmation_of(name, outcome.session), outcome.session, outcome.status, undo)


def _go_to_next(caller: Caller) -> CommandResult:
    session = next_most_urgent(read_person(caller.user))
    if session is None:
        return CommandResult(_("Nothing waits for you."))
    return CommandResult(f"{session.name} {listed_title_for_reader(session)}", session)


def _mute(duration: timedelta, caller: Caller) -> CommandResult:
    person = read_person(caller.user)
    before = do_not_disturb.mute_state_of(person).until
    until = do_not_disturb.mute(person.id, duration)
    undo = repeat_line("mute", before) or "unmute"
    return CommandResult(_("No toasts and no sound until %s; the counts stay.") % clock_time(until), undo=undo)


def _unmute(caller: Caller) -> CommandResult:
    person = read_person(caller.user)
    undo = repeat_line("mute", do_not_disturb.mute_state_of(person).until)
    do_not_disturb.unmute(person.id)
    return CommandResult(_("Notifications are on again."), undo=undo)
