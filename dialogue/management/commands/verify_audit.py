"""manage.py verify_audit — checks every chain of the audit from its first entry to its last."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dialogue.audit import chain
from dialogue.audit.report import CheckReport


class Command(BaseCommand):
    help = "Verify the audit's chains, all of them or the named ones; exit status 1 when one is broken."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("chains", nargs="*", metavar="CHAIN", help="a conversation's id, or console")

    def handle(self, *args: Any, chains: list[str], **options: Any) -> None:
        report = CheckReport()
        for line in report.lines(chain.check(chains or None)):
            self.stdout.write(line, self.style.ERROR if report.broken else None)
        if report.broken:
            raise CommandError(f"{len(report.broken)} of {report.chains} chains do not verify.")
