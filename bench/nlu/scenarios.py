"""Our own scenarios with the learned model: the share of turns that go as expected, and every one that does not."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.nlu.figures import share_line

OWN = Path(__file__).parents[2] / "tests" / "scenarios"
ROOT = Path(__file__).parents[2]
DEMO = ROOT / "dialogue/library/demo/scenarios"
SHARED = "fixtures/scenarios"


def table(folder: Path) -> Iterator[str]:
    """`folder` may lie beside `fixtures/`, whose scenarios are then played too: all of their turns must be right."""
    fixtures = folder.resolve().parent / SHARED
    yield "Scenarios played with --nlu learned, compared by words"
    yield from _played("own scenarios", [OWN, DEMO], 90)
    if fixtures.is_dir():
        yield from _played("scenarios of the fixtures", [fixtures], 100)


def _played(name: str, paths: list[Path], demanded: float) -> Iterator[str]:
    command = [sys.executable, "manage.py", "run_scenarios", *map(str, paths), "--nlu", "learned", "--format", "json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    scenarios = json.loads(done.stdout)["scenarios"]
    turns = [turn for scenario in scenarios for turn in scenario["turns"]]
    yield share_line(f"{name}: turns", sum(not turn["differences"] for turn in turns), len(turns), demanded)
    for scenario in scenarios:
        yield from _wrong(scenario)


def _wrong(scenario: dict[str, Any]) -> Iterator[str]:
    """Only what was understood otherwise; what follows from that is not told again."""
    for turn in scenario["turns"]:
        for each in (each for each in turn["differences"] if each["what"] == "commands"):
            yield f"  {scenario['file']}: {scenario['name']}: {turn['title']}"
            yield f"    expected {each['expected']}"
            yield f"    got      {each['got']}"
