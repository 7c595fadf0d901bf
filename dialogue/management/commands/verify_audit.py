"""manage.py verify_audit — checks every chain of the audit from its first entry to its last."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dialogue.audit import chain
from dialogue.models import AuditEntry


class Command(BaseCommand):
    help = "Verify the audit's chains, all of them or the named ones; exit status 1 when one is broken."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("chains", nargs="*", metavar="CHAIN", help="a conversation's id, or console")

    def handle(self, *args: Any, chains: list[str], **options: Any) -> None:
        broken = list(chain.verify(chains or None))
        for entry in broken:
            self.stdout.write(self.style.ERROR(str(entry)))
        rows = AuditEntry.objects.filter(chain__in=chains) if chains else AuditEntry.objects.all()
        checked = rows.order_by().values("chain").distinct().count()
        self.stdout.write(f"{rows.count()} entries in {checked} chains, {len(broken)} chains broken")
        if broken:
            raise CommandError(f"{len(broken)} of {checked} chains do not verify.")
