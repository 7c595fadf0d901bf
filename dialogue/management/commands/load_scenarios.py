"""manage.py load_scenarios ASSISTANT PATH… — takes scenario files into the database, by their names."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dialogue.engine.source.problems import FlowProblems
from dialogue.library.documents.folders import read_document
from dialogue.models import Assistant
from dialogue.scenarios.format.reading import LIMITS, scenario_files_at
from dialogue.scenarios.format.stored import replace_document


class Command(BaseCommand):
    help = "Take scenario files, or folders of them, as scenarios of an assistant."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("assistant")
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")

    def handle(self, *args: Any, assistant: str, paths: list[Path], **options: Any) -> None:
        home = Assistant.objects.filter(name=assistant).first()
        if home is None:
            raise CommandError(f"There is no assistant {assistant}.")
        broken = 0
        for path in scenario_files_at(paths):
            try:
                document = replace_document(home, path.stem, read_document(path, LIMITS.max_bytes + 1))
            except FlowProblems as error:
                broken += 1
                self.stderr.write("\n".join(map(str, error.problems)))
                continue
            self.stdout.write(f"{path}: {document.scenarios.count()} scenarios")
        if broken:
            raise SystemExit(1)
