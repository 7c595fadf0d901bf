"""Commands, their scenario form, and their handlers."""

from typing import Any

import pytest

from dialogue.engine.commands.handlers import HANDLERS
from dialogue.engine.ports.commands import (
    BUILT_IN,
    Affirm,
    CancelFlow,
    Choose,
    Clarify,
    CommandRefused,
    Digress,
    HandOff,
    SetSlot,
    StartFlow,
    from_plain,
    register,
    to_plain,
)


@pytest.mark.parametrize(
    ("plain", "commands"),
    [
        ("affirm", [Affirm()]),
        ({"affirm": None}, [Affirm()]),
        ({"start_flow": "trip"}, [StartFlow("trip")]),
        ({"set_slot": {"a": 1, "b": None}}, [SetSlot("a", 1), SetSlot("b", None)]),
        ("cancel_flow", [CancelFlow()]),
        ({"cancel_flow": "trip", "optional": True}, [CancelFlow("trip")]),
        ({"clarify": ["a", "b"]}, [Clarify(("a", "b"))]),
        ({"digress": {"kind": "question", "topic": "hours"}}, [Digress("question", "hours")]),
        ({"digress": "help"}, [Digress("help")]),
        ({"handoff": "angry"}, [HandOff("angry")]),
        ({"one_of": ["affirm", "deny"]}, [Affirm()]),
    ],
)
def test_the_scenario_form_is_read(plain: Any, commands: list[Any]):
    assert list(from_plain(plain)) == commands


@pytest.mark.parametrize(
    "plain",
    ["affirm", {"start_flow": "x"}, {"set_slot": {"a": [1]}, "words": "one"}, {"clarify": ["a"]}, "handoff", "restart",
     {"digress": {"kind": "help"}}, {"skip_slot": "a"}, {"handoff": "angry"}, {"cannot_handle": "why"}],
)  # fmt: skip
def test_the_scenario_form_is_written_as_it_was_read(plain: Any):
    assert [to_plain(each) for each in from_plain(plain)] == [plain]


@pytest.mark.parametrize(
    "plain", ["dance", {"dance": 1}, {}, 5, None, {"set_slot": "a"}, {"start_flow": {"x": 1}}, "start_flow"]
)
def test_what_is_no_command_is_refused(plain: Any):
    with pytest.raises(CommandRefused):
        from_plain(plain)


def test_every_command_has_one_handler():
    assert set(HANDLERS) == set(BUILT_IN)
    with pytest.raises(ValueError, match="start_flow has a handler already"):
        register({StartFlow: lambda turn, command: None})


@pytest.mark.parametrize("command", [StartFlow(""), Choose("")])
def test_a_name_that_is_empty_is_written_and_read_back(command: Any) -> None:
    assert list(from_plain(to_plain(command))) == [command]
