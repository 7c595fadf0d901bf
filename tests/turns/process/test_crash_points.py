"""Fault points: nothing in production, the end of the process where a campaign says so."""

import re
from pathlib import Path

import pytest

from dialogue.turns.process import crash_points as faults

PRODUCT = [*Path("dialogue").rglob("*.py"), *Path("soni_admin").rglob("*.py"), Path("manage.py")]


def points_passed() -> set[str]:
    """The names that the product's code passes."""
    calls = re.compile(r"\bcrash_point(?:\(|, )\"(\w+)\"")
    return {name for path in PRODUCT if path.name != "crash_points.py" for name in calls.findall(path.read_text())}


def test_every_point_is_passed_somewhere_and_explained():
    assert points_passed() == set(faults.POINTS)


def test_a_point_does_nothing_while_no_trap_is_set():
    assert faults._trap is None
    assert faults.crash_point.__code__.co_names == ("_trap",)  # a look at one variable, and a call of what it holds

    faults.crash_point("A6")


def test_the_product_itself_sets_no_trap_and_reads_none_from_outside():
    setting = [path for path in PRODUCT if "set_trap(" in path.read_text()]

    assert setting == [Path("dialogue/turns/process/crash_points.py")]
    assert "environ" not in setting[0].read_text()
    assert "settings" not in setting[0].read_text()


def test_a_trap_sees_each_point_that_is_passed():
    seen: list[str] = []
    faults.set_trap(seen.append)
    try:
        faults.crash_point("A1")
        faults.crash_point("A2")
    finally:
        faults.set_trap(None)

    assert seen == ["A1", "A2"]


@pytest.mark.parametrize("point", faults.POINTS)
def test_each_point_says_where_the_process_ends_and_what_holds(point: str):
    where, holds = faults.POINTS[point]

    assert where and holds


GUIDE = Path("docs/operations.md").read_text()


@pytest.mark.parametrize("point", faults.POINTS)
def test_the_operations_guide_tells_each_point_with_its_invariant(point: str):
    where, holds = faults.POINTS[point]

    assert re.search(rf"^\| {point} \| {re.escape(where)} \| {re.escape(holds)} \| \d+ \|$", GUIDE, re.MULTILINE)


LAST = {"A": 14, "B": 9, "C": 11, "D": 11, "E": 11, "F": 10}
ROWS = [f"{letter}{number}" for letter, last in LAST.items() for number in range(1, last + 1)]
REASONED = {"D11", "F8", "F10"}
"""Rows of the guide that say why there is nothing to show."""


@pytest.mark.parametrize("row", ROWS)
def test_every_fault_has_a_campaign_a_test_or_a_reason_in_the_guide(row: str):
    told = re.findall(rf"^\| (?:\w+, )*{row}(?:, \w+)* \|.*$", GUIDE, re.MULTILINE)

    assert len(told) == 1
    assert row in {*faults.POINTS, *REASONED} or "`tests/" in told[0] or "campaign `" in told[0]


def test_every_test_that_the_guide_names_is_there():
    named = re.findall(r"`((?:tests|dialogue)/[\w/]+\.py)(?:::(\w+))?`", GUIDE)

    missing = [f"{file}::{test}" for file, test in named if f"def {test}" not in Path(file).read_text()]

    assert named and missing == []
