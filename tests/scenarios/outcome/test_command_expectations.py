"""Commands are compared as sets and by their meaning."""

from datetime import UTC, datetime
from typing import Any

import pytest

from dialogue.engine.language.compiler import Assistant, load_assistant
from dialogue.engine.ports.commands import from_plain
from dialogue.library.demo.seed import ASSISTANTS_FOLDER
from dialogue.library.documents.folders import load_folder
from dialogue.scenarios.doubles import ValueReader
from dialogue.scenarios.format.files import Turn
from dialogue.scenarios.outcome.command_expectations import CommandContext, command_differences
from dialogue.turns.clock import FrozenClock


@pytest.fixture(scope="module")
def bank() -> Assistant:
    return load_assistant(load_folder(ASSISTANTS_FOLDER / "bank"))


def fits(bank: Assistant, wanted: list[Any], got: list[Any], *stack: str) -> bool:
    """Whether these commands, heard at this stack, are what the scenario wants."""
    expected = Turn.model_validate({"user": "x", "commands": wanted}).commands
    commands = [command for each in got for command in from_plain(each)]
    setting = ValueReader(FrozenClock(datetime(2026, 11, 23, 9, tzinfo=UTC)))
    return command_differences(expected, commands, CommandContext(bank, setting, stack)) == ()


@pytest.mark.parametrize(
    ("wanted", "got"),
    [
        (["affirm", {"start_flow": "block_card"}], [{"start_flow": "block_card"}, "affirm"]),
        ([{"set_slot": {"amount": 8450}}], [{"correct_slot": {"amount": "8450.00"}}]),
        ([{"set_slot": {"amount": 99999}}], [{"set_slot": {"amount": "99999"}}]),
        ([{"one_of": ["deny", "cannot_handle"]}], [{"cannot_handle": "out of scope"}]),
        (["affirm", {"chitchat": None, "optional": True}], ["affirm"]),
        ([{"clarify": ["check_balance", "block_card"]}], [{"clarify": ["block_card", "check_balance"]}]),
        (["cancel_flow"], [{"cancel_flow": "transfer_money"}]),
        (["affirm"], [{"set_slot": {"known": True}}]),
        ([{"set_slot": {"known": False}}], ["deny"]),
    ],
)
def test_commands_of_the_same_meaning_fit(bank: Assistant, wanted: list[Any], got: list[Any]):
    assert fits(bank, wanted, got, "transfer_money?known")


@pytest.mark.parametrize(
    ("wanted", "got"),
    [
        (["affirm"], []),
        (["affirm"], ["affirm", "repeat"]),
        ([{"set_slot": {"amount": 8450}}], [{"set_slot": {"amount": 845}}]),
        ([{"start_flow": "block_card"}], [{"start_flow": "check_balance"}]),
        ([{"one_of": ["deny", "repeat"]}], ["affirm"]),
    ],
)
def test_other_commands_fall_short(bank: Assistant, wanted: list[Any], got: list[Any]):
    assert not fits(bank, wanted, got, "transfer_money!confirm")
