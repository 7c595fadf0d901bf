"""manage.py dump_flows ASSISTANT PATH — writes an assistant's documents into a folder, byte for byte."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dialogue.library.documents.folders import write_folder
from dialogue.library.documents.images import IMAGES_FOLDER, dump_images
from dialogue.library.documents.versions import documents_of
from dialogue.library.knowledge.documents import DOCUMENTS_FOLDER, dump_documents
from dialogue.management.terminal import assistant_named
from dialogue.models import Assistant


class Command(BaseCommand):
    help = "Write the newest documents of an assistant, or those of a release, into a folder, with those for questions."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("assistant")
        parser.add_argument("path", type=Path)
        parser.add_argument("--release", type=int, help="the number of a release; else what was saved last")

    def handle(self, *args: Any, assistant: str, path: Path, release: int | None, **options: Any) -> None:
        home = assistant_named(assistant)
        files = [
            *write_folder(self._documents(home, release), path),
            *dump_documents(home, path / DOCUMENTS_FOLDER),
            *dump_images(home, path / IMAGES_FOLDER),
        ]
        for file in files:
            self.stdout.write(str(file))

    def _documents(self, assistant: Assistant, number: int | None) -> dict[str, str]:
        if number is None:
            return documents_of(assistant)
        release = assistant.releases.filter(number=number).first()
        if release is None:
            raise CommandError(f"{assistant.name} has no release {number}.")
        return release.documents()
