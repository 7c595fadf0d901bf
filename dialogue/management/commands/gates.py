"""manage.py gates — what waits for staff, the most urgent first."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from dialogue.desk.forms.choices import asks_about_unknown_outcome
from dialogue.engine.slots.redaction import one_line
from dialogue.management.terminal import mark_of
from dialogue.models import HITLSession
from dialogue.turns.live.serializers import listed_title


class Command(BaseCommand):
    help = "List the sessions that wait for staff, the most urgent first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--all", action="store_true", help="the decided ones too, newest first")
        parser.add_argument("--limit", type=int, default=50)

    def handle(self, *args: Any, limit: int, **options: Any) -> None:
        rows = HITLSession.objects.filter(audience=HITLSession.Audience.STAFF).select_related(
            "conversation__user", "assignee", "group"
        )
        if options["all"]:
            found = rows.order_by("-number")
        else:
            found = rows.filter(HITLSession.undecided()).order_by("urgent_at", "-priority", "number")
        for row in found[:limit]:
            self.stdout.write(_line(row))
            if asks_about_unknown_outcome(row) and row.message:
                self.stdout.write(f"{'':8} the action reported: {one_line(row.message)}")
        self.stdout.write(f"{found.count()} in all")


def _line(row: HITLSession) -> str:
    who = row.assignee.get_username() if row.assignee else "-"
    until = row.expires_at.isoformat(" ", "seconds") if row.expires_at else "no deadline"
    queue = row.group.name if row.group else "anybody"
    title = f"{listed_title(row)} ({row.flow}/{row.step}) for {row.conversation.customer}"
    return f"{row.name:8} {row.state:9} {until:25} {queue:12} {who:10} {title}{mark_of(row.conversation)}"
