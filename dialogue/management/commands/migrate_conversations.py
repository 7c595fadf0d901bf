"""manage.py migrate_conversations ASSISTANT OLD NEW — moves paused conversations to another release."""

from argparse import ArgumentParser
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dialogue.library.releases.migration_apply import MapRefused, Migration, MoveReport, all_reports
from dialogue.models import Release


class Command(BaseCommand):
    help = "Say what moving the paused conversations of a release to another would lose; with --go, move them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("assistant")
        parser.add_argument("old", type=int, help="the number of the release that they are on")
        parser.add_argument("new", type=int, help="the number of the release that they come to")
        parser.add_argument(
            "--step", action="append", default=[], metavar="FLOW.OLD=NEW", help="where a step went; also for each gate"
        )
        parser.add_argument("--go", action="store_true", help="do it")

    def handle(self, *args: Any, assistant: str, old: int, new: int, step: list[str], go: bool, **options: Any) -> None:
        steps = dict(_step(each) for each in step)
        try:
            migration = Migration(_release(assistant, old), _release(assistant, new), steps)
        except MapRefused as error:
            raise CommandError(str(error)) from error
        able = total = 0
        for report in all_reports(partial(migration.carry_out, None) if go else migration.dry_run):
            self._say(report)
            able, total = able + report.is_possible, total + 1
        self.stdout.write(f"{able} of {total} conversations {'were moved' if go else 'can be moved'}")
        if able < total:
            raise SystemExit(1)

    def _say(self, report: MoveReport) -> None:
        self.stdout.write(f"{report.conversation}  {report.position}")
        for lost in report.lost:
            self.stdout.write(f"    loses {lost}")
        for refusal in report.refusals:
            self.stdout.write(f"    stays: {refusal}")


def _step(text: str) -> tuple[str, str]:
    source, found, target = text.partition("=")
    if not found or "." not in source:
        raise CommandError(f"{text} is no step map; write flow.old_step=new_step")
    return source.strip(), target.strip()


def _release(assistant: str, number: int) -> Release:
    found = Release.objects.filter(assistant__name=assistant, number=number, trial=False).first()
    if found is None:
        raise CommandError(f"{assistant} has no release {number}")
    return found
