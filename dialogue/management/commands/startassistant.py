"""manage.py startassistant NAME — a folder with flows, an action, a scenario and a test that passes."""

import keyword
import os
import re
from argparse import ArgumentParser
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dialogue.conf import soni
from dialogue.management.starter_folder import starter_files

_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")


class Command(BaseCommand):
    help = "Write the folder of a new assistant: flows, an action module, a scenario and a test that passes."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "name", help="lowercase letters, digits and underscores; also the name of the Python package"
        )
        parser.add_argument("--title", default="", help="what people read; without it, the name")
        parser.add_argument(
            "--folder", type=Path, default=Path(), help="where the package is written; here, if not given"
        )

    def handle(self, *args: Any, name: str, title: str, folder: Path, **options: Any) -> None:
        _check_name(name)
        target = folder / name
        if target.exists():
            raise CommandError(f"{target} exists already. Choose another name, or delete it.")
        if not folder.is_dir():
            raise CommandError(f"There is no folder {folder}. Make it first, or name another with --folder.")
        plain_title = _yaml_word(title or name.replace("_", " ").capitalize())
        settings = os.environ.get("DJANGO_SETTINGS_MODULE", "soni_admin.settings")
        for path, text in starter_files(name, plain_title, settings).items():
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            (target / path).write_text(text, "utf-8")
            self.stdout.write(str(target / path))
        self._print_next_steps(name, target)

    def _print_next_steps(self, name: str, target: Path) -> None:
        modules = [*soni.ACTIONS, f"{name}.actions"]
        self.stdout.write(
            f"\nNext:\n"
            f"  pytest {target}\n"
            f'  SONI = {{"ACTIONS": {modules}}} in the settings, or SONI_ACTIONS={",".join(modules)}\n'
            f"  manage.py load_flows {target / 'flows'} --publish\n"
            f"  manage.py chat {name}\n"
            f"The package `{name}` must be importable: its folder's parent on PYTHONPATH, or the folder of manage.py."
        )


def _check_name(name: str) -> None:
    """Raise CommandError for a name that cannot be an assistant and a new Python package."""
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise CommandError(f"{name!r} is not a name. Write lowercase letters, digits and underscores, such as returns.")
    if find_spec(name) is not None:
        raise CommandError(f"There is a Python module {name!r} already. Choose another name.")


def _yaml_word(title: str) -> str:
    """Return the title without what ends a plain text in YAML or a docstring."""
    return re.sub(r"[^\w .,&()-]", "", title).strip() or "Assistant"
