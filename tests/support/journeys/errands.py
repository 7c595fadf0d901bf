"""An errand whose action is held until the test lets it go, so that "while the action runs" is no matter of time."""

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dialogue.engine.actions import registry
from tests.support.processes.server import Server, wait_for

ACTIONS = "tests.support.journeys.errands,dialogue.library.demo.bank_actions,dialogue.library.demo.library_actions"

PUBLISH = """
from tests.support.releases import publish
publish({
    "assistant.yaml": '''version: 1
assistant: errand
title: Errands
actions:
  look: {inputs: {}, outputs: {}, idempotent: true, timeout: 2m}
''',
    "run.yaml": '''flow: run
title: an errand
description: Runs an errand.
examples: [run an errand]
steps:
  - {step: begin, type: say, message: One moment please.}
  - {step: look, type: action, call: look}
  - {step: done, type: say, message: Here it is.}
''',
})
"""

FIRST, LAST = "One moment please.", "Here it is."

_folder = Path(os.environ.get("ERRANDS", "errands"))


@registry.action("look")
def look(inputs: Mapping[str, Any], *, key: str, conversation: str) -> dict[str, Any]:
    """Write down that it runs, and wait until it may go on."""
    with (_folder / f"{conversation}.runs").open("a") as runs:
        runs.write("run\n")
    while not (_folder / f"{conversation}.go").exists():
        time.sleep(0.02)
    return {}


class Errands:
    """The held actions of a server, by their conversations."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def server(self, data: Path) -> Server:
        return Server(data, SONI_ACTIONS=ACTIONS, ERRANDS=str(self.folder))

    def runs(self, conversation: str) -> int:
        """How often the action of this conversation was begun."""
        begun = self.folder / f"{conversation}.runs"
        return len(begun.read_text().splitlines()) if begun.exists() else 0

    def wait_until_it_runs(self, conversation: str, times: int = 1) -> None:
        wait_for(lambda: self.runs(conversation) == times)

    def is_held(self, conversation: str) -> bool:
        """Whether the action was not let go yet."""
        return not self._go(conversation).exists()

    def let_go(self, conversation: str) -> None:
        self._go(conversation).touch()

    def _go(self, conversation: str) -> Path:
        return self.folder / f"{conversation}.go"
