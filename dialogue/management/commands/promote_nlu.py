"""manage.py promote_nlu ASSISTANT NUMBER — lets a program serve, when nothing gets worse on held-out data."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dialogue.library.nlu_programs.programs import (
    NotEvaluated,
    NothingServes,
    OtherServes,
    ProgramNotFound,
    WouldWorsen,
    artefact_of,
    program_numbered,
    promote_program,
    store_scores,
    take_back_program,
)
from dialogue.management.nlu_command import (
    ProgressReporter,
    add_shared_arguments,
    existing_paths,
    refusals_as_command_errors,
)
from dialogue.management.terminal import assistant_named
from dialogue.models import Assistant


class Command(BaseCommand):
    help = "Let a program for the language model serve from the next message on, or take it back."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("assistant", metavar="ASSISTANT")
        parser.add_argument("number", nargs="?", type=int, metavar="NUMBER")
        parser.add_argument("--back", action="store_true", help="let what served before serve again")
        parser.add_argument("--held-out", nargs="+", type=Path, metavar="PATH", help="evaluate on this data first")
        add_shared_arguments(parser)

    def handle(self, *args: Any, assistant: str, number: int | None, back: bool, **options: Any) -> None:
        row = assistant_named(assistant)
        if back == (number is not None):
            raise CommandError("Name the number of a program, or --back.")
        with refusals_as_command_errors():
            if options["held_out"] and number is not None:
                self._evaluate(row, number, options)
            self.stdout.write(_taken_back(row) if back else _promoted(row, number or 0))

    def _evaluate(self, row: Assistant, number: int, options: dict[str, Any]) -> None:
        from dialogue.nlu.training.labelled_examples import sample_examples
        from dialogue.scenarios.nlu_training import active_definition, compare_programs, examples_at, patient_settings
        from dialogue.turns.nlu.understanding import chosen

        program = _numbered(row, number)
        lessons = examples_at(existing_paths(options["held_out"]), active_definition(row))
        settings = patient_settings(chosen(), options["seconds"])
        held_out = sample_examples(lessons, options["sample"])
        store_scores(
            program, compare_programs(row, artefact_of(program), held_out, settings, ProgressReporter(self.stderr))
        )


def _numbered(row: Assistant, number: int) -> Any:
    try:
        return program_numbered(row, number)
    except ProgramNotFound as error:
        raise CommandError(f"{row.name} has no program {number}.") from error


def _promoted(row: Assistant, number: int) -> str:
    _numbered(row, number)
    try:
        promote_program(row, number)
    except WouldWorsen as error:
        raise CommandError(f"Program {number} would worsen: {error}. The one before it stays in use.") from error
    except (NotEvaluated, OtherServes) as error:
        raise CommandError(f"{type(error).__doc__} (--held-out PATH)") from error
    return f"Program {number} of {row.name} is used from the next message on."


def _taken_back(row: Assistant) -> str:
    try:
        earlier = take_back_program(row)
    except NothingServes as error:
        raise CommandError(str(type(error).__doc__)) from error
    return f"{f'Program {earlier.number}' if earlier else 'The built-in program'} of {row.name} serves again."
