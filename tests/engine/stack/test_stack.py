"""The dialogue stack gives a new stack for every change, and keeps chains together."""

from typing import Any

from dialogue.engine.stack import stack
from dialogue.engine.stack.state import Frame, copy_json, new_frame, new_memory
from tests.support.engine.dialogue_harness import MORNING


def _frame(name: str, caller: str = "") -> Frame:
    frame = new_frame(new_memory(), name, "first", MORNING)
    if caller:
        frame["caller"] = {"frame": f"{caller}-1", "step": "go", "reads": {}}
    return frame


def _names(frames: stack.Stack) -> list[str]:
    return [each["flow"] for each in frames]


A, B, C = _frame("a"), _frame("b", caller="a"), _frame("c")


def test_pushing_leaves_the_old_stack_as_it_was():
    old = [A]
    assert _names(stack.push(old, C)) == ["a", "c"]
    assert _names(old) == ["a"]


def test_a_caller_and_what_it_called_are_a_chain():
    assert stack.root_of([A, B, C], B) is A
    assert _names(stack.chain_of([A, B, C], A)) == ["a", "b"]
    assert _names(stack.root_frames([A, B, C])) == ["a", "c"]


def test_a_chain_is_raised_as_a_whole():
    assert _names(stack.raise_chain([A, B, C], B)) == ["c", "a", "b"]


def test_what_is_planned_slips_under_the_whole_chain():
    assert _names(stack.insert_below([A, B], C, B)) == ["c", "a", "b"]


def test_a_called_flow_stands_right_above_its_caller():
    assert _names(stack.insert_above([A, C], B, A)) == ["a", "b", "c"]


def test_a_copy_shares_nothing_that_can_change():
    plain: dict[str, Any] = {"a": [{"b": 1}], "c": "x"}
    copy = copy_json(plain)
    copy["a"][0]["b"] = 2
    assert plain["a"][0]["b"] == 1
