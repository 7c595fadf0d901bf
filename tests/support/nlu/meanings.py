"""When two lists of commands come to the same: as sets, whatever the reasons and the way a value is written."""

from collections.abc import Sequence

from dialogue.engine.ports.commands import (
    CannotHandle,
    Clarify,
    Command,
    CorrectSlot,
    Digress,
    HandOff,
    OfferChange,
    SetSlot,
)
from dialogue.nlu.readers.command_filter import equal_values


def same(got: Sequence[Command], wanted: Sequence[Command]) -> bool:
    return len(got) == len(wanted) and all(any(equal(each, other) for other in got) for each in wanted)


def equal(left: Command, right: Command) -> bool:
    if isinstance(left, OfferChange) and isinstance(right, OfferChange):
        return left.slot == right.slot and equal_values(left.value, right.value)
    if isinstance(left, SetSlot | CorrectSlot) and isinstance(right, SetSlot | CorrectSlot):
        return left.slot == right.slot and equal_values(left.value, right.value)
    if isinstance(left, Clarify) and isinstance(right, Clarify):
        return set(left.flows) == set(right.flows)
    if isinstance(left, Digress) and isinstance(right, Digress) and left.kind in ("help", "status"):
        return left.kind == right.kind
    return left == right or (type(left) is type(right) and isinstance(left, CannotHandle | HandOff))
