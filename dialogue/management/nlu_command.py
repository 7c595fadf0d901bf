"""What the commands about understanding share: how they are told, what they read, and the row that they report to."""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from django.core.management.base import CommandError, OutputWrapper

from dialogue.engine.source.problems import FlowProblems
from dialogue.library.nlu_programs import nlu_runs
from dialogue.models import Assistant, NLURun

SECONDS = 120
"""How long a command waits for one answer: it measures what a model knows, not how patient users are."""


def add_common(parser: ArgumentParser) -> None:
    parser.add_argument("--sample", type=int, metavar="N", help="so many turns only, always the same ones")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long one answer is waited for")
    parser.add_argument("--run", type=int, metavar="ID", help="report to this run of the console")


def assistant_named(name: str) -> Assistant:
    row = Assistant.objects.select_related("active_release").filter(name=name).first()
    if row is None:
        raise CommandError(f"There is no assistant {name!r}. There are: {', '.join(_names()) or 'none'}.")
    return row


def _names() -> list[str]:
    return list(Assistant.objects.values_list("name", flat=True))


class Telling:
    """Says on the error stream how far it is, and writes it into the run's row, where there is one."""

    def __init__(self, stream: OutputWrapper, run: NLURun | None = None) -> None:
        self._stream = stream
        self._beat = nlu_runs.ProgressWriter(run) if run else None
        self._alive = stream.isatty()
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int) -> None:
        if self._beat:
            self._beat(stage, done, total)
        if self._alive:
            self._stream.write(f"\r{stage}: {done} of {total} {'' if done < total else chr(10)}")
        elif stage != self._stage or done == total:
            self._stream.write(f"{stage}: {done} of {total}\n")
        self._stage = stage
        self._stream.flush()


@contextmanager
def reported(number: int | None) -> Iterator[NLURun | None]:
    """The run's row, if there is one; whatever ends the work ends the run, and is said in it."""
    run = NLURun.objects.filter(pk=number, state=NLURun.State.RUNNING).first() if number else None
    try:
        yield run
    except BaseException as why:
        if run:
            nlu_runs.mark_broken(run, _in_words(why))
        raise


def _in_words(why: BaseException) -> str:
    return str(why) if isinstance(why, CommandError) else f"{type(why).__name__}: {why}"


@contextmanager
def refusals() -> Iterator[None]:
    """What a person can mend is said as a sentence."""
    from dialogue.nlu.llm.programs import CannotOptimise, ProgramRefused
    from dialogue.nlu.training.labelled_examples import LabelledExampleRefused
    from dialogue.scenarios.nlu_training import NoExamples, NoModel

    try:
        yield
    except FlowProblems as why:
        raise CommandError("\n".join(map(str, why.problems))) from why
    except (LabelledExampleRefused, NoExamples, NoModel, ProgramRefused, CannotOptimise, OSError) as why:
        raise CommandError(str(why)) from why


def paths_of(given: Sequence[Path]) -> list[Path]:
    missing = [str(path) for path in given if not path.exists()]
    if missing:
        raise CommandError(f"There is no {', '.join(missing)}.")
    return list(given)
