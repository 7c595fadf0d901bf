"""manage.py evaluate_nlu DATASET… — what understanding gets right: scores per command, values, calls, tokens, times."""

from argparse import ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from dialogue.library.nlu_programs import nlu_runs
from dialogue.library.nlu_programs.programs import ProgramNotFound, artefact_of, program_numbered, serving_program
from dialogue.management.nlu_command import (
    ProgressReporter,
    add_shared_arguments,
    existing_paths,
    refusals_as_command_errors,
    run_in_progress,
)
from dialogue.management.terminal import assistant_named
from dialogue.models import Assistant

if TYPE_CHECKING:
    from dialogue.nlu.llm.programs import LLMProgram
    from dialogue.nlu.training.evaluation import EvaluationReport
    from dialogue.nlu.training.labelled_examples import LabelledExample

NLUS = ("rules", "learned", "llm", "auto")
BUILT_IN = "built-in"


class Command(BaseCommand):
    help = "Evaluate understanding on scenario files, folders of them, or .jsonl files of labelled sentences."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("datasets", nargs="*", type=Path, metavar="DATASET")
        parser.add_argument("--nlu", default="auto", choices=NLUS)
        parser.add_argument("--assistant", metavar="NAME", help="whose programs, and whose flows sentences are about")
        parser.add_argument("--program", metavar="NUMBER", help=f"of the assistant, or {BUILT_IN}; else what serves")
        parser.add_argument("--against", metavar="NUMBER", help="another program, shown beside it")
        parser.add_argument("--format", default="text", choices=("text", "json"))
        add_shared_arguments(parser)

    def handle(self, *args: Any, datasets: list[Path], **options: Any) -> None:
        with run_in_progress(options["run"]) as run, refusals_as_command_errors():
            self._options, self._told = options, ProgressReporter(self.stderr, run)
            assistant = run.assistant if run else self._assistant(options["assistant"])
            lessons = self._lessons(datasets, assistant)
            reports = [self._report(lessons, name, assistant) for name in self._programs()]
            self._show(reports)
            if run:
                nlu_runs.finish_run(run, reports[0].model_dump(mode="json"))

    def _assistant(self, name: str | None) -> Assistant | None:
        return assistant_named(name) if name else None

    def _lessons(self, datasets: list[Path], assistant: Assistant | None) -> "list[LabelledExample]":
        from dialogue.nlu.training.labelled_examples import sample_examples
        from dialogue.scenarios.nlu_training import READING, active_definition, examples_at, own_examples

        if not datasets and assistant is None:
            raise CommandError("Name a data set, or the assistant whose own scenarios are meant.")
        self._told(READING, 0, 1)
        definition = active_definition(assistant) if assistant else None
        found = (
            examples_at(existing_paths(datasets), definition) if datasets or not assistant else own_examples(assistant)
        )
        self._told(READING, 1, 1)
        return sample_examples(found, self._options["sample"])

    def _programs(self) -> list[str | None]:
        against = self._options["against"]
        return [*([against] if against else []), self._options["program"]]

    def _report(
        self, lessons: "list[LabelledExample]", program: str | None, assistant: Assistant | None
    ) -> "EvaluationReport":
        from dialogue.scenarios.nlu_modes import describe_nlu
        from dialogue.scenarios.nlu_training import AFTER, evaluate_examples, patient_settings
        from dialogue.turns.nlu.understanding import chosen

        self.stderr.write(f"Understanding: {describe_nlu(self._options['nlu'])}.")
        settings = patient_settings(chosen(), self._options["seconds"])
        artefact = self._artefact(program, assistant)
        return evaluate_examples(
            self._options["nlu"], settings, lessons, artefact, lambda done, of: self._told(AFTER, done, of)
        )

    def _artefact(self, program: str | None, assistant: Assistant | None) -> "LLMProgram | None":
        if program == BUILT_IN or assistant is None:
            return None
        try:
            row = program_numbered(assistant, int(program)) if program else serving_program(assistant)
        except (ProgramNotFound, ValueError) as error:
            raise CommandError(f"{assistant.name} has no program {program}.") from error
        return artefact_of(row) if row else None

    def _show(self, reports: "list[EvaluationReport]") -> None:
        from dialogue.nlu.training.tables import comparison_table, report_table

        if self._options["format"] == "json":
            self.stdout.write("\n".join(report.model_dump_json() for report in reports))
            return
        self.stdout.write("\n".join(report_table(reports[-1])))
        if len(reports) > 1:
            self.stdout.write("\n" + "\n".join(comparison_table(reports[0], reports[1])))
