"""A program of another framework in a process of its own, and what it tells of its runs."""

import json
import os
import subprocess
import threading
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from tests.support.processes.server import ROOT

MARK = "@desk "
PROGRAMS = Path(__file__).parent / "programs"
CLIENT = ROOT / "clients" / "python" / "src"
PATIENCE_SECONDS = 240.0


class ProgramFailed(Exception):
    """The program raised, ended, or said nothing in time; the text is what it printed last."""


class ProgramProcess:
    """One program, started once. `begin` starts a run in it; the others wait for what it tells."""

    def __init__(self, python: Path, script: str, arguments: tuple[str, ...], desk_url: str, log: Path) -> None:
        log.parent.mkdir(parents=True, exist_ok=True)
        self._log_path = log
        self._log = log.open("w", buffering=1)
        self._reports: dict[str, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
        self._changed = threading.Condition()
        self._process = subprocess.Popen(
            [str(python), str(PROGRAMS / script), *arguments],
            env={**os.environ, **QUIET, "DESK_URL": desk_url, "DESK_TOKEN": "agent", "PYTHONPATH": str(CLIENT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        threading.Thread(target=self._read, daemon=True).start()
        self._wait("", "ready")

    def begin(self, run: str, **options: Any) -> None:
        """Let the program begin a run."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"run": run, **options}) + "\n")
        self._process.stdin.flush()

    def gates(self, run: str) -> list[str]:
        """Return the gates at which the run waits. Raises ProgramFailed."""
        return list(self._wait(run, "asked"))

    def end(self, run: str) -> dict[str, list[Any]]:
        """Return all that the run report, by `asked`, `answer`, `tool` and `end`. Raises ProgramFailed."""
        self._wait(run, "end")
        with self._changed:
            return {what: list(values) for what, values in self._reports[run].items()}

    def close(self) -> None:
        """End the program."""
        self._process.kill()
        self._process.wait()
        self._log.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._log.write(line)
            if line.startswith(MARK):
                report = json.loads(line.removeprefix(MARK))
                with self._changed:
                    self._reports[report["run"]][report["what"]].append(report["value"])
                    self._changed.notify_all()
        with self._changed:
            self._changed.notify_all()

    def _wait(self, run: str, what: str) -> Any:
        until = time.monotonic() + PATIENCE_SECONDS
        with self._changed:
            while not self._reports[run][what]:
                if self._reports[run]["failed"]:
                    raise ProgramFailed(str(self._reports[run]["failed"][0]))
                if self._process.poll() is not None or time.monotonic() > until:
                    self._log.flush()
                    raise ProgramFailed(self._log_path.read_text()[-2000:] or f"nothing was report of “{what}”")
                self._changed.wait(0.5)
            return self._reports[run][what][0]


QUIET = {
    "PYTHONUNBUFFERED": "1",
    "OTEL_SDK_DISABLED": "true",
    "OPENAI_AGENTS_DISABLE_TRACING": "1",
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "ANONYMIZED_TELEMETRY": "false",
    "LANGSMITH_TRACING": "false",
}
"""Nothing leaves this machine."""
