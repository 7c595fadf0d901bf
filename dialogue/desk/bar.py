"""What the operator's lines do: one understood command, carried out through the door."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.utils.translation import gettext as _

from dialogue.desk import choices, door, drafts, gates, lines, quiet
from dialogue.desk.decisions import Answer
from dialogue.desk.forms import Manner
from dialogue.desk.lines import Command, Gate, Input, LineRefused, NamedGate
from dialogue.desk.passage import Outcome
from dialogue.desk.people import Caller, read_person, visible_sessions
from dialogue.desk.queue import next_most_urgent
from dialogue.desk.refusals import SessionNotFound, clock_time, decision_sentence
from dialogue.desk.undo import again, done_words, undo_of
from dialogue.models import HITLSession
from dialogue.turns.answers import listed_title


@dataclass(frozen=True)
class Reply:
    """What the bar says back: a sentence, the session that it is about, and the answer's status.

    `undo` is the line that takes it back; empty where nothing can be taken back.
    """

    text: str
    session: HITLSession | None = None
    status: int = 200
    undo: str = ""


def perform(command: Command, caller: Caller) -> Reply:  # noqa: C901 - one arm a command
    """Carry out a command. Raises the door's refusals, and LineRefused where the line names no single gate."""
    match command:
        case lines.Input():
            return _input(command, caller)
        case lines.Submit(number, action, reason):
            return _submitted(door.submit(number, caller, _answer(number, caller, action, reason)))
        case lines.Claim(number):
            return _moved("claim", number, caller, lambda: door.claim(number, caller))
        case lines.Release(number):
            return _moved("release", number, caller, lambda: door.release(number, caller))
        case lines.Expire(number, reason):
            return _done(door.expire(number, caller, reason=reason), _("%s has expired."))
        case lines.Cancel(number, reason):
            return _done(door.cancel(number, caller, reason=reason), _("%s is cancelled."))
        case lines.Snooze(number, duration):
            return _moved("snooze", number, caller, lambda: door.snooze(number, caller, duration))
        case lines.Unsnooze(number):
            return _moved("unsnooze", number, caller, lambda: door.unsnooze(number, caller))
        case lines.Next():
            return _next(caller)
        case lines.Mute(duration):
            return _muted(duration, caller)
        case lines.Unmute():
            return _unmuted(caller)


def seen_session(number: int, caller: Caller) -> HITLSession:
    """The session, when this person may know of it. Raises SessionNotFound."""
    session = visible_sessions(read_person(caller.user)).filter(pk=number).first()
    if session is None:
        raise SessionNotFound(number)
    return session


def _input(command: Input, caller: Caller) -> Reply:
    gate = command.gate if isinstance(command.gate, Gate) else _named(command.gate, caller)
    session = seen_session(gate.number, caller)
    if gate.place is None and not session.schema.get("properties"):
        return _submitted(door.submit(gate.number, caller, _answer(gate.number, caller, command.text, "")))
    place = _only_place(session) if gate.place is None else gate.place
    outcome = door.answer_gate(gate.number, place, caller, command.text, Manner.TYPED)
    if outcome.status == 201:
        return _submitted(outcome)
    return Reply(_("%(gate)s is answered.") % {"gate": f"g{gate.number}.{place}"}, outcome.session)


def _named(gate: NamedGate, caller: Caller) -> Gate:
    """The gate of that field in the newest session of that step."""
    person = read_person(caller.user)
    session = visible_sessions(person).filter(step=gate.step, audience="staff").order_by("-number").first()
    fields = list((session.schema or {}).get("x-order", [])) if session else []
    if session is None or gate.field not in fields:
        raise LineRefused(_("There is no gate %s.") % gate)
    return Gate(session.number, fields.index(gate.field))


def _only_place(session: HITLSession) -> int:
    """The place of the one open gate; where there are more or none, what can be written is listed."""
    if session.state in HITLSession.FINAL:
        return 0
    still_open = gates.open_gates(session)
    if len(still_open) != 1:
        fields = [f"@{field.gate} ({field.name})" for field in still_open]
        ends = [f"submit {session.name} {action.id}" for action in choices.actions_of(session)]
        facts = {"name": session.name, "there": ", ".join([*fields, *ends]) or _("none")}
        raise LineRefused(_("%(name)s has no single open gate. Choose: %(there)s.") % facts)
    return int(still_open[0].gate.rpartition(".")[2])


def _answer(number: int, caller: Caller, action: str, reason: str) -> Answer:
    """The gates that were answered one by one, with the action that is chosen now."""
    session = seen_session(number, caller)
    return Answer(action, drafts.answers_of(session), Manner.PLAIN, reason)


def _submitted(outcome: Outcome) -> Reply:
    if outcome.status == 202:
        text = _("%s needs a second person who agrees.") % outcome.session.name
    else:
        text = f"{outcome.session.name}: {decision_sentence(outcome.session)}"
    return Reply(text, outcome.session, outcome.status)


def _done(outcome: Outcome, sentence: str) -> Reply:
    return Reply(sentence % outcome.session.name, outcome.session, outcome.status)


def _moved(move: str, number: int, caller: Caller, make: Callable[[], Outcome]) -> Reply:
    """Make a move that can be taken back, and say how."""
    before = visible_sessions(read_person(caller.user)).filter(pk=number).first()
    outcome = make()
    undo = undo_of(move, before, caller.user) if before else ""
    return Reply(done_words(move, outcome.session), outcome.session, outcome.status, undo)


def _next(caller: Caller) -> Reply:
    session = next_most_urgent(read_person(caller.user))
    if session is None:
        return Reply(_("Nothing waits for you."))
    return Reply(f"{session.name} {listed_title(session)}", session)


def _muted(duration: timedelta, caller: Caller) -> Reply:
    person = read_person(caller.user)
    before = quiet.quiet_of(person).until
    until = quiet.mute(person.id, duration)
    undo = again("mute", before) or "unmute"
    return Reply(_("No toasts and no sound until %s; the counts stay.") % clock_time(until), undo=undo)


def _unmuted(caller: Caller) -> Reply:
    person = read_person(caller.user)
    undo = again("mute", quiet.quiet_of(person).until)
    quiet.unmute(person.id)
    return Reply(_("You hear everything again."), undo=undo)
