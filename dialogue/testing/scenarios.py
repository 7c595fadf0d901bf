"""Play scenario files from pytest, in a process and a database of their own."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_RUN = """
import importlib, sys
import django
django.setup()
for module in sys.argv[1].split(","):
    if module:
        importlib.import_module(module)
from django.core.management import execute_from_command_line
execute_from_command_line(["manage.py", "run_scenarios", *sys.argv[2:]])
"""


class ScenariosFailed(AssertionError):
    """A scenario did not go as written; the message is the report."""


def play_scenarios(
    path: str | Path, *options: str, modules: Sequence[str] = (), settings: str = "", timeout: float = 600
) -> str:
    """Play the scenarios of a file or a folder, and return the report. Raises ScenariosFailed.

    `options` are those of `manage.py run_scenarios`, such as "--nlu", "learned". `modules` are imported first: those of
    actions and validators that the settings do not name yet. `settings` is the dotted name of the project's settings;
    without it DJANGO_SETTINGS_MODULE counts, or else the console's own. `timeout` is in seconds.
    """
    module = settings or os.environ.get("DJANGO_SETTINGS_MODULE") or "soni_admin.settings"
    places = [os.getcwd(), *sys.path]
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": module, "PYTHONPATH": os.pathsep.join(filter(None, places))}
    command = [sys.executable, "-c", _RUN, ",".join(modules), str(path), *options]
    process = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout, check=False)
    if process.returncode:
        raise ScenariosFailed(f"{process.stdout}\n{process.stderr}".strip())
    return process.stdout
