"""Random stories of operations on gates, told by the rows and by a plain model of the state table; and conversations
whose loop opens a gate for each entry, told by the engine and by a plain model of the flow."""

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from campaigns.support.campaign import Campaign, Tally
from campaigns.support.ready import copy_migrated, migrated_cluster
from tests.support.desk.gate_model import CELLS
from tests.support.desk.loop_model import LOOP_CELLS
from tests.support.processes.postgres import postgres_server

STEPS = {100: 30, 300: 40}
"""Steps of a story, by the number of stories."""


ON_POSTGRES = 5
"""One story of so many is told there once more."""


def _run(size: int, chance: int, tally: Tally) -> None:
    options = ["--steps", str(STEPS.get(size, 30)), "--seed", str(chance)]
    _count(_played("", "--examples", str(size), *options), tally)
    with postgres_server(cluster=migrated_cluster()) as server:
        _count(_played(server.dsn, "--examples", str(size // ON_POSTGRES), "--tries", "1", *options), tally)


def _count(told: dict[str, Any], tally: Tally) -> None:
    tally.outcomes.update(told["visited"])
    tally.tried += sum(told["visited"].get(cell, 0) for cell in (*CELLS, *LOOP_CELLS))
    tally.failures += [told["failure"]] if told["failure"] else []


def _played(database: str, *options: str) -> dict[str, Any]:
    """The stories, in a process of its own: on a new SQLite file, or on the database of this URL."""
    with TemporaryDirectory(prefix="soni-gates-") as folder:
        copy_migrated(Path(folder))
        settings = {
            "DJANGO_SETTINGS_MODULE": "soni_admin.settings",
            "SONI_DATA": folder,
            "SONI_DEPLOYMENT": "embedded",
            "DATABASE_URL": database,
        }
        command = [sys.executable, "-m", "tests.support.desk.play_gates", *options]
        done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


CAMPAIGN = Campaign(
    name="state-machine",
    passes_when="model and rows agree after every step; all cells of the state table and of the loop were visited",
    ci=50,
    full=300,
    outcomes=(*CELLS, *LOOP_CELLS),
    run=_run,
    computes=True,
)
