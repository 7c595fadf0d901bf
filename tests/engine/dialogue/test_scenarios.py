"""The two demo assistants hold the conversations of their scenario files, on the engine alone."""

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from dialogue.engine.language.compiler import Assistant, load_assistant
from tests.support.engine.dialogue_harness import Talk

SCENARIOS = Path(__file__).parents[3] / "dialogue/library/demo/scenarios"


def _read(name: str) -> dict[str, Any]:
    read: dict[str, Any] = YAML(typ="safe", pure=True).load((SCENARIOS / f"{name}.yaml").read_text())
    return read


def _assistant(path: Path) -> Assistant:
    return load_assistant({each.name: each.read_text() for each in path.glob("*.yaml")})


def _cases() -> list[Any]:
    files = {name: _read(name) for name in ("library", "bank")}
    return [
        pytest.param(name, file, scenario, id=scenario["name"])
        for name, file in files.items()
        for scenario in file["scenarios"]
    ]


@pytest.mark.parametrize(("name", "file", "scenario"), _cases())
async def test_the_engine_answers_as_the_scenario_says(name: str, file: dict[str, Any], scenario: dict[str, Any]):
    assistant = _assistant((SCENARIOS / file["assistant"]).resolve())
    talk = Talk(assistant, file["stubs"], **scenario.get("settings", {}))
    for turn in scenario["turns"]:
        if await _played(talk, turn):
            _check(talk, turn.get("expect", {}))
    for action, calls in scenario.get("finally", {}).get("actions", {}).items():
        assert [_texts(each) for each in talk.actions.inputs_of(action)] == [_texts(each) for each in calls]


async def _played(talk: Talk, turn: dict[str, Any]) -> bool:
    """Play one turn; False for what only the host can do."""
    if "user" in turn:
        await talk.says(turn["user"], *turn["commands"])
    elif "choose" in turn:
        await talk.chooses(turn["choose"])
    elif "clock" in turn:
        await talk.expires()
    elif "submit" in turn.get("operator", {}) and "expect_status" not in turn["operator"]:
        await talk.decides(turn["operator"]["submit"]["action"], **turn["operator"]["submit"].get("values", {}))
    else:
        return False
    return True


def _check(talk: Talk, expect: dict[str, Any]) -> None:
    if "messages" in expect:
        demands = [each if isinstance(each, dict) else {each: {}} for each in expect["messages"]]
        wanted = [next(iter(each)) for each in demands]
        assert [key.removeprefix("say:") for key in talk.keys] == [key.removeprefix("say:") for key in wanted]
        for message, demand in zip(talk.outcome.messages, demands, strict=True):
            _check_message(message, next(iter(demand.values())))
    if "stack" in expect:
        assert talk.stack == expect["stack"]
    for name, value in expect.get("slots", {}).items():
        held = talk.value(name)
        assert (held is None) == (value is None)
        assert value is None or _text(held) == _text(value)


def _check_message(message: Any, demand: dict[str, Any]) -> None:
    everything = " ".join([message.text, *(each.label for each in message.buttons)]).casefold()
    assert all(each.casefold() in everything for each in demand.get("contains", ()))
    assert not any(each.casefold() in everything for each in demand.get("excludes", ()))
    assert demand.get("buttons", len(message.buttons)) == len(message.buttons)


def _texts(inputs: dict[str, Any]) -> dict[str, str]:
    return {name: _text(value) for name, value in inputs.items()}


def _text(value: Any) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value:.2f}" if number else str(value)
