"""What a line of the command bar may become: the lines that would be understood, from what is there for this person."""

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
"""The most urgent sessions that names are completed from."""

ON_SESSIONS = frozenset({"submit", "claim", "release", "expire", "cancel", "snooze", "unsnooze"})
DURATIONS = ("30m", "1h", "2h", "1d")


def complete_line(line: str, person: Person) -> list[str]:
    """Return up to `MAX_COMPLETIONS` lines that begin with this one; a trailing space means that more has to follow."""
    text = line.lstrip()
    if text.startswith("@"):
        return _offer("@", _inputs(text[1:], person))
    word, blank, rest = text.partition(" ")
    if not blank:
        return _offer("", (f"{each} " for each in COMMANDS if each.startswith(word.lower())))
    return _offer(f"{word} ", _rest(word.lower(), rest.lstrip(), person))


def _rest(word: str, rest: str, person: Person) -> Iterable[str]:
    if word == "input":
        return _inputs(rest, person)
    if word == "mute":
        return _matching(DURATIONS, rest)
    if word not in ON_SESSIONS:
        return ()
    name, blank, after = rest.partition(" ")
    if not blank:
        return (f"{each} " for each in _matching(_names(person), name))
    return (f"{name} {each}" for each in _after_session(word, name, after.lstrip(), person))


def _after_session(word: str, name: str, rest: str, person: Person) -> Iterable[str]:
    if word == "snooze":
        return _matching(DURATIONS, rest)
    session = _session(name, person) if word == "submit" else None
    return _matching([action.id for action in choices.actions_of(session)], rest) if session else ()


def _inputs(rest: str, person: Person) -> Iterable[str]:
    """`g12.0 yes`: first the session and its open gates, then what the gate may be answered with."""
    gate, blank, typed = rest.partition(" ")
    name, dot, place = gate.partition(".")
    if not dot and not blank:
        return (f"{each}." for each in _matching(_names(person), name))
    session = _session(name, person)
    if session is None:
        return ()
    if not blank:
        return (
            f"{field.reference} "
            for field in field_answers.unanswered_fields(session)
            if field.reference.startswith(gate.lower())
        )
    if not dot:
        actions = [action.id for action in choices.actions_of(session)]
        return (f"{gate} {each}" for each in _matching(actions, typed.lstrip()))
    fields = {field.reference: field.slot for field in forms.fields_of(session)}
    slot = fields.get(f"{session.name}.{place}")
    return (f"{gate} {each}" for each in _matching(_answers(slot), typed.lstrip())) if slot else ()


def _answers(slot: Slot) -> list[str]:
    """What a gate of few answers takes; everything else has to be typed."""
    return ["yes", "no"] if slot.type == "boolean" else [option.value for option in slot.options]


def _names(person: Person) -> list[str]:
    """The sessions that wait for this person, the most urgent first."""
    numbers = waiting_for(person).order_by(*ORDERS["urgency"]).values_list("number", flat=True)
    return [f"g{number}" for number in numbers[:MAX_SESSIONS]]


def _session(name: str, person: Person) -> HITLSession | None:
    digits = name.lower().removeprefix("g")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 19):
        return None
    return visible_sessions(person).filter(pk=int(digits), audience=HITLSession.Audience.STAFF).first()


def _matching(words: Iterable[str], begun: str) -> list[str]:
    return [word for word in words if word.startswith(begun.lower())]


def _offer(before: str, found: Iterable[str]) -> list[str]:
    return [before + each for each, _place in zip(found, range(MAX_COMPLETIONS), strict=False)]
