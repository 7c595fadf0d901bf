"""Every conversation of every file in this folder, with the commands given: what the engine must do with them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dialogue.audit.invariants import count_violations
from dialogue.scenarios.format.files import Scenario
from dialogue.scenarios.format.reading import Script, read_script
from dialogue.scenarios.outcome.reports import text_report
from dialogue.scenarios.outcome.results import ScenarioResult
from dialogue.scenarios.runner import RunOptions, run_scenarios
from dialogue.scenarios.temporary_database import use_temporary_database

pytestmark = pytest.mark.journey

SCRIPTS = [read_script(file) for file in sorted(Path(__file__).parent.glob("*.yaml"))]
CONVERSATIONS = [
    pytest.param(script, scenario, id=f"{script.path.stem}: {scenario.name}")
    for script in SCRIPTS
    for scenario in script.file.scenarios
]
Play = Callable[[Script, Scenario], ScenarioResult]


class Performance:
    """Plays the scenarios of one file on one stage, one at a time, as they are asked for."""

    def __init__(self, script: Script) -> None:
        self._asked: list[Scenario] = []
        self._results = run_scenarios(script, iter(self._asked.pop, None), RunOptions())

    def play(self, scenario: Scenario) -> ScenarioResult:
        self._asked.append(scenario)
        return next(self._results)


@pytest.fixture(scope="module")
def play(django_db_blocker: Any) -> Iterator[Play]:
    """Plays a scenario in a database that the tests of this module share, as storing an assistant takes a while."""
    performances: dict[Path, Performance] = {}

    def played(script: Script, scenario: Scenario) -> ScenarioResult:
        if script.path not in performances:
            performances[script.path] = Performance(script)
        return performances[script.path].play(scenario)

    with django_db_blocker.unblock(), use_temporary_database():
        yield played


@pytest.mark.parametrize(("script", "scenario"), CONVERSATIONS)
def test_the_conversation_goes_as_its_file_says(play: Play, script: Script, scenario: Scenario):
    result = play(script, scenario)

    assert result.has_passed, text_report(result)


def test_after_all_conversations_every_promise_is_kept(play: Play):
    assert [(invariant.sentence, count) for invariant, count in count_violations() if count] == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.path.stem)
def test_no_two_conversations_of_a_file_have_the_same_name(script: Script):
    names = [scenario.name for scenario in script.file.scenarios]

    assert sorted(set(names)) == sorted(names)
