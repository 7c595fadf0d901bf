"""Commands: what a turn does, as frozen data; and the registry of a project's own commands.

A project adds a command with one handler, in a table that `SONI_COMMANDS` names: `{Wave: wave}`. Its name, its plain
form and its line in a language model's prompt are read from the class.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from pydantic import TypeAdapter, ValidationError

DigressionKind = Literal["question", "clarification", "help", "status"]


class CommandRefused(ValueError):
    """A value is not a command in the scenario form."""


@dataclass(frozen=True)
class StartFlow:
    """Push the flow; the one below is paused."""

    flow: str


@dataclass(frozen=True)
class SetSlot:
    """Store a value; `words` are those of the message that it was taken from.

    In a loop, `item` says for which entry: its number from 1, the entry itself, or words for it.
    """

    slot: str
    value: Any
    words: str = ""
    item: Any = None


@dataclass(frozen=True)
class CorrectSlot:
    """Store another value in a filled slot, and say so. `item` is that of SetSlot."""

    slot: str
    value: Any
    words: str = ""
    item: Any = None


@dataclass(frozen=True)
class OfferChange:
    """Ask the user whether to change a slot whose value staff are looking at."""

    slot: str
    value: Any
    words: str = ""


@dataclass(frozen=True)
class Narrow:
    """Ask which of these options of a slot is meant, because the words fit several; `values` are their keys.

    `picked` are the keys of options of a list that are certain already.
    """

    slot: str
    values: tuple[str, ...]
    picked: tuple[str, ...] = ()


@dataclass(frozen=True)
class AddValues:
    """Add values to a list; `words` are those of the message. Values that it holds already are not repeated."""

    slot: str
    values: tuple[Any, ...]
    words: str = ""


@dataclass(frozen=True)
class RemoveValues:
    """Take values out of a list; the rest stays. Of a list without a rest the user is asked again."""

    slot: str
    values: tuple[Any, ...]
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
class SkipItem:
    """End the round of the present entry of a loop, and go on with the next one."""


@dataclass(frozen=True)
class Affirm:
    """Yes, to what was asked."""


@dataclass(frozen=True)
class Deny:
    """No, to what was asked."""


@dataclass(frozen=True)
class Choose:
    """A further answer of a confirm, beside yes and no, by its value."""

    answer: str


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
    """Say the last bot messages again."""


@dataclass(frozen=True)
class Restart:
    """End all flows and forget all slots, after a confirmation."""


@dataclass(frozen=True)
class HandOff:
    """Ask for a person."""

    reason: str = ""


@dataclass(frozen=True)
class CannotHandle:
    """Not understood, or out of scope."""

    reason: str = ""


@runtime_checkable
class Command(Protocol):
    """Any frozen dataclass that has a handler, in `handlers.HANDLERS` or in a project's table."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


BUILT_IN: tuple[type[Any], ...] = (
    StartFlow, SetSlot, CorrectSlot, OfferChange, Narrow, AddValues, RemoveValues, ClearSlot, SkipSlot, SkipItem,
    Affirm, Deny, Choose, CancelFlow, ResumeFlow, Clarify, Digress, Chitchat, Repeat, Restart, HandOff, CannotHandle,
)  # fmt: skip


def _plain_name(kind: type[Any]) -> str:
    """Return the scenario name: `StartFlow` is start_flow, and `HandOff` is handoff."""
    return "handoff" if kind is HandOff else re.sub(r"(?<!^)([A-Z])", r"_\1", kind.__name__).lower()


_kinds_by_name: dict[str, type[Any]] = {_plain_name(kind): kind for kind in BUILT_IN}
_names_by_kind: dict[type[Any], str] = {kind: name for name, kind in _kinds_by_name.items()}
COMMANDS: Mapping[str, type[Any]] = _kinds_by_name
"""Every command by its name, a project's own too: it grows while they are registered."""


