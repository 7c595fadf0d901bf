"""What a test conversation has in place of the world: simulated actions, another NLU, a clock that can be moved.

A test's clock is the real one plus a distance. Moving it ahead brings every deadline that much nearer, because the
database compares deadlines with its own clock.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from django.db import transaction
from django.db.models import F

from dialogue.conf import soni
from dialogue.engine.actions import ActionCall, Actions, Failed, Outcome, Succeeded
from dialogue.engine.language.compiler import Assistant, Slot
from dialogue.engine.slots.file_kinds import expand_kinds
from dialogue.engine.slots.values import ValueRefused, value_from_any
from dialogue.engine.understanding import NLU
from dialogue.models import Conversation, HITLSession, Outreach, Release, Timer, Trial
from dialogue.turns import clock
from dialogue.turns.compiled_releases import ReleaseCache, assistant_of, registered_actions
from dialogue.turns.nlu.understanding import build_named_nlu

Plain = Mapping[str, Any]

DEADLINES = ("due_at", "expires_at", "urgent_at", "escalates_at", "follow_up_at")
"""The columns of a session that move with a test's clock."""

NO_ACTIONS: frozenset[str] = frozenset()
FAR_FUTURE = timedelta(days=3650)
"""A deadline this far away stands for a session without one; it stays where it is."""


def trial_of(conversation: Conversation) -> Trial | None:
    """Return the settings of a test conversation; None for a real one, and for a test outside the test console."""
    row = Trial.objects.filter(pk=conversation.pk).first() if conversation.test else None
    if row is not None:
        row.conversation = conversation
    return row


def actions_of(
    conversation: Conversation, trial: Trial | None, real: Actions, assistant: Assistant, now: datetime
) -> Actions:
    """Return the actions port of a conversation: `real`, or the simulated one of a test.

    A test calls real actions only in the test console, and only when its author chose that.
    """
    if not conversation.test:
        return real
    language = conversation.language or assistant.language
    chosen = trial is not None and trial.actions == Trial.Actions.REAL and not trial.private
    stubs = trial.stubs if trial else {}
    inner, real_names = (real, registered_actions()) if chosen else (None, NO_ACTIONS)
    return SimulatedActions(stubs, now, language, assistant.timezone, inner, real_names)


def nlu_in_test(trial: Trial | None, release: Release, usual: NLU) -> NLU:
    """Return the NLU of a conversation: the release's, or the mode that its test asks for."""
    if trial is None or trial.nlu in ("", soni.NLU):
        return usual
    return understanding_named(trial.nlu, release)


def understanding_named(mode: str, release: Release) -> NLU:
    """Return the NLU of a release in this mode, built once a process."""
    return nlus_by_release(mode).get(release)


def now_in(trial: Trial | None, at: datetime) -> datetime:
    """Return the time by the conversation's clock at the real time `at`."""
    return at + trial.ahead if trial else at


@transaction.atomic
def move_clock(trial: Trial, by: timedelta) -> None:
    """Move the clock of a test ahead: every deadline of the conversation comes nearer by `by`."""
    row = Conversation.objects.select_for_update().get(pk=trial.pk)
    trial.refresh_from_db()  # another move may have been made while the row was waited for
    moved = {"turn": row.last_turn, "seconds": int(by.total_seconds())}
    Trial.objects.filter(pk=trial.pk).update(ahead=F("ahead") + by, moves=[*trial.moves, moved])
    trial.refresh_from_db()
    if row.idle_until is not None:
        Conversation.objects.filter(pk=row.pk).update(idle_until=F("idle_until") - by)
    Timer.objects.filter(conversation=row, fired_at__isnull=True).update(due_at=F("due_at") - by)
    Outreach.objects.filter(conversation=row, state=Outreach.State.PLANNED).update(due_at=F("due_at") - by)
    for session in HITLSession.objects.filter(conversation=row, state__in=HITLSession.UNDECIDED):
        at = clock.now()
        for name in DEADLINES:
            deadline = getattr(session, name)
            if deadline is not None and deadline - at < FAR_FUTURE:
                setattr(session, name, deadline - by)
        session.version += 1
        session.save(update_fields=[*DEADLINES, "version"])


