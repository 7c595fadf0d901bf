"""Shared parts of the NLU commands: arguments, progress, and the run's row that they report to."""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from django.core.management.base import CommandError, OutputWrapper

from dialogue.engine.source.problems import FlowProblems
from dialogue.library.nlu_programs import nlu_runs
from dialogue.models import NLURun

ANSWER_SECONDS = 120
"""How long a command waits for one answer. Longer than users would: it measures what a model knows, not its speed."""


def add_shared_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--sample", type=int, metavar="N", help="so many turns only, always the same ones")
    parser.add_argument("--seconds", type=float, default=ANSWER_SECONDS, help="how long one answer is waited for")
    parser.add_argument("--run", type=int, metavar="ID", help="report to this run of the console")


class ProgressReporter:
    """Report progress on the error stream, and in the run's row where there is one."""

    def __init__(self, stream: OutputWrapper, run: NLURun | None = None) -> None:
        self._stream = stream
        self._write_progress = nlu_runs.ProgressWriter(run) if run else None
        self._is_terminal = stream.isatty()
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int) -> None:
        if self._write_progress:
            self._write_progress(stage, done, total)
        if self._is_terminal:
            self._stream.write(f"\r{stage}: {done} of {total} {'' if done < total else chr(10)}")
        elif stage != self._stage or done == total:
            self._stream.write(f"{stage}: {done} of {total}\n")
        self._stage = stage
        self._stream.flush()


@contextmanager
def run_in_progress(number: int | None) -> Iterator[NLURun | None]:
    """Yield the running row of this number, or None. An exception marks the run as broken, with its message."""
    run = NLURun.objects.filter(pk=number, state=NLURun.State.RUNNING).first() if number else None
    try:
        yield run
    except BaseException as error:
        if run:
            nlu_runs.mark_broken(run, _error_text(error))
        raise


def _error_text(error: BaseException) -> str:
    return str(error) if isinstance(error, CommandError) else f"{type(error).__name__}: {error}"


@contextmanager
def refusals_as_command_errors() -> Iterator[None]:
    """Turn errors that a person can mend into CommandError with their message."""
    from dialogue.nlu.llm.programs import CannotOptimise, ProgramRefused
    from dialogue.nlu.training.labelled_examples import LabelledExampleRefused
    from dialogue.scenarios.nlu_training import NoExamples, NoModel

    try:
        yield
    except FlowProblems as error:
        raise CommandError("\n".join(map(str, error.problems))) from error
    except (LabelledExampleRefused, NoExamples, NoModel, ProgramRefused, CannotOptimise, OSError) as error:
        raise CommandError(str(error)) from error


def existing_paths(paths: Sequence[Path]) -> list[Path]:
    """The paths as a list. Raises CommandError that names those that do not exist."""
    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        raise CommandError(f"There is no {', '.join(missing)}.")
    return list(paths)