def command_name(kind: type[Any]) -> str:
    """Return the name of a command in the scenario form. Raises CommandRefused for a class without a handler."""
    if kind not in _names_by_kind:
        raise CommandRefused(
            f"{kind.__name__} is not a registered command. Add its handler to the table that SONI_COMMANDS names."
        )
    return _names_by_kind[kind]


def added_commands() -> dict[str, type[Any]]:
    """Return the commands that this project registered, by name, in order."""
    return {name: kind for name, kind in _kinds_by_name.items() if kind not in BUILT_IN}


def from_plain(plain: object) -> tuple[Command, ...]:
    """Read one entry of a scenario: "affirm", {"start_flow": "x"}, {"set_slot": {"amount": 5}}.

    Of `{"one_of": [...]}` the first counts, and `optional` is ignored. Raises CommandRefused for anything else.
    """
    if isinstance(plain, str):
        return (_make_command(plain, {}),)
    if not isinstance(plain, Mapping):
        raise CommandRefused(
            f"{plain!r} is not a command. Write a name, or a mapping such as {{set_slot: {{name: value}}}}."
        )
    if "one_of" in plain:
        return from_plain(plain["one_of"][0])
    names = [name for name in plain if name in COMMANDS]
    if len(names) != 1:
        raise CommandRefused(f"{dict(plain)!r} is not a command. The commands are: {', '.join(COMMANDS)}.")
    return _read_command(names[0], plain[names[0]], plain)


def _read_command(name: str, value: Any, plain: Mapping[str, Any]) -> tuple[Command, ...]:
    kind, words = COMMANDS[name], str(plain.get("words", ""))
    if kind in (SetSlot, CorrectSlot, OfferChange):
        beside = {"words": words}
        if kind is not OfferChange and plain.get("item") is not None:
            beside["item"] = plain["item"]
        return tuple(
            _make_command(name, {"slot": slot, "value": slot_value, **beside})
            for slot, slot_value in _slot_pairs(name, value)
        )
    if kind is Clarify:
        return (Clarify(tuple(map(str, value))),)
    if kind in (AddValues, RemoveValues):
        return tuple(kind(slot, _list_of(entries), words) for slot, entries in _slot_pairs(name, value))
    if kind is Narrow:
        picked = tuple(map(str, plain.get("picked", ())))
        return tuple(Narrow(slot, tuple(map(str, keys)), picked) for slot, keys in _slot_pairs(name, value))
    field_names = [field.name for field in fields(kind)]
    # A mapping with other keys than a project command's fields is the value of its first field.
    if isinstance(value, Mapping) and (kind in BUILT_IN or set(value) <= set(field_names)):
        return (_make_command(name, dict(value)),)
    return (_make_command(name, {field_names[0]: value} if field_names and value is not None else {}),)


def _list_of(entries: object) -> tuple[Any, ...]:
    return tuple(entries) if isinstance(entries, list | tuple) else (entries,)


def _slot_pairs(name: str, value: object) -> Iterable[tuple[str, Any]]:
    if not isinstance(value, Mapping) or not value:
        raise CommandRefused(f"{name} needs a mapping {{slot: value}}")
    return value.items()


def _make_command(name: str, values: Mapping[str, Any]) -> Command:
    if name not in COMMANDS:
        raise CommandRefused(f"{name!r} is not a command. The commands are: {', '.join(COMMANDS)}.")
    kind = COMMANDS[name]
    try:
        command: Command = kind(**values) if kind in BUILT_IN else _type_adapter(kind).validate_python(dict(values))
    except (TypeError, ValidationError) as error:
        raise CommandRefused(f"{name} has values that do not fit its fields: {error}") from error
    return command


def _type_adapter(kind: type[Any]) -> TypeAdapter[Any]:
    """Return what reads and writes the fields of a project's command by their types, dates and decimals too."""
    if kind not in _adapters:
        _adapters[kind] = TypeAdapter(kind)
    return _adapters[kind]


_adapters: dict[type[Any], TypeAdapter[Any]] = {}


