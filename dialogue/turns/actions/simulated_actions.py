"""Actions of a test: what somebody wrote down that they give, and what their contracts promise."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from dialogue.engine.actions import ActionCall, Actions, Failed, Outcome, Succeeded
from dialogue.engine.language.compiler import Slot
from dialogue.engine.slots.values import ValueRefused, value_from_any

Plain = Mapping[str, Any]


@dataclass(frozen=True)
class SimulatedActions:
    """The actions port of a test: gives what the first stub that fits says; without one, what the contract promises.

    `inner` is called for an action that has no stub; None: nothing real is ever called.
    """

    stubs: Mapping[str, list[Plain]]
    now: datetime
    language: str
    timezone: str
    inner: Actions | None = None

    async def run(self, call: ActionCall) -> Outcome:
        """Give the stub's error or its values; what it leaves out is made up from the contract."""
        stub = next(
            (candidate for candidate in self.stubs.get(call.name, ()) if self._matches_stub(candidate, call)), None
        )
        if stub is None and self.inner is not None:
            return await self.inner.run(call)
        if stub is not None and stub.get("raises") is not None:
            return Failed(str(stub["raises"]))
        returned = (stub or {}).get("returns")
        outputs = call.contract.outputs
        made_up = {name: self._made_up(name, slot, call) for name, slot in outputs.items()} if returned is None else {}
        outputs_by_name = {
            name: self._typed_value(outputs.get(name), value) for name, value in (returned or {}).items()
        }
        return Succeeded({**dict.fromkeys(outputs), **made_up, **outputs_by_name})

    def _matches_stub(self, stub: Plain, call: ActionCall) -> bool:
        slots, expected = call.contract.inputs, stub.get("when") or {}
        return all(
            self._typed_value(slots.get(name), value) == call.inputs.get(name) for name, value in expected.items()
        )

    def _typed_value(self, slot: Slot | None, value: Any) -> Any:
        """The value as the contract's type stores it; what the type refuses stays as it was written."""
        if slot is None or value is None:
            return value
        try:
            return value_from_any(slot, value, now=self.now, timezone=self.timezone, language=self.language)
        except ValueRefused:
            return value

    def _made_up(self, name: str, slot: Slot, call: ActionCall) -> Any:
        """What the action was given under this name, or else something of the right type."""
        if name in call.inputs:
            return call.inputs[name]
        return self._typed_value(slot, example_of(name, slot, self.now))


def example_of(name: str, slot: Slot, now: datetime) -> Any:
    """A value that this slot would take, the same every time; the author's own example or default before all."""
    if slot.default is not None:
        return slot.default
    if slot.options:
        return slot.options[0].value
    return slot.examples[0] if slot.examples else _EXAMPLES.get(slot.type, lambda *_: None)(name, slot, now)


_EXAMPLES: dict[str, Any] = {
    "text": lambda name, _slot, _now: f"{name}-1",
    "integer": lambda _name, slot, _now: int(slot.minimum) if slot.minimum is not None else 1,
    "number": lambda _name, slot, _now: slot.minimum if slot.minimum is not None else 1,
    "money": lambda _name, slot, _now: slot.minimum if slot.minimum is not None else "100.00",
    "boolean": lambda _name, _slot, _now: True,
    "date": lambda _name, _slot, now: (now + timedelta(days=14)).date().isoformat(),
    "time": lambda _name, _slot, _now: "10:00",
    "datetime": lambda _name, _slot, now: (now + timedelta(days=14)).replace(microsecond=0).isoformat(),
    "email": lambda name, _slot, _now: f"{name}@example.com".replace("_", "."),
    "phone": lambda _name, _slot, _now: "+390612345678",
    "list": lambda _name, _slot, _now: [],
    "object": lambda _name, slot, now: {name: example_of(name, field, now) for name, field in slot.fields.items()},
}
