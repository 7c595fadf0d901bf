"""When two lists of commands come to the same: as sets, whatever the reasons and the way a value is written."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any

from dialogue.engine.language.compiler import Slot
from dialogue.engine.ports.commands import (
    Affirm,
    CancelFlow,
    CannotHandle,
    Clarify,
    Command,
    CorrectSlot,
    Deny,
    Digress,
    HandOff,
    OfferChange,
    SetSlot,
    StartFlow,
    to_plain,
)
from dialogue.engine.ports.tasks import CollectTask
from dialogue.engine.slots.values import ValueRefused, value_from_any
from dialogue.nlu.training.labelled_examples import ExpectedCommands, LabelledExample

SET_SLOT = "set_slot"
SLOT_LIMITS = (
    "minimum", "maximum", "min_length", "max_length", "pattern", "validator", "not_past", "not_future", "weekdays",
)  # fmt: skip


@dataclass(frozen=True)
class CommandMeaning:
    """A command as it is compared; `kind` is the name under which it is counted."""

    kind: str
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """What of the wanted was got, what was missed, and what was got besides."""

    right: frozenset[CommandMeaning]
    missed: frozenset[CommandMeaning]
    surplus: frozenset[CommandMeaning]

    @property
    def exact(self) -> bool:
        return not self.missed and not self.surplus


def judge_commands(lesson: LabelledExample, commands: Sequence[Command]) -> Verdict:
    """Of several ways to mean a place, the one that fits best counts."""
    got = frozenset(command_meaning(each, commands, lesson) for each in commands)
    wanted: set[CommandMeaning] = set()
    for place in lesson.expected:
        best = _best(place, got, lesson)
        wanted |= best & got if place.optional else best
    return Verdict(frozenset(wanted & got), frozenset(wanted - got), frozenset(got - wanted))


def _best(place: ExpectedCommands, got: frozenset[CommandMeaning], lesson: LabelledExample) -> set[CommandMeaning]:
    ways = [{command_meaning(each, way, lesson) for each in way} for way in place.alternatives]
    return max(ways, key=lambda way: (way <= got, len(way & got)))


def command_meaning(command: Command, beside: Sequence[Command], lesson: LabelledExample) -> CommandMeaning:
    """Setting and correcting are one, and so are yes and setting the awaited yes/no slot; reasons do not count."""
    match command:
        case SetSlot(name, value) | CorrectSlot(name, value):
            return CommandMeaning(SET_SLOT, (name, _stored(_slot(name, beside, lesson), value, lesson)))
        case OfferChange(name, value):
            return CommandMeaning("offer_change", (name, _stored(_slot(name, beside, lesson), value, lesson)))
        case Affirm() | Deny() if asked := _asked_yes_or_no(lesson):
            return CommandMeaning(SET_SLOT, (asked, repr(isinstance(command, Affirm)).casefold()))
        case CancelFlow(flow):
            return CommandMeaning("cancel_flow", (flow or _top(lesson),))
        case Clarify(flows):
            return CommandMeaning("clarify", tuple(sorted(flows)))
        case Digress(kind) if kind in ("help", "status"):
            return CommandMeaning("digress", (kind,))
        case CannotHandle() | HandOff():
            return CommandMeaning(_name(command))
        case _:
            return CommandMeaning(_name(command), tuple(map(_hashable, astuple(command))))


def _hashable(value: Any) -> Any:
    """A project's own command may carry lists and mappings."""
    return value if isinstance(value, str | tuple) else repr(value)


def _name(command: Command) -> str:
    plain = to_plain(command)
    return plain if isinstance(plain, str) else next(iter(plain))


def _asked_yes_or_no(lesson: LabelledExample) -> str:
    slot = lesson.context.awaited_slot
    asked = slot is not None and slot.type == "boolean" and isinstance(lesson.context.awaited, CollectTask)
    return slot.name if slot is not None and asked else ""


def _top(lesson: LabelledExample) -> str:
    return lesson.context.stack[-1].flow if lesson.context.stack else ""


def _slot(name: str, beside: Sequence[Command], lesson: LabelledExample) -> Slot | None:
    """The slot of a flow that is started, of the stack from its top, of any flow."""
    assistant = lesson.context.assistant
    started = [command.flow for command in beside if isinstance(command, StartFlow)]
    running = [entry.flow for entry in reversed(lesson.context.stack)]
    found = (assistant.slot(flow, name) for flow in (*started, *running, *assistant.flows) if flow in assistant.flows)
    return next((slot for slot in found if slot), None)


def _stored(slot: Slot | None, value: Any, lesson: LabelledExample) -> str:
    """The stored form as text; what the slot's type refuses is compared as it is written."""
    if slot is None:
        return str(value).casefold()
    context = lesson.context
    for reader in (slot, _without_limits(slot)):
        try:
            taken = value_from_any(reader, value, now=context.now, timezone=context.timezone, language=context.language)
            return repr(taken).casefold()
        except ValueRefused:
            continue
    return str(value).casefold()


def _without_limits(slot: Slot) -> Slot:
    """The slot's type alone: a value that is out of bounds is still the same value as text and as number."""
    return slot.model_copy(update={name: Slot.model_fields[name].get_default() for name in SLOT_LIMITS})
