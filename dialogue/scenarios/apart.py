"""Running scenarios in a process of their own, for a server that goes on serving from its own database meanwhile."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from django.conf import settings

LONGEST = 600
"""Seconds after which a run is given up."""


class RunFailed(Exception):
    """The run did not come to its end; the message is what it said on its error output."""


def run_apart(path: Path, nlu: str = "given") -> dict[str, Any]:
    """The JSON report of `run_scenarios`: `{"scenarios": […], "summary": {…}, "problems": [line, …]}`.

    Raises RunFailed.
    """
    done = _done([sys.executable, "-m", "django", "run_scenarios", str(path), "--nlu", nlu, "--format", "json"])
    try:
        report: dict[str, Any] = json.loads(done.stdout)
    except json.JSONDecodeError as why:
        raise RunFailed(done.stderr.strip()[-2000:]) from why
    return {**report, "problems": _problems(done.stderr)}


def _done(command: list[str]) -> subprocess.CompletedProcess[str]:
    module = os.environ.get("DJANGO_SETTINGS_MODULE", settings.SETTINGS_MODULE)
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": module}
    try:
        return subprocess.run(
            command,
            cwd=settings.BASE_DIR,
            env=environment,
            capture_output=True,
            text=True,
            timeout=LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired as why:
        raise RunFailed(f"The scenarios took longer than {LONGEST} seconds.") from why


def _problems(said: str) -> list[str]:
    """The lines that name a file that could not be read."""
    return [line for line in said.splitlines() if ": E-" in line]
