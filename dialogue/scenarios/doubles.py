"""Test doubles of a scenario: given commands in place of the NLU, stubs in place of actions."""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from dialogue.engine.actions import ActionCall, Failed, Outcome, Succeeded, Unknown
from dialogue.engine.language.compiler import Slot
from dialogue.engine.ports.commands import CannotHandle, Command
from dialogue.engine.slots.values import ValueRefused, value_from_any
from dialogue.engine.understanding import NLUContext, PathEntry, Understanding
from dialogue.scenarios.format.files import Stub, plain_json
from dialogue.turns.actions.test_world import example_of
from dialogue.turns.clock import FrozenClock

LIMIT_FIELDS = (
    "minimum",
    "maximum",
    "min_length",
    "max_length",
    "pattern",
    "validator",
    "not_past",
    "not_future",
    "weekdays",
)


@dataclass(frozen=True)
class ValueReader:
    """The clock and the zone that values are read by."""

    clock: FrozenClock
    timezone: str = "UTC"
    language: str = "en"

    def read_value(self, slot: Slot | None, value: Any) -> Any:
        """The stored form of a value that a scenario writes; what its type refuses stays as it is, as plain JSON."""
        if slot is None or value is None:
            return plain_json(value)
        for reader in (slot, _without_limits(slot)):
            try:
                return value_from_any(reader, value, now=self.clock.at, timezone=self.timezone, language=self.language)
            except ValueRefused:
                continue
        return plain_json(value)

    def read_values(self, slots: Mapping[str, Slot], values: Mapping[str, Any]) -> dict[str, Any]:
        """The same for several; empty ones are left out, as an optional input of an action is."""
        read = {name: self.read_value(slots.get(name), value) for name, value in values.items()}
        return {name: value for name, value in read.items() if value is not None}


def _without_limits(slot: Slot) -> Slot:
    """The slot's type alone: a value that is out of bounds is still the same value as text and as number."""
    return slot.model_copy(update={name: Slot.model_fields[name].get_default() for name in LIMIT_FIELDS})


class GivenCommands:
    """Understanding that answers every message with the commands of the scenario's turn."""

    def __init__(self) -> None:
        self.commands: tuple[Command, ...] = ()

    async def understand(self, message: str, context: NLUContext) -> Understanding:
        commands = self.commands or (CannotHandle("the scenario gives no commands"),)
        return Understanding(commands, path=(PathEntry("given"),))


@dataclass
class StubbedWorld:
    """The actions port: answers from the stubs, the first that fits wins, and remembers every call.

    `without_code` are the actions whose Python code is not registered: without any stub they return plausible values,
    so that a sketch can be tried.
    """

    stubs: Mapping[str, tuple[Stub, ...]]
    value_reader: ValueReader
    calls: list[ActionCall] = field(default_factory=list)
    without_code: Set[str] = frozenset()

    async def run(self, call: ActionCall) -> Outcome:
        """What the stub says. Its delay moves the clock; one that passes the call's timeout leaves it unknown."""
        self.calls.append(call)
        if call.name in self.without_code and call.name not in self.stubs:
            return self._made_up(call)
        stub = self._stub_for(call)
        self.value_reader.clock.advance(min(stub.delay, call.timeout))
        if stub.delay > call.timeout:
            return Unknown("timeout")
        if stub.raises is not None:
            return Failed(stub.raises)
        empty = dict.fromkeys(call.contract.outputs)
        return Succeeded({**empty, **self.value_reader.read_values(call.contract.outputs, stub.returns or {})})

    def _made_up(self, call: ActionCall) -> Outcome:
        """What a test makes up for an action: its inputs of the same names, and an example of each other output."""
        now, outputs = self.value_reader.clock.at, call.contract.outputs
        examples = {name: call.inputs.get(name, example_of(name, slot, now)) for name, slot in outputs.items()}
        values = self.value_reader.read_values(outputs, examples)
        return Succeeded({**dict.fromkeys(outputs), **values}, simulated=True)

    def inputs_of(self, name: str) -> list[dict[str, Any]]:
        """What an action was called with, in order."""
        return [
            self.value_reader.read_values(call.contract.inputs, call.inputs) for call in self.calls if call.name == name
        ]

    def _stub_for(self, call: ActionCall) -> Stub:
        return next((stub for stub in self.stubs.get(call.name, ()) if self._stub_fits(stub, call)), Stub())

    def _stub_fits(self, stub: Stub, call: ActionCall) -> bool:
        slots = call.contract.inputs
        expected_inputs = {
            name: self.value_reader.read_value(slots.get(name), value) for name, value in stub.when.items()
        }
        inputs = self.value_reader.read_values(slots, call.inputs)
        return all(inputs.get(name) == value for name, value in expected_inputs.items())
