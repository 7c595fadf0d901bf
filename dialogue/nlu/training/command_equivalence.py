"""Compare commands with the expected ones, as sets: reasons and the spelling of values do not count."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any

from dialogue.engine.language.compiler import Slot
from dialogue.engine.ports.commands import (
    AddValues,
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
    RemoveValues,
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
    """A command in the form in which it is compared; it is counted under `kind`."""

    kind: str
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """The commands that are right, those that were expected but missed, and the surplus ones."""

    right: frozenset[CommandMeaning]
    missed: frozenset[CommandMeaning]
    surplus: frozenset[CommandMeaning]

    @property
    def exact(self) -> bool:
        return not self.missed and not self.surplus


def judge_commands(example: LabelledExample, commands: Sequence[Command]) -> Verdict:
    """Compare the commands with the expected ones. Of several alternatives, the closest one counts."""
    got = frozenset(command_meaning(command, commands, example) for command in commands)
    expected: set[CommandMeaning] = set()
    for position in example.expected:
        closest = _closest_alternative(position, got, example)
        # An optional position expects only what was got, so that leaving it out is not a miss.
        expected |= closest & got if position.optional else closest
    return Verdict(frozenset(expected & got), frozenset(expected - got), frozenset(got - expected))


def _closest_alternative(
    expected: ExpectedCommands, got: frozenset[CommandMeaning], example: LabelledExample
) -> set[CommandMeaning]:
    alternatives = [
        # The other expected commands say which flow starts: its slot is meant, not one of that name in a running flow.
        {command_meaning(command, (*alternative, *example.first_commands), example) for command in alternative}
        for alternative in expected.alternatives
    ]
    return max(alternatives, key=lambda alternative: (alternative <= got, len(alternative & got)))


def command_meaning(command: Command, commands: Sequence[Command], example: LabelledExample) -> CommandMeaning:
    """The meaning of a command. Setting and correcting a slot mean the same, and so do yes and setting the awaited
    yes/no slot. Reasons do not count.
    """
    match command:
        case SetSlot() | CorrectSlot() | OfferChange() | AddValues() | RemoveValues():
            return _value_meaning(command, _find_slot(command.slot, commands, example), example)
        case Affirm() | Deny() if boolean_slot := _awaited_boolean(example):
            return CommandMeaning(SET_SLOT, (boolean_slot, repr(isinstance(command, Affirm)).casefold()))
        case CancelFlow(flow):
            return CommandMeaning("cancel_flow", (flow or _running_flow(example),))
        case Clarify(flows):
            return CommandMeaning("clarify", tuple(sorted(flows)))
        case Digress(kind) if kind in ("help", "status"):
            return CommandMeaning("digress", (kind,))
        case CannotHandle() | HandOff():
            return CommandMeaning(_kind_of(command))
        case _:
            return CommandMeaning(_kind_of(command), tuple(map(_make_hashable, astuple(command))))


def _value_meaning(
    command: SetSlot | CorrectSlot | OfferChange | AddValues | RemoveValues, slot: Slot | None, example: LabelledExample
) -> CommandMeaning:
    if isinstance(command, AddValues | RemoveValues):
        items = slot.items if slot is not None and slot.type == "list" else slot
        entries = sorted(_stored_form(items, value, example) for value in command.values)
        return CommandMeaning(_kind_of(command), (command.slot, *entries))
    kind = "offer_change" if isinstance(command, OfferChange) else SET_SLOT
    return CommandMeaning(kind, (command.slot, _stored_form(slot, command.value, example)))


def _make_hashable(value: Any) -> Any:
    """Values of a project's own command may be lists or mappings, which sets cannot hold."""
    return value if isinstance(value, str | tuple) else repr(value)


def _kind_of(command: Command) -> str:
    plain = to_plain(command)
    return plain if isinstance(plain, str) else next(iter(plain))


def _awaited_boolean(example: LabelledExample) -> str:
    slot = example.context.awaited_slot
    is_collecting = slot is not None and slot.type == "boolean" and isinstance(example.context.awaited, CollectTask)
    return slot.name if slot is not None and is_collecting else ""


def _running_flow(example: LabelledExample) -> str:
    return example.context.stack[-1].flow if example.context.stack else ""


def _find_slot(name: str, commands: Sequence[Command], example: LabelledExample) -> Slot | None:
    """Look for the slot in the flows that are started, then on the stack from its top, then in all flows."""
    assistant = example.context.assistant
    started = [command.flow for command in commands if isinstance(command, StartFlow)]
    running = [entry.flow for entry in reversed(example.context.stack)]
    slots = (assistant.slot(flow, name) for flow in (*started, *running, *assistant.flows) if flow in assistant.flows)
    return next((slot for slot in slots if slot), None)


def _stored_form(slot: Slot | None, value: Any, example: LabelledExample) -> str:
    """The stored form as text; a value that the slot's type refuses is compared as written."""
    if slot is None:
        return str(value).casefold()
    context = example.context
    for reader in (slot, _without_limits(slot)):
        try:
            stored = value_from_any(
                reader, value, now=context.now, timezone=context.timezone, language=context.language
            )
            return repr(stored).casefold()
        except ValueRefused:
            continue
    return str(value).casefold()


def _without_limits(slot: Slot) -> Slot:
    """The slot without its limits: "3000" and 3000 are the same value, also where both are out of bounds."""
    return slot.model_copy(update={name: Slot.model_fields[name].get_default() for name in SLOT_LIMITS})
