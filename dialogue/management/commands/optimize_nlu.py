"""manage.py optimize_nlu ASSISTANT — makes a program for the language model out of lessons, and compares it."""

from argparse import ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from dialogue.library.nlu_programs import nlu_runs
from dialogue.library.nlu_programs.programs import store_program
from dialogue.management.nlu_command import (
    ProgressReporter,
    add_shared_arguments,
    existing_paths,
    refusals_as_command_errors,
    run_in_progress,
)
from dialogue.management.terminal import assistant_named
from dialogue.models import Assistant, NLUProgram

if TYPE_CHECKING:
    from dialogue.scenarios.nlu_training import OptimisationRequest, TrainingData

OPTIMIZERS = ("nearest", "labeled", "bootstrap", "mipro", "gepa")


class Command(BaseCommand):
    help = "Make a program for the language model; it becomes a candidate, which promote_nlu lets serve."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("assistant", metavar="ASSISTANT")
        parser.add_argument("--optimizer", default="nearest", choices=OPTIMIZERS)
        parser.add_argument("--train", nargs="+", type=Path, metavar="PATH", help="else half of its own scenarios")
        parser.add_argument("--val", nargs="+", type=Path, metavar="PATH", help="held out; else the other half")
        add_shared_arguments(parser)

    def handle(self, *args: Any, assistant: str, **options: Any) -> None:
        with run_in_progress(options["run"]) as run, refusals_as_command_errors():
            told = ProgressReporter(self.stderr, run)
            row = assistant_named(assistant)
            material = self._material(row, options, told)
            program = self._made(row, material, _wish(options), told, run.started_by if run else None)
            if run:
                nlu_runs.finish_run(run, program.scores, program)
            self._show(program)

    def _material(self, row: Assistant, options: dict[str, Any], told: ProgressReporter) -> "TrainingData":
        from dialogue.scenarios.nlu_training import (
            READING,
            TrainingData,
            active_definition,
            examples_at,
            own_examples,
            split_training_data,
        )

        told(READING, 0, 1)
        if not options["train"]:
            if options["val"]:
                raise CommandError("Held-out data alone teaches nothing: name --train too.")
            return split_training_data(own_examples(row))
        definition = active_definition(row)
        train = examples_at(existing_paths(options["train"]), definition)
        if not options["val"]:
            return split_training_data(train)
        return TrainingData(train, examples_at(existing_paths(options["val"]), definition))

    def _made(
        self, row: Assistant, material: "TrainingData", wish: "OptimisationRequest", told: ProgressReporter, by: Any
    ) -> NLUProgram:
        from dialogue.scenarios.nlu_training import optimise_program

        artefact, compared = optimise_program(row, material, wish, told)
        return store_program(row, artefact, compared, by)

    def _show(self, program: NLUProgram) -> None:
        from dialogue.nlu.training.evaluation import EvaluationReport
        from dialogue.nlu.training.tables import comparison_table

        before, after = (
            EvaluationReport.model_validate(program.baseline),
            EvaluationReport.model_validate(program.scores),
        )
        self.stdout.write("\n".join(comparison_table(before, after)))
        self.stdout.write(f"Program {program.number} of {program.assistant.name} is a candidate.")


def _wish(options: dict[str, Any]) -> "OptimisationRequest":
    from dialogue.scenarios.nlu_training import OptimisationRequest, patient_settings
    from dialogue.turns.nlu.understanding import chosen

    return OptimisationRequest(options["optimizer"], patient_settings(chosen(), options["seconds"]), options["sample"])
