"""manage.py up — brings the database up to date and serves everything, in one process or in several."""

import asyncio
import atexit
import gc
import os
import socket
import sys
from argparse import ArgumentParser, ArgumentTypeError
from contextlib import ExitStack
from errno import EADDRINUSE
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from channels.layers import InMemoryChannelLayer, get_channel_layer
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection, connections, transaction
from prometheus_client import multiprocess

from dialogue.conf import soni
from dialogue.engine.source.problems import FlowProblems
from dialogue.library.demo.seed import SCENARIOS_FOLDER, Newcomer, seed_demo
from dialogue.management.one_process import AlreadyRunning, only_process
from dialogue.management.server import Place, PortTaken, serve
from dialogue.management.supervised import supervised_process
from dialogue.management.supervisor import Supervisor
from dialogue.models import Assistant
from dialogue.scenarios.format.stored import replace_document
from dialogue.turns import clock, lease
from dialogue.turns.live.layer import MemoryLayer
from dialogue.turns.metrics import COUNTERS_FOLDER

MAX_WORKERS = 64


class Command(BaseCommand):
    help = "Migrate, load the demo when the database is new, and serve everything: in this process, or in several."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=soni.PORT)
        parser.add_argument("--address", default="127.0.0.1", help="where to listen; this machine only by default")
        parser.add_argument("--no-demo", action="store_true", help="load no demo assistants and no demo people")
        parser.add_argument(
            "--workers",
            type=number_of_processes,
            default=1,
            metavar="N",
            help="how many processes serve, on as many processor cores; 1 by default",
        )

    def handle(self, *args: Any, port: int, address: str, no_demo: bool, workers: int = 1, **options: Any) -> None:
        place = Place(address, port)
        settings.SONI = {**getattr(settings, "SONI", {}), "PORT": port}  # mails lead back to it
        atexit.unregister(gc.freeze)  # its threads' connections are let go, so that SQLite merges its write-ahead log
        if supervised := supervised_process(os.environ):
            serve(place, supervised.tell_ready, supervised)
            return
        with ExitStack() as held:
            try:
                lock = held.enter_context(only_process(place.url))
            except AlreadyRunning as error:
                raise CommandError(str(error)) from error
            call_command("migrate", verbosity=0, interactive=False)
            self._refuse_skew()
            if connection.vendor == "sqlite":
                lease.end_all()  # one process a file: their holders are gone
            _refuse_taken_port(place)
            newcomers = [] if no_demo else self._seed()
            if workers == 1:
                self._serve(place, newcomers)
            else:
                self._supervise(place, newcomers, workers, lock)

    def _serve(self, place: Place, newcomers: list[Newcomer]) -> None:
        try:
            serve(place, lambda: self._greet(place, newcomers))
        except PortTaken as error:
            self._print_people(newcomers)  # they are made, and their passwords are shown only now
            raise CommandError(_port_sentence(place, "")) from error

    def _supervise(self, place: Place, newcomers: list[Newcomer], workers: int, lock: int | None) -> None:
        """Serve in several processes. What they share is this one's: the port, the lock, the folder of counters."""
        _refuse_separate_layers()
        try:
            listening = _bound_socket(place)
        except OSError as error:
            self._print_people(newcomers)
            raise CommandError(_port_sentence(place, _reason(error))) from error
        _close_database()
        with listening, TemporaryDirectory(prefix="soni-counters-") as counters:
            supervisor = Supervisor(
                listening,
                workers,
                lambda: self._greet(place, newcomers),
                inherited=() if lock is None else (lock,),
                environment={COUNTERS_FOLDER: counters} if soni.METRICS_TOKEN else {},
                after_end=partial(multiprocess.mark_process_dead, path=counters),
            )
            status = asyncio.run(supervisor.run())
        if status:
            sys.exit(status)

    @staticmethod
    def _refuse_skew() -> None:
        try:
            clock.refuse_skew()
        except clock.ClockSkewed as error:
            raise CommandError(str(error)) from error

    @staticmethod
    def _seed() -> list[Newcomer]:
        """The demo, for an unused database."""
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
            self.stdout.write(f"A password is lost? `{_this_program()} changepassword NAME` sets a new one.")
        else:
            self.stdout.write(
                f"Sign in with an account of this installation. `{_this_program()} changepassword NAME` sets a new "
                f"password, and `{_this_program()} createsuperuser` adds an administrator."
            )
        self.stdout.flush()

    def _print_people(self, newcomers: list[Newcomer]) -> None:
        if newcomers:
            self.stdout.write("Sign in as one of these; the passwords are shown only now:")
        for newcomer in newcomers:
            self.stdout.write(f"    {newcomer.username:10} {newcomer.password:14} {newcomer.person.role}")


def number_of_processes(word: str) -> int:
    """Read the number of processes, 1 to `MAX_WORKERS`. Raises ValueError, which the parser turns into a sentence."""
    number = int(word)
    if not 1 <= number <= MAX_WORKERS:
        raise ArgumentTypeError(f"{word} processes: choose 1 to {MAX_WORKERS}, about as many as there are cores.")
    return number


def _this_program() -> str:
    """What a person types before the name of another command, in the folder where they started this one."""
    python, script = Path(sys.executable), Path(sys.argv[0])
    if python.is_relative_to(Path.cwd()):
        python = python.relative_to(Path.cwd())
    return f"{python} -m {script.parent.name}" if script.name == "__main__.py" else f"{python} {script}"


def _refuse_taken_port(place: Place) -> None:
    """Refuse a port that is in use now, before the demo is made and its passwords are shown."""
    try:
        _bound_socket(place).close()
    except (OSError, OverflowError) as error:
        raise CommandError(_port_sentence(place, _reason(error))) from error


def _reason(error: OSError | OverflowError) -> str:
    if isinstance(error, OverflowError):
        return ": the number must be 0 to 65535"
    if error.errno == EADDRINUSE:
        return ": another program uses it"
    return f": {error.strerror}" if error.strerror else ""


def _port_sentence(place: Place, reason: str) -> str:
    advice = "Choose another: write SONI_PORT=NUMBER before the command, or --port NUMBER after it."
    return f"Port {place.port} cannot be listened on{reason}. {advice}"


def _bound_socket(place: Place) -> socket.socket:
    """Return a socket that has the port and takes no connections yet. Raises OSError."""
    listening = socket.socket(socket.AF_INET6 if ":" in place.address else socket.AF_INET)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((place.address, place.port))
    except (OSError, OverflowError):
        listening.close()
        raise
    return listening


def _refuse_separate_layers() -> None:
    """Refuse a channel layer in memory other than ours, over which processes cannot notify each other."""
    layer = get_channel_layer()
    if isinstance(layer, InMemoryChannelLayer) and not isinstance(layer, MemoryLayer):
        raise CommandError(
            "Several processes cannot notify each other over the channel layer of CHANNEL_LAYERS. "
            'Set its BACKEND to "dialogue.turns.live.layer.MemoryLayer", or use Redis.'
        )


def _close_database() -> None:
    """Close this process's connections, and with PostgreSQL their pool: only the started processes need some."""
    connections.close_all()
    if hasattr(connection, "close_pool"):
        connection.close_pool()
