"""manage.py load_documents ASSISTANT PATH — the documents of a folder become what questions are answered from."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dialogue.library.knowledge.documents import DocumentRefused, load_documents
from dialogue.management.terminal import assistant_named, counted


class Command(BaseCommand):
    help = "Load Markdown and text files that questions are answered from; those that left the folder are removed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("assistant")
        parser.add_argument("path", type=Path, help="a folder of .md and .txt files")

    def handle(self, *args: Any, assistant: str, path: Path, **options: Any) -> None:
        if not path.is_dir():
            raise CommandError(f"{path} is not a folder. Name the folder that holds the documents.")
        home = assistant_named(assistant)
        try:
            stored, removed = load_documents(home, path)
        except DocumentRefused as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{home.name}: {counted(stored, 'document')} stored, {removed} removed.")
