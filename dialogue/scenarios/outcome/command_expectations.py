"""Comparing the commands that an understanding produced with those that a scenario expects: as sets, by meaning."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from dialogue.engine.language.compiler import Assistant, Slot
from dialogue.engine.ports.commands import (
    AddValues,
    Affirm,
    CancelFlow,
    CannotHandle,
    Clarify,
    Command,
    CorrectSlot,
    Deny,
    HandOff,
    OfferChange,
    RemoveValues,
    SetSlot,
    StartFlow,
    to_plain,
)
from dialogue.scenarios.doubles import ValueReader
from dialogue.scenarios.format.files import Expected
from dialogue.scenarios.outcome.results import Difference

Meaning = tuple[Any, ...]


@dataclass(frozen=True)
class CommandContext:
    """Where the message was heard: the stack as it stood, such as ("transfer_money!confirm",)."""

    assistant: Assistant
    value_reader: ValueReader
    stack: tuple[str, ...] = ()

    @property
    def awaited_slot(self) -> str:
        """The slot that was awaited, or ""."""
        return self.stack[-1].partition("?")[2] if self.stack else ""

    @property
    def top_flow(self) -> str:
        """The flow on top, or ""."""
        return _flow_of(self.stack[-1]) if self.stack else ""

    def slot_meant(self, name: str, commands: Iterable[Command]) -> Slot | None:
        """The slot that a command means: of a flow that it starts, of the stack from its top, of any flow."""
        started = [command.flow for command in commands if isinstance(command, StartFlow)]
        running = [_flow_of(entry) for entry in reversed(self.stack)]
        candidates = (self.assistant.slot(flow, name) for flow in (*started, *running, *self.assistant.flows))
        return next((slot for slot in candidates if slot), None)


def _flow_of(entry: str) -> str:
    return entry.split("?", maxsplit=1)[0].split("!", maxsplit=1)[0]


def command_differences(
    expected: Sequence[Expected], commands: Sequence[Command], context: CommandContext
) -> tuple[Difference, ...]:
    """One difference when the commands are not those that are expected, else none."""
    got = {_meaning_of(command, commands, context) for command in commands}
    alternatives = [[_meanings_of(alternative, context) for alternative in entry.alternatives] for entry in expected]
    met = [_is_met(entry, got) for entry in alternatives]
    missing = any(not alternative and not entry.optional for alternative, entry in zip(met, expected, strict=True))
    allowed = {meaning for entry in alternatives for alternative in entry for meaning in alternative}
    if not missing and got <= allowed:
        return ()
    return (Difference("commands", _expectation_text(expected), _commands_text(commands)),)


def _is_met(alternatives: list[set[Meaning]], got: set[Meaning]) -> bool:
    return any(alternative <= got for alternative in alternatives)


def _meanings_of(commands: Sequence[Command], context: CommandContext) -> set[Meaning]:
    return {_meaning_of(command, commands, context) for command in commands}


def _meaning_of(command: Command, commands: Sequence[Command], context: CommandContext) -> Meaning:
    """What a command comes to, whatever its reason.

    Setting and correcting are one, and so are yes and setting the awaited yes/no slot.
    """
    match command:
        case SetSlot(name, value) | CorrectSlot(name, value):
            return (
                "set",
                name,
                _hashable_value(context.value_reader.read_value(context.slot_meant(name, commands), value)),
            )
        case OfferChange(name, value):
            return (
                "offer",
                name,
                _hashable_value(context.value_reader.read_value(context.slot_meant(name, commands), value)),
            )
        case AddValues(name, values) | RemoveValues(name, values):
            slot = context.slot_meant(name, commands)
            items = slot.items if slot is not None and slot.type == "list" else slot
            read = frozenset(_hashable_value(context.value_reader.read_value(items, value)) for value in values)
            return (type(command).__name__, name, read)
        case Affirm() | Deny() if _asks_yes_or_no(context):
            return ("set", context.awaited_slot, isinstance(command, Affirm))
        case CancelFlow(flow):
            return ("cancel", flow or context.top_flow)
        case Clarify(flows):
            return ("clarify", *sorted(flows))
        case CannotHandle() | HandOff():
            return (type(command).__name__,)
        case _:
            return (type(command).__name__, *map(_hashable_value, astuple(command)))


def _asks_yes_or_no(context: CommandContext) -> bool:
    slot = context.slot_meant(context.awaited_slot, ()) if context.awaited_slot else None
    return slot is not None and slot.type == "boolean"


def _hashable_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return tuple(sorted((key, _hashable_value(item)) for key, item in value.items()))
    if isinstance(value, list | tuple):
        return tuple(_hashable_value(item) for item in value)
    return value


def _expectation_text(expected: Sequence[Expected]) -> str:
    return "; ".join(_entry_text(entry) for entry in expected) or "nothing"


def _entry_text(entry: Expected) -> str:
    text = " or ".join(_commands_text(commands) for commands in entry.alternatives)
    return f"{text} (optional)" if entry.optional else text


def _commands_text(commands: Iterable[Command]) -> str:
    return ", ".join(str(to_plain(command)) for command in commands) or "nothing"
