"""manage.py up — brings the database up to date and serves everything in one process."""

import atexit
import gc
from argparse import ArgumentParser
from contextlib import ExitStack
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection, transaction

from dialogue.conf import soni
from dialogue.engine.source.problems import FlowProblems
from dialogue.library.demo.seed import SCENARIOS_FOLDER, Newcomer, seed_demo
from dialogue.management.one_process import AlreadyRunning, only_process
from dialogue.management.server import Place, PortTaken, serve
from dialogue.models import Assistant
from dialogue.scenarios.format.stored import replace_document
from dialogue.turns import clock, lease


class Command(BaseCommand):
    help = "Migrate, load the demo when the database is new, and serve everything in this one process."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=soni.PORT)
        parser.add_argument("--address", default="127.0.0.1", help="where to listen; this machine only by default")
        parser.add_argument("--no-demo", action="store_true", help="load no demo assistants and no demo people")

    def handle(self, *args: Any, port: int, address: str, no_demo: bool, **options: Any) -> None:
        place = Place(address, port)
        settings.SONI = {**getattr(settings, "SONI", {}), "PORT": port}  # mails lead back to it
        atexit.unregister(gc.freeze)  # its threads' connections are let go, so that SQLite merges its write-ahead log
        with ExitStack() as held:
            try:
                held.enter_context(only_process())
            except AlreadyRunning as error:
                raise CommandError(str(error)) from error
            call_command("migrate", verbosity=0, interactive=False)
            self._refuse_skew()
            if connection.vendor == "sqlite":
                lease.end_all()  # one process a file: whoever held them is gone
            newcomers = [] if no_demo else self._seed()
            self._serve(place, newcomers)

    def _serve(self, place: Place, newcomers: list[Newcomer]) -> None:
        try:
            serve(place, lambda: self._greet(place, newcomers))
        except PortTaken as error:
            self._print_people(newcomers)  # they are made, and their passwords are shown only now
            raise CommandError(f"Port {place.port} cannot be listened on. Name another with --port.") from error

    @staticmethod
    def _refuse_skew() -> None:
        try:
            clock.refuse_skew()
        except clock.ClockSkewed as error:
            raise CommandError(str(error)) from error

    @staticmethod
    def _seed() -> list[Newcomer]:
        """The demo, for a database that nobody has used yet."""
        if Assistant.objects.exists():
            return []
        try:
            with transaction.atomic():
                newcomers = seed_demo()
        except FlowProblems as error:
            raise CommandError(
                "The demo assistants need their actions. Add dialogue.library.demo.actions to the actions in your "
                f"settings, or start with --no-demo. Nothing was loaded. {error.problems[0]}"
            ) from error
        for file in SCENARIOS_FOLDER.glob("*.yaml"):
            replace_document(Assistant.objects.get(name=file.stem), file.stem, file.read_text(encoding="utf-8"))
        return newcomers

    def _greet(self, place: Place, newcomers: list[Newcomer]) -> None:
        self.stdout.write(self.style.SUCCESS(f"Open {place.url}"))
        if newcomers:
            self._print_people(newcomers)
            self.stdout.write("A password is lost? `manage.py changepassword NAME` sets a new one.")
        else:
            self.stdout.write(
                "Sign in with an account of this installation: `manage.py createsuperuser` makes one, "
                "`manage.py changepassword NAME` sets a new password."
            )
        self.stdout.flush()

    def _print_people(self, newcomers: list[Newcomer]) -> None:
        if newcomers:
            self.stdout.write("Sign in as one of these; the passwords are shown only now:")
        for newcomer in newcomers:
            self.stdout.write(f"    {newcomer.username:10} {newcomer.password:14} {newcomer.person.role}")
