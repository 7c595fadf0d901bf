"""Background runs of the NLU as rows: who started them, their progress and their result."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from time import monotonic
from typing import Any

from dialogue.library.documents.versions import Author
from dialogue.library.nlu_programs.background_runs import close_silent_runs, insert_run, process_environment
from dialogue.models import Assistant, NLUProgram, NLURun
from dialogue.turns import clock

State = NLURun.State
MAX_SILENCE = timedelta(minutes=10)
"""A run without a heartbeat for this long counts as ended; one answer of a slow model takes less."""

MAX_ERROR_CHARACTERS = 2_000
FIRST_STAGE = "reading"


class LaunchFailed(Exception):
    """Its process could not be started; the run's row says why."""


@dataclass(frozen=True)
class RunRequest:
    """What is to be done: an evaluation by `nlu`, or an optimisation by `optimizer`; of `program`, or of a new one."""

    kind: str
    nlu: str = ""
    optimizer: str = ""
    program: NLUProgram | None = None


def begin_run(assistant: Assistant, order: RunRequest, by: Author = None) -> NLURun:
    """Insert the row of a run that begins now. Raises RunAlreadyActive while another one is active."""
    close_silent_nlu_runs(assistant)
    return insert_run(NLURun(assistant=assistant, started_by=by, stage=FIRST_STAGE, **vars(order)))


def close_silent_nlu_runs(assistant: Assistant) -> int:
    """Mark the runs whose process ended without a result as broken. Returns their number."""
    return close_silent_runs(assistant.nlu_runs.all(), MAX_SILENCE, "Its process ended before it was done.")


@dataclass
class ProgressWriter:
    """Writes how far a run is, at most twice a second."""

    run: NLURun
    period: float = 0.5
    clock: Callable[[], float] = monotonic
    _last_written: tuple[str, float] = field(default=("", 0.0))

    def __call__(self, stage: str, done: int, total: int) -> None:
        last_stage, at = self._last_written
        if stage == last_stage and done < total and self.clock() - at < self.period:
            return
        self._last_written = (stage, self.clock())
        NLURun.objects.filter(pk=self.run.pk, state=State.RUNNING).update(
            stage=stage, done=done, total=total, beat_at=clock.now()
        )


def finish_run(run: NLURun, report: dict[str, Any], program: NLUProgram | None = None) -> None:
    """Mark the run as done, with its report."""
    changes: dict[str, Any] = {"program": program} if program is not None else {}
    NLURun.objects.filter(pk=run.pk, state=State.RUNNING).update(
        state=State.DONE, ended_at=clock.now(), report=report, **changes
    )


def mark_broken(run: NLURun, reason: str) -> None:
    """It did not; `error` is for people to read."""
    NLURun.objects.filter(pk=run.pk, state=State.RUNNING).update(
        state=State.BROKEN, ended_at=clock.now(), error=reason[:MAX_ERROR_CHARACTERS]
    )


def launch_process(run: NLURun, *arguments: str) -> None:
    """Do the work in a process of its own, which goes on when this one ends; it tells its progress in the row.

    The process is a `manage.py` command with `--run`. Raises LaunchFailed, with the row closed.
    """
    try:
        process = _start_process(run, arguments)
    except OSError as error:
        mark_broken(run, f"Its process could not be started: {error.strerror or error}.")
        raise LaunchFailed(str(run.pk)) from error
    PROCESSES.append(process)
    PROCESSES[:] = [running for running in PROCESSES if running.poll() is None]


def _start_process(run: NLURun, arguments: tuple[str, ...]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "django", *arguments, "--run", str(run.pk)],
        env=process_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


PROCESSES: list["subprocess.Popen[bytes]"] = []
"""Child processes, kept so that `poll` reaps those that ended."""
