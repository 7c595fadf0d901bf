"""manage.py check_flows PATH… — reads folders of flow documents and says everything that is wrong with them."""

from argparse import ArgumentParser
from collections.abc import Collection
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from dialogue.engine.actions import registry
from dialogue.engine.language.compiler import check_documents
from dialogue.engine.source.problems import Problem
from dialogue.management.terminal import FlowCommand
from dialogue.turns.compiled_releases import registered_actions


class Command(FlowCommand):
    help = "Check folders of flow documents; exit status 1 when one has an error. Warnings are printed and pass."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a folder, or one document of a folder")
        parser.add_argument("--any-action", action="store_true", help="do not ask whether actions have Python here")

    def handle(self, *args: Any, **options: Any) -> None:
        registered = None if options["any_action"] else registered_actions()
        errors = sum(self._check(path, registered) for path in options["paths"])
        if errors:
            raise CommandError(f"{errors} error{'s' if errors > 1 else ''}.")
        self.stdout.write(self.style.SUCCESS("No errors."))

    def _check(self, path: Path, registered: Collection[str] | None) -> int:
        """Print what is wrong at `path`; the number of errors."""
        folder = path.parent if path.is_file() else path
        misfit = None if registered is None else registry.mismatch
        problems = check_documents(self.documents(folder), registered, misfit)
        found = [each for each in problems if self._wanted(each, path)]
        self.print_problems(found, folder)
        return sum(problem.severity == "error" for problem in found)

    @staticmethod
    def _wanted(problem: Problem, path: Path) -> bool:
        return not path.is_file() or problem.file == path.name
