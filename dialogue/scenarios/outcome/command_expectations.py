"""Comparing the commands that an understanding produced with those that a scenario expects: as sets, by meaning."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from dialogue.engine.language.compiler import Assistant, Slot
from dialogue.engine.ports.commands import (
    Affirm,
    CancelFlow,
    CannotHandle,
    Clarify,
    Command,
    CorrectSlot,
    Deny,
    HandOff,
    OfferChange,
    SetSlot,
    StartFlow,
    to_plain,
)
from dialogue.scenarios.doubles import Setting
from dialogue.scenarios.format.files import Expected
from dialogue.scenarios.outcome.results import Difference

Meaning = tuple[Any, ...]


@dataclass(frozen=True)
class Hearing:
    """Where the message was heard: the stack as it stood, such as ("transfer_money!confirm",)."""

    assistant: Assistant
    setting: Setting
    stack: tuple[str, ...] = ()

    @property
    def awaited(self) -> str:
        """The slot that was awaited, or ""."""
        return self.stack[-1].partition("?")[2] if self.stack else ""

    @property
    def top(self) -> str:
        """The flow on top, or ""."""
        return _flow_of(self.stack[-1]) if self.stack else ""

    def slot(self, name: str, commands: Iterable[Command]) -> Slot | None:
        """The slot that a command means: of a flow that it starts, of the stack from its top, of any flow."""
        started = [command.flow for command in commands if isinstance(command, StartFlow)]
        running = [_flow_of(entry) for entry in reversed(self.stack)]
        found = (self.assistant.slot(flow, name) for flow in (*started, *running, *self.assistant.flows))
        return next((slot for slot in found if slot), None)


def _flow_of(entry: str) -> str:
    return entry.split("?", maxsplit=1)[0].split("!", maxsplit=1)[0]


def misunderstood(wanted: Sequence[Expected], commands: Sequence[Command], hearing: Hearing) -> tuple[Difference, ...]:
    """One difference when the commands are not those that are expected, else none."""
    got = {_meaning(command, commands, hearing) for command in commands}
    alternatives = [[_meanings(each, hearing) for each in place.alternatives] for place in wanted]
    met = [_met(place, got) for place in alternatives]
    missing = any(not each and not place.optional for each, place in zip(met, wanted, strict=True))
    allowed = {meaning for place in alternatives for each in place for meaning in each}
    if not missing and got <= allowed:
        return ()
    return (Difference("commands", _said(wanted), _plainly(commands)),)


def _met(place: list[set[Meaning]], got: set[Meaning]) -> bool:
    return any(each <= got for each in place)


def _meanings(commands: Sequence[Command], hearing: Hearing) -> set[Meaning]:
    return {_meaning(command, commands, hearing) for command in commands}


def _meaning(command: Command, beside: Sequence[Command], hearing: Hearing) -> Meaning:
    """What a command comes to, whatever its reason.

    Setting and correcting are one, and so are yes and setting the awaited yes/no slot.
    """
    match command:
        case SetSlot(name, value) | CorrectSlot(name, value):
            return ("set", name, _comparable(hearing.setting.taken(hearing.slot(name, beside), value)))
        case OfferChange(name, value):
            return ("offer", name, _comparable(hearing.setting.taken(hearing.slot(name, beside), value)))
        case Affirm() | Deny() if _asks_yes_or_no(hearing):
            return ("set", hearing.awaited, isinstance(command, Affirm))
        case CancelFlow(flow):
            return ("cancel", flow or hearing.top)
        case Clarify(flows):
            return ("clarify", *sorted(flows))
        case CannotHandle() | HandOff():
            return (type(command).__name__,)
        case _:
            return (type(command).__name__, *map(_comparable, astuple(command)))


def _asks_yes_or_no(hearing: Hearing) -> bool:
    slot = hearing.slot(hearing.awaited, ()) if hearing.awaited else None
    return slot is not None and slot.type == "boolean"


def _comparable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return tuple(sorted((key, _comparable(item)) for key, item in value.items()))
    if isinstance(value, list | tuple):
        return tuple(_comparable(item) for item in value)
    return value


def _said(wanted: Sequence[Expected]) -> str:
    return "; ".join(_place(each) for each in wanted) or "nothing"


def _place(each: Expected) -> str:
    said = " or ".join(_plainly(commands) for commands in each.alternatives)
    return f"{said} (optional)" if each.optional else said


def _plainly(commands: Iterable[Command]) -> str:
    return ", ".join(str(to_plain(command)) for command in commands) or "nothing"
