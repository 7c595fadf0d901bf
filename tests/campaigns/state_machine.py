"""Random stories of operations on gates, told by the rows and by a plain model of the state table."""

import json
import os
import subprocess
import sys
from tempfile import TemporaryDirectory
from typing import Any

from tests.campaigns.campaign import Campaign, Tally
from tests.desk.gate_model import CELLS

STEPS = {100: 30, 300: 40}
"""Steps of a story, by the number of stories."""


def _run(size: int, chance: int, tally: Tally) -> None:
    told = _played("--examples", str(size), "--steps", str(STEPS.get(size, 30)), "--seed", str(chance))
    tally.outcomes.update(told["visited"])
    tally.tried += sum(told["visited"].get(cell, 0) for cell in CELLS)
    tally.failures += [told["failure"]] if told["failure"] else []


def _played(*options: str) -> dict[str, Any]:
    """The stories, in a process of its own: on a new SQLite file, or on the database that DATABASE_URL names."""
    with TemporaryDirectory(prefix="soni-gates-") as folder:
        settings = {"DJANGO_SETTINGS_MODULE": "soni_admin.settings", "SONI_DATA": folder, "SONI_DEPLOYMENT": "embedded"}
        command = [sys.executable, "-m", "tests.desk.play_gates", *options]
        done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


CAMPAIGN = Campaign(
    name="state-machine",
    passes_when="model and rows agree after every step, and every cell of the state table was visited",
    ci=100,
    full=300,
    outcomes=CELLS,
    run=_run,
)
