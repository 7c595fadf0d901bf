"""Every message of the demo's scenarios is understood as they say, in the situation that the turns before it left."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from dialogue.engine.ports.commands import Command, CorrectSlot, SetSlot, from_plain
from dialogue.engine.understanding import NLUContext
from tests.support.nlu.meanings import same
from tests.support.nlu.situations import assistant_named, nlu_of, situation

SCENARIOS = Path(__file__).parents[2] / "dialogue/library/demo/scenarios"


@dataclass
class Replay:
    """What the engine would have left behind, as far as understanding sees it."""

    assistant: str
    stack: list[str] = field(default_factory=list)
    offer: tuple[str, ...] = ()
    filled: dict[str, str] = field(default_factory=dict)

    def context(self) -> NLUContext:
        return situation(assistant_named(self.assistant), *self.stack, filled=self.filled, offer=self.offer)

    def follow(self, turn: Mapping[str, Any]) -> None:
        for command in _given(turn):
            if isinstance(command, SetSlot | CorrectSlot):
                self.filled[f"{self._owner(command.slot)}.{command.slot}"] = str(command.value)
        expect = turn.get("expect", {})
        keys = [each if isinstance(each, str) else next(iter(each)) for each in expect.get("messages", [])]
        self.offer = tuple(turn["commands"][0]["clarify"]) if "clarify" in keys else ()
        self.stack = expect.get("stack", [*self.stack[:-1], *self._awaiting(keys[-1:])])
        for name, value in expect.get("slots", {}).items():
            self.filled = {key: text for key, text in self.filled.items() if key != name or value is not None}

    def _owner(self, slot: str) -> str:
        return next(name for name, flow in assistant_named(self.assistant).flows.items() if slot in flow.slots)

    def _awaiting(self, keys: list[str]) -> Iterator[str]:
        for key in keys:
            kind, _, what = key.partition(":")
            if kind == "ask":
                yield f"{self._owner(what)}?{what}"
            if kind == "confirm":
                yield f"{what}!confirm"
            if kind == "waiting":
                yield "transfer_money!human"


def _given(turn: Mapping[str, Any]) -> list[Command]:
    return [command for each in turn.get("commands", []) for command in from_plain(each)]


def _messages() -> Iterator[Any]:
    for name in ("library", "bank"):
        for scenario in YAML(typ="safe").load(SCENARIOS / f"{name}.yaml")["scenarios"]:
            replay = Replay(name)
            for place, turn in enumerate(scenario["turns"], 1):
                if "user" in turn:
                    yield pytest.param(name, replay.context(), turn, id=f"{scenario['name']}, turn {place}")
                replay.follow(turn)


@pytest.mark.parametrize(("name", "context", "turn"), list(_messages()))
async def test_a_message_of_the_scenarios_is_understood(name: str, context: NLUContext, turn: dict[str, Any]) -> None:
    understanding = await nlu_of(name).understand(turn["user"], context)

    assert any(same(understanding.commands, expected) for expected in _expectations(turn))
    assert understanding.dropped == ()


def _expectations(turn: Mapping[str, Any]) -> list[list[Command]]:
    first = turn["commands"][0]
    if isinstance(first, dict) and "one_of" in first:
        return [list(from_plain(each)) for each in first["one_of"]]
    return [_given(turn)]