def to_plain(command: Command) -> str | dict[str, Any]:
    """Return the scenario form of a command, which `from_plain` reads. Raises CommandRefused for an unknown class."""
    name = command_name(type(command))
    match command:
        case SetSlot(slot, value, words) | CorrectSlot(slot, value, words) | OfferChange(slot, value, words):
            item = getattr(command, "item", None)
            more = {"words": words, "item": item}
            return {name: {slot: value}, **{key: said for key, said in more.items() if said not in ("", None)}}
        case AddValues(slot, values, words) | RemoveValues(slot, values, words):
            return {name: {slot: list(values)}, **({"words": words} if words else {})}
        case Clarify(flows):
            return {name: list(flows)}
        case Narrow(slot, keys, picked):
            return {name: {slot: list(keys)}, **({"picked": list(picked)} if picked else {})}
        case Digress(kind, topic):
            return {name: {"kind": kind, **({"topic": topic} if topic else {})}}
        case _ if type(command) not in BUILT_IN:
            return _project_plain(name, command)
        case _:
            pass
    first = next(iter(fields(command)), None)
    value = getattr(command, first.name) if first else None
    return {name: value} if first and (value or first.default is MISSING) else name


def _project_plain(name: str, command: Command) -> str | dict[str, Any]:
    """Return the name alone, with the first field, or with all fields that differ from their defaults."""
    values = _type_adapter(type(command)).dump_python(command, mode="json")
    changed_values = {field.name: values[field.name] for field in fields(command) if not _is_default(command, field)}
    first = next((field.name for field in fields(command)), "")
    if not changed_values:
        return name
    is_first_alone = (
        set(changed_values) == {first}
        and not isinstance(changed_values[first], dict)
        and changed_values[first] is not None
    )
    return {name: changed_values[first]} if is_first_alone else {name: changed_values}


def _is_default(command: Command, field: Any) -> bool:
    value = getattr(command, field.name)
    if field.default_factory is not MISSING:
        return bool(value == field.default_factory())
    return field.default is not MISSING and bool(value == field.default)


Handler = Callable[[Any, Any], Awaitable[None] | None]
"""Takes the turn and the command. An async handler may wait for something outside."""

_PROJECT_HANDLERS: dict[type[Any], Handler] = {}


class HandlerRefused(ValueError):
    """A handler cannot be registered; the message says why."""


def register(table: Mapping[type[Any], Handler]) -> None:
    """Register a project's commands, each with its handler. The same table may be registered twice.

    Raises HandlerRefused for a class that is not a frozen dataclass, a handler that cannot be called, or a name that is
    taken. Nothing of the table is registered then.
    """
    for kind, handler in table.items():
        _check_handler(kind, handler)
    for kind, handler in table.items():
        if kind not in _names_by_kind:
            _kinds_by_name[_plain_name(kind)] = kind
            _names_by_kind[kind] = _plain_name(kind)
        _PROJECT_HANDLERS[kind] = handler


def _check_handler(kind: type[Any], handler: Handler) -> None:
    if not (is_dataclass(kind) and getattr(kind, "__dataclass_params__").frozen):  # noqa: B009 - typeshed does not know it
        raise HandlerRefused(f"{kind!r} is not a frozen dataclass")
    if not callable(handler):
        raise HandlerRefused(f"the handler of {kind.__name__} is {handler!r}, which cannot be called")
    if kind in BUILT_IN or _PROJECT_HANDLERS.get(kind, handler) is not handler:
        raise HandlerRefused(f"{command_name(kind)} has a handler already")
    if kind not in _names_by_kind and _plain_name(kind) in _kinds_by_name:
        raise HandlerRefused(f"another command is called {_plain_name(kind)} already")


def project_handler(command: Command) -> Handler:
    """Return the handler that a project registered for this command. Raises CommandRefused when there is none."""
    command_name(type(command))
    return _PROJECT_HANDLERS[type(command)]
