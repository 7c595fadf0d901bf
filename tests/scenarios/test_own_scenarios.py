"""Every conversation of every file in this folder, with the commands given: what the engine must do with them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dialogue.audit.invariants import counted
from dialogue.scenarios.files import Scenario
from dialogue.scenarios.reading import Script, read_script
from dialogue.scenarios.reports import as_text
from dialogue.scenarios.runner import Options, run_scenarios

FILES = sorted(Path(__file__).parent.glob("*.yaml"))


def _conversations() -> Iterator[Any]:
    for file in FILES:
        script = read_script(file)
        for scenario in script.file.scenarios:
            yield pytest.param(script, scenario, id=f"{file.stem}: {scenario.name}")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("script", "scenario"), list(_conversations()))
def test_the_conversation_goes_as_its_file_says(script: Script, scenario: Scenario):
    (result,) = run_scenarios(script, [scenario], Options())

    assert result.passed, as_text(result)
    assert [(invariant.sentence, count) for invariant, count in counted() if count] == []


def test_no_two_conversations_of_a_file_have_the_same_name():
    for file in FILES:
        names = [scenario.name for scenario in read_script(file).file.scenarios]

        assert sorted(set(names)) == sorted(names), file.name
