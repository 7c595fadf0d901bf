"""The project of docs/extending.md, laid down as files, and commands that are run on it in processes of their own."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.support.processes.server import ROOT

GUIDE = ROOT / "docs" / "extending.md"
BLOCK = re.compile(r"```(?:python|yaml)\n# (\S+)\n(.*?)```", re.DOTALL)

SETTINGS = {
    "SONI_ACTIONS": "shop.rules",
    "SONI_COMMANDS": "shop.commands.COMMANDS",
    "NLU": "shop.nlu.Waving",
    "SONI_KNOWLEDGE": "shop.ports.Returns",
    "SONI_HELP": "shop.ports.Desk",
}


class Project:
    """A folder outside the package; `manage` runs a command that finds it on PYTHONPATH."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "soni_admin.settings",
            "DATABASE_URL": "",
            "SONI_DEPLOYMENT": "embedded",
            "NLU_EMBEDDED": "off",
            "PYTHONPATH": str(folder),
            "SONI_DATA": str(folder / "data"),
            **SETTINGS,
            **settings,
        }

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def manage(self, *arguments: str, typed: str = "") -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            input=typed,
            capture_output=True,
            text=True,
            check=False,
        )


def guide_project(folder: Path, **settings: str) -> Project:
    """The files that the guide shows."""
    project = Project(folder, **settings)
    for name, text in BLOCK.findall(GUIDE.read_text()):
        project.write(name, text)
    return project
