"""manage.py dump_scenarios ASSISTANT PATH — writes an assistant's scenarios into a folder, byte for byte."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dialogue.library.documents.folders import write_folder
from dialogue.models import Assistant


class Command(BaseCommand):
    help = "Write the scenarios of an assistant into a folder."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("assistant")
        parser.add_argument("path", type=Path)

    def handle(self, *args: Any, assistant: str, path: Path, **options: Any) -> None:
        home = Assistant.objects.filter(name=assistant).first()
        if home is None:
            raise CommandError(f"There is no assistant {assistant}.")
        texts = {each.filename: each.text for each in home.scenario_documents.order_by("name")}
        for file in write_folder(texts, path):
            self.stdout.write(str(file))
