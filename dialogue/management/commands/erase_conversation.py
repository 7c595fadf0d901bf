"""manage.py erase_conversation ID REASON… --as NAME — what was said and done in it goes, its numbers stay."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dialogue.desk.access.people import Person, read_person
from dialogue.desk.maintenance.erasure import erase_conversation, vacuum_database
from dialogue.management.terminal import conversation_with, person_named

RIGHT = "dialogue.erase_conversation"


class Command(BaseCommand):
    help = "Erase a conversation: transcript, events, checkpoints, drafts, traces, sessions, links, training examples."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("id")
        parser.add_argument("reason", nargs="+", help="why; it is kept in the audit")
        parser.add_argument("--as", dest="name", help="your account; it needs the right to erase conversations")

    def handle(self, *args: Any, id: str, reason: list[str], name: str | None, **options: Any) -> None:
        row = conversation_with(id)
        person = self._person(name)
        erased = erase_conversation(row.pk, person, " ".join(reason))
        vacuum_database()
        self.stdout.write(f"{row.pk} is erased: {erased}.")

    @staticmethod
    def _person(name: str | None) -> Person:
        user = person_named(name)
        if not user.has_perm(RIGHT):
            raise CommandError(f"{user.get_username()} has no right to erase conversations.")
        return read_person(user.pk)
