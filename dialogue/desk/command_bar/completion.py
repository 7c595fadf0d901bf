"""Completion for the command bar: lines that the parser accepts, from what this person may see."""

from collections.abc import Iterable

from dialogue.desk.access.people import Person, visible_sessions
from dialogue.desk.command_bar.lines import COMMANDS
from dialogue.desk.forms import choices, forms
from dialogue.desk.queue.queue import ORDERS, waiting_for
from dialogue.desk.sessions import field_answers
from dialogue.engine.slots.models import Slot
from dialogue.models import HITLSession

MAX_COMPLETIONS = 12
"""Lines that are offered at once."""
MAX_SESSIONS = 200
"""How many of the most urgent sessions names are completed from."""

ON_SESSIONS = frozenset({"submit", "claim", "release", "expire", "cancel", "snooze", "unsnooze"})
DURATIONS = ("30m", "1h", "2h", "1d")


def complete_line(line: str, person: Person) -> list[str]:
    """Return up to `MAX_COMPLETIONS` lines that begin with this one; a trailing space means that more has to follow."""
    text = line.lstrip()
    if text.startswith("@"):
        return _with_prefix("@", _complete_input(text[1:], person))
    word, blank, rest = text.partition(" ")
    if not blank:
        return _with_prefix("", (f"{command} " for command in COMMANDS if command.startswith(word.lower())))
    return _with_prefix(f"{word} ", _complete_arguments(word.lower(), rest.lstrip(), person))


def _complete_arguments(word: str, rest: str, person: Person) -> Iterable[str]:
    if word == "input":
        return _complete_input(rest, person)
    if word == "mute":
        return _starting_with(DURATIONS, rest)
    if word not in ON_SESSIONS:
        return ()
    name, blank, after = rest.partition(" ")
    if not blank:
        return (f"{completion} " for completion in _starting_with(_waiting_names(person), name))
    return (f"{name} {completion}" for completion in _after_session(word, name, after.lstrip(), person))


def _after_session(word: str, name: str, rest: str, person: Person) -> Iterable[str]:
    if word == "snooze":
        return _starting_with(DURATIONS, rest)
    session = _session_named(name, person) if word == "submit" else None
    return _starting_with([action.id for action in choices.actions_of(session)], rest) if session else ()


def _complete_input(rest: str, person: Person) -> Iterable[str]:
    """Complete `g12.0 yes`: first the session and its open fields, then an answer of the field."""
    reference, blank, typed = rest.partition(" ")
    name, dot, position = reference.partition(".")
    if not dot and not blank:
        return (f"{completion}." for completion in _starting_with(_waiting_names(person), name))
    session = _session_named(name, person)
    if session is None:
        return ()
    if not blank:
        return (
            f"{field.reference} "
            for field in field_answers.unanswered_fields(session)
            if field.reference.startswith(reference.lower())
        )
    if not dot:
        actions = [action.id for action in choices.actions_of(session)]
        return (f"{reference} {completion}" for completion in _starting_with(actions, typed.lstrip()))
    fields = {field.reference: field.slot for field in forms.fields_of(session)}
    slot = fields.get(f"{session.name}.{position}")
    return (
        (f"{reference} {completion}" for completion in _starting_with(_answers_for(slot), typed.lstrip()))
        if slot
        else ()
    )


def _answers_for(slot: Slot) -> list[str]:
    """Return the answers of a field with few of them; others cannot be completed."""
    return ["yes", "no"] if slot.type == "boolean" else [option.value for option in slot.options]


def _waiting_names(person: Person) -> list[str]:
    """Return the names of the sessions that wait for this person, most urgent first."""
    numbers = waiting_for(person).order_by(*ORDERS["urgency"]).values_list("number", flat=True)
    return [f"g{number}" for number in numbers[:MAX_SESSIONS]]


def _session_named(name: str, person: Person) -> HITLSession | None:
    digits = name.lower().removeprefix("g")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 19):
        return None
    return visible_sessions(person).filter(pk=int(digits), audience=HITLSession.Audience.STAFF).first()


def _starting_with(words: Iterable[str], prefix: str) -> list[str]:
    return [word for word in words if word.startswith(prefix.lower())]


def _with_prefix(prefix: str, completions: Iterable[str]) -> list[str]:
    return [prefix + completion for completion, _place in zip(completions, range(MAX_COMPLETIONS), strict=False)]
