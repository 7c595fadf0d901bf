"""The conversations that the demo assistants must hold, with the commands given and with our own understanding."""

from pathlib import Path

import pytest

from dialogue.audit.invariants import count_violations
from dialogue.library.demo.seed import SCENARIOS_FOLDER
from dialogue.scenarios.nlu_modes import nlu_named
from dialogue.scenarios.outcome.reports import text_report
from dialogue.scenarios.runner import RunOptions, run_file

FILES = sorted(SCENARIOS_FOLDER.glob("*.yaml"))


@pytest.mark.django_db(transaction=True)
@pytest.mark.database
@pytest.mark.parametrize("nlu", ["given", "auto"])
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_conversation_goes_as_its_file_says(file: Path, nlu: str):
    results = list(run_file(file, RunOptions(nlu_named(nlu))))

    assert [text_report(result) for result in results if not result.has_passed] == []
    assert [(invariant.sentence, count) for invariant, count in count_violations() if count] == []
