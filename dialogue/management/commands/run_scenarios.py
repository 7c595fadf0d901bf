"""manage.py run_scenarios PATH… — plays scenario files in a database of their own that is thrown away afterwards."""

from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dialogue.engine.source.problems import FlowProblems
from dialogue.scenarios.format.reading import scenario_files_at
from dialogue.scenarios.nlu_modes import GIVEN, UnderstandingNotFound, describe_nlu, nlu_named
from dialogue.scenarios.outcome.coverage import Coverage
from dialogue.scenarios.outcome.reports import json_line, json_report, junit_report, text_report
from dialogue.scenarios.outcome.results import ScenarioResult, Summary
from dialogue.scenarios.play import BuildNLU
from dialogue.scenarios.runner import RunOptions, run_file
from dialogue.scenarios.temporary_database import use_temporary_database

SPOKEN: dict[str, Callable[[ScenarioResult], str]] = {"text": text_report, "lines": json_line}
"""What is written of each scenario as soon as it is over."""


class Command(BaseCommand):
    help = "Run scenario files, or folders of them; exit status 1 when one falls short."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
        parser.add_argument("--nlu", default=GIVEN, metavar="given|NAME", help="whose commands the engine is fed with")
        parser.add_argument("--format", default="text", choices=("text", "json", "junit", "lines"))
        parser.add_argument("--assistant", type=Path, metavar="PATH", help="play this folder, whatever the files name")
        parser.add_argument(
            "--only", action="append", default=[], metavar="NAME", help="only the scenario of this name"
        )
        parser.add_argument("--coverage", action="store_true", help="list what was never reached")

    def handle(self, *args: Any, paths: list[Path], nlu: str, coverage: bool, **options: Any) -> None:
        reached = Coverage() if coverage else None
        wanted = RunOptions(_understanding(nlu), reached, options["assistant"], frozenset(options["only"]))
        if nlu != GIVEN:
            self.stderr.write(f"Understanding: {describe_nlu(nlu)}.")
        with use_temporary_database():
            results = list(self._results(paths, wanted, SPOKEN.get(options["format"])))
        self._report(results, options["format"], reached)
        if self._broken or not all(result.has_passed for result in results):
            raise SystemExit(1)

    def _results(
        self, paths: list[Path], options: RunOptions, say: Callable[[ScenarioResult], str] | None
    ) -> Iterator[ScenarioResult]:
        self._broken = 0
        for path in scenario_files_at(paths):
            try:
                for result in run_file(path, options):
                    if say is not None:
                        self.stdout.write(say(result))
                        self.stdout.flush()
                    yield result
            except FlowProblems as error:
                self._broken += 1
                self.stderr.write("\n".join(map(str, error.problems)))

    def _report(self, results: list[ScenarioResult], form: str, reached: Coverage | None) -> None:
        """The last line is the sum; where a machine reads the output, it goes to the other stream."""
        said = str(Summary.of(results))
        if reached is not None:
            (self.stdout if form == "text" else self.stderr).write(str(reached))
        match form:
            case "json":
                self.stdout.write(json_report(results))
                self.stderr.write(said)
            case "junit":
                self.stdout.write(junit_report(results))
                self.stderr.write(said)
            case "lines":
                self.stderr.write(said)
            case _:
                self.stdout.write(said)


def _understanding(name: str) -> BuildNLU | None:
    try:
        return nlu_named(name)
    except UnderstandingNotFound as error:
        raise CommandError(str(error)) from error
