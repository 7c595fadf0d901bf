"""Scenario files that tests write themselves, played in the test's database."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dialogue.library.demo.seed import ASSISTANTS_FOLDER
from dialogue.scenarios.outcome.results import ScenarioResult
from dialogue.scenarios.runner import run_file

HEAD = """
assistant: {folder}
clock: 2026-11-23T09:00:00Z
stubs:
  check_payee: [{{returns: {{known: true, valid: true}}}}]
  send_money: [{{returns: {{reference: TR-1}}}}]
  read_balance: [{{returns: {{balance: 23118.40}}}}]
scenarios:
"""

Playing = Callable[[str], ScenarioResult]


@pytest.fixture
def played(transactional_db: None, tmp_path: Path) -> Playing:
    """Plays one scenario of the demo bank, given as YAML; its result."""

    def play(text: str) -> ScenarioResult:
        file = tmp_path / "scenarios.yaml"
        file.write_text(HEAD.format(folder=ASSISTANTS_FOLDER / "bank") + text)
        (result,) = run_file(file)
        return result

    return play