@cache
def nlus_by_release(mode: str) -> ReleaseCache[NLU]:
    """Return the cache of NLUs in this mode, by release."""
    return ReleaseCache(lambda release: build_named_nlu(mode, assistant_of(release)))


@dataclass(frozen=True)
class SimulatedActions:
    """The actions port of a test: returns the result of the first stub that matches, else values that fit the contract.

    A stub is `{"when": {input: value}, "returns": {output: value}, "raises": text}`, each part optional. `inner` is
    called for an action without a matching stub whose Python code is registered, which `real_names` lists; None: no
    real action is called.
    """

    stubs: Mapping[str, list[Plain]]
    now: datetime
    language: str
    timezone: str
    inner: Actions | None = None
    real_names: frozenset[str] = NO_ACTIONS

    async def run(self, call: ActionCall) -> Outcome:
        """Return `Failed` with the stub's error, or its values, with None for outputs that they leave out."""
        stub = next(
            (candidate for candidate in self.stubs.get(call.name, ()) if self._matches_stub(candidate, call)), None
        )
        if stub is None and self.inner is not None and call.name in self.real_names:
            return await self.inner.run(call)
        if stub is not None and stub.get("raises") is not None:
            return Failed(str(stub["raises"]))
        returned = (stub or {}).get("returns")
        outputs = call.contract.outputs
        made_up = {name: self._made_up(name, slot, call) for name, slot in outputs.items()} if returned is None else {}
        outputs_by_name = {
            name: self._typed_value(outputs.get(name), value) for name, value in (returned or {}).items()
        }
        return Succeeded({**dict.fromkeys(outputs), **made_up, **outputs_by_name}, simulated=True)

    def _matches_stub(self, stub: Plain, call: ActionCall) -> bool:
        slots, expected = call.contract.inputs, stub.get("when") or {}
        return all(
            self._typed_value(slots.get(name), value) == call.inputs.get(name) for name, value in expected.items()
        )

    def _typed_value(self, slot: Slot | None, value: Any) -> Any:
        """Return the value as the contract's type stores it; a value that the type refuses stays as it was written."""
        if slot is None or value is None:
            return value
        try:
            return value_from_any(slot, value, now=self.now, timezone=self.timezone, language=self.language)
        except ValueRefused:
            return value

    def _made_up(self, name: str, slot: Slot, call: ActionCall) -> Any:
        """Return the input of this name, or else an example of the right type."""
        if name in call.inputs:
            return call.inputs[name]
        return self._typed_value(slot, example_of(name, slot, self.now))


EXAMPLE_RECORDS = 3
"""How many entries a simulated action returns in a list of records."""


def example_of(name: str, slot: Slot, now: datetime) -> Any:
    """Return the slot's default, first option or first example, else a fixed value of its type."""
    if slot.default is not None:
        return slot.default
    if slot.options:
        return slot.options[0].value
    return slot.examples[0] if slot.examples else _EXAMPLES.get(slot.type, lambda *_: None)(name, slot, now)


def _example_records(slot: Slot, now: datetime) -> list[Any]:
    """Return a few records for a list of them, which differ, so that a flow can offer them; no entries for other lists.

    The options of a field take turns.
    """
    if slot.items is None or slot.items.type != "object":
        return []
    return [_example_record(slot.items, number, now) for number in range(1, EXAMPLE_RECORDS + 1)]


def _example_record(record: Slot, number: int, now: datetime) -> dict[str, Any]:
    return {name: _example_field(name, field, number, now) for name, field in record.fields.items()}


def _example_field(name: str, slot: Slot, number: int, now: datetime) -> Any:
    if slot.options:
        return slot.options[(number - 1) % len(slot.options)].value
    if slot.type == "text" and slot.default is None and not slot.examples:
        return f"{name}-{number}"
    return example_of(name, slot, now)


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
    "file": lambda name, slot, _now: {"name": name, "kind": expand_kinds(slot.kinds)[0], "size": 1024},
    "list": lambda _name, slot, now: _example_records(slot, now),
    "object": lambda _name, slot, now: {name: example_of(name, field, now) for name, field in slot.fields.items()},
}
