"""manage.py load_flows PATH [--publish] — keeps a folder of flow documents as versioned rows."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from dialogue.engine.source.problems import FlowProblems
from dialogue.library.documents.images import IMAGES_FOLDER, ImageRefused, load_images
from dialogue.library.documents.versions import documents_of, store_documents
from dialogue.library.knowledge.documents import DOCUMENTS_FOLDER, DocumentRefused, load_documents
from dialogue.library.releases.groups import group_warnings
from dialogue.library.releases.releases import is_published, publish
from dialogue.management.terminal import FlowCommand, counted
from dialogue.models import Assistant


class Command(FlowCommand):
    help = (
        "Load an assistant from a folder, with what lies in its folders `documents` and `images`. A new version is "
        "kept only of what changed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path)
        parser.add_argument("--publish", action="store_true", help="make what was loaded the active release")
        parser.add_argument("--note", default="", help="what changed, for the history")

    def handle(self, *args: Any, path: Path, publish: bool, note: str, **options: Any) -> None:
        documents = self.documents(path)
        try:
            assistant = self._load(documents, note)
            if publish:
                self._publish(assistant, note, path)
            if (path / DOCUMENTS_FOLDER).is_dir():
                self._load_documents(assistant, path / DOCUMENTS_FOLDER)
            if (path / IMAGES_FOLDER).is_dir():
                self._load_images(assistant, path / IMAGES_FOLDER)
        except (DocumentRefused, ImageRefused) as error:
            raise CommandError(str(error)) from error
        except FlowProblems as error:
            self.print_problems(error.problems, path)
            raise CommandError("The documents were refused.") from error

    def _load(self, documents: dict[str, str], note: str) -> Assistant:
        assistant = store_documents(documents, note=note)
        self.stdout.write(f"{assistant.name}: {counted(len(documents_of(assistant)), 'document')} loaded.")
        return assistant

    def _load_documents(self, assistant: Assistant, folder: Path) -> None:
        stored, removed = load_documents(assistant, folder)
        texts = f"{counted(stored, 'document')} for questions"
        self.stdout.write(f"{assistant.name}: {texts} stored, {removed} removed.")

    def _load_images(self, assistant: Assistant, folder: Path) -> None:
        stored, removed = load_images(assistant, folder)
        self.stdout.write(f"{assistant.name}: {counted(stored, 'image')} stored, {removed} removed.")

    def _publish(self, assistant: Assistant, note: str, path: Path) -> None:
        if is_published(assistant):
            self.stdout.write(f"{assistant.name}: nothing changed since the active release.")
            return
        warnings = group_warnings(documents_of(assistant))  # before publishing makes the groups
        release = publish(assistant, intent=note)
        self.print_problems(warnings, path)
        self.stdout.write(self.style.SUCCESS(f"{assistant.name}: release {release.number} is active."))
