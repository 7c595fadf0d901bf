"""An environment for each framework, made of its locked requirements under `var/conformance`."""

import subprocess
import sys
from pathlib import Path

from tests.support.processes.server import ROOT

REQUIREMENTS = Path(__file__).parent / "requirements"
ENVIRONMENTS = ROOT / "var" / "conformance"


class NotInstalled(Exception):
    """The framework could not be installed; the text is the end of what pip printed."""


def python_of(framework: str) -> Path:
    """Return the Python of a framework's environment, which is made where it is missing or its lock is newer.

    "" is the Python that runs the kit. Raises NotInstalled.
    """
    if not framework:
        return Path(sys.executable)
    folder, lock = ENVIRONMENTS / framework, REQUIREMENTS / f"{framework}.txt"
    python, stamp = folder / "bin" / "python", folder / "installed"
    if not stamp.exists() or stamp.read_bytes() != lock.read_bytes():
        _run(sys.executable, "-m", "venv", "--clear", str(folder))
        # The lock is complete. For the extras of a package pip would look for a newer release, without a hash.
        _run(str(python), "-m", "pip", "install", *QUIETLY, "--no-deps", "--require-hashes", "-r", str(lock))
        stamp.write_bytes(lock.read_bytes())
    return python


QUIETLY = ("--quiet", "--disable-pip-version-check", "--no-input")


def lock_all() -> None:
    """Write `requirements/<framework>.txt` from each `.in`, with the newest releases and their hashes."""
    for source in sorted(REQUIREMENTS.glob("*.in")):
        options = (
            "--universal",
            "--python-version",
            "3.11",
            "--generate-hashes",
            "--upgrade",
            "--quiet",
            "--no-header",
        )
        plain = ("--no-annotate", "--no-emit-index-url", "--no-emit-find-links")
        _run("uv", "pip", "compile", str(source), *options, *plain, "--output-file", str(source.with_suffix(".txt")))


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotInstalled((done.stdout + done.stderr)[-1500:])
