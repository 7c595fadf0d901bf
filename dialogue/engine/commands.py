"""What a turn does, as data: one frozen class a command, and the registry of their handlers."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias, TypeVar, get_args

DigressionKind = Literal["question", "clarification", "help", "status"]


class CommandRefused(ValueError):
    """What was given is no command of the scenario form."""


@dataclass(frozen=True)
class StartFlow:
    """Push the flow; the one below is paused."""

    flow: str


@dataclass(frozen=True)
class SetSlot:
    """Store a value; `words` are those of the message that it was taken from."""

    slot: str
    value: Any
    words: str = ""


@dataclass(frozen=True)
class CorrectSlot:
    """Store another value in a filled slot, and say so."""

    slot: str
    value: Any
    words: str = ""


@dataclass(frozen=True)
class ClearSlot:
    """Empty a slot."""

    slot: str


@dataclass(frozen=True)
class SkipSlot:
    """Leave an optional slot empty for good."""

    slot: str


@dataclass(frozen=True)
class Affirm:
    """Yes, to what was asked."""


@dataclass(frozen=True)
class Deny:
    """No, to what was asked."""


@dataclass(frozen=True)
class CancelFlow:
    """End a flow; "" means the one on top."""

    flow: str = ""


@dataclass(frozen=True)
class ResumeFlow:
    """Bring a paused flow to the top."""

    flow: str


@dataclass(frozen=True)
class Clarify:
    """Offer these flows."""

    flows: tuple[str, ...]


@dataclass(frozen=True)
class Digress:
    """Answer beside the flow; `topic` is a key of the knowledge, or a slot for a clarification."""

    kind: DigressionKind
    topic: str = ""


@dataclass(frozen=True)
class Chitchat:
    """Small talk."""


@dataclass(frozen=True)
class Repeat:
    """The last bot messages again."""


@dataclass(frozen=True)
class Restart:
    """A fresh start, after a confirm."""


@dataclass(frozen=True)
class HandOff:
    """Ask for a person."""

    reason: str = ""


@dataclass(frozen=True)
class CannotHandle:
    """Not understood, or out of scope."""

    reason: str = ""


Command: TypeAlias = (
    StartFlow | SetSlot | CorrectSlot | ClearSlot | SkipSlot | Affirm | Deny | CancelFlow | ResumeFlow | Clarify
    | Digress | Chitchat | Repeat | Restart | HandOff | CannotHandle
)  # fmt: skip


def _plain_name(kind: type[Any]) -> str:
    """`StartFlow` is written start_flow, and `HandOff` handoff."""
    return "handoff" if kind is HandOff else re.sub(r"(?<!^)([A-Z])", r"_\1", kind.__name__).lower()


COMMANDS: Mapping[str, type[Any]] = {_plain_name(kind): kind for kind in get_args(Command)}
_NAMES: Mapping[type[Any], str] = {kind: name for name, kind in COMMANDS.items()}


def command_name(kind: type[Any]) -> str:
    """The name of a command in the scenario form."""
    return _NAMES[kind]


def from_plain(given: object) -> tuple[Command, ...]:
    """The commands of one entry of a scenario: "affirm", {"start_flow": "x"}, {"set_slot": {"amount": 5}}.

    Of `{"one_of": [...]}` the first; `optional` is left aside. Raises CommandRefused.
    """
    if isinstance(given, str):
        return (_made(given, {}),)
    if not isinstance(given, Mapping):
        raise CommandRefused(f"{given!r} is no command")
    if "one_of" in given:
        return from_plain(given["one_of"][0])
    names = [name for name in given if name in COMMANDS]
    if len(names) != 1:
        raise CommandRefused(f"{dict(given)!r} is no command; known are: {', '.join(COMMANDS)}")
    return _read(names[0], given[names[0]], str(given.get("words", "")))


def _read(name: str, value: Any, words: str) -> tuple[Command, ...]:
    kind = COMMANDS[name]
    if kind in (SetSlot, CorrectSlot):
        return tuple(_made(name, {"slot": slot, "value": each, "words": words}) for slot, each in _pairs(name, value))
    if kind is Clarify:
        return (Clarify(tuple(map(str, value))),)
    if isinstance(value, Mapping):
        return (_made(name, dict(value)),)
    return (_made(name, _first_field(kind, value)),)


def _pairs(name: str, value: object) -> Iterable[tuple[str, Any]]:
    if not isinstance(value, Mapping) or not value:
        raise CommandRefused(f"{name} takes {{slot: value}}")
    return value.items()


def _first_field(kind: type[Any], value: object) -> dict[str, object]:
    names = [field.name for field in fields(kind)]
    return {names[0]: value} if names and value is not None else {}


def _made(name: str, values: Mapping[str, Any]) -> Command:
    if name not in COMMANDS:
        raise CommandRefused(f"{name!r} is no command; known are: {', '.join(COMMANDS)}")
    try:
        made: Command = COMMANDS[name](**values)
    except TypeError as why:
        raise CommandRefused(f"{name} does not fit: {why}") from why
    return made


def to_plain(command: Command) -> str | dict[str, Any]:
    """The scenario form of a command; what `from_plain` reads."""
    name = command_name(type(command))
    match command:
        case SetSlot(slot, value, words) | CorrectSlot(slot, value, words):
            return {name: {slot: value}, **({"words": words} if words else {})}
        case Clarify(flows):
            return {name: list(flows)}
        case Digress(kind, topic):
            return {name: {"kind": kind, **({"topic": topic} if topic else {})}}
        case _:
            pass
    said = [getattr(command, field.name) for field in fields(command)]
    return {name: said[0]} if said and said[0] else name


Handler = Callable[[Any, Any], None]
"""Takes the turn's working copy and the command."""

_HANDLERS: dict[type[Any], Handler] = {}
AnyHandler = TypeVar("AnyHandler", bound=Callable[..., None])


def handles(*kinds: type[Any]) -> Callable[[AnyHandler], AnyHandler]:
    """Register the one handler of these commands."""

    def register(handler: AnyHandler) -> AnyHandler:
        for kind in kinds:
            if kind in _HANDLERS:
                raise ValueError(f"{command_name(kind)} has a handler already")
            _HANDLERS[kind] = handler
        return handler

    return register


def handler_of(command: Command) -> Handler:
    """The handler that was registered for this command."""
    return _HANDLERS[type(command)]
