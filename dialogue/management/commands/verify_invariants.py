"""manage.py verify_invariants — every promise with the number of rows that break it."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dialogue.audit.invariants import Invariant, count_violations


class Command(BaseCommand):
    help = "Print each invariant with its count; exit status 1 when one is not 0."

    def handle(self, *args: Any, **options: Any) -> None:
        found = count_violations()
        for invariant, count in found:
            self.stdout.write(self._line(invariant, count))
        broken = sum(count > 0 for _, count in found)
        if broken:
            raise CommandError(f"{broken} of {len(found)} invariants are broken.")

    def _line(self, invariant: Invariant, count: int) -> str:
        text = f"{count:6}  {invariant.number:2}. {invariant.sentence}"
        return self.style.ERROR(text) if count else text
