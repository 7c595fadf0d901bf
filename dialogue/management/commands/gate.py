"""manage.py gate "LINE" --as NAME — one operator's line, as the command bar takes it."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dialogue.desk.access.people import Caller
from dialogue.desk.command_bar.bar import CommandResult, run_command
from dialogue.desk.command_bar.lines import parse_line
from dialogue.desk.forms.refusals import LineRefused, Refused
from dialogue.management.terminal import person_named, wait_for
from dialogue.turns.worker import drain


class Command(BaseCommand):
    help = 'Carry out an operator\'s line, such as: gate "submit g12 approve" --as olga'

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("line", nargs="+", metavar="LINE")
        parser.add_argument(
            "--as", dest="person", metavar="NAME", help="whose rights count, and whose name is recorded"
        )

    def handle(self, *args: Any, line: list[str], person: str | None, **options: Any) -> None:
        caller = Caller(person_named(person).pk, "terminal")
        reply = self._performed(" ".join(line), caller)
        self.stdout.write(reply.text)
        if reply.session is not None:
            wait_for(drain(reply.session.conversation_id))

    @staticmethod
    def _performed(line: str, caller: Caller) -> CommandResult:
        try:
            command = parse_line(line)
            reply = run_command(command, caller)
        except LineRefused as error:
            raise CommandError(str(error)) from error
        except Refused as error:
            raise CommandError(f"{error.status} {error.code}: {error.detail}") from error
        return reply
